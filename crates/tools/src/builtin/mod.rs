//! The tools that every house has: time, dates, sums, artifacts, pins.

mod zone;

mod current_time;
mod date_math;

mod calculator;

mod artifact;
mod artifact_list;
mod artifact_read;
mod artifact_save;

mod pins;

use std::sync::Arc;

pub use artifact::{ARTIFACT_BYTES_MAX, SESSION_ARTIFACT_BYTES_MAX, artifact_id};
pub use artifact_read::READ_BYTES_MAX;
use journal::Artifacts;
pub use pins::{PIN_CHARS_MAX, PINS_MAX, Pinned, keep as pin};

use crate::registry::{Error, Registry};

/// Adds the built-in tools. `time_zone` is the one that is meant when none is named.
pub fn add_builtins(registry: &mut Registry, store: Arc<dyn Artifacts>, time_zone: &str) -> Result<(), Error> {
    let zones = zone::Zones::new(time_zone).map_err(Error::BadTimeZone)?;
    registry.add(current_time::CurrentTime(zones.clone()))?;
    registry.add(date_math::DateMath(zones))?;
    registry.add(calculator::Calculator)?;
    registry.add(artifact_save::ArtifactSave(store.clone()))?;
    registry.add(artifact_read::ArtifactRead(store.clone()))?;
    registry.add(artifact_list::ArtifactList(store))?;
    registry.add(pins::Pin)?;
    registry.add(pins::Unpin)
}
