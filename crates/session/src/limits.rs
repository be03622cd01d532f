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
/// Messages of ended turns that stay at hand for the next turn's context.
pub const RECENT_MESSAGES_MAX: usize = 6;
/// The longest time budget: a day.
pub const TIME_BUDGET_MS_MAX: u64 = 24 * 60 * 60 * 1000;
/// Characters of the first message that become the session's title.
pub(crate) const TITLE_CHARS_MAX: usize = 80;
/// Characters of a refused message that the refusal quotes.
pub(crate) const EXCERPT_CHARS_MAX: usize = 60;
