//! The check of an operation against the message that it names. Models invent: an operation counts
//! only if its words are the user's own.

use protocol::{FORGOTTEN, Fact, Timestamp};

use super::{
    operation::{Operation, OperationKind},
    stated::{find, is_instruction, is_stated},
    words::{content, has_negation, is_negation, plain, tells_time, tokens},
};
use crate::statements::normal_key;

/// The longest key, subject, value and quote, in characters.
const KEY_CHARS_MAX: usize = 60;
const SUBJECT_CHARS_MAX: usize = 60;
const VALUE_CHARS_MAX: usize = 300;
const QUOTE_CHARS_MAX: usize = 1_000;
/// Operations with less confidence are refused.
const CONFIDENCE_MIN: f32 = 0.3;
/// Words before a value in which a negation belongs to it.
const NEGATED_WORDS_MAX: usize = 4;

/// Why an operation was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalReason {
    /// There is no such message, or it was forgotten meanwhile.
    NoMessage,
    /// The quote is not in the message.
    NoQuote,
    /// The quoted words are a question, a citation, a condition or a text to work on.
    NotStated,
    /// The value is not in the quote.
    NoValue,
    /// The quote negates the value.
    Inverted,
    /// The touched fact was not shown, does not exist or no longer holds.
    NoFact,
    /// The touched fact is about another subject.
    OtherSubject,
    /// The message does not mention the subject.
    NoSubject,
    /// It is an instruction to the assistant.
    Instruction,
    /// It contains redacted or forgotten text.
    Secret,
    /// A field is empty, too long or has control characters.
    BadField,
    /// The model is not sure.
    Unsure,
    /// There are too many operations.
    TooMany,
}

impl RefusalReason {
    /// Its name in the statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoMessage => "no_message",
            Self::NoQuote => "no_quote",
            Self::NotStated => "not_stated",
            Self::NoValue => "no_value",
            Self::Inverted => "inverted",
            Self::NoFact => "no_fact",
            Self::OtherSubject => "other_subject",
            Self::NoSubject => "no_subject",
            Self::Instruction => "instruction",
            Self::Secret => "secret",
            Self::BadField => "bad_field",
            Self::Unsure => "unsure",
            Self::TooMany => "too_many",
        }
    }
}

/// An operation whose words are the user's.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedOperation {
    /// What to do.
    pub kind: OperationKind,
    /// Who or what it is about; none is the user.
    pub subject: Option<String>,
    /// The relation, normalized. Empty for endings and contradictions.
    pub key: String,
    /// The value as written.
    pub value: String,
    /// From when it holds, if the quote says so.
    pub since: Option<Timestamp>,
    /// How sure the model is.
    pub confidence: f32,
    /// The words of the message.
    pub quote: String,
}

/// Checks an operation on a message; `touched` is the known fact that it names, if any.
pub fn check(operation: &Operation, message: &str, touched: Option<&Fact>) -> Result<CheckedOperation, RefusalReason> {
    let message = plain(message);
    let is_changing = matches!(operation.op, OperationKind::Add | OperationKind::Change);
    if operation.quote.chars().count() > QUOTE_CHARS_MAX {
        return Err(RefusalReason::BadField);
    }
    let at = find(&message, &operation.quote).ok_or(RefusalReason::NoQuote)?;
    let quote = message[at.clone()].to_owned();
    if [&quote, &operation.value, &operation.key].iter().any(|text| is_hidden(text)) {
        return Err(RefusalReason::Secret);
    }
    if is_instruction(&operation.subject, &operation.value, &quote) {
        return Err(RefusalReason::Instruction);
    }
    if !is_stated(&message, &at, &operation.value) {
        return Err(RefusalReason::NotStated);
    }
    if operation.op != OperationKind::Add && touched.is_none() {
        return Err(RefusalReason::NoFact);
    }
    if !(CONFIDENCE_MIN..=1.0).contains(&operation.confidence) {
        return Err(RefusalReason::Unsure);
    }
    let subject = subject(operation, &message, touched)?;
    let (mut key, mut value) = (String::new(), String::new());
    if is_changing {
        value = plain(&operation.value);
        key = fields(operation, &value)?;
        check_value(&value, &key, &quote, touched)?;
    }
    let since = operation.since.as_deref().filter(|_| tells_time(&quote)).and_then(date);
    Ok(CheckedOperation { kind: operation.op, subject, key, value, since, confidence: operation.confidence, quote })
}

/// The normalized key, if key and value fit.
fn fields(operation: &Operation, value: &str) -> Result<String, RefusalReason> {
    let is_fit = |text: &str, max: usize| {
        (1..=max).contains(&text.trim().chars().count()) && !text.chars().any(char::is_control)
    };
    // A key of empty words alone keeps them.
    let key = Some(normal_key(&operation.key)).filter(|key| !key.is_empty());
    let key = key.unwrap_or_else(|| plain(&operation.key).to_lowercase());
    let is_ok = is_fit(&key, KEY_CHARS_MAX) && is_fit(value, VALUE_CHARS_MAX);
    is_ok.then_some(key).ok_or(RefusalReason::BadField)
}

