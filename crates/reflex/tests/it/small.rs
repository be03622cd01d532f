//! Small grammars and a small home.

use reflex::{ContextMap, Grammar, IntentContext, NamedItem, RecognizedIntent, SlotList, Vocabulary};
use serde_json::{Value, json};

/// A grammar whose only intent, `Do`, has these sentences.
pub fn grammar(sentences: &[&str]) -> Grammar {
    grammar_with(sentences, json!({}))
}

/// The same with more top-level keys: lists, rules, skip words, settings.
pub fn grammar_with(sentences: &[&str], more: Value) -> Grammar {
    file(json!([{"sentences": sentences}]), more)
}

/// A grammar with these blocks.
pub fn file(blocks: Value, more: Value) -> Grammar {
    let mut file = json!({"language": "en", "intents": {"Do": {"data": blocks}}});
    file.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let grammar = Grammar::load(&file.to_string()).unwrap();
    assert_eq!(grammar.warnings(), []);
    grammar
}

/// Two lamps, a lock, two areas and a floor.
pub fn home() -> Vocabulary {
    let entity = |text: &str, id: &str, domain: &str| NamedItem {
        text: text.to_owned(),
        value: id.to_owned(),
        list: SlotList::Name,
        context: ContextMap::from([("domain".to_owned(), json!(domain))]),
    };
    let place = |text: &str, list| NamedItem {
        text: text.to_owned(),
        value: text.to_lowercase(),
        list,
        context: ContextMap::new(),
    };
    Vocabulary::new([
        entity("Lamp", "light.one", "light"),
        entity("Lamp", "switch.one", "switch"),
        entity("Lamp Two", "light.two", "light"),
        entity("Front-Door", "lock.front", "lock"),
        place("Kitchen", SlotList::Area),
        place("Living Room", SlotList::Area),
        place("First Floor", SlotList::Floor),
    ])
}

pub fn read(grammar: &Grammar, text: &str) -> Option<RecognizedIntent> {
    grammar.read(&home(), text, &IntentContext::default())
}

/// The slots of the match as JSON; `None` if there is no match.
pub fn slots(grammar: &Grammar, text: &str) -> Option<Value> {
    let understood = read(grammar, text)?;
    Some(understood.slots.into_iter().map(|(name, slot)| (name, slot.value)).collect())
}

/// Asserts that all of these match.
pub fn accepts(grammar: &Grammar, texts: &[&str]) {
    for text in texts {
        assert!(read(grammar, text).is_some(), "{text:?} is not understood");
    }
}

/// Asserts that none of these matches.
pub fn refuses(grammar: &Grammar, texts: &[&str]) {
    for text in texts {
        assert_eq!(read(grammar, text), None, "{text:?}");
    }
}
