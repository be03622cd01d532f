//! The append-only journal of every session.
//!
//! A session is a list of numbered events. [`Journal`] appends to it under a lease and reads it
//! back, [`Catalog`] finds sessions and turns, [`Snapshots`] stores a state from which loading can
//! start, [`Artifacts`] stores data that is too large for the conversation, [`Memories`] stores
//! long-term memory, [`Values`] stores the values of programs, [`Eraser`] redacts text, [`Totals`]
//! gives the totals of each owner, [`Plans`] says which sessions have to be woken, [`OwnerLeases`]
//! which node serves an owner, [`Integrity`] finds damage, [`ClockRecords`] stores the last trusted
//! time. [`migrate`] copies one store into another. What is acknowledged is on the disk. [`sqlite`]
//! is the embedded store, [`postgres`] the one on PostgreSQL. Every store has to pass the same
//! contract suite (`tests/it/contract`). SQL is used in the stores only.

mod checksum;
mod clock;
mod damaged_sessions;
mod encoding;
mod error;
mod follow;
mod integrity;
mod lease_clock;
mod memories;
mod migration;
mod needles;
mod owner_leases;
mod plans;
mod session_filter;
mod similarity;
mod store;
mod totals;
mod value_key;
mod values;

pub mod postgres;
pub mod sqlite;

pub use checksum::Checksum;
pub use clock::{ClockRecord, ClockRecords};
pub use error::Error;
pub use follow::follow;
pub use integrity::{Damage, Integrity, Loss, LostEvents, LostWrites, SessionCheck};
pub use memories::{
    Bookmark, Change, Eraser, Memories, Record, RecordCursor, RecordFilter, RedactedEvent, UnreadSession, WriteKey,
};
pub use migration::{
    Cell, ColumnKind, CopyPosition, MigratedTable, MigrationProgress, MigrationReport, MigrationStep, RowSource,
    RowTarget, Table, TableRow, TargetStatus, migrate,
};
pub use owner_leases::{NodeEntry, OtherNode, OwnerHold, OwnerLeases, OwnerPlace};
pub use plans::{BackgroundEntry, Plans, ScheduleEntry};
pub use session_filter::SessionFilter;
pub use store::{
    Append, Artifact, ArtifactCursor, ArtifactPage, Artifacts, Catalog, CatalogPage, Commit, Cursor, Journal, Lease,
    RemovedArtifacts, SessionSummary, Snapshot, Snapshots, Store, TurnEntry, TurnLocation,
};
pub use totals::{OwnerTotals, Totals};
pub use values::{ChangedValues, NewValue, Value, ValueChange, ValueCursor, ValueFilter, Values};
