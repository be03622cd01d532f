//! How far a backup is: a bar where somebody looks at a terminal, a line for each part where not, or nothing at all.

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

use crate::commands::size::size;

/// Cells of the bar.
const WIDTH: u64 = 24;
/// How often the bar is drawn at most.
const REDRAW: Duration = Duration::from_millis(100);

/// Tells how far a backup is, on standard error.
pub(crate) struct Progress {
    kind: Kind,
    /// When the bar was drawn last, and whether its line is still open.
    drawn: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bar,
    Lines,
    Silent,
}

impl Progress {
    /// For a user: a bar if standard error is a terminal, else lines.
    pub(crate) fn shown() -> Self {
        let kind = if std::io::stderr().is_terminal() { Kind::Bar } else { Kind::Lines };
        Self { kind, drawn: None }
    }

    /// For the server, whose log says what came of it.
    pub(crate) fn silent() -> Self {
        Self { kind: Kind::Silent, drawn: None }
    }

    /// A part begins that has this many bytes.
    pub(super) fn begin(&mut self, doing: &str, bytes: u64) {
        match self.kind {
            Kind::Bar => self.draw(doing, 0, bytes, true),
            Kind::Lines => eprintln!("{doing} ({})", size(bytes)),
            Kind::Silent => {}
        }
    }

    /// Part of it is done.
    pub(super) fn step(&mut self, doing: &str, done: u64, total: u64) {
        if self.kind == Kind::Bar {
            self.draw(doing, done, total, false);
        }
    }

    /// Nothing more comes.
    pub(super) fn end(&mut self) {
        if self.kind == Kind::Bar && self.drawn.take().is_some() {
            eprintln!();
        }
    }

    fn draw(&mut self, doing: &str, done: u64, total: u64, at_once: bool) {
        let is_due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW);
        if at_once || is_due || done >= total {
            // What cannot be drawn is not worth failing for.
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
