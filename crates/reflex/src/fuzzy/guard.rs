//! Decides what must not be corrected, whatever the words would allow.

use serde_json::Value;

use super::Corrections;
use super::edges::is_in;
use super::phrases::Phrases;
use super::token::WordToken;
use crate::conditions::has_condition;
use crate::recognized_intent::{RecognizedIntent, SlotOrigin, SlotValue};
use crate::sensitive::SensitiveTable;
use crate::vocabulary::{SlotList, Vocabulary};

/// Whether an intent changes something.
pub(super) fn acts(intent: &str) -> bool {
    let asks = intent.starts_with("HassGet") || intent.starts_with("HassClimateGet") || intent == "HassTimerStatus";
    !asks && !matches!(intent, "HassNevermind" | "HassRespond")
}

/// Whether it affects something sensitive.
pub(super) fn is_sensitive(recognized: &RecognizedIntent, vocabulary: &Vocabulary) -> bool {
    let table = vocabulary.sensitive();
    let slot = |name: &str| recognized.slots.get(name);
    let is_domain = slot("domain").is_some_and(|slot| has(&slot.value, |domain| table.is_domain(domain)));
    let is_class = slot("device_class").is_some_and(|slot| has(&slot.value, |class| table.is_class(class)));
    // All covers of an area: a garage door may be among them.
    let is_any_cover = acts(&recognized.intent)
        && slot("device_class").is_none()
        && slot("name").is_none()
        && slot("domain").is_some_and(|slot| has(&slot.value, |domain| domain == "cover"));
    is_domain || is_class || is_any_cover || slot("name").is_some_and(|slot| is_named(slot, vocabulary, &table))
}

/// Whether one of the items with a name is sensitive.
fn is_named(slot: &SlotValue, vocabulary: &Vocabulary, table: &SensitiveTable) -> bool {
    let has_exact_word = |text: &str| WordToken::all(text).iter().any(|token| table.is_exact_word(token.stem()));
    let mut meant = vocabulary.iter().filter(|named| named.list == SlotList::Name && slot.ids.contains(&named.value));
    meant.any(|named| {
        let domain = named.context.get("domain").unwrap_or(&Value::Null);
        let class = named.context.get("device_class").unwrap_or(&Value::Null);
        let is_kind = || {
            has(domain, |domain| table.is_domain(domain))
                || has(class, |class| has(domain, |domain| table.is_kind(domain, Some(class))))
                || has(domain, |domain| table.is_by_name(domain)) && has_exact_word(&named.text)
        };
        table.decides(&named.value).unwrap_or_else(is_kind)
    })
}

/// Whether a value passes a test, or contains one that does.
fn has(value: &Value, passes: impl Fn(&str) -> bool + Copy) -> bool {
    match value {
        Value::String(text) => passes(text),
        Value::Array(values) => values.iter().any(|value| has(value, passes)),
        Value::Object(fields) => fields.get("value").is_some_and(|value| has(value, passes)),
        _ => false,
    }
}

/// The words of a text: all of them, and those that were kept.
pub(super) struct UtteranceParts<'a> {
    pub text: &'a str,
    pub front: &'a [WordToken],
    pub kept: &'a [WordToken],
    pub back: &'a [WordToken],
}

impl UtteranceParts<'_> {
    /// Whether the text is a question and not a polite request.
    fn asks(&self, phrases: &Phrases) -> bool {
        let is_question = |token: &WordToken| phrases.questions.contains(&token.folded.as_str());
        let dropped = self.front.iter().chain(self.back);
        let is_polite = dropped.chain(self.kept.iter().take(2)).any(|token| is_in(phrases.polite, &token.folded));
        let has_mark = self.text.trim_end().ends_with(['?', '？', '؟']);
        has_mark && !is_polite || self.kept.first().is_some_and(is_question)
    }

    fn denies(&self, recognized: &RecognizedIntent, phrases: &Phrases) -> bool {
        let is_wild = |token: &WordToken| {
            let mut wild = recognized.slots.values().filter(|slot| slot.is_wildcard());
            wild.any(|slot| WordToken::all(&slot.text).iter().any(|it| it.folded == token.folded))
        };
        let is_negation = |token: &WordToken| phrases.negations.contains(&token.folded.as_str()) && !is_wild(token);
        // "stop the fan" is a command, "stop turning on the fan" is not.
        self.kept.iter().enumerate().any(|(at, token)| is_negation(token) && (at > 0 || token.folded != "stop"))
    }
}

/// Whether a meaning may be used.
pub(super) fn allows(
    said: &UtteranceParts<'_>,
    recognized: &RecognizedIntent,
    corrections: &Corrections,
    vocabulary: &Vocabulary,
    phrases: Option<&Phrases>,
    language: &str,
) -> bool {
    let does_act = acts(&recognized.intent);
    if is_sensitive(recognized, vocabulary) && (does_act || !corrections.keeps_words()) {
        return false;
    }
    // A name alone is not a command: some word has to say what to do.
    let said_of_it = recognized.slots.values().filter(|slot| slot.origin == SlotOrigin::List).count();
    if does_act && recognized.score.literal_chars == 0 && said_of_it < 2 {
        return false;
    }
    match phrases {
        Some(phrases) if does_act => !said.asks(phrases) && !said.denies(recognized, phrases),
        Some(phrases) => recognized.intent == "HassNevermind" || !said.denies(recognized, phrases),
        // Without the phrases of the language, a command cannot be told from a question.
        None => {
            let is_asked = said.text.contains(['?', '？', '؟', '¿']);
            !is_asked && (!does_act || !has_condition(language, said.text))
        }
    }
}
