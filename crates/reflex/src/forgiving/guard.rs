//! What must not be forgiven, whatever the words would allow.

use serde_json::Value;

use super::Forgiveness;
use super::edges::is_in;
use super::phrases::Phrases;
use super::token::Token;
use crate::understood::{Origin, Slot, Understood};
use crate::vocabulary::{List, Vocabulary};

/// Domains of things that are never acted on by a guess.
const SENSITIVE_DOMAINS: &[&str] = &["lock", "alarm_control_panel", "valve", "siren"];
/// Kinds of covers, and of what watches them, for which the same is so.
const SENSITIVE_CLASSES: &[&str] = &["garage", "garage_door", "gate", "door", "lock", "water", "gas"];
/// Domains whose things do what they are called: a switch called "Garage Door" opens one.
const TELLING_DOMAINS: &[&str] =
    &["cover", "switch", "script", "scene", "button", "input_button", "input_boolean", "automation", "remote", "group"];

/// Whether an intent does something.
pub(super) fn acts(intent: &str) -> bool {
    let asks = intent.starts_with("HassGet") || intent.starts_with("HassClimateGet") || intent == "HassTimerStatus";
    !asks && !matches!(intent, "HassNevermind" | "HassRespond")
}

/// Whether it is about something for which a mistake would be dear.
pub(super) fn is_sensitive(understood: &Understood, vocabulary: &Vocabulary, phrases: Option<&Phrases>) -> bool {
    let slot = |name: &str| understood.slots.get(name);
    let is_domain = slot("domain").is_some_and(|slot| has(&slot.value, SENSITIVE_DOMAINS));
    let is_class = slot("device_class").is_some_and(|slot| has(&slot.value, SENSITIVE_CLASSES));
    // All covers of a place: the garage may be among them.
    let is_any_cover = acts(&understood.intent)
        && slot("device_class").is_none()
        && slot("name").is_none()
        && slot("domain").is_some_and(|slot| has(&slot.value, &["cover"]));
    is_domain || is_class || is_any_cover || slot("name").is_some_and(|slot| is_named(slot, vocabulary, phrases))
}

/// Whether one of those that a name stands for is such a thing.
fn is_named(slot: &Slot, vocabulary: &Vocabulary, phrases: Option<&Phrases>) -> bool {
    let dear = |text: &str| {
        phrases.is_some_and(|phrases| Token::all(text).iter().any(|token| is_in(phrases.sensitive, token.stem())))
    };
    let mut meant = vocabulary.iter().filter(|named| named.list == List::Name && slot.ids.contains(&named.value));
    meant.any(|named| {
        let domain = named.context.get("domain").unwrap_or(&Value::Null);
        let class = named.context.get("device_class").unwrap_or(&Value::Null);
        has(domain, SENSITIVE_DOMAINS)
            || has(class, SENSITIVE_CLASSES) && has(domain, &["cover", "binary_sensor"])
            || has(domain, TELLING_DOMAINS) && dear(&named.text)
    })
}

/// Whether a value is one of these, or holds one of them.
fn has(value: &Value, wanted: &[&str]) -> bool {
    match value {
        Value::String(text) => wanted.contains(&text.as_str()),
        Value::Array(values) => values.iter().any(|value| has(value, wanted)),
        Value::Object(fields) => fields.get("value").is_some_and(|value| has(value, wanted)),
        _ => false,
    }
}

/// What was said: all words, and those that are left.
pub(super) struct Said<'a> {
    pub text: &'a str,
    pub front: &'a [Token],
    pub kept: &'a [Token],
    pub back: &'a [Token],
}

impl Said<'_> {
    /// Whether something is asked, in a way that is no polite request.
    fn asks(&self, phrases: &Phrases) -> bool {
        let is_question = |token: &Token| phrases.questions.contains(&token.folded.as_str());
        let dropped = self.front.iter().chain(self.back);
        let is_polite = dropped.chain(self.kept.iter().take(2)).any(|token| is_in(phrases.polite, &token.folded));
        let has_mark = self.text.trim_end().ends_with(['?', '？', '؟']);
        has_mark && !is_polite || self.kept.first().is_some_and(is_question)
    }

    fn denies(&self, understood: &Understood, phrases: &Phrases) -> bool {
        let is_wild = |token: &Token| {
            let mut wild = understood.slots.values().filter(|slot| slot.is_wildcard());
            wild.any(|slot| Token::all(&slot.text).iter().any(|it| it.folded == token.folded))
        };
        let is_negation = |token: &Token| phrases.negations.contains(&token.folded.as_str()) && !is_wild(token);
        // "stop the fan" is a command, "stop turning on the fan" is none.
        self.kept.iter().enumerate().any(|(at, token)| is_negation(token) && (at > 0 || token.folded != "stop"))
    }
}

/// Whether what was found may be used.
pub(super) fn allows(
    said: &Said<'_>,
    understood: &Understood,
    forgiveness: &Forgiveness,
    vocabulary: &Vocabulary,
    phrases: Option<&Phrases>,
) -> bool {
    let does_act = acts(&understood.intent);
    if is_sensitive(understood, vocabulary, phrases) && (does_act || !forgiveness.keeps_words()) {
        return false;
    }
    // What nobody put into words is not done: a name alone is no command.
    let said_of_it = understood.slots.values().filter(|slot| slot.origin == Origin::List).count();
    if does_act && understood.score.literal_chars == 0 && said_of_it < 2 {
        return false;
    }
    match phrases {
        Some(phrases) if does_act => !said.asks(phrases) && !said.denies(understood, phrases),
        Some(phrases) => understood.intent == "HassNevermind" || !said.denies(understood, phrases),
        // Without the language's words nobody can tell a command from a question.
        None => !said.text.contains(['?', '？', '؟', '¿']),
    }
}
