//! The phrases that state a fact, by key. Each rule takes the words of a sentence after greetings
//! and frames, and returns the value and the words after it. A value must contain a known word or a
//! name, because "I am" and "my name is" open all sorts of sentences ("I am late", "my name is hard
//! to spell").

mod diet;
mod person;
mod preferences;

use crate::language::{
    pattern::{after_any, first_is, is},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// Values are cut to this many words.
const VALUE_WORDS_MAX: usize = 40;

/// A fact and what comes after it.
pub(super) struct RuleMatch<'w, 'm> {
    /// What sort of fact it is.
    pub key: Option<&'static str>,
    /// The fact.
    pub value: String,
    /// Whether a comma or an end follows.
    pub closed: bool,
    /// The words after it.
    pub rest: &'w [Word<'m>],
}

/// How a fact of one sort is stated.
type StatementRule = for<'w, 'm> fn(&TokenizedText<'m>, &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>>;

/// The first rule that fits decides.
const RULES: &[StatementRule] = &[
    diet::diet,
    diet::allergy,
    person::name,
    person::home,
    person::birthday,
    person::job,
    preferences::language,
    preferences::standing,
    preferences::preference,
    person::relation,
    person::state,
];

/// The fact that a sentence opens with.
pub(super) fn find<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    RULES.iter().find_map(|rule| rule(text, words))
}

/// A second fact that leaves out its "I am": "(I'm vegan and) allergic to nuts".
pub(super) fn short<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    list(text, "allergy", after_any(words, &ENGLISH.grammar.allergic_to)?)
}

/// What the user wants remembered, in their own words.
pub(super) fn framed<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> RuleMatch<'w, 'm> {
    match after_any(words, &ENGLISH.statement.liked).filter(|liked| !liked.is_empty()) {
        Some(liked) => take(text, Some("preference"), liked, liked.len()),
        None => take(text, None, words, words.len()),
    }
}

/// A fact whose value is the first `count` words.
fn take<'w, 'm>(
    text: &TokenizedText<'m>,
    key: Option<&'static str>,
    words: &'w [Word<'m>],
    count: usize,
) -> RuleMatch<'w, 'm> {
    let (value, rest) = words.split_at(count.min(words.len()));
    let closed = value.last().is_some_and(Word::ends_clause);
    RuleMatch { key, value: text.slice(&value[..value.len().min(VALUE_WORDS_MAX)]).to_owned(), closed, rest }
}

/// How many words belong together: up to a comma or a connector.
fn phrase(words: &[Word<'_>]) -> usize {
    let end = words.iter().position(|word| is(word, &ENGLISH.statement.stops)).unwrap_or(words.len());
    let comma = words.iter().position(Word::ends_clause).map_or(words.len(), |at| at + 1);
    end.min(comma)
}

/// A fact whose value is a list: "nuts, eggs and milk".
fn list<'w, 'm>(text: &TokenizedText<'m>, key: &'static str, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let mut end = phrase(words);
    while end > 0 && !words.get(end - 1).is_some_and(Word::ends_sentence) {
        let linked = first_is(&words[end..], &ENGLISH.grammar.and_or);
        let from = if linked { end + 1 } else { end };
        let Some(item) = words.get(from).filter(|word| !is(word, &ENGLISH.statement.new_clause)) else { break };
        // After a comma only another item goes on, so a comma, "and" or the end must follow it at
        // once.
        let short = item.ends_clause() || words.get(from + 1).is_none_or(|next| is(next, &ENGLISH.grammar.and_or));
        if !linked && !short {
            break;
        }
        let length = phrase(&words[from..]);
        if length == 0 {
            // "allergic to cats as well": nothing more is listed.
            break;
        }
        end = from + length;
    }
    (end > 0 && !first_is(words, &ENGLISH.statement.vague)).then(|| take(text, Some(key), words, end))
}

/// A fact whose value is a name: capitalised words, or one small word that ends its clause.
fn named<'w, 'm>(
    text: &TokenizedText<'m>,
    key: &'static str,
    words: &'w [Word<'m>],
    except: &[&str],
) -> Option<RuleMatch<'w, 'm>> {
    let length = phrase(words).min(5);
    let capitals =
        words.iter().take(length).take_while(|word| word.is_capital() && !is(word, &ENGLISH.grammar.i)).count();
    let first = words.first().filter(|word| !is(word, except) && !word.is_figure())?;
    if capitals > 0 {
        return Some(take(text, Some(key), words, capitals));
    }
    (length == 1 && first.lower.len() > 1).then(|| take(text, Some(key), words, 1))
}
