//! The append-only journal of every session.
//!
//! A session is a list of numbered events. [`Journal`] appends to it under a lease and reads it
//! back, [`Catalog`] finds sessions and turns, [`Snapshots`] stores a state from which loading can
//! start, [`Artifacts`] stores data that is too large for the conversation, [`Memories`] stores
//! long-term memory, [`Values`] stores the values of programs, [`Eraser`] redacts text, [`Totals`]
//! gives the totals of each owner, [`Plans`] says which sessions have to be woken, [`Integrity`]
//! finds damage, [`ClockRecords`] stores the last trusted time. What is acknowledged is on the
//! disk. [`sqlite`] is the embedded store. Every other store has to pass the same contract suite
//! (`tests/it/contract`). SQL is used in the stores only.

mod checksum;
mod clock;
mod error;
mod follow;
mod integrity;
mod memories;
mod plans;
mod session_filter;
mod store;
mod totals;
mod value_key;
mod values;

pub mod sqlite;

pub use checksum::Checksum;
pub use clock::{ClockRecord, ClockRecords};
pub use error::Error;
pub use follow::follow;
pub use integrity::{Damage, Integrity, Loss, LostEvents, SessionCheck};
pub use memories::{
    Bookmark, Change, Eraser, Memories, Record, RecordCursor, RecordFilter, RedactedEvent, UnreadSession, WriteKey,
};
pub use plans::{BackgroundEntry, Plans, ScheduleEntry};
pub use session_filter::SessionFilter;
pub use store::{
    Append, Artifact, ArtifactCursor, ArtifactPage, Artifacts, Catalog, CatalogPage, Commit, Cursor, Journal, Lease,
    RemovedArtifacts, SessionSummary, Snapshot, Snapshots, Store, TurnEntry, TurnLocation,
};
pub use totals::{OwnerTotals, Totals};
pub use values::{ChangedValues, NewValue, Value, ValueChange, ValueCursor, ValueFilter, Values};
