//! Every queue and every text has a limit, and every limit has a name.

use std::time::Duration;

/// Turns that may wait in an agent's queue.
pub const QUEUE_MAX: usize = 10;
/// How often a turn is started before a restart leaves it to the user to continue it.
pub const ATTEMPTS_MAX: u32 = 3;
/// How long an idempotency key is remembered.
pub const IDEMPOTENCY_TTL: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest idempotency key.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 200;
/// The largest message.
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;
/// Ended turns that are kept in memory for the next turn's context.
pub const RECENT_TURNS_MAX: usize = 24;
/// Ended turns that remain after older ones were dropped. Dropping one at a time would change the
/// beginning of every prompt, and with it everything that a provider has cached.
pub const RECENT_TURNS_LEFT: usize = 18;
/// Ended turns whose tool calls are kept in memory too.
pub const RECENT_THREADS_MAX: usize = 6;
/// Ended turns that remain with their tool calls after others were dropped, for the same reason.
pub const RECENT_THREADS_LEFT: usize = 3;
/// Bytes of messages and answers that are kept in memory; the newest turn always is.
pub const RECENT_BYTES_MAX: usize = 1024 * 1024;
/// Agents that run beside the main one.
pub const EPHEMERAL_MAX: usize = 4;
/// Open turns in the background of a session.
pub const BACKGROUND_MAX: usize = 32;
/// Messages that may steer a running turn.
pub const STEERS_MAX: usize = 16;
/// Images of a message.
pub const IMAGES_MAX: usize = 8;
/// Calls that a client may request in one message.
pub const DIRECT_CALLS_MAX: usize = 8;
/// Tools that a client offers.
pub const CLIENT_TOOLS_MAX: usize = 128;
/// The same, as JSON.
pub const CLIENT_TOOLS_BYTES_MAX: usize = 256 * 1024;
/// The longest name of a client's tool.
pub const CLIENT_TOOL_NAME_CHARS_MAX: usize = 64;
/// Tags of a message, and tags by which its context is selected.
pub const TAGS_MAX: usize = 8;
/// The smallest token limit of a context.
pub const CONTEXT_TOKENS_MIN: u64 = 256;
/// Clients that are recorded individually as having read untrusted text.
pub(crate) const READERS_MAX: usize = 64;
/// Approvals and denials that are saved for the session.
pub const SAVED_APPROVALS_MAX: usize = 256;
/// The longest early wait.
pub const EARLY_WAIT_MS_MAX: u64 = 60_000;
/// The longest time budget: a day.
pub const TIME_BUDGET_MS_MAX: u64 = 24 * 60 * 60 * 1000;
/// The longest title that a session can be given.
pub const TITLE_CHARS_MAX: usize = 120;
/// Characters of the first message that become the session's title.
pub(crate) const BEGINNING_CHARS_MAX: usize = 80;
/// Characters of a refused message that the refusal quotes.
pub(crate) const EXCERPT_CHARS_MAX: usize = 60;

/// Reports of followers that are remembered, so that a crash does not repeat one.
pub(crate) const TOLD_MAX: usize = 64;
/// Turns of the main agent that the agent of a window gets as an introduction.
pub(crate) const INTRODUCTION_TURNS: usize = 3;
/// Entries of a monitor's timeline; beyond it the oldest are replaced by one that counts them.
pub const TIMELINE_MAX: usize = 128;
/// Characters of a task and of an answer on the timeline.
pub(crate) const TIMELINE_CHARS_MAX: usize = 300;
/// Actions in windows that run in parallel to the windows' own agents.
pub const PARALLEL_MAX: usize = 4;
/// Size of the form data of an act in bytes.
pub(crate) const FORM_BYTES_MAX: usize = 64 * 1024;

/// Monitors of a session.
pub const MONITORS_MAX: usize = 4;
/// Windows of a session.
pub const WINDOWS_MAX: usize = 64;
/// Size of one window's content as JSON.
pub const CONTENT_BYTES_MAX: usize = 64 * 1024;
/// Size of all windows' content as JSON.
pub const DESKTOP_BYTES_MAX: usize = 1024 * 1024;
/// Width of a desktop.
pub const DESKTOP_WIDTH: u32 = 7_680;
/// Height of a desktop.
pub const DESKTOP_HEIGHT: u32 = 4_320;
/// The narrowest window.
pub const WINDOW_WIDTH_MIN: u32 = 120;
/// The smallest height of a window.
pub const WINDOW_HEIGHT_MIN: u32 = 80;
/// The longest title of a window, a notification or a dialog.
pub const WINDOW_TITLE_CHARS_MAX: usize = 120;
/// Toasts at a time; the oldest are dropped.
pub const TOASTS_MAX: usize = 8;
/// Notifications at a time; the oldest are dropped.
pub const NOTIFICATIONS_MAX: usize = 32;
/// Dialogs and prompts that are open at a time.
pub const DIALOGS_MAX: usize = 16;
/// Choices of a dialog.
pub const CHOICES_MAX: usize = 16;
/// Size of a dialog or a prompt as JSON.
pub const DIALOG_BYTES_MAX: usize = 32 * 1024;
/// Size of an answer to a prompt as JSON.
pub const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Open requests to apps.
pub const APP_REQUESTS_MAX: usize = 32;
/// Size of an app's answer, and of a command's arguments, as JSON.
pub const APP_VALUE_BYTES_MAX: usize = 64 * 1024;
/// Size of an app's manifest as JSON.
pub const MANIFEST_BYTES_MAX: usize = 32 * 1024;
/// State keys of an app.
pub const STATE_KEYS_MAX: usize = 32;
/// Commands of an app.
pub const APP_COMMANDS_MAX: usize = 64;
/// The longest name of a state key or a command.
pub const APP_NAME_CHARS_MAX: usize = 64;
/// Commands that are kept to restore an app; the oldest are dropped.
pub const RESTORE_COMMANDS_MAX: usize = 256;
/// The same, as JSON.
pub const RESTORE_BYTES_MAX: usize = 64 * 1024;
/// Actions in one command.
pub const ACTIONS_MAX: usize = 64;
/// Interactions in one command.
pub const INTERACTIONS_MAX: usize = 64;
/// Characters of a toast, of an interaction's text, and of a render error.
pub const REMARK_CHARS_MAX: usize = 500;
/// Characters of a notification.
pub const NOTIFICATION_CHARS_MAX: usize = 2_000;
/// The longest token of an app.
pub(crate) const TOKEN_CHARS_MAX: usize = 200;
/// Names that a refusal lists.
pub(crate) const NEAR_MAX: usize = 8;
/// Size of the desktop actions that are kept with a turn, as JSON.
pub(crate) const ACTIVITY_BYTES_MAX: usize = 128 * 1024;
