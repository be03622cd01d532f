//! The append-only truth of every session.
//!
//! A session is a list of numbered events. [`Journal`] appends to it under a lease and reads it back, [`Catalog`]
//! finds sessions and turns, [`Snapshots`] keeps a state from which loading can start, [`Artifacts`] keeps what is too
//! large for the conversation, [`Memories`] keeps what is remembered, [`Eraser`] strikes words out, [`Totals`] says what
//! each owner has in all, [`Integrity`] finds damage, [`ClockRecords`] keeps which time was agreed on last. What is
//! acknowledged is on the disk. [`sqlite`] is the embedded store; whatever store comes next runs the same contract suite
//! (`tests/it/contract`). SQL lives in the stores and nowhere else.

mod clock;
mod error;
mod follow;
mod integrity;
mod memories;
mod store;
mod sum;
mod totals;
mod wanted;

pub mod sqlite;

pub use clock::{ClockRecord, ClockRecords};
pub use error::Error;
pub use follow::follow;
pub use integrity::{Damage, Integrity, Loss, LostEvents, Verdict};
pub use memories::{Bookmark, Change, Eraser, Filter, Memories, Place, Record, Strike, Unread, WriteKey};
pub use store::{
    Append, Artifact, ArtifactCursor, ArtifactPage, Artifacts, Catalog, Collected, Commit, Cursor, Journal, Lease,
    Page, Snapshot, Snapshots, Store, Summary, TurnEntry, TurnPlace,
};
pub use sum::Sum;
pub use totals::{OwnerTotals, Totals};
pub use wanted::Wanted;
