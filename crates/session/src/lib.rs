//! The pure heart of a session.
//!
//! [`decide`] looks at the [`State`] and a [`Command`] and answers with a [`Decision`]: the events to write, the
//! effects to run once they are written, and what to tell the caller. [`State::apply`] takes an event in. There is
//! no async here, no clock, no randomness and no I/O: times and ids come in with the command, so replaying the
//! journal gives exactly the live state. Each command has a file of its own in `decide/`.

mod limits;

mod doings;
mod keys;
mod offer;
pub mod reload;
mod thread;

mod desktop;

mod agents;
mod ending;
mod lines;
mod open_turn;
mod recent;
mod standing;
mod tape;
mod timeline;
mod trust;

mod state;

mod command;
mod decision;
mod refusal;

mod decide;

mod adopt;
mod fold;
mod fork;
pub mod interchange;
mod strike;
mod strike_turn;

pub use adopt::{Adopted, Adoption, adopt};
pub use command::{Command, Report, WindowInput};
pub use decide::{Remembered, decide, start};
pub use decision::{Decision, Draft, Effect, Outcome};
pub use desktop::{AnswerFault, AppFault, Desktop, Doer, Misfit};
pub use doings::Doings;
pub use ending::Ending;
pub use fold::fold_turns;
pub use fork::{fork, restore};
pub use limits::{
    ACTIONS_MAX, ANSWER_BYTES_MAX, APP_COMMANDS_MAX, APP_NAME_CHARS_MAX, APP_REQUESTS_MAX, APP_VALUE_BYTES_MAX,
    ATTEMPTS_MAX, CHOICES_MAX, CLIENT_TOOL_NAME_CHARS_MAX, CLIENT_TOOLS_BYTES_MAX, CLIENT_TOOLS_MAX, CONTENT_BYTES_MAX,
    CONTEXT_TOKENS_MIN, DESKTOP_BYTES_MAX, DESKTOP_HEIGHT, DESKTOP_WIDTH, DIALOG_BYTES_MAX, DIALOGS_MAX,
    EARLY_WAIT_MS_MAX, EPHEMERAL_MAX, IDEMPOTENCY_KEY_CHARS_MAX, IDEMPOTENCY_TTL, IMAGES_MAX, INTERACTIONS_MAX,
    MANIFEST_BYTES_MAX, MESSAGE_BYTES_MAX, MONITORS_MAX, NOTIFICATION_CHARS_MAX, NOTIFICATIONS_MAX, PARALLEL_MAX,
    QUEUE_MAX, RECENT_TURNS_LEFT, RECENT_TURNS_MAX, REMARK_CHARS_MAX, RESTORE_BYTES_MAX, RESTORE_COMMANDS_MAX,
    STATE_KEYS_MAX, STEERS_MAX, TAGS_MAX, TIME_BUDGET_MS_MAX, TIMELINE_MAX, TITLE_CHARS_MAX, TOASTS_MAX,
    WINDOW_HEIGHT_MIN, WINDOW_TITLE_CHARS_MAX, WINDOW_WIDTH_MIN, WINDOWS_MAX,
};
pub use offer::OfferFault;
pub use open_turn::OpenTurn;
pub use recent::{Picture, RecentTurn};
pub use refusal::Refusal;
pub use reload::Reload;
pub use standing::{OpenQuestion, Pin, Pins, Standing, Switched};
pub use state::State;
pub use strike::{Forgetting, strike, strike_text};
pub use thread::{Asked, Call, Entry, Round, Thread};
pub use timeline::{Happened, TimelineEntry};
pub use trust::EVERY_CLIENT;
