//! Properties that hold for every text.

use proptest::prelude::*;

use super::super::{fingerprint, gate, is_near_duplicate, normal_key, same_key, statements};

/// Words that rules look for, in any order.
fn sentences() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "I", "I'm", "we", "my", "our", "the", "is", "are", "not", "no", "longer", "any", "more", "but", "and", "from",
        "to", "moved", "switched", "changed", "new", "now", "sister", "Anna", "car", "27:12", "two", "cats", "in",
        "at", "on", "for", "of", "instead", "remember", "that", "it's", "since", "May", "as", "today", ",", ".", ":",
        "?", "\"", "-", "have", "had", "sold", "quit", "smoking", "working", "used", "be", "called", "Rex", "use",
        "with", "name", "a", "…", "ß", "I’ve", "ing",
    ];
    prop::collection::vec(prop::sample::select(WORDS), 0..24).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in any::<String>()) {
        let _ = (gate(&text, "user"), fingerprint(&text), normal_key(&text));
    }

    #[test]
    fn no_order_of_words_is_too_strange(text in sentences()) {
        for said in statements(&text) {
            prop_assert!(!said.key.is_empty() && (0.0..=1.0).contains(&said.confidence));
            prop_assert!(text.contains(said.text.trim_end_matches('.')), "{:?} is not in {text:?}", said.text);
        }
        prop_assert_eq!(statements(&text).is_empty(), !gate(&text, "user").is_open());
        prop_assert!(!gate(&text, "assistant").is_open());
    }

    #[test]
    fn likeness_goes_both_ways(a in sentences(), b in sentences()) {
        prop_assert_eq!(is_near_duplicate(&a, &b), is_near_duplicate(&b, &a));
        prop_assert_eq!(same_key(&a, &b), same_key(&b, &a));
        prop_assert!(same_key(&a, &a));
    }
}

#[test]
fn a_long_text_is_not_the_users_own() {
    let long = "My name is Bob and I live in Rome. ".repeat(2000);
    assert_eq!(statements(&long), []);
    let letter = "Dear Ada,\nmy name is Bob and I live in Rome.";
    assert_eq!(statements(letter), []);
    // A longer message of the user's own is read too.
    let told =
        format!("{} My 5k time is 27:12.", "It was a long day with a lot of rain and we talked for hours.".repeat(8));
    assert_eq!(statements(&told).len(), 1);
}
