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
/// Tags of a message, and tags that a context is picked by.
pub const TAGS_MAX: usize = 8;
/// The smallest limit of a context.
pub const CONTEXT_TOKENS_MIN: u64 = 256;
/// Permissions that outlive their call.
pub const STANDING_MAX: usize = 256;
/// The longest early wait.
pub const EARLY_WAIT_MS_MAX: u64 = 60_000;
/// The longest time budget: a day.
pub const TIME_BUDGET_MS_MAX: u64 = 24 * 60 * 60 * 1000;
/// Characters of the first message that become the session's title.
pub(crate) const TITLE_CHARS_MAX: usize = 80;
/// Characters of a refused message that the refusal quotes.
pub(crate) const EXCERPT_CHARS_MAX: usize = 60;

/// Things told by followers that are remembered, so that none is told twice after a crash.
pub(crate) const TOLD_MAX: usize = 64;
