//! Verbs that open a command. Many are nouns as well, which is why there are two lists.

use super::{pattern::is, words::Word};

/// Verbs that open a command whatever follows.
#[rustfmt::skip]
pub const SURE: &[&str] = &[
    "turn", "switch", "set", "send", "remind", "unlock", "dim", "brighten", "add", "remove", "delete", "create",
    "cancel", "reschedule", "buy", "install", "uninstall", "deploy", "execute", "pause", "resume", "mute", "unmute",
    "activate", "deactivate", "enable", "disable", "upload", "download", "rename", "restart", "reboot", "shut",
    "increase", "decrease", "lower", "raise", "disarm", "reserve", "forward", "undo", "redo",
];

/// Verbs that are often nouns or adjectives.
pub const SOFT: &[&str] = &[
    "book", "call", "text", "email", "message", "mail", "order", "print", "copy", "move", "run", "start", "stop",
    "change", "update", "close", "open", "play", "lock", "schedule", "check", "show", "get", "test", "save", "make",
    "record", "post", "share", "water", "heat", "cool", "clean", "vacuum", "charge", "fix", "put", "take", "arm",
    "ring", "find", "note", "adjust", "warm", "ask", "invite", "connect", "skip", "archive", "forget", "write", "edit",
    "snooze", "file", "plug", "feed", "bring", "pay", "log", "track",
];

/// Whether the word is in one of the two lists.
pub fn is_verb(word: &Word<'_>) -> bool {
    is(word, SURE) || is(word, SOFT)
}