/// Who it is about. The message must mention it, or the touched fact be about it.
fn subject(operation: &Operation, message: &str, touched: Option<&Fact>) -> Result<Option<String>, RefusalReason> {
    let named = plain(&operation.subject);
    if named.chars().count() > SUBJECT_CHARS_MAX || named.chars().any(char::is_control) {
        return Err(RefusalReason::BadField);
    }
    let is_user = matches!(named.to_lowercase().as_str(), "" | "user" | "the user" | "i" | "me" | "self");
    let known = touched.and_then(|fact| fact.subject.as_deref());
    if operation.op != OperationKind::Add && touched.is_some() {
        let is_same = match known {
            Some(known) => !is_user && shares_word(known, &named),
            // Facts of the rules may have the subject in their key: "sister's birthday".
            None => {
                is_user || touched.is_some_and(|fact| shares_word(&fact.key, &named) || shares_word(&fact.text, &named))
            }
        };
        // A correction often leaves out whom it is about; then the fact says it.
        if !is_same && !is_user {
            return Err(RefusalReason::OtherSubject);
        }
        return Ok(known.map(str::to_owned).or_else(|| (!is_user).then_some(named)));
    }
    if is_user {
        return Ok(None);
    }
    let said = content(message);
    let is_mentioned = content(&named).iter().all(|word| said.contains(word));
    is_mentioned.then_some(Some(named)).ok_or(RefusalReason::NoSubject)
}

fn shares_word(a: &str, b: &str) -> bool {
    let a = content(a);
    content(b).iter().any(|word| a.contains(word))
}

/// Whether the value is what the quote says: its content words are there, or are a normal form of
/// words that are, and the quote does not negate them.
fn check_value(value: &str, key: &str, quote: &str, touched: Option<&Fact>) -> Result<(), RefusalReason> {
    let quoted = tokens(quote);
    let is_quoted = |word: &String| quoted.iter().any(|token| token.word == *word);
    let words = content(value);
    // A correction may leave out the part that stays: "12 May" and "sorry, the 21st".
    let kept = touched.map(|fact| content(&fact.value)).unwrap_or_default();
    let negates = has_negation(quote);
    let is_there = |word: &String| {
        is_quoted(word) || kept.contains(word) || is_normal_form(word, quote) || (is_negation(word) && negates)
    };
    let is_new = words.iter().any(|word| is_quoted(word) || is_normal_form(word, quote) || is_negation(word));
    if words.is_empty() || !is_new || !words.iter().all(is_there) {
        return Err(RefusalReason::NoValue);
    }
    if !has_negation(value) && !has_negation(key) && is_negated(&words, quote) {
        return Err(RefusalReason::Inverted);
    }
    Ok(())
}

/// Whether a negation stands before the value, in its clause, wherever the value stands.
fn is_negated(value: &[String], quote: &str) -> bool {
    let quoted = tokens(quote);
    let places: Vec<usize> = (0..quoted.len()).filter(|at| value.contains(&quoted[*at].word)).collect();
    let is_negated = |at: usize| {
        let mut place = at;
        for _ in 0..NEGATED_WORDS_MAX {
            if quoted[place].opens_clause || place == 0 {
                return false;
            }
            place -= 1;
            if is_negation(&quoted[place].word) {
                return true;
            }
        }
        false
    };
    // "Not Porto, Faro" states Faro: only the last mention of the value counts.
    let first_of_last = places.iter().rev().take(value.len()).min();
    first_of_last.is_some_and(|at| is_negated(*at))
}

/// Whether a word in figures is another form of a time in the quote: a date for "last Saturday",
/// "16:00" for "4 pm".
fn is_normal_form(word: &str, quote: &str) -> bool {
    if date(word).is_some() {
        return tells_time(quote);
    }
    let Some((hour, minute)) = word.split_once(':') else { return false };
    let (Ok(hour), Ok(minute)) = (hour.parse::<u32>(), minute.parse::<u32>()) else { return false };
    let forms = [hour, hour.saturating_sub(12)].map(|hour| match minute {
        0 => hour.to_string(),
        minute => format!("{hour}:{minute:02}"),
    });
    tokens(quote).iter().any(|token| {
        let bare = token.word.trim_end_matches("pm").trim_end_matches("am");
        forms.iter().any(|form| form == bare)
    })
}

fn is_hidden(text: &str) -> bool {
    text.contains("[redacted") || text.contains(FORGOTTEN)
}

/// The start of a day given as `2026-11-17`, or a moment.
fn date(text: &str) -> Option<Timestamp> {
    let day = text.get(..10).filter(|day| day.matches('-').count() == 2)?;
    let is_day = text.len() == 10;
    let moment = if is_day { format!("{day}T00:00:00Z") } else { text.to_owned() };
    moment.parse().ok()
}
