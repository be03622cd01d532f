//! What kind of answer a query asks for, and which documents contain that kind of thing.

use super::terms;

/// What a query asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerKind {
    Number,
    Place,
    Person,
    Reason,
}

impl AnswerKind {
    /// The kind that a query asks for, by its normalized words.
    pub(super) fn of(words: &[String]) -> Option<Self> {
        let pair = |first: &[&str], second: &[&str]| {
            words.windows(2).any(|pair| first.contains(&pair[0].as_str()) && second.contains(&pair[1].as_str()))
        };
        match words.first().map(String::as_str) {
            Some("where" | "wheres") => return Some(Self::Place),
            Some("who" | "whos" | "whose" | "whom") => return Some(Self::Person),
            Some("why") => return Some(Self::Reason),
            _ => {}
        }
        if pair(&["how"], &["many", "much", "long", "old", "often", "far", "tall", "big"]) {
            return Some(Self::Number);
        }
        pair(&["what", "which"], &["city", "country", "state", "town", "place"]).then_some(Self::Place)
    }
}

/// What kinds of answers a document contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DocumentDetails {
    /// A name or a quotation.
    pub(super) names: bool,
    number: bool,
    reason: bool,
}

/// Words of a number.
const NUMBERS: &[&str] = &[
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen", "couple", "once", "twice",
    "several", "hundred", "thousand",
];

/// Words that give a reason.
const REASONS: &[&str] = &["because", "cause", "since", "reason", "therefore", "helps", "inspired", "why"];

/// Words that greet or react: the name after them is that of the listener.
const GREETINGS: &[&str] =
    &["hey", "hi", "hello", "wow", "thanks", "thank", "yeah", "yep", "yes", "no", "oh", "dear", "congrats", "bye"];

impl DocumentDetails {
    /// Reads a text.
    pub(super) fn of(text: &str) -> Self {
        let mut details = Self { names: text.contains(['"', '“', '„', '«']), ..Self::default() };
        let (mut is_start, mut is_greeting) = (true, false);
        for word in text.split_whitespace() {
            let core = word.trim_matches(|c: char| !c.is_alphanumeric());
            let plain = terms::plain(core);
            let is_name = core.starts_with(char::is_uppercase) && plain.len() > 2 && !terms::is_stop(core);
            details.names |= is_name && !is_start && !is_greeting;
            details.number |= core.contains(|c: char| c.is_ascii_digit()) || NUMBERS.contains(&plain.as_str());
            details.reason |= REASONS.contains(&plain.as_str());
            is_greeting = GREETINGS.contains(&plain.as_str());
            is_start = word.ends_with(['.', '!', '?', ',', ':']);
        }
        details
    }

    /// As bits for the store.
    pub(super) const fn to_bits(self) -> u8 {
        self.names as u8 | (self.number as u8) << 1 | (self.reason as u8) << 2
    }

    /// From such bits.
    pub(super) const fn from_bits(bits: u8) -> Self {
        Self { names: bits & 1 != 0, number: bits & 2 != 0, reason: bits & 4 != 0 }
    }

    /// Whether it contains the kind of thing that is asked for.
    pub(super) fn answers(self, kind: Option<AnswerKind>) -> bool {
        match kind {
            Some(AnswerKind::Number) => self.number,
            Some(AnswerKind::Place | AnswerKind::Person) => self.names,
            Some(AnswerKind::Reason) => self.reason,
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(query: &str) -> Option<AnswerKind> {
        AnswerKind::of(&terms::words(query).map(terms::plain).collect::<Vec<_>>())
    }

    #[test]
    fn the_kind_of_answer_is_read_from_the_question() {
        assert_eq!(kind("Where did we go?"), Some(AnswerKind::Place));
        assert_eq!(kind("In which city did we stay?"), Some(AnswerKind::Place));
        assert_eq!(kind("Whose dog is it?"), Some(AnswerKind::Person));
        assert_eq!(kind("how many cats are there"), Some(AnswerKind::Number));
        assert_eq!(kind("Why did I move?"), Some(AnswerKind::Reason));
        assert_eq!(kind("What do I like?"), None);
    }

    #[test]
    fn a_document_has_what_is_asked_for() {
        let answers = |text: &str, kind| DocumentDetails::of(text).answers(Some(kind));
        assert!(answers("We stayed in Lisbon.", AnswerKind::Place));
        assert!(!answers("Thanks, Maria! We stayed at home.", AnswerKind::Place), "a greeting names no place");
        assert!(answers("I have two of them.", AnswerKind::Number));
        assert!(answers("I moved because of work.", AnswerKind::Reason));
        assert!(!answers("I moved.", AnswerKind::Reason));
    }
}
