//! Time zones by name, from the database built into the program.

use jiff::{
    Zoned,
    tz::{TimeZone, TimeZoneDatabase},
};
use protocol::Timestamp;

/// The number of names suggested for an unknown time zone.
const SUGGESTIONS_MAX: usize = 3;

/// The time zones, with the default one.
#[derive(Clone)]
pub(super) struct Zones {
    all: TimeZoneDatabase,
    home: TimeZone,
}

impl Zones {
    /// Zones with the given default. The error suggests names.
    pub(super) fn new(home: &str) -> Result<Self, String> {
        let all = TimeZoneDatabase::bundled();
        let home = find(&all, home)?;
        Ok(Self { all, home })
    }

    /// The moment in a time zone.
    pub(super) fn at(&self, now: Timestamp, name: Option<&str>) -> Result<Zoned, String> {
        let zone = match name {
            Some(name) => find(&self.all, name)?,
            None => self.home.clone(),
        };
        let moment = jiff::Timestamp::from_millisecond(now.as_millis()).map_err(|error| error.to_string())?;
        Ok(moment.to_zoned(zone))
    }
}

fn find(all: &TimeZoneDatabase, name: &str) -> Result<TimeZone, String> {
    all.get(name.trim()).map_err(|_| {
        let shown: String = name.chars().take(64).collect();
        let wanted = shown.trim().replace(' ', "_").to_lowercase();
        let near = all.available().map(|known| known.to_string()).filter(|known| {
            !wanted.is_empty() && known.to_lowercase().split('/').any(|part| part == wanted) && known.contains('/')
        });
        let near: Vec<String> = near.take(SUGGESTIONS_MAX).map(|known| format!("`{known}`")).collect();
        let example = if near.is_empty() { "`Europe/Berlin` or `UTC`".to_owned() } else { near.join(" or ") };
        format!("`{shown}` is not a time zone; use one such as {example}")
    })
}
