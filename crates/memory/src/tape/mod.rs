//! The messages of a session, and the window over them that fits a budget of tokens.
//!
//! The tape itself is the session's journal: nothing is ever removed from it. A [`ContextWindow`]
//! is the part that goes into a prompt. Messages are added oldest first, each with its exact
//! tokens; when the budget is exceeded, the order of eviction depends on tags and age alone.
//! Instructions, pins and the current turn are never evicted, and a call is evicted with its
//! results, because both are one message here. The window does not depend on the content of
//! messages.

mod filter;
mod health;
mod message;
mod window;

#[cfg(test)]
mod tests;

pub use filter::TagFilter;
pub use health::WindowWarning;
pub use message::{MessageKind, MessageSource, TapeMessage};
pub use protocol::{Tag, Tags};
pub use window::{ContextWindow, EvictionCounts, WindowStats};
