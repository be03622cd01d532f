//! How events, catalog entries and checksums are stored: the same in every store, so that a session
//! has the same checksums wherever it is.

mod head;
pub(crate) mod item_sums;
mod prepared;
mod stored_event;

pub(crate) use head::{Head, digest};
pub(crate) use prepared::{PreparedEvent, PreparedSummary};
pub(crate) use stored_event::StoredEvent;
