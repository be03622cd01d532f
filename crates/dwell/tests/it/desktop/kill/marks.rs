//! Marks: a unique word in each message, by which the message is recognised wherever it appears.

use std::fmt;

/// A kind of message that a client sends repeatedly, each time with the next number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TrafficLine {
    /// To the main agent.
    Main,
    /// To the main agent, or to a second agent if the main agent is busy.
    Beside,
    /// To the agent of window `a`.
    A,
    /// To the agent of window `b`.
    B,
    /// A button press that does not wait for the agent of its window.
    Pressed,
}

pub(super) const LINES: [TrafficLine; 5] =
    [TrafficLine::Main, TrafficLine::Beside, TrafficLine::A, TrafficLine::B, TrafficLine::Pressed];

impl TrafficLine {
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

/// The mark of a message, a word like `q0m12z` that appears nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MessageMark {
    pub(super) session: usize,
    pub(super) line: TrafficLine,
    pub(super) n: u64,
}

impl MessageMark {
    /// The window that the message is sent to.
    pub(super) const fn window(self) -> Option<&'static str> {
        match self.line {
            TrafficLine::Main | TrafficLine::Beside => None,
            TrafficLine::A => Some("a"),
            TrafficLine::B => Some("b"),
            TrafficLine::Pressed => Some(if self.n.is_multiple_of(2) { "a" } else { "b" }),
        }
    }

    fn read(word: &str) -> Option<Self> {
        let inner = word.strip_prefix('q')?.strip_suffix('z')?;
        let (session, rest) = inner.split_at_checked(1)?;
        let line = LINES.into_iter().find(|line| rest.starts_with(line.letter()))?;
        Some(Self { session: session.parse().ok()?, line, n: rest[1..].parse().ok()? })
    }
}

impl fmt::Display for MessageMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q{}{}{}z", self.session, self.line.letter(), self.n)
    }
}

/// The marks in a text, in order.
pub(super) fn marks(text: &str) -> impl Iterator<Item = MessageMark> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter_map(MessageMark::read)
}
