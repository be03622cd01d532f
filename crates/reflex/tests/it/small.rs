//! Small grammars and a small home.

use reflex::{Circumstances, Context, Grammar, List, Named, Understood, Vocabulary};
use serde_json::{Value, json};

/// A grammar whose only intent, `Do`, has these sentences.
pub fn grammar(sentences: &[&str]) -> Grammar {
    grammar_with(sentences, json!({}))
}

/// The same with more at the top of the file: lists, rules, skip words, settings.
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
    let entity = |text: &str, id: &str, domain: &str| Named {
        text: text.to_owned(),
        value: id.to_owned(),
        list: List::Name,
        context: Context::from([("domain".to_owned(), json!(domain))]),
    };
    let place =
        |text: &str, list| Named { text: text.to_owned(), value: text.to_lowercase(), list, context: Context::new() };
    Vocabulary::new([
        entity("Lamp", "light.one", "light"),
        entity("Lamp", "switch.one", "switch"),
        entity("Lamp Two", "light.two", "light"),
        entity("Front-Door", "lock.front", "lock"),
        place("Kitchen", List::Area),
        place("Living Room", List::Area),
        place("First Floor", List::Floor),
    ])
}

pub fn read(grammar: &Grammar, text: &str) -> Option<Understood> {
    grammar.read(&home(), text, &Circumstances::default())
}

/// The slots of what was understood, as JSON; nothing if it was not.
pub fn slots(grammar: &Grammar, text: &str) -> Option<Value> {
    let understood = read(grammar, text)?;
    Some(understood.slots.into_iter().map(|(name, slot)| (name, slot.value)).collect())
}

/// All of these are sentences of the grammar.
pub fn accepts(grammar: &Grammar, texts: &[&str]) {
    for text in texts {
        assert!(read(grammar, text).is_some(), "{text:?} is not understood");
    }
}

/// None of these is.
pub fn refuses(grammar: &Grammar, texts: &[&str]) {
    for text in texts {
        assert_eq!(read(grammar, text), None, "{text:?}");
    }
}
