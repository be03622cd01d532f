//! The messages of a session, and the window over them that fits a budget of tokens.
//!
//! The tape itself is the session's journal: nothing is ever taken off it. A [`Window`] is the part that a turn is told.
//! Messages are added oldest first, each with its exact tokens; what no longer fits leaves in an order that depends on its
//! tags alone. Instructions, pins and the current turn never leave, and a call leaves with its results, because both are
//! one message here. The window does not care what a message holds.

mod filter;
mod health;
mod message;
mod window;

#[cfg(test)]
mod tests;

pub use filter::Filter;
pub use health::Warning;
pub use message::{Kind, Message, Source};
pub use protocol::{Tag, Tags};
pub use window::{Evicted, Stats, Window};
