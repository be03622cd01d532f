//! Properties that hold for every message.

use proptest::prelude::*;

use super::super::{Intent, IntentKind, MessageContext, read};
use super::CONFIDENT;

fn holds(message: &str, intent: &Intent) {
    assert!((0.0..=1.0).contains(&intent.confidence));
    assert_eq!(intent.kind == IntentKind::Unclear, intent.confidence < CONFIDENT);
    assert_eq!(intent.kind == IntentKind::Unclear, intent.question.is_some());
    assert!(intent.key.is_none() || intent.value.is_some());
    assert!(intent.kind != IntentKind::ProfileUpdate || intent.value.is_some());
    for entity in &intent.entities {
        let there: String = message.chars().skip(entity.start).take(entity.text.chars().count()).collect();
        assert_eq!(there, entity.text);
    }
}

/// Words and signs that the rules match, in any order.
fn salad() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "i",
        "I'm",
        "am",
        "vegan",
        "allergic",
        "to",
        "nuts",
        "my",
        "name",
        "is",
        "Ada",
        "call",
        "me",
        "remember",
        "that",
        "turn",
        "it",
        "off",
        "the",
        "set",
        "for",
        "5",
        "10-3",
        "%",
        "of",
        "May",
        "an",
        "hour",
        "half",
        "pm",
        "from",
        "now",
        "on",
        "answer",
        "in",
        "German",
        "live",
        "and",
        ",",
        ".",
        "?",
        ":",
        "\"",
        "“",
        "”",
        "’s",
        "don't",
        "\n",
        "https://",
        "a@b.cc",
        "é",
        "日本",
        "prefer",
        "favourite",
        "work",
        "as",
        "a",
        "nurse",
        "how",
        "many",
        "İ",
        "ß",
        "no",
        "longer",
        "not",
        "diet",
        "do",
        "eat",
        "meat",
        "or",
        "dogs",
        "i have",
        "born",
        "was",
        "address",
        "home",
    ]);
    prop::collection::vec(word, 0..14).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_string_is_read(message in any::<String>(), bits in 0u8..8) {
        let setting =
            MessageContext { has_history: bits & 1 > 0, answers_question: bits & 2 > 0, has_images: bits & 4 > 0 };
        holds(&message, &read(&message, &setting));
    }

    #[test]
    fn any_salad_is_read(message in salad()) {
        holds(&message, &read(&message, &MessageContext::default()));
    }

    #[test]
    fn an_answer_is_never_unclear(message in salad()) {
        let setting = MessageContext { answers_question: true, ..MessageContext::default() };
        prop_assert_ne!(read(&message, &setting).kind, IntentKind::Unclear);
    }
}

/// With quadratic running time the test runner would abort this test.
#[test]
fn long_messages_are_read() {
    for part in ["a", "a.", "\"", "i am ", "1+", "@", "日本", "I am vegan. ", "asdf", "a'", "\n", "May 3 "] {
        let message = part.repeat(256 * 1024 / part.len());
        holds(&message, &read(&message, &MessageContext::default()));
    }
}
