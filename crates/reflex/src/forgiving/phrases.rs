//! Words that say nothing at the ends of a sentence, and words that say too much to be left out, for each language.

mod english;

/// What a language's fillers and politeness are made of. All in small letters, without punctuation.
#[derive(Debug)]
pub(super) struct Phrases {
    /// Words that may stand in front, in any number and order.
    pub front: &'static [&'static str],
    /// Of those, words that mean something beside others only: at least one other has to be there.
    pub front_weak: &'static [&'static str],
    /// Words that are harmless in front only together, each with `|` behind it.
    pub front_phrases: &'static str,
    /// The same behind.
    pub back: &'static [&'static str],
    pub back_weak: &'static [&'static str],
    pub back_phrases: &'static str,
    /// Words with which a clause begins that may be mere politeness, what it is then made of, and one of which it needs.
    pub clause_starts: &'static [&'static str],
    pub clause_words: &'static [&'static str],
    pub clause_anchors: &'static [&'static str],
    /// Words behind a sentence after which nothing of weight follows, and what may stand there beside words nobody knows.
    pub openers: &'static [&'static str],
    pub opener_words: &'static [&'static str],
    /// Those of them that say thanks.
    pub thanks: &'static [&'static str],
    /// Words with which a sentence begins that is no mere name: what stands before one of them does not belong to it.
    pub starters: &'static [&'static str],
    /// Words that make somebody else the one who does it, unless it is `you`.
    pub modals: &'static [&'static str],
    pub addressed: &'static [&'static str],
    /// Words after which somebody is called by name.
    pub greetings: &'static [&'static str],
    /// Words that make a question a request.
    pub polite: &'static [&'static str],
    /// Words with which a question begins.
    pub questions: &'static [&'static str],
    /// Words that turn the meaning round.
    pub negations: &'static [&'static str],
    /// Words that change when, whether or for whom something is to be done.
    pub loaded: &'static [&'static str],
    /// Words without a meaning of their own, which may be in what is said in passing.
    pub plain: &'static [&'static str],
    pub articles: &'static [&'static str],
    /// Small words that are often dropped. None of them tells on from off or up from down.
    pub small: &'static [&'static str],
    /// Words in the name of a thing that make a mistake with it dear.
    pub sensitive: &'static [&'static str],
}

impl Phrases {
    /// Those of a language; none where we do not know them.
    pub(super) fn of(language: &str) -> Option<&'static Self> {
        match language.split(['-', '_']).next() {
            Some("en") => Some(&english::ENGLISH),
            _ => None,
        }
    }
}
