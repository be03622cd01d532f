//! Every queue and every text has a limit, and every limit has a name.

use std::time::Duration;

/// Turns that may wait for the agent.
pub const QUEUE_MAX: usize = 10;
/// Times a turn is begun before a restart leaves it to somebody to decide.
pub const ATTEMPTS_MAX: u32 = 3;
/// How long an idempotency key is remembered.
pub const IDEMPOTENCY_TTL: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest idempotency key.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 200;
/// The largest message.
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;
/// Ended turns that stay at hand for the next turn's context.
pub const RECENT_TURNS_MAX: usize = 24;
/// Ended turns that are left when there are more: going by one each time would change the beginning of every prompt, and
/// with it all that a provider has cached.
pub const RECENT_TURNS_LEFT: usize = 18;
/// Ended turns of which the tool calls stay at hand too.
pub const RECENT_THREADS_MAX: usize = 6;
/// Ended turns that are left with their tool calls when there are more, for the same reason.
pub const RECENT_THREADS_LEFT: usize = 3;
/// Bytes of messages and answers that stay at hand; the newest turn always does.
pub const RECENT_BYTES_MAX: usize = 1024 * 1024;
/// Agents that work beside the main one.
pub const EPHEMERAL_MAX: usize = 4;
/// Messages that may go into a running turn.
pub const STEERS_MAX: usize = 16;
/// Pictures that go with a message.
pub const IMAGES_MAX: usize = 8;
/// Calls that a client makes at once.
pub const DIRECT_CALLS_MAX: usize = 8;
/// Tools that a client offers.
pub const CLIENT_TOOLS_MAX: usize = 128;
/// The same, as JSON.
pub const CLIENT_TOOLS_BYTES_MAX: usize = 256 * 1024;
/// The longest name of a client's tool.
pub const CLIENT_TOOL_NAME_CHARS_MAX: usize = 64;
/// Tags of a message, and tags that a context is picked by.
pub const TAGS_MAX: usize = 8;
/// The smallest limit of a context.
pub const CONTEXT_TOKENS_MIN: u64 = 256;
/// Clients that are known one by one to have read words which may be anybody's.
pub(crate) const READERS_MAX: usize = 64;
/// Permissions that outlive their call.
pub const STANDING_MAX: usize = 256;
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

/// Things told by followers that are remembered, so that none is told twice after a crash.
pub(crate) const TOLD_MAX: usize = 64;
/// Turns of the main agent that the agent of a window is told when it comes.
pub(crate) const INTRODUCTION_TURNS: usize = 3;
/// Entries of a monitor's timeline; past it the oldest become one that counts them.
pub const TIMELINE_MAX: usize = 128;
/// Characters of a task and of an answer on the timeline.
pub(crate) const TIMELINE_CHARS_MAX: usize = 300;
/// Actions in windows that run beside the windows' own agents.
pub const PARALLEL_MAX: usize = 4;
/// Bytes of what is filled in when something is pressed.
pub(crate) const FORM_BYTES_MAX: usize = 64 * 1024;

/// Monitors of a session.
pub const MONITORS_MAX: usize = 4;
/// Windows of a session.
pub const WINDOWS_MAX: usize = 64;
/// What one window shows, as JSON.
pub const CONTENT_BYTES_MAX: usize = 64 * 1024;
/// What all windows show together, as JSON.
pub const DESKTOP_BYTES_MAX: usize = 1024 * 1024;
/// How wide a desktop is.
pub const DESKTOP_WIDTH: u32 = 7_680;
/// How high a desktop is.
pub const DESKTOP_HEIGHT: u32 = 4_320;
/// The narrowest window.
pub const WINDOW_WIDTH_MIN: u32 = 120;
/// The lowest window.
pub const WINDOW_HEIGHT_MIN: u32 = 80;
/// The longest title of a window, a notification or a dialog.
pub const WINDOW_TITLE_CHARS_MAX: usize = 120;
/// Toasts at a time; the oldest leave.
pub const TOASTS_MAX: usize = 8;
/// Notifications at a time; the oldest leave.
pub const NOTIFICATIONS_MAX: usize = 32;
/// Dialogs and prompts that are open at a time.
pub const DIALOGS_MAX: usize = 16;
/// Choices of a dialog.
pub const CHOICES_MAX: usize = 16;
/// A dialog or a prompt, as JSON.
pub const DIALOG_BYTES_MAX: usize = 32 * 1024;
/// What is filled in, as JSON.
pub const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// What apps are asked at a time.
pub const APP_REQUESTS_MAX: usize = 32;
/// What an app answers, and what it is told, as JSON.
pub const APP_VALUE_BYTES_MAX: usize = 64 * 1024;
/// What an app says of itself, as JSON.
pub const MANIFEST_BYTES_MAX: usize = 32 * 1024;
/// What can be asked of an app's state.
pub const STATE_KEYS_MAX: usize = 32;
/// What an app can be told to do.
pub const APP_COMMANDS_MAX: usize = 64;
/// The longest name of something an app can be asked or told.
pub const APP_NAME_CHARS_MAX: usize = 64;
/// Commands that bring an app back to where it was; the oldest leave.
pub const RESTORE_COMMANDS_MAX: usize = 256;
/// The same, as JSON.
pub const RESTORE_BYTES_MAX: usize = 64 * 1024;
/// Actions that are done at once.
pub const ACTIONS_MAX: usize = 64;
/// Interactions that are told at once.
pub const INTERACTIONS_MAX: usize = 64;
/// Characters of a toast, of what an interaction says, and of why a window could not be shown.
pub const REMARK_CHARS_MAX: usize = 500;
/// Characters of a notification.
pub const NOTIFICATION_CHARS_MAX: usize = 2_000;
/// The longest token of an app.
pub(crate) const TOKEN_CHARS_MAX: usize = 200;
/// Names that a refusal lists.
pub(crate) const NEAR_MAX: usize = 8;
/// What a turn has done on the desktop, as JSON, as far as it is kept with the turn.
pub(crate) const DOINGS_BYTES_MAX: usize = 128 * 1024;
