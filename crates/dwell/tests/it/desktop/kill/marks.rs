//! What each message carries, so that it can be told from all others wherever it turns up.

use std::fmt;

/// Something that a client says over and over, each time with another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Line {
    /// To the main agent.
    Main,
    /// To the main agent, or to somebody beside it if it is busy.
    Beside,
    /// To the agent of window `a`.
    A,
    /// To the agent of window `b`.
    B,
    /// A button that need not wait for the agent of its window.
    Pressed,
}

pub(super) const LINES: [Line; 5] = [Line::Main, Line::Beside, Line::A, Line::B, Line::Pressed];

impl Line {
    const fn letter(self) -> char {
        match self {
            Self::Main => 'm',
            Self::Beside => 'f',
            Self::A => 'a',
            Self::B => 'b',
            Self::Pressed => 'p',
        }
    }
}

/// A message's mark: nothing else is a word like `q0m12z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    pub(super) session: usize,
    pub(super) line: Line,
    pub(super) n: u64,
}

impl Mark {
    /// The window that it is said to.
    pub(super) const fn window(self) -> Option<&'static str> {
        match self.line {
            Line::Main | Line::Beside => None,
            Line::A => Some("a"),
            Line::B => Some("b"),
            Line::Pressed => Some(if self.n.is_multiple_of(2) { "a" } else { "b" }),
        }
    }

    fn read(word: &str) -> Option<Self> {
        let inner = word.strip_prefix('q')?.strip_suffix('z')?;
        let (session, rest) = inner.split_at_checked(1)?;
        let line = LINES.into_iter().find(|line| rest.starts_with(line.letter()))?;
        Some(Self { session: session.parse().ok()?, line, n: rest[1..].parse().ok()? })
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q{}{}{}z", self.session, self.line.letter(), self.n)
    }
}

/// The marks in a text, in order.
pub(super) fn marks(text: &str) -> impl Iterator<Item = Mark> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter_map(Mark::read)
}
