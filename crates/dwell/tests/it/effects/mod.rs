//! Effects of tool calls when the turn is killed, cancelled, or left without an answer.
//!
//! The turn calls four tools, one of each class of effect, and the tool server keeps a ledger of
//! their effects.

mod cancels;
mod harness;
mod kills;
mod tally;
mod unknown;
