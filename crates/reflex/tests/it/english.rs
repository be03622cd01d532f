//! The built-in English sentences.

use std::collections::BTreeMap;
use std::fs;

use reflex::{Grammar, IntentContext, Vocabulary};

use crate::home_assistant::{HomeFixture, IntentCase, data, fault};

#[test]
fn our_own_english_can_be_used_whole() {
    let grammar = Grammar::english().unwrap();
    assert_eq!(grammar.warnings(), []);
    assert_eq!(grammar.language(), "en");
}

#[test]
fn our_own_english_understands_what_others_wrote() {
    let Some(folder) = data() else {
        eprintln!("skipped: there is no ../shared/data/ha-intents; set DWELL_DATA to the folder of the public data");
        return;
    };
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let grammar = Grammar::english().unwrap();
    let homes: BTreeMap<String, HomeFixture> = serde_json::from_str(&read("fixtures-en.json")).unwrap();
    let homes: BTreeMap<&str, Vocabulary> =
        homes.iter().map(|(name, home)| (name.as_str(), home.vocabulary())).collect();
    let cases: Vec<IntentCase> =
        read("cases-en.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut right = 0usize;
    for case in &cases {
        let intent_context = IntentContext::in_area(&case.context_area);
        let understood = grammar.read(&homes[case.fixture.as_str()], &case.sentence, &intent_context);
        match fault(case, understood.as_ref()) {
            None => right += 1,
            Some(fault) => eprintln!("{:?}: {fault}; wanted {} {:?}", case.sentence, case.intent, case.slots),
        }
    }
    eprintln!("our own English understands {right} of {} sentences", cases.len());
    assert!(right * 10 > cases.len() * 9, "{right} of {}", cases.len());
}
