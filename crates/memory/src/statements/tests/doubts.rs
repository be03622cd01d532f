//! What a later message does to what is known without stating it anew.

use protocol::Fact;

use super::after;

/// The values of a key that hold without doubt.
fn sure<'f>(facts: &'f [Fact], key: &str) -> Vec<&'f str> {
    let is_sure = |fact: &&Fact| fact.key == key && fact.is_current() && fact.doubt.is_none();
    facts.iter().filter(is_sure).map(|fact| fact.value.as_str()).collect()
}

#[test]
fn what_changed_is_doubtful_with_what_was_said() {
    for (stated, key, changed) in [
        ("I'm single", "relationship", "I got married to Jonas"),
        ("My boss is Henrik.", "boss", "Henrik left, so I report to Paula from today"),
        ("I'm allergic to peanuts.", "allergy", "Turns out the test was wrong about the peanuts"),
        ("Our standup is at 9:15.", "standup", "team voted, standup is after lunch now, 13:30"),
        ("My sister Anja lives in Malmö.", "sister lives in", "Anja's just relocated to Utrecht for her PhD"),
        ("My parents live in Porto.", "parents live in", "Mum and dad sold up and moved to Braga"),
        ("My pottery class is on Wednesdays.", "pottery class", "They've shifted pottery to Mondays"),
        ("I'm reading Middlemarch.", "reading", "Book club voted again, it's Piranesi this time"),
        ("My email is jo@old.example.", "email", "stop using the old one, I'm on jo@new.example these days"),
        ("My bike is a Gazelle.", "bike", "someone nicked it, I've replaced it with a Brompton"),
    ] {
        let facts = after(&[stated, changed]);
        assert_eq!(sure(&facts, key), [""; 0], "{stated} / {changed}: {facts:?}");
        assert!(facts.iter().any(|fact| fact.doubt.as_ref().is_some_and(|doubt| doubt.text == changed)), "{changed}");
    }
}

#[test]
fn a_correction_gives_the_other_value() {
    for (stated, key, corrected, value) in [
        ("My flatmate lives in Ghent.", "flatmate lives in", "No, I meant Bruges", "Bruges"),
        ("My locker number is 118.", "locker number", "typo, 181", "181"),
        ("My niece's birthday is on 12 May.", "niece's birthday", "sorry, the 21st", "21st May"),
        ("The freezer is set to -16.", "freezer", "Looked again, it says -19", "-19"),
        ("Our colleague is called Martin", "colleague's name", "*Marvin", "Marvin"),
        ("The code for the gate is 25803.", "gate's code", "I gave you the wrong one!! 25083", "25083"),
        ("My anniversary is on June 12th.", "anniversary", "My husband just read this. June 21st.", "June 21st"),
        ("My grandson's called Lewis.", "grandson's name", "He'd be cross. It's Louis, with a U.", "Louis"),
    ] {
        let facts = after(&[stated, corrected]);
        assert_eq!(sure(&facts, key), [value], "{stated} / {corrected}: {facts:?}");
    }
}

#[test]
fn what_merely_follows_corrects_nothing() {
    for (stated, key, next, value) in [
        ("We have two kids.", "kids", "Sorry, I was away for 3 days.", "two"),
        ("My rent is 900.", "rent", "I have no idea why 50 people came.", "900"),
        ("My name is Mara.", "name", "Never mind, tell me a story.", "Mara"),
        ("My favourite number is 9.", "favourite number", "This is number 10.", "9"),
    ] {
        let facts = after(&[stated, next]);
        let current = facts.iter().find(|fact| fact.key == key && fact.is_current());
        assert_eq!(current.map(|fact| fact.value.as_str()), Some(value), "{stated} / {next}: {facts:?}");
    }
}

#[test]
fn what_is_said_of_another_or_added_touches_nothing() {
    for (first, key, second) in [
        ("My daughter Mia has swimming on Mondays", "daughter's name", "My son Leo now has swimming on Mondays too"),
        ("My sister lives in Graz.", "sister lives in", "My brother moved to Linz."),
        ("I'm allergic to cats.", "allergy", "I'm allergic to birch pollen as well now."),
        ("The front door code is 2468.", "front door code", "The new code for the bike shed is 1357."),
        ("My favourite film is Amélie.", "favourite film", "My favourite series is Dark now."),
        ("My knee doctor is Dr. Fontaine.", "knee doctor", "For my skin I'm seeing a new one, Dr. Iyer"),
        ("I work as a cashier at Aldi.", "job", "mum retired on Friday, there was cake"),
    ] {
        let facts = after(&[first, second]);
        assert!(!sure(&facts, key).is_empty(), "{first} / {second}: {facts:?}");
    }
}

#[test]
fn a_denial_is_never_its_opposite() {
    for (said, key) in [("I have no children", "children"), ("My dad has no phone", "dad's phone")] {
        assert_eq!(sure(&after(&[said]), key), ["none"], "{said}");
    }
    for said in ["My sister isn't on WhatsApp.", "I'm not married.", "my son doesnt like mushrooms"] {
        assert!(after(&[said]).is_empty(), "{said}");
    }
}
