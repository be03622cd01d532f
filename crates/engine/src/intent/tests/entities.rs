//! Entities in messages.

use super::super::EntityKind::{self, Date, Duration, Email, Name, Number, Quoted, Time, Url};
use super::first;

fn check(message: &str, expected: &[(EntityKind, &str, usize)]) {
    let intent = first(message);
    let found: Vec<_> =
        intent.entities.iter().map(|entity| (entity.kind, entity.text.as_str(), entity.start)).collect();
    assert_eq!(found, expected, "{message:?}");
}

#[test]
fn entities_are_found_where_they_stand() {
    check("question 7", &[(Number, "7", 9)]);
    check("what is 15% of 80.5?", &[(Number, "15%", 8), (Number, "80.5", 15)]);
    check("wake me at 7:30 tomorrow", &[(Time, "7:30", 11), (Date, "tomorrow", 16)]);
    check("at 5 pm or 6am or noon", &[(Time, "5 pm", 3), (Time, "6am", 11), (Time, "noon", 18)]);
    check("timer for 10 minutes", &[(Duration, "10 minutes", 10)]);
    check("in half an hour, or 2h", &[(Duration, "half an hour", 3), (Duration, "2h", 20)]);
    check("on 3 May 2026 and May 4th", &[(Date, "3 May 2026", 3), (Date, "May 4th", 18)]);
    check("2026-05-03 or 3/5/2026", &[(Date, "2026-05-03", 0), (Date, "3/5/2026", 14)]);
    check("see you next Monday", &[(Date, "next Monday", 8)]);
    check("mail ada@example.org", &[(Email, "ada@example.org", 5)]);
    check("read https://example.org/a?b=1.", &[(Url, "https://example.org/a?b=1", 5)]);
    check("call it “Blue 5” please", &[(Quoted, "Blue 5", 9)]);
    check("send Ada Lovelace to Oslo", &[(Name, "Ada Lovelace", 5), (Name, "Oslo", 21)]);
    check("größer als 5", &[(Number, "5", 11)]);
}

#[test]
fn what_only_looks_like_an_entity_is_left_alone() {
    check("you may go", &[]);
    check("Hello. What now", &[]);
    check("the 4x4 drives 24/7", &[]);
    check("me@home and a 5\" pipe", &[(Number, "5", 14)]);
    check("THIS IS ALL VERY LOUD", &[]);
}
