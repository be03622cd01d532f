//! Warnings about a context window.

use std::fmt;

/// A warning about a context window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowWarning {
    /// What the prompt must contain exceeds the budget.
    DoesNotFit {
        /// Tokens of instructions, pins and the current turn.
        tokens: u64,
        /// The budget.
        tokens_max: u64,
    },
    /// The current turn alone exceeds the budget.
    CurrentDoesNotFit {
        /// Its tokens.
        tokens: u64,
        /// The budget.
        tokens_max: u64,
    },
    /// The window is nearly full: the next messages will evict others.
    NearlyFull {
        /// How full it is.
        percent: u64,
    },
    /// Pins and important messages leave little room for the conversation.
    HeldFillsHalf {
        /// Their share of the budget.
        percent: u64,
    },
    /// Important messages were evicted.
    LostImportant {
        /// How many messages.
        messages: u64,
    },
}

impl fmt::Display for WindowWarning {
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
                write!(f, "the window is nearly full ({percent} %): the oldest messages are dropped next")
            }
            Self::HeldFillsHalf { percent } => write!(
                f,
                "pins and important messages fill {percent} % of the window, which leaves little for the rest: remove \
                 pins or tag less as important"
            ),
            Self::LostImportant { messages } => {
                write!(
                    f,
                    "{messages} important messages were dropped from the window, because nothing else was left to drop"
                )
            }
        }
    }
}
