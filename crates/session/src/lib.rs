//! The pure core of a session.
//!
//! [`decide`] takes the [`State`] and a [`Command`] and returns a [`CommandDecision`]: the events
//! to write, the effects to run once they are written, and the answer to the caller.
//! [`State::apply`] applies an event. There is no async here, no clock, no randomness and no I/O:
//! times and ids come in with the command, so replaying the journal gives exactly the live state.
//! Each command has a file of its own in `decide/`.

mod limits;

mod activity;
mod idempotency;
mod offer;
pub mod replay_cache;
mod thread;

mod desktop;

mod across_turns;
mod agents;
mod alerts;
mod ending;
mod open_turn;
mod queues;
mod recent;
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
mod redact;
mod redact_turn;

pub use across_turns::{ModelSwitch, OpenQuestion, Pin, Pins, SavedApprovals};
pub use activity::DesktopActivity;
pub use adopt::{AdoptedJournal, Adoption, adopt};
pub use alerts::{AlertEntry, Alerts, DeliveryState};
pub use command::{Command, TurnReport, WindowInput};
pub use decide::{MemoryUpdate, decide, start};
pub use decision::{CommandDecision, CommandOutcome, Effect, EventDraft};
pub use desktop::{AnswerFault, AppFault, Desktop, DesktopActor, DesktopFault};
pub use ending::TurnEnding;
pub use fold::fold_turns;
pub use fork::{fork, restore};
pub use limits::{
    ACTIONS_MAX, ANSWER_BYTES_MAX, APP_COMMANDS_MAX, APP_NAME_CHARS_MAX, APP_REQUESTS_MAX, APP_VALUE_BYTES_MAX,
    ATTEMPTS_MAX, BACKGROUND_MAX, CHOICES_MAX, CLIENT_TOOL_NAME_CHARS_MAX, CLIENT_TOOLS_BYTES_MAX, CLIENT_TOOLS_MAX,
    CONTENT_BYTES_MAX, CONTEXT_TOKENS_MIN, DESKTOP_BYTES_MAX, DESKTOP_HEIGHT, DESKTOP_WIDTH, DIALOG_BYTES_MAX,
    DIALOGS_MAX, EARLY_WAIT_MS_MAX, EPHEMERAL_MAX, IDEMPOTENCY_KEY_CHARS_MAX, IDEMPOTENCY_TTL, IMAGES_MAX,
    INTERACTIONS_MAX, MANIFEST_BYTES_MAX, MESSAGE_BYTES_MAX, MONITORS_MAX, NOTIFICATION_CHARS_MAX, NOTIFICATIONS_MAX,
    PARALLEL_MAX, QUEUE_MAX, RECENT_TURNS_LEFT, RECENT_TURNS_MAX, REMARK_CHARS_MAX, RESTORE_BYTES_MAX,
    RESTORE_COMMANDS_MAX, STATE_KEYS_MAX, STEERS_MAX, TAGS_MAX, TIME_BUDGET_MS_MAX, TIMELINE_MAX, TITLE_CHARS_MAX,
    TOASTS_MAX, WINDOW_HEIGHT_MIN, WINDOW_TITLE_CHARS_MAX, WINDOW_WIDTH_MIN, WINDOWS_MAX,
};
pub use offer::{OfferFault, check as check_offer};
pub use open_turn::OpenTurn;
pub use recent::{PictureInfo, RecentTurn};
pub use redact::{Redaction, redact_events, redact_text};
pub use refusal::Refusal;
pub use replay_cache::ReplayCache;
pub use state::State;
pub use thread::{CallApproval, CallDelivery, Round, Thread, ThreadCall, ThreadEntry};
pub use timeline::{TimelineEntry, TimelineEvent};
pub use trust::EVERY_CLIENT;
