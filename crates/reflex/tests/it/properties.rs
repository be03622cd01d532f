//! Properties of all templates and texts.

use proptest::prelude::*;
use reflex::{Grammar, IntentContext, Vocabulary};
use serde_json::json;

use crate::sampler::TemplatePiece;
use crate::small::home;

fn load(template: &str) -> Result<Grammar, reflex::GrammarError> {
    let file = json!({
        "language": "en",
        "intents": {"Do": {"data": [{"sentences": [template]}]}},
        "lists": {
            "percent": {"range": {"from": 0, "to": 100}},
            "w": {"wildcard": true},
            "v": {"values": [{"in": template, "out": 1}, "plain"]},
        },
        "expansion_rules": {"r": template},
        "skip_words": ["please", "a b"],
    });
    Grammar::load(&file.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_template_matches_what_it_stands_for(piece in TemplatePiece::any(), choices in prop::collection::vec(any::<u16>(), 64)) {
        let mut next = choices.iter().cycle();
        let sentence = piece.sentence(&mut |count| usize::from(*next.next().unwrap_or(&0)) % count);
        // A template that matches without a word is not a sentence.
        if let Ok(grammar) = load(&piece.template()) {
            let understood = grammar.read(&home(), &sentence, &IntentContext::default());
            prop_assert!(
                understood.is_some() || sentence.trim().is_empty(),
                "{:?} does not match {sentence:?}", piece.template()
            );
        }
    }

    #[test]
    fn nothing_panics_on_any_template_and_text(template in r"[abp \[\](){}<>|;\\:@rvw']{0,40}", text in ".{0,60}") {
        if let Ok(grammar) = load(&template) {
            grammar.read_all(&home(), &text, &IntentContext::in_area("Kitchen"));
            grammar.read_all(&Vocabulary::default(), &template, &IntentContext::default());
        }
    }
}

proptest! {
    // Each case loads its grammar many times.
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn what_is_said_twice_is_understood_the_same(piece in TemplatePiece::any(), texts in prop::collection::vec("[a-z -]{0,20}|turn on lamp|it is 7", 1..6)) {
        if let Ok(grammar) = load(&piece.template()) {
            for text in texts.iter().chain(&texts) {
                let fresh = load(&piece.template()).ok();
                let fresh = fresh.and_then(|fresh| fresh.read(&home(), text, &IntentContext::default()));
                prop_assert_eq!(grammar.read(&home(), text, &IntentContext::default()), fresh);
            }
        }
    }
}
