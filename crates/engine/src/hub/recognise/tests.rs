//! What is recognised, and what is not.

use proptest::prelude::*;
use ulid::Ulid;

use super::*;

fn session() -> SessionId {
    SessionId::new(Ulid::from_parts(1, 1))
}

fn turn(number: usize) -> TurnId {
    TurnId::new(Ulid::from_parts(2, number as u128))
}

fn told(words: &str) -> Vec<Exchange> {
    words.chars().map(|word| Exchange { said: format!("say {word}"), answered: format!("said {word} ") }).collect()
}

/// A past in which each letter is a turn: small ones were answered, large ones failed, `?` waits and `.` is at work.
fn past(words: &str) -> Vec<Past> {
    let one = |(number, word): (usize, char)| Past {
        said: format!("say {}", word.to_lowercase()),
        answers: vec![format!("said {word}")],
        status: match word {
            '?' => TurnStatus::Waiting,
            '.' => TurnStatus::Running,
            word if word.is_uppercase() => TurnStatus::Failed,
            _ => TurnStatus::Completed,
        },
        questions: 0,
        turn_id: Some(turn(number)),
    };
    words.chars().enumerate().map(one).collect()
}

#[track_caller]
fn check(in_session: &str, by_client: &str, expected: Option<Recognised>) {
    assert_eq!(compare(session(), &past(in_session), &told(by_client), "say ."), expected, "{in_session} {by_client}");
}

#[test]
fn the_same_conversation_goes_on() {
    check("abc", "abc", Some(Recognised::Whole(session())));
    check("aXbcY", "abc", Some(Recognised::Whole(session())));
    check("ab?", "ab?", Some(Recognised::Whole(session())));
    check("abc", "abd", None);
    check("ab", "abc", None);
    check("", "a", None);
}

#[test]
fn one_that_went_on_otherwise_is_taken_up_where_they_part() {
    check("abcd", "ab", Some(Recognised::UpTo(session(), turn(1))));
    check("aXbcd", "ab", Some(Recognised::UpTo(session(), turn(2))));
}

#[test]
fn what_is_being_answered_is_not_asked_twice() {
    check("ab.", "ab", Some(Recognised::Open(session(), turn(2))));
    let other = compare(session(), &past("ab."), &told("ab"), "something else");
    assert_eq!(other, Some(Recognised::UpTo(session(), turn(1))));
}

#[test]
fn a_long_conversation_may_have_lost_its_beginning() {
    check("abcdefghijkl", "efghijkl", Some(Recognised::Whole(session())));
    check("abcdefghijkl", "ijkl", None);
    check("abcdefghijkl", "cdefghij", None);
    check("efghijkl", "abcdefghijkl", Some(Recognised::Whole(session())));
}

#[test]
fn what_was_said_to_a_question_in_the_middle_is_no_turn() {
    let mut past = past("ab");
    past[0].questions = 1;
    let mut earlier = told("axb");
    earlier[0].answered = "May I?".to_owned();
    earlier[1] = Exchange { said: "yes".to_owned(), answered: "said a".to_owned() };
    assert_eq!(compare(session(), &past, &earlier, ""), Some(Recognised::Whole(session())));
}

#[test]
fn messages_of_the_same_side_are_one() {
    let said = |role: &str, content: &str| Said { role: role.into(), content: content.into(), speaker: None, at: None };
    let messages = [said("assistant", "Hi"), said("user", "a"), said("user", "b"), said("assistant", "c")];
    let pairs = Exchange::pairs(&messages);
    let pair = |said: &str, answered: &str| Exchange { said: said.to_owned(), answered: answered.to_owned() };
    assert_eq!(pairs, [pair("", "Hi"), pair("a\n\nb", "c")]);
}

proptest! {
    /// Whatever a session's past is, telling exactly it is recognised, and any other last word is not.
    #[test]
    fn telling_all_of_it_is_recognised(words in "[a-z]{1,20}") {
        let found = compare(session(), &past(&words), &told(&words), "");
        prop_assert_eq!(found, Some(Recognised::Whole(session())));
        let other = format!("{}!", &words[..words.len() - 1]);
        prop_assert_eq!(compare(session(), &past(&words), &told(&other), ""), None);
    }
}
