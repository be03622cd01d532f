//! Verbs that open a command. Many are nouns as well, which is why there are two lists.

use super::{pattern::is, rule_words::ENGLISH, words::Word};

/// Whether the word opens a command whatever follows.
pub fn is_sure_verb(word: &Word<'_>) -> bool {
    is(word, &ENGLISH.imperatives.sure)
}

/// Whether the word opens a command, though it is often a noun or an adjective.
pub fn is_soft_verb(word: &Word<'_>) -> bool {
    is(word, &ENGLISH.imperatives.soft)
}

/// Whether the word is in one of the two lists.
pub fn is_verb(word: &Word<'_>) -> bool {
    is_sure_verb(word) || is_soft_verb(word)
}
