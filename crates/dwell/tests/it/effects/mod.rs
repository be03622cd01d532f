//! What happens to the world when a turn that acts on it is killed, cancelled, or left without an answer.
//!
//! The turn calls four tools, one of each class of effect, and the world keeps a ledger of what was done to it.

mod cancels;
mod kills;
mod stage;
mod tally;
mod unknown;
