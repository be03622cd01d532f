//! Time zones by name, from the database that comes with the program.

use jiff::{
    Zoned,
    tz::{TimeZone, TimeZoneDatabase},
};
use protocol::Timestamp;

/// How many names are suggested for one that is not known.
const SUGGESTIONS_MAX: usize = 3;

/// The zones, and the one that is meant when none is named.
#[derive(Clone)]
pub(super) struct Zones {
    all: TimeZoneDatabase,
    home: TimeZone,
}

impl Zones {
    /// Zones with the given one as home. The error says which names there are.
    pub(super) fn new(home: &str) -> Result<Self, String> {
        let all = TimeZoneDatabase::bundled();
        let home = find(&all, home)?;
        Ok(Self { all, home })
    }

    /// The moment as the clocks of a zone show it.
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
        format!("`{shown}` is no time zone; name one as in {example}")
    })
}
