//! A piece of a message as words with their positions. Rules match whole words, never letters
//! inside of them: "Miami" is not "I am". A rule is a line such as `what is the? time|date`: words
//! in order, `|` between alternatives, `?` after an optional word.

/// The most words that are tokenized; a long message costs no more than a short one.
const WORDS_MAX: usize = 200;

/// Openings before a request that are not part of it.
const LEADS: &[&str] = &[
    "please",
    "ok|okay|so|well|also|and|then|but",
    "hi|hello|hey there?",
    "dwell",
    "can|could|would|will you please?",
    "i want|need to know",
    "i would like to know",
    "let me know",
];

/// These are part of the request unless a question follows: "tell me about Ann" is one, "tell me
/// what …" is another.
const LEADS_OF_QUESTIONS: &[&str] = &["tell me", "do you know", "can i ask you?"];

/// Endings after a request that are not part of it.
const TAILS: &[&[&str]] = &[&["please"], &["thanks"], &["thank", "you"], &["dwell"]];

/// Words that open a question.
pub const QUESTION_WORDS: &[&str] = &["what", "when", "where", "who", "whom", "whose", "which", "how", "why"];

/// A word in lower case and its position in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub text: String,
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

/// A piece of a message with its words.
#[derive(Debug, Clone)]
pub struct Clause<'a> {
    /// The piece as it was written.
    pub text: &'a str,
    words: Vec<Word>,
}

impl<'a> Clause<'a> {
    /// Tokenizes a piece of a message without the courtesies around it.
    pub fn new(text: &'a str) -> Self {
        let Self { text, mut words } = Self::plain(text);
        let skipped = lead(&words);
        words.drain(..skipped);
        while let Some(tail) = tail(&words) {
            words.truncate(words.len() - tail);
        }
        // A sign right before the first word belongs to it: the bracket of "(3+4)*5", the minus of
        // "-3 + 4".
        let cut = if skipped == 0 { 0 } else { words.first().map_or(0, |word| word.start) };
        let cut = text[..cut].trim_end_matches(['(', '-', '"', '\'']).len();
        for word in &mut words {
            word.start -= cut;
            word.end -= cut;
        }
        Self { text: &text[cut..], words }
    }

    /// Tokenizes a piece of a message with the courtesies around it.
    pub fn plain(text: &'a str) -> Self {
        let text = text.trim();
        let mut words = Vec::new();
        for (start, end) in spans(text) {
            if words.len() >= WORDS_MAX {
                break;
            }
            expand(&text[start..end], |word| words.push(Word { text: word, start, end }));
        }
        Self { text, words }
    }

    /// Its words.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// How many words the rule matches at the beginning, if it matches.
    pub fn begins(&self, rule: &str) -> Option<usize> {
        fits(&self.words, rule)
    }

    /// The same for several rules: the first that matches.
    pub fn begins_any(&self, rules: &[&str]) -> Option<usize> {
        rules.iter().find_map(|rule| self.begins(rule))
    }

    /// Whether the rule matches all of it.
    pub fn is(&self, rule: &str) -> bool {
        self.begins(rule) == Some(self.words.len())
    }

    /// Whether one of the rules matches all of it.
    pub fn is_any(&self, rules: &[&str]) -> bool {
        rules.iter().any(|rule| self.is(rule))
    }

    /// The text as written after the first `count` words.
    pub fn after(&self, count: usize) -> &'a str {
        let end = count.checked_sub(1).and_then(|last| self.words.get(last)).map_or(0, |word| word.end);
        &self.text[end..]
    }

    /// The words after the first `count`.
    pub fn words_after(&self, count: usize) -> &[Word] {
        self.words.get(count..).unwrap_or_default()
    }

    /// Whether it ends with a question mark.
    pub fn is_marked_as_question(&self) -> bool {
        self.text.trim_end().ends_with(['?', '？', '؟'])
    }

    /// Whether it opens with a word that opens questions.
    pub fn opens_with_question_word(&self) -> bool {
        self.words.first().is_some_and(|word| QUESTION_WORDS.contains(&word.text.as_str()))
    }
}

/// How many words the rule matches at the beginning, if it matches.
pub fn fits(words: &[Word], rule: &str) -> Option<usize> {
    let rule = rule.trim_start();
    if rule.is_empty() {
        return Some(0);
    }
    let (item, later) = rule.split_once(' ').unwrap_or((rule, ""));
    let (choices, is_optional) = item.strip_suffix('?').map_or((item, false), |choices| (choices, true));
    let taken = words
        .split_first()
        .filter(|(word, _)| choices.split('|').any(|choice| choice == word.text))
        .and_then(|(_, rest)| fits(rest, later))
        .map(|count| count + 1);
    if taken.is_none() && is_optional { fits(words, later) } else { taken }
}

