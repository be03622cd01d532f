//! A live session: one task that owns its state.
//!
//! The [`Directory`](crate::hub::Directory) starts it on the first request for the session. It
//! loads the state, takes mail one by one, and is the only one that appends to the journal. It ends
//! when it is idle, when the server stops, or when a write fails; the next request starts a new
//! one.

mod actor;
mod batch;
mod desktop;
mod forget;
mod heartbeats;
mod load;
mod mail;
mod remove;
mod snapshot;
mod text;
mod triggers;
mod workers;

pub(crate) use actor::spawn;
pub(crate) use batch::summarize;
pub(crate) use heartbeats::Heartbeats;
pub(crate) use mail::{Mail, Mailbox, Reporter, TurnEnded};
pub(crate) use remove::{ExpiryTerms, Removal};
