//! The content words of a text: lower case, stemmed, without stop words.

use super::{
    arithmetic::number_word,
    words::{is_apostrophe, spans},
};

/// Stop words, including verbs of asking and telling; sorted for a fast lookup.
const STOP_WORDS: &[&str] = &[
    "a", "about", "again", "all", "also", "am", "an", "and", "any", "anything", "are", "as", "ask", "asked", "at",
    "be", "because", "been", "being", "but", "by", "can", "could", "d", "did", "didn", "do", "does", "doesn", "doing",
    "don", "done", "each", "else", "ever", "every", "exactly", "for", "forget", "from", "get", "got", "had", "has",
    "have", "having", "he", "her", "here", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just",
    "know", "let", "ll", "m", "me", "mention", "mine", "more", "most", "my", "no", "not", "note", "now", "of", "off",
    "ok", "on", "only", "or", "other", "our", "ours", "out", "over", "own", "please", "re", "really", "remember",
    "remind", "s", "said", "same", "say", "shall", "she", "should", "so", "some", "still", "such", "t", "tell", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "thing", "things", "this", "those", "to", "told",
    "too", "up", "us", "ve", "very", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose",
    "why", "will", "with", "would", "yes", "yet", "you", "your", "yours",
];

/// Longer stop words, in a list of their own so that the others fit on a few lines.
const LONG_STOP_WORDS: &[&str] = &["mentioned", "something"];

/// Synonyms, where people ask with one word and state with the other.
const ALIKE: &[(&str, &str)] = &[
    ("called", "name"),
    ("named", "name"),
    ("born", "birthday"),
    ("birth", "birthday"),
    ("job", "work"),
    ("profession", "work"),
    ("employer", "work"),
    ("home", "live"),
    ("address", "live"),
    ("color", "colour"),
    ("favorite", "favourite"),
    ("mom", "mother"),
    ("mum", "mother"),
    ("dad", "father"),
    ("phone", "telephone"),
    ("car", "drive"),
];

/// A content word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Its stem.
    pub stem: String,
    /// Whether it is a number, or written like a name in the middle of a sentence.
    pub is_special: bool,
}

/// The content words of a text, in order.
pub fn terms(text: &str) -> impl Iterator<Item = Term> + '_ {
    let mut before = 0;
    spans(text).flat_map(move |(start, end)| {
        let opens = opens_sentence(&text[before..start]) || before == 0;
        before = end;
        word_terms(&text[start..end], opens)
    })
}

fn opens_sentence(gap: &str) -> bool {
    gap.contains(['.', '!', '?', ':', '\n', '"', '。'])
}

fn word_terms(written: &str, opens: bool) -> Vec<Term> {
    if written.chars().any(is_ideograph) {
        return pairs(written);
    }
    let word = without_possessive(&written.to_lowercase()).to_owned();
    let is_stop = STOP_WORDS.binary_search(&word.as_str()).is_ok() || LONG_STOP_WORDS.contains(&word.as_str());
    if word.is_empty() || is_stop {
        return Vec::new();
    }
    let has_digit = word.chars().any(|char| char.is_ascii_digit());
    let is_name = !opens && written.starts_with(char::is_uppercase);
    vec![Term { stem: stem(&word), is_special: has_digit || is_name }]
}

fn without_possessive(word: &str) -> &str {
    word.split_once(is_apostrophe).map_or(word, |(stem, _)| stem)
}

/// Chinese and Japanese have no spaces between words; pairs of characters serve instead.
fn pairs(written: &str) -> Vec<Term> {
    let chars: Vec<char> = written.chars().collect();
    let term = |pair: &[char]| Term { stem: pair.iter().collect(), is_special: false };
    if chars.len() < 2 { vec![term(&chars)] } else { chars.windows(2).map(term).collect() }
}

const fn is_ideograph(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// A light stemmer for English: it need not be right, only the same for the forms of a word.
pub fn stem(word: &str) -> String {
    if word.starts_with(|char: char| char.is_ascii_digit()) {
        return word.to_owned();
    }
    if let Some(number) = number_word(word) {
        return number.to_string();
    }
    let word = ALIKE.iter().find_map(|(other, same)| (*other == word).then_some(*same)).unwrap_or(word);
    if !word.is_ascii() || word.len() <= 3 || word.chars().any(|char| char.is_ascii_digit()) {
        return word.to_owned();
    }
    let singular = match word {
        _ if word.ends_with("ies") && word.len() > 4 => format!("{}y", &word[..word.len() - 3]),
        _ if word.ends_with("sses") => word[..word.len() - 2].to_owned(),
        _ if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") => {
            word[..word.len() - 1].to_owned()
        }
        _ => word.to_owned(),
    };
    let bare = ["ing", "ed"]
        .iter()
        .find_map(|ending| singular.strip_suffix(ending).filter(|bare| bare.len() >= 3))
        .map_or(singular.as_str(), undoubled);
    match bare.strip_suffix('e') {
        Some(short) if short.len() >= 3 => short.to_owned(),
        _ => bare.to_owned(),
    }
}

/// "runn" is "run"; "call" stays.
fn undoubled(word: &str) -> &str {
    let mut last = word.chars().rev();
    match (last.next(), last.next()) {
        (Some(one), Some(two)) if one == two && !"lsz".contains(one) => &word[..word.len() - one.len_utf8()],
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> =
            terms(text).map(|term| if term.is_special { format!("{}!", term.stem) } else { term.stem }).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn stop_words_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn forms_of_a_word_are_the_same() {
        for forms in [
            &["live", "lives", "living", "lived"][..],
            &["run", "runs", "running"],
            &["party", "parties"],
            &["call", "calls", "calling"],
            &["glass", "glasses"],
            &["two", "2"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{forms:?} are {stems:?}");
        }
    }

    #[test]
    fn what_a_text_is_about() {
        check("My sister's dog is called Rex.", &["sister", "dog", "nam", "rex!"]);
        check("Miami. Is it in Florida?", &["miami", "florida!"]);
        check("I’m at gate 12b", &["gat", "12b!"]);
        check("what is it", &[]);
        check("東京タワー", &["東京", "京タ", "タワ", "ワー"]);
        check("Привет, мир", &["привет", "мир"]);
    }
}
