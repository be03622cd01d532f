//! Time zones by name, from the data that is built into the program: the same on every node, and
//! read without touching the disk.

use std::sync::LazyLock;

use jiff::tz::{TimeZone, TimeZoneDatabase};

use super::TimeError;

static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// The time zone with this name, as `Europe/Berlin`.
pub fn time_zone(name: &str) -> Result<TimeZone, TimeError> {
    ZONES.get(name).map_err(|_| TimeError::Zone(name.chars().take(60).collect()))
}
