//! The phrases of each language: filler words at the ends of a sentence, and significant words that
//! must not be dropped.

mod english;

/// The fillers and polite phrases of a language. All are lower case, without punctuation.
#[derive(Debug)]
pub(super) struct Phrases {
    /// Filler words in front, in any number and order.
    pub front: &'static [&'static str],
    /// Of those, weak words: at least one other has to be there.
    pub front_weak: &'static [&'static str],
    /// Phrases that are harmless in front only as a whole, each followed by `|`.
    pub front_phrases: &'static str,
    /// The same at the end.
    pub back: &'static [&'static str],
    pub back_weak: &'static [&'static str],
    pub back_phrases: &'static str,
    /// Words that begin a clause that may be polite, the words it may consist of, and those of
    /// which it needs one.
    pub clause_starts: &'static [&'static str],
    pub clause_words: &'static [&'static str],
    pub clause_anchors: &'static [&'static str],
    /// Words after which nothing significant follows, and the words that may follow besides unknown
    /// ones.
    pub openers: &'static [&'static str],
    pub opener_words: &'static [&'static str],
    /// Those of them that express thanks.
    pub thanks: &'static [&'static str],
    /// Words that begin a sentence and are not part of a name: the words before one of them do not
    /// belong to it.
    pub starters: &'static [&'static str],
    /// Modal verbs: the subject acts, unless it is `you`.
    pub modals: &'static [&'static str],
    pub addressed: &'static [&'static str],
    /// Greetings, after which a name may follow.
    pub greetings: &'static [&'static str],
    /// Names by which assistants are called.
    pub called: &'static [&'static str],
    /// Words that make a question a request.
    pub polite: &'static [&'static str],
    /// Words that begin a question.
    pub questions: &'static [&'static str],
    /// Negations.
    pub negations: &'static [&'static str],
    /// Words that change when, whether or for whom something is done.
    pub loaded: &'static [&'static str],
    /// Function words, which may occur in an aside.
    pub plain: &'static [&'static str],
    pub articles: &'static [&'static str],
    /// Small words that are often dropped. None of them distinguishes on from off or up from down.
    pub small: &'static [&'static str],
}

impl Phrases {
    /// The phrases of a language, if they are known.
    pub(super) fn of(language: &str) -> Option<&'static Self> {
        match language.split(['-', '_']).next() {
            Some("en") => Some(&english::ENGLISH),
            _ => None,
        }
    }
}
