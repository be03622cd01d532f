//! The tools that every house has: time, dates, sums, artifacts, reports, tables, plots, pins.

mod markup;
mod slug;
mod zone;

mod current_time;
mod date_math;

mod calculator;

mod artifact;
mod cabinet;

mod artifact_list;
mod artifact_read;
mod artifact_save;

mod plot;
mod report;
mod table;

mod pins;

pub use artifact::{ARTIFACT_BYTES_MAX, SESSION_ARTIFACT_BYTES_MAX, artifact_id};
pub use artifact_read::READ_BYTES_MAX;
pub use cabinet::{Cabinet, OWNER_ARTIFACT_BYTES_MAX};
pub use pins::{PIN_CHARS_MAX, PINS_MAX, Pinned, keep as pin};

use crate::registry::{Error, Registry};

/// Adds the built-in tools. `cabinet` is where they keep what they make; `time_zone` is the one that is meant when none is
/// named.
pub fn add_builtins(registry: &mut Registry, cabinet: impl Into<Cabinet>, time_zone: &str) -> Result<(), Error> {
    let cabinet = cabinet.into();
    let zones = zone::Zones::new(time_zone).map_err(Error::BadTimeZone)?;
    registry.add(current_time::CurrentTime(zones.clone()))?;
    registry.add(date_math::DateMath(zones))?;
    registry.add(calculator::Calculator)?;
    registry.add(artifact_save::ArtifactSave(cabinet.clone()))?;
    registry.add(artifact_read::ArtifactRead(cabinet.clone()))?;
    registry.add(artifact_list::ArtifactList(cabinet.clone()))?;
    registry.add(report::ReportSave(cabinet.clone()))?;
    registry.add(table::TableSave(cabinet.clone()))?;
    registry.add(plot::PlotDraw(cabinet))?;
    registry.add(pins::Pin)?;
    registry.add(pins::Unpin)
}
