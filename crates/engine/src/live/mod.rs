//! A live session: one task that owns its state.
//!
//! The [`Directory`](crate::hub::Directory) starts it when somebody asks for the session. It loads the state, takes
//! mail one by one, and is the only one who appends. It ends when it is idle, when the server stops, or when the
//! journal refuses it; whoever asks next starts a new one.

mod actor;
mod batch;
mod desktop;
mod forget;
mod load;
mod mail;
mod remove;
mod snapshot;
mod text;
mod workers;

pub(crate) use actor::spawn;
pub(crate) use mail::{Mail, Mailbox, Over, Reporter};
pub(crate) use remove::{Expired, Removal};
