//! Tokenizing, stop words and stemming for the index.
//!
//! Words are lower-cased, stripped of apostrophes and stemmed; stop words are left out. Codes and
//! numbers (`AB-123`, `25:50`, `v1.2`) get a second term as they are written, so that an exact
//! match beats a similar one.

use std::{cell::RefCell, collections::HashSet, sync::LazyLock};

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

use super::irregular;

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
static STOP: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split_ascii_whitespace().collect());

/// Words that say how a sentence is built, not what it is about.
const STOP_WORDS: &str = "a about above after again against ago all also am an and any are arent as at be because been before being below \
    between both but by can cannot cant could couldnt d did didnt do does doesnt doing dont down during each either else ever every few for \
    from further get gets got had hadnt has hasnt have havent having he hed hell her here hers herself hes him himself his how i id if ill im \
    in into is isnt it its itself ive just lets ll m me might more most must my myself no nor not now of off oh ok okay on once only or other \
    our ours ourselves out over own re s same shall she shed shes should shouldnt so some still such t than that thats the their theirs them \
    themselves then there theres these they theyd theyll theyre theyve this those through to too under until up upon us ve very was wasnt we \
    wed well were werent weve what whats when where wheres which while who whom whos whose why will with wont would wouldnt yeah yes yet you \
    youd youll your youre yours yourself yourselves youve";

/// Marks the exact term of a code or a number.
const EXACT: char = '=';

/// The terms a text is indexed under, in its order, with repetitions.
pub(super) fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    each_term(text, |term| terms.push(term.to_owned()));
    terms
}

/// Calls `each` with these terms; it must not read terms itself.
pub(super) fn each_term(text: &str, mut each: impl FnMut(&str)) {
    for word in words(text) {
        if is_code(word) {
            each(&exact(word));
        }
        for piece in word.split(|c: char| !is_letter(c) && !is_apostrophe(c)) {
            each_of_piece(piece, &mut each);
        }
    }
}

/// The words of a text as they are written: letters and digits, joined by single punctuation marks
/// between them.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_letter(c) && !is_apostrophe(c) && !is_joint(c))
        .map(|word| word.trim_matches(|c| !is_letter(c)))
        .filter(|word| !word.is_empty())
}

/// The stems of a text's words, without stop words.
pub fn stems(text: &str) -> impl Iterator<Item = String> + '_ {
    words(text).flat_map(|word| word.split(is_joint)).filter_map(stem)
}

/// Whether a word is a code or a number: it has a digit, or several capitals and nothing else.
pub(super) fn is_code(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
        || (word.chars().count() > 1 && word.chars().all(|c| c.is_uppercase() || is_joint(c)))
}

/// The exact term of a code.
pub(super) fn exact(word: &str) -> String {
    let mut term = String::from(EXACT);
    term.extend(word.chars().flat_map(char::to_lowercase));
    term
}

/// Words whose stems a thread caches, and their longest length: people use the same few thousand
/// words again and again.
const KNOWN_MAX: usize = 16_384;
const KNOWN_BYTES_MAX: usize = 32;

thread_local! {
    static KNOWN: RefCell<FxHashMap<Box<str>, Option<Box<str>>>> = RefCell::default();
}

/// The stem of one word, or none for a stop word.
pub(super) fn stem(word: &str) -> Option<String> {
    let mut found = None;
    with_stem(word, |stem| found = Some(stem.to_owned()));
    found
}

/// Calls `then` with the stem of one word, unless it is a stop word.
fn with_stem(word: &str, mut then: impl FnMut(&str)) {
    if word.len() > KNOWN_BYTES_MAX {
        make_stem(word).iter().for_each(|stem| then(stem));
        return;
    }
    KNOWN.with_borrow_mut(|known| {
        if !known.contains_key(word) {
            if known.len() >= KNOWN_MAX {
                known.clear();
            }
            known.insert(word.into(), make_stem(word).map(Into::into));
        }
        known.get(word).into_iter().flatten().for_each(|stem| then(stem));
    });
}

fn make_stem(word: &str) -> Option<String> {
    let word = plain(word);
    if word.is_empty() || STOP.contains(word.as_str()) {
        return None;
    }
    Some(STEMMER.stem(irregular::base(&word).unwrap_or(&word)).into_owned())
}

/// Normalizes a word: lower case, without apostrophes and the possessive s.
pub(super) fn plain(word: &str) -> String {
    let lower = word.to_lowercase().replace(is_apostrophe, "'");
    let bare = lower.strip_suffix("'s").unwrap_or(&lower);
    bare.chars().filter(|c| *c != '\'').collect()
}

/// Whether it is a stop word.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.contains(plain(word).as_str())
}

fn each_of_piece(piece: &str, each: &mut impl FnMut(&str)) {
    // Most text is ASCII, which has spaces.
    if piece.is_ascii() || !piece.chars().any(is_unspaced) {
        return with_stem(piece, each);
    }
    // Scripts without spaces are indexed by pairs of characters.
    let signs: Vec<char> = piece.chars().collect();
    signs.windows(2).for_each(|pair| each(&pair.iter().collect::<String>()));
    if let [sign] = signs.as_slice() {
        each(&sign.to_string());
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric()
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '`')
}

fn is_joint(c: char) -> bool {
    matches!(c, '-' | '_' | '.' | ':' | '/' | '@')
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0E7F}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_stems() {
        assert_eq!(terms("She didn't like Caroline's paintings!"), ["like", "carolin", "paint"]);
        assert_eq!(terms("The mother-in-law’s running"), ["mother", "law", "run"]);
    }

    #[test]
    fn codes_and_numbers_keep_a_form_of_their_own() {
        assert_eq!(
            terms("Flight AB-123 took 25:50."),
            ["flight", "=ab-123", "ab", "123", "take", "=25:50", "25", "50"]
        );
        assert_eq!(terms("a NASA photo"), ["=nasa", "nasa", "photo"]);
    }

    #[test]
    fn writing_without_spaces_is_found_by_pairs() {
        assert_eq!(terms("東京タワー"), ["東京", "京タ", "タワ", "ワー"]);
        assert_eq!(terms("猫"), ["猫"]);
    }

    #[test]
    fn nothing_comes_of_signs() {
        assert!(terms("... ?! — ''' ::").is_empty());
    }
}
