//! The progress of a backup: a bar on a terminal, otherwise one line for each part, or nothing.

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

use crate::commands::size::size;

/// Width of the bar in characters.
const WIDTH: u64 = 24;
/// Shortest time between two redraws of the bar.
const REDRAW: Duration = Duration::from_millis(100);

/// Reports the progress of a backup on standard error.
pub(crate) struct BackupProgress {
    kind: Kind,
    /// When the bar was last drawn; `Some` while its line is still open.
    drawn: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bar,
    Lines,
    Silent,
}

impl BackupProgress {
    /// For a user: a bar if standard error is a terminal, else lines.
    pub(crate) fn shown() -> Self {
        let kind = if std::io::stderr().is_terminal() { Kind::Bar } else { Kind::Lines };
        Self { kind, drawn: None }
    }

    /// For the server, which logs the outcome.
    pub(crate) fn silent() -> Self {
        Self { kind: Kind::Silent, drawn: None }
    }

    /// Starts a part with this many bytes.
    pub(super) fn begin(&mut self, doing: &str, bytes: u64) {
        match self.kind {
            Kind::Bar => self.draw(doing, 0, bytes, true),
            Kind::Lines => eprintln!("{doing} ({})", size(bytes)),
            Kind::Silent => {}
        }
    }

    /// Reports how much of the part is done.
    pub(super) fn step(&mut self, doing: &str, done: u64, total: u64) {
        if self.kind == Kind::Bar {
            self.draw(doing, done, total, false);
        }
    }

    /// Ends the output.
    pub(super) fn end(&mut self) {
        if self.kind == Kind::Bar && self.drawn.take().is_some() {
            eprintln!();
        }
    }

    fn draw(&mut self, doing: &str, done: u64, total: u64, at_once: bool) {
        let is_due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW);
        if at_once || is_due || done >= total {
            // A failed redraw does not fail the backup.
            let _ = write!(std::io::stderr(), "\r{}\x1b[K", line(doing, done, total));
            self.drawn = Some(Instant::now());
        }
    }
}

fn line(doing: &str, done: u64, total: u64) -> String {
    let (done, whole) = (done.min(total), total.max(1));
    let part = |of: u64| {
        if total == 0 { of } else { u64::try_from(u128::from(done) * u128::from(of) / u128::from(whole)).unwrap_or(of) }
    };
    let filled = part(WIDTH);
    let (full, empty) = ("█".repeat(filled as usize), "░".repeat((WIDTH - filled) as usize));
    format!("{full}{empty} {:3} %  {doing}", part(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_filled_as_far_as_it_is_done() {
        assert_eq!(line("a", 0, 10), format!("{} {:3} %  a", "░".repeat(24), 0));
        assert_eq!(line("a", 5, 10), format!("{}{}  50 %  a", "█".repeat(12), "░".repeat(12)));
        assert_eq!(line("a", 99, 10), line("a", 10, 10));
        assert!(line("a", 0, 0).contains("100 %"));
    }
}
