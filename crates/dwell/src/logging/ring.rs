//! The last lines of the log, in memory.

use std::{
    collections::VecDeque,
    fmt::{self, Write as _},
    sync::{Arc, Mutex, PoisonError},
};

use engine::{SystemWorld, World};
use protocol::{LogLevel, LogLine, LogPage};
use server::LogFeed;
use tokio::sync::watch;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{Layer, layer::Context};

/// Lines that are kept.
const LINES_MAX: usize = 2_000;
/// Bytes of a line that are kept.
const LINE_BYTES_MAX: usize = 4_096;

/// The last lines of the log. Cheap to clone.
#[derive(Clone)]
pub(crate) struct LogRing(Arc<KeptLines>);

struct KeptLines {
    lines: Mutex<VecDeque<LogLine>>,
    newest: watch::Sender<u64>,
    world: SystemWorld,
}

impl Default for LogRing {
    fn default() -> Self {
        let (lines, newest) = (Mutex::default(), watch::Sender::new(0));
        Self(Arc::new(KeptLines { lines, newest, world: SystemWorld::default() }))
    }
}

impl LogRing {
    fn push(&self, level: LogLevel, target: &str, message: String) {
        let kept = &self.0;
        let at = kept.world.now();
        let mut lines = kept.lines.lock().unwrap_or_else(PoisonError::into_inner);
        // Counted under the lock, so that the numbers of the lines are in their order.
        let seq = *kept.newest.borrow() + 1;
        if lines.len() >= LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(LogLine { seq, at, level, target: target.to_owned(), message });
        kept.newest.send_replace(seq);
    }
}

impl LogFeed for LogRing {
    fn lines(&self, after: u64, limit: usize, level: LogLevel) -> LogPage {
        let lines = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = lines.back().map_or(0, |line| line.seq);
        // Numbers begin again with the server: a larger one is from an earlier run.
        let after = if after > newest { 0 } else { after };
        let oldest = lines.front().map_or(0, |line| line.seq);
        let dropped = if after > 0 { oldest.saturating_sub(after + 1) } else { 0 };
        let fits = lines.iter().rev().take_while(|line| line.seq > after).filter(|line| line.level <= level);
        let mut data: Vec<LogLine> = fits.take(limit).cloned().collect();
        data.reverse();
        LogPage { data, last: newest, dropped }
    }

    fn newest(&self) -> watch::Receiver<u64> {
        self.0.newest.subscribe()
    }
}

/// Keeps every event that the filter lets through.
pub(super) struct RingLayer(pub(super) LogRing);

impl<S: Subscriber> Layer<S> for RingLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = EventText::default();
        event.record(&mut text);
        let metadata = event.metadata();
        self.0.push(level_of(*metadata.level()), metadata.target(), text.line());
    }
}

fn level_of(level: Level) -> LogLevel {
    match level {
        Level::ERROR => LogLevel::Error,
        Level::WARN => LogLevel::Warn,
        Level::INFO => LogLevel::Info,
        Level::DEBUG => LogLevel::Debug,
        Level::TRACE => LogLevel::Trace,
    }
}

/// The message of an event, and its fields.
#[derive(Default)]
struct EventText {
    message: String,
    fields: String,
}

impl EventText {
    fn line(mut self) -> String {
        self.message.push_str(&self.fields);
        if self.message.len() > LINE_BYTES_MAX {
            let end = self.message.floor_char_boundary(LINE_BYTES_MAX);
            self.message.truncate(end);
            self.message.push('…');
        }
        self.message
    }
}

impl Visit for EventText {
    fn record_str(&mut self, field: &Field, value: &str) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_lines_are_kept_and_filtered_by_severity() {
        let ring = LogRing::default();
        for number in 0..LINES_MAX + 10 {
            let level = if number % 2 == 0 { LogLevel::Info } else { LogLevel::Warn };
            ring.push(level, "test", format!("line {number}"));
        }
        let page = ring.lines(0, 3, LogLevel::Trace);
        let last = LINES_MAX as u64 + 10;
        assert_eq!((page.last, page.data.len(), page.data[2].seq, page.dropped), (last, 3, last, 0));
        let warnings = ring.lines(last - 4, 10, LogLevel::Warn);
        assert_eq!(warnings.data.iter().map(|line| line.seq).collect::<Vec<_>>(), [last - 2, last]);
        assert_eq!(ring.lines(5, 1, LogLevel::Trace).dropped, 5);
        assert!(ring.lines(last, 10, LogLevel::Trace).data.is_empty());
        assert_eq!(ring.lines(last + 7, 10, LogLevel::Trace).data.len(), 10, "a number of an earlier run");
    }
}
