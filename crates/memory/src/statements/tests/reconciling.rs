//! Which of two statements holds, and which are the same.

use protocol::{Fact, Timestamp};

use super::{
    super::{Cardinality, Reconciliation, StatementKind, cardinality, normal_key, reconcile, same_key, statements},
    after, fact, id_of,
};

fn current(facts: &[Fact]) -> Vec<&str> {
    facts.iter().filter(|fact| fact.is_current()).map(|fact| fact.value.as_str()).collect()
}

#[test]
fn keys_that_mean_the_same_are_one() {
    for (a, b) in [
        ("5k time", "5k personal best"),
        ("5k time", "5k PB"),
        ("dog's name", "name of my dog"),
        ("home", "address"),
        ("flat", "apartment"),
        ("phone number", "mobile"),
        ("cats", "cat"),
        ("meeting", "meeting time"),
        ("dentist appointment", "dentist"),
        ("favourite colour", "favorite color"),
        ("gate code", "code for the gate"),
        ("job", "position"),
        ("wifi password", "password of the wi-fi"),
    ] {
        assert!(same_key(a, b) && same_key(b, a), "{a} and {b}");
    }
    for (a, b) in [
        ("5k time", "10k time"),
        ("sister's name", "brother's name"),
        ("sister's name", "sister's birthday"),
        ("email address", "home"),
        ("phone number", "locker number"),
        ("car", "car insurance"),
        ("job", "employer"),
        ("meeting time", "flight time"),
        ("", "home"),
    ] {
        assert!(!same_key(a, b) && !same_key(b, a), "{a} and {b}");
    }
}

#[test]
fn keys_have_a_plain_form() {
    for (words, key) in [
        ("My new Car", "car"),
        ("the name of my dog", "dog's name"),
        ("our current flat", "flat"),
        ("My favourite colour", "favourite colour"),
        ("", ""),
    ] {
        assert_eq!(normal_key(words), key);
    }
}

#[test]
fn the_same_again_is_never_stored_again() {
    for (first, again) in [
        ("I'm vegan", "I'm vegan"),
        ("I live in Oslo", "I live in Oslo, Norway"),
        ("My 5k time is 27:12", "By the way, my 5k time is 27:12."),
        ("I have two cats", "We have 2 cats"),
        ("I am allergic to nuts", "I'm allergic to nuts"),
    ] {
        assert_eq!(after(&[first, again]).len(), 1, "{again}");
    }
}

#[test]
fn changing_back_works() {
    let facts = after(&["I'm vegetarian", "I'm vegan now", "I'm vegetarian again"]);
    assert_eq!(facts.len(), 3);
    assert_eq!(current(&facts), ["vegetarian"]);
}

#[test]
fn what_one_can_have_several_of_adds_up() {
    for (messages, count) in [
        (&["I'm allergic to nuts", "I'm allergic to eggs"][..], 2),
        (&["I'm allergic to nuts", "I'm now also allergic to eggs"], 2),
        (&["I like hiking", "I like jazz"], 2),
        (&["I speak Dutch", "I speak Italian"], 2),
        (&["I play the violin", "I play tennis"], 2),
        (&["I drink tea", "I drink coffee"], 2),
        (&["My dog is called Rex", "My cat is called Tom"], 2),
    ] {
        assert_eq!(current(&after(messages)).len(), count, "{messages:?}");
    }
    assert_eq!(cardinality("allergy"), Cardinality::Many);
    assert_eq!(cardinality("drink"), Cardinality::Loose);
    assert_eq!(cardinality("5k time"), Cardinality::One);
}

#[test]
fn what_is_over_ends_without_another_in_its_place() {
    for messages in [
        ["I have a car", "I sold my car"],
        ["I drive a Skoda", "I sold my Skoda"],
        ["I drink coffee", "I no longer drink coffee"],
        ["I smoke ten cigarettes a day", "I quit smoking"],
        ["I'm vegan", "I'm no longer vegan"],
        ["I live in Graz", "I don't live in Graz any more"],
        ["I work at Siemens", "I left Siemens"],
        ["I'm allergic to nuts", "I'm no longer allergic to nuts"],
    ] {
        let facts = after(&messages);
        assert_eq!((facts.len(), current(&facts).len()), (1, 0), "{messages:?}: {facts:?}");
    }
    let facts = after(&["I like hiking", "I sold my car"]);
    assert_eq!(current(&facts), ["hiking"]);
}

#[test]
fn what_was_said_earlier_never_ends_what_was_said_later() {
    let late = statements("My 5k time is 27:12").remove(0);
    let now = statements("My 5k time is 25:50").remove(0);
    let facts = [fact(1, &now, "5k time", 2000)];
    let reconciled = reconcile(&facts, &late, Timestamp::from_millis(1000));
    let until = Timestamp::from_millis(2000);
    assert_eq!(reconciled, Reconciliation::StatedEarlier { by: id_of(1), until, ends: Vec::new() });
    // Between two that are known, it ends the first.
    let first = statements("My 5k time is 29:00").remove(0);
    let first = Fact { valid_until: Some(until), ..fact(2, &first, "5k time", 500) };
    let reconciled = reconcile(&[facts[0].clone(), first], &late, Timestamp::from_millis(1000));
    assert_eq!(reconciled, Reconciliation::StatedEarlier { by: id_of(1), until, ends: vec![id_of(2)] });
}

#[test]
fn an_update_may_name_its_thing_in_short_if_only_one_fits() {
    let facts = after(&["The project deadline is 3 May", "The deadline was moved to 9 May"]);
    assert_eq!(current(&facts), ["9 May"]);
    assert!(facts.iter().all(|fact| fact.key == "project deadline"));
    let two = ["The project deadline is 3 May", "The tax deadline is 1 June", "The deadline was moved to 9 May"];
    assert_eq!(current(&after(&two)).len(), 3);
}

#[test]
fn it_is_what_the_message_named_before() {
    let said = statements("My 5k time is 27:12. Actually it's 26:50 now.");
    assert_eq!(said.len(), 2);
    assert_eq!((said[1].key.as_str(), said[1].value.as_str()), ("5k time", "26:50"));
    assert_eq!(statements("Actually it's 26:50 now."), []);
}

#[test]
fn a_message_may_state_several_things() {
    let said =
        statements("Hi! I'm vegan and allergic to nuts. I live in Graz and work at Siemens, and my dog is called Rex.");
    let keys: Vec<&str> = said.iter().map(|said| said.key.as_str()).collect();
    assert_eq!(keys, ["diet", "allergy", "home", "employer", "dog's name"]);
    assert!(said[3].text.starts_with("I live in Graz") && said[3].text.ends_with("Rex."));
    assert!(said.iter().all(|said| said.kind != StatementKind::Ending));
}
