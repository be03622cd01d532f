//! The time zone of a session.

use protocol::Settings;
use serde_json::Value;

use crate::Options;

/// The preference of a session that names its time zone.
pub(crate) const ZONE_PREFERENCE: &str = "time_zone";

/// The zone of a session: its preference, or the server's.
pub(crate) fn zone_of(settings: &Settings, options: &Options) -> String {
    let chosen = settings.preferences.get(ZONE_PREFERENCE).and_then(Value::as_str);
    let chosen = chosen.filter(|_| !settings.imported.contains(ZONE_PREFERENCE));
    // A name that is no zone is refused where it is set by a schedule; here it must not stop one.
    let known = chosen.filter(|zone| schedule::time_zone(zone).is_ok());
    known.map_or_else(|| options.time_zone.clone(), str::to_owned)
}
