//! Repetitions and contradictions.

use super::{
    super::{contradicts, fingerprint, is_near_duplicate, statements},
    after, fact,
};

#[test]
fn nearly_the_same_words_are_a_repetition() {
    for (a, b) in [
        ("I live in Oslo", "I live in Oslo."),
        ("My 5k time is 27:12", "my 5k time is 27:12!"),
        ("The cats are fed at seven", "The cats are fed at 7"),
        ("I love long walks along the river in spring", "I love the long walks along a river in the spring"),
        ("Please keep the answers short and friendly", "please keep answers short and friendly"),
    ] {
        assert!(is_near_duplicate(a, b) && is_near_duplicate(b, a), "{a} / {b}");
    }
    assert_eq!(fingerprint("The Cats, fed at seven."), fingerprint("cat fed at 7"));
}

#[test]
fn other_numbers_names_and_negations_are_something_else() {
    for (a, b) in [
        ("My 5k time is 27:12", "My 5k time is 25:50"),
        ("My sister Anna lives in Graz", "My sister Berta lives in Graz"),
        ("We moved to Graz last year in spring", "We moved to Linz last year in spring"),
        ("I do eat meat on most days", "I do not eat meat on most days"),
        ("I like tea", "I sold my car"),
        ("", "I like tea"),
        ("?!", "..."),
    ] {
        assert!(!is_near_duplicate(a, b) && !is_near_duplicate(b, a), "{a} / {b}");
    }
}

#[test]
fn two_values_of_one_key_at_the_same_time_contradict_each_other() {
    let of = |id, message: &str| {
        let said = statements(message).remove(0);
        fact(id, &said, &said.key, 1000)
    };
    let (a, b) = (of(1, "My 5k time is 27:12"), of(2, "My 5k time is 25:50"));
    assert!(contradicts(&a, &b) && contradicts(&b, &a) && !contradicts(&a, &a));
    assert!(!contradicts(&of(1, "I'm allergic to nuts"), &of(2, "I'm allergic to eggs")));
    assert!(!contradicts(&of(1, "I live in Oslo"), &of(2, "I live in Oslo, Norway")));
    assert!(!contradicts(&a, &of(3, "I live in Oslo")));
    let facts = after(&["My 5k time is 27:12", "My 5k time is 25:50"]);
    assert!(!contradicts(&facts[0], &facts[1]), "the first has ended");
}
