//! What somebody should know about a window before it goes wrong.

use std::fmt;

/// What somebody should know about a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warning {
    /// What must be told is more than there is room for.
    DoesNotFit {
        /// Tokens of instructions, pins and the current turn.
        tokens: u64,
        /// The room.
        tokens_max: u64,
    },
    /// The current turn alone is more than there is room for.
    CurrentDoesNotFit {
        /// Its tokens.
        tokens: u64,
        /// The room.
        tokens_max: u64,
    },
    /// Hardly anything more fits without something leaving.
    NearlyFull {
        /// How full it is.
        percent: u64,
    },
    /// Pins and what is important leave little room for the conversation.
    HeldFillsHalf {
        /// Their share of the room.
        percent: u64,
    },
    /// Something important had to leave.
    LostImportant {
        /// How many messages.
        messages: u64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotFit { tokens, tokens_max } => write!(
                f,
                "instructions, tools, pins and the current message take {tokens} tokens, and only {tokens_max} are allowed: \
                 raise the limit or remove pins"
            ),
            Self::CurrentDoesNotFit { tokens, tokens_max } => write!(
                f,
                "the current message alone takes {tokens} tokens, and only {tokens_max} are allowed: raise the limit or \
                 send less"
            ),
            Self::NearlyFull { percent } => {
                write!(f, "the window is nearly full ({percent} %): the oldest messages leave it next")
            }
            Self::HeldFillsHalf { percent } => write!(
                f,
                "pins and important messages fill {percent} % of the window, which leaves little for the rest: remove \
                 pins or tag less as important"
            ),
            Self::LostImportant { messages } => {
                write!(f, "{messages} important messages have left the window, because nothing else was left to go")
            }
        }
    }
}
