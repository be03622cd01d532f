//! The pure heart of a session.
//!
//! [`decide`] looks at the [`State`] and a [`Command`] and answers with a [`Decision`]: the events to write, the
//! effects to run once they are written, and what to tell the caller. [`State::apply`] takes an event in. There is
//! no async here, no clock, no randomness and no I/O: times and ids come in with the command, so replaying the
//! journal gives exactly the live state. Each command has a file of its own in `decide/`.

mod limits;

mod keys;
mod thread;

mod open_turn;
mod recent;
mod standing;

mod state;

mod command;
mod decision;
mod refusal;

mod decide;

mod fold;
mod fork;
mod strike;

pub use command::{Command, Report};
pub use decide::{Remembered, decide, start};
pub use decision::{Decision, Draft, Effect, Outcome};
pub use fold::fold_turns;
pub use fork::fork;
pub use limits::{
    ATTEMPTS_MAX, CONTEXT_TOKENS_MIN, EARLY_WAIT_MS_MAX, EPHEMERAL_MAX, IDEMPOTENCY_KEY_CHARS_MAX, IDEMPOTENCY_TTL,
    IMAGES_MAX, MESSAGE_BYTES_MAX, QUEUE_MAX, RECENT_TURNS_LEFT, RECENT_TURNS_MAX, STEERS_MAX, TAGS_MAX,
    TIME_BUDGET_MS_MAX,
};
pub use open_turn::OpenTurn;
pub use recent::RecentTurn;
pub use refusal::Refusal;
pub use standing::{OpenQuestion, Pin, Pins, Standing, Switched};
pub use state::State;
pub use strike::{Forgetting, strike, strike_text};
pub use thread::{Asked, Call, Entry, Round, Thread};
