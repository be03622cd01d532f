//! Loading of grammars, and warnings about invalid parts.

use reflex::{Grammar, GrammarError, GrammarProblem, IntentContext, LONGEST, Vocabulary};
use serde_json::json;

use crate::small::{grammar, grammar_with, read};

fn load(file: serde_json::Value) -> Result<Grammar, GrammarError> {
    Grammar::load(&file.to_string())
}

#[test]
fn a_bad_sentence_is_told_and_the_rest_is_used() {
    let sentences = ["go home", "go (", "<nowhere>", "<loop>", "[go]", "(a;b;c;d;e;f;g)"];
    let grammar = load(json!({
        "language": "en",
        "intents": {"Go": {"data": [{"sentences": sentences}]}},
        "expansion_rules": {"loop": "a <loop>", "broken": "{"},
        "lists": {"odd": {}, "empty": {"range": {"from": 5, "to": 1}}},
    }))
    .unwrap();
    assert!(read(&grammar, "go home").is_some());
    let told: Vec<String> = grammar.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 8, "{told:#?}");
    assert!(told.contains(&r#"Go: "<nowhere>": there is no expansion rule <nowhere>"#.to_owned()), "{told:#?}");
    assert!(grammar.warnings().iter().any(|warning| warning.problem == GrammarProblem::EndlessRule("loop".to_owned())));
}

#[test]
fn a_file_without_a_usable_sentence_is_refused() {
    assert!(matches!(Grammar::load("{"), Err(GrammarError::Json(_))));
    assert!(matches!(load(json!({"language": "en", "intents": {}})), Err(GrammarError::Empty)));
    let bad = load(json!({"language": "en", "intents": {"Go": {"data": [{"sentences": ["("]}]}}}));
    assert!(bad.unwrap_err().to_string().contains("Go: \"(\""));
}

#[test]
fn both_layouts_of_files_are_read() {
    let part = |intent: &str, sentence: &str| json!({"language": "en", "intents": {intent: {"data": [{"sentences": [sentence]}]}}});
    let grammar = load(json!({"flat": part("A", "one <x>"), "combo": part("B", "two")}));
    assert!(matches!(grammar.as_ref().map(|grammar| grammar.warnings().len()), Ok(1)));
    let grammar = load(json!({"flat": null, "combo": part("B", "two")})).unwrap();
    assert_eq!((grammar.language(), grammar.intents().collect::<Vec<_>>(), grammar.templates()), ("en", vec!["B"], 1));
    let grammar = load(json!({"flat": part("A", "one"), "combo": part("B", "two")})).unwrap();
    assert_eq!(read(&grammar, "one").unwrap().intent, "A");
    assert_eq!(read(&grammar, "two").unwrap().intent, "B");
}

#[test]
fn the_home_changes_without_the_grammar() {
    let grammar = grammar(&["turn on {name}"]);
    assert!(read(&grammar, "turn on lamp").is_some());
    assert_eq!(grammar.read(&Vocabulary::default(), "turn on lamp", &IntentContext::default()), None);
    assert!(read(&grammar, "turn on lamp").is_some());
}

#[test]
fn templates_that_grow_without_bound_are_left_out() {
    let mut rules = serde_json::Map::new();
    for level in 0..20 {
        rules.insert(format!("r{level}"), json!(format!("(<r{0}> <r{0}>|[x] <r{0}>)", level + 1)));
    }
    rules.insert("r20".to_owned(), json!("y"));
    let file = json!({"language": "en", "expansion_rules": rules, "intents": {"Go": {"data": [{"sentences": ["<r0>", "go"]}]}}});
    let grammar = load(file).unwrap();
    assert_eq!(grammar.warnings().first().map(|warning| &warning.problem), Some(&GrammarProblem::TooLarge));
}

#[test]
fn texts_that_are_too_long_are_not_read() {
    let grammar = grammar_with(&["say {words}"], json!({"lists": {"words": {"wildcard": true}}}));
    assert!(read(&grammar, &format!("say {}", "a ".repeat(200))).is_some());
    assert_eq!(read(&grammar, &"say a ".repeat(LONGEST)), None);
}

#[test]
fn ambiguous_sentences_cost_no_more_than_their_length() {
    let doubt = "[a] [a] [a] [a] [a] [a] [a] [a] [a] [a] [a] [a] {words} [a] [a] [a] [a] [a] [a] [a] [a] [a] [a] [a] {words:more} b";
    let grammar = grammar_with(&[doubt], json!({"lists": {"words": {"wildcard": true}}}));
    assert_eq!(read(&grammar, &"a ".repeat(240)), None);
    assert!(read(&grammar, &format!("{} b", "a ".repeat(240))).is_some());
}