/// The positions of the words in a text: runs of letters and digits, with apostrophes inside of
/// them.
pub fn spans(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.by_ref().find(|(_, char)| char.is_alphanumeric())?;
        let mut end = start + first.len_utf8();
        while let Some(&(at, char)) = chars.peek() {
            let joins =
                is_apostrophe(char) && text[at + char.len_utf8()..].chars().next().is_some_and(char::is_alphanumeric);
            if !char.is_alphanumeric() && !is_mark(char) && !joins {
                break;
            }
            end = at + char.len_utf8();
            chars.next();
        }
        Some((start, end))
    })
}

/// Whether it is an apostrophe, straight or curly.
pub const fn is_apostrophe(char: char) -> bool {
    matches!(char, '\'' | '’' | 'ʼ')
}

/// Combining accents are part of their word.
const fn is_mark(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}')
}

/// A word in lower case with a straight apostrophe; contractions as the words they stand for.
fn expand(written: &str, mut put: impl FnMut(String)) {
    let word = written.to_lowercase().replace(['’', 'ʼ'], "'");
    let (stem, rest) = match word.as_str() {
        "whats" => ("what", "is"),
        "wheres" => ("where", "is"),
        "whens" => ("when", "is"),
        "dont" => ("do", "not"),
        "can't" | "cannot" => ("can", "not"),
        "won't" => ("will", "not"),
        "i'm" | "im" => ("i", "am"),
        _ => match word.rsplit_once('\'') {
            Some((stem, "s")) if is_before_is(stem) => (stem, "is"),
            Some((stem, "re")) => (stem, "are"),
            Some((stem, "ve")) => (stem, "have"),
            Some((stem, "ll")) => (stem, "will"),
            Some((stem, "t")) if stem.ends_with('n') => (&stem[..stem.len() - 1], "not"),
            _ => return put(word),
        },
    };
    put(stem.to_owned());
    put(rest.to_owned());
}

/// After these `'s` is "is"; after others it may be a genitive.
fn is_before_is(word: &str) -> bool {
    QUESTION_WORDS.contains(&word) || ["it", "that", "there", "here", "he", "she", "let"].contains(&word)
}

/// How many words at the beginning are mere courtesy; never all of them.
fn lead(words: &[Word]) -> usize {
    let mut skipped = 0;
    loop {
        let rest = &words[skipped..];
        let plain = LEADS.iter().find_map(|rule| fits(rest, rule));
        let before_question = || {
            let count = LEADS_OF_QUESTIONS.iter().find_map(|rule| fits(rest, rule))?;
            let next = rest.get(count)?;
            QUESTION_WORDS.contains(&next.text.as_str()).then_some(count)
        };
        match plain.or_else(before_question) {
            Some(count) if count < rest.len() => skipped += count,
            _ => return skipped,
        }
    }
}

/// How many words at the end are mere courtesy; never all of them.
fn tail(words: &[Word]) -> Option<usize> {
    TAILS.iter().map(|tail| (tail, words.len().checked_sub(tail.len()))).find_map(|(tail, before)| {
        let before = before.filter(|before| *before > 0)?;
        words[before..].iter().map(|word| word.text.as_str()).eq(tail.iter().copied()).then_some(tail.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, rest: &str, words: &str) {
        let clause = Clause::new(text);
        let found: Vec<&str> = clause.words().iter().map(|word| word.text.as_str()).collect();
        assert_eq!((clause.text, found.join(" ").as_str()), (rest, words), "{text}");
    }

    #[test]
    fn courtesies_are_no_part_of_a_request() {
        check("Hi, could you please tell me what time it is, please?", "what time it is, please?", "what time it is");
        check("please (3+4)*5", "(3+4)*5", "3 4 5");
        check("hello", "hello", "hello");
        check("tell me about Ann", "tell me about Ann", "tell me about ann");
        check("  ", "", "");
    }

    #[test]
    fn contractions_are_words() {
        check("What’s Ann's name?", "What’s Ann's name?", "what is ann's name");
        check("I'm here, don't go", "I'm here, don't go", "i am here do not go");
        check("Miami isn't İzmir", "Miami isn't İzmir", "miami is not i\u{307}zmir");
        check("'tis 'quoted'", "'tis 'quoted'", "tis quoted");
    }

    #[test]
    fn rules_take_whole_words() {
        let clause = Clause::new("what is the time in Rome");
        assert_eq!(clause.begins("what is the? time|date"), Some(4));
        assert_eq!(clause.begins("what is a? the time"), Some(4));
        assert_eq!(clause.begins("what is the tim"), None);
        assert_eq!(clause.after(4), " in Rome");
        assert!(clause.is("what is the time in rome") && !clause.is("what is the time"));
        assert_eq!(Clause::new("Miami").begins("i am"), None);
        assert_eq!(Clause::new("notebook").begins("note"), None);
    }
}
