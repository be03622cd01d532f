//! The built-in tools: time, dates, calculations, artifacts, reports, tables, plots, pins.

mod markup;
mod slug;
mod zone;

mod current_time;
mod date_math;

mod calculator;

mod artifact;
mod artifact_store;

mod artifact_list;
mod artifact_read;
mod artifact_save;

mod plot;
mod report;
mod table;

mod pins;

pub use artifact::{ARTIFACT_BYTES_MAX, SESSION_ARTIFACT_BYTES_MAX, artifact_id};
pub use artifact_read::READ_BYTES_MAX;
pub use artifact_store::{ArtifactStore, OWNER_ARTIFACT_BYTES_MAX};
pub use pins::{PIN_CHARS_MAX, PINS_MAX, PinOutput, pin};

use crate::registry::{Error, Registry};

/// Adds the built-in tools. They store their artifacts in `artifact_store`; `time_zone` is the
/// default time zone.
pub fn add_builtins(
    registry: &mut Registry,
    artifact_store: impl Into<ArtifactStore>,
    time_zone: &str,
) -> Result<(), Error> {
    let artifact_store = artifact_store.into();
    let zones = zone::Zones::new(time_zone).map_err(Error::BadTimeZone)?;
    registry.add(current_time::CurrentTime(zones.clone()))?;
    registry.add(date_math::DateMath(zones))?;
    registry.add(calculator::Calculator)?;
    registry.add(artifact_save::ArtifactSave(artifact_store.clone()))?;
    registry.add(artifact_read::ArtifactRead(artifact_store.clone()))?;
    registry.add(artifact_list::ArtifactList(artifact_store.clone()))?;
    registry.add(report::ReportSave(artifact_store.clone()))?;
    registry.add(table::TableSave(artifact_store.clone()))?;
    registry.add(plot::PlotDraw(artifact_store))?;
    registry.add(pins::PinTool)?;
    registry.add(pins::UnpinTool)
}
