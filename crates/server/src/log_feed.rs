//! The server's log, as far as it is kept in memory.

use protocol::{LogLevel, LogPage};
use tokio::sync::watch;

/// Lines of the log that are kept for the operator.
pub trait LogFeed: Send + Sync + 'static {
    /// Lines after a number, the newest of them up to a limit, at least so severe.
    fn lines(&self, after: u64, limit: usize, level: LogLevel) -> LogPage;

    /// The number of the newest line, whenever it changes.
    fn newest(&self) -> watch::Receiver<u64>;
}
