//! Which histories match a session, and which do not.

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

/// A history in which each letter is a turn: lower case ones were answered, upper case ones failed,
/// `?` waits and `.` is running.
fn past(words: &str) -> Vec<PastTurn> {
    let one = |(number, word): (usize, char)| PastTurn {
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
fn check(in_session: &str, by_client: &str, expected: Option<ConversationMatch>) {
    assert_eq!(compare(session(), &past(in_session), &told(by_client), "say ."), expected, "{in_session} {by_client}");
}

#[test]
fn the_same_conversation_goes_on() {
    check("abc", "abc", Some(ConversationMatch::Whole(session())));
    check("aXbcY", "abc", Some(ConversationMatch::Whole(session())));
    check("ab?", "ab?", Some(ConversationMatch::Whole(session())));
    check("abc", "abd", None);
    check("ab", "abc", None);
    check("", "a", None);
}

#[test]
fn one_that_went_on_otherwise_is_taken_up_where_they_part() {
    check("abcd", "ab", Some(ConversationMatch::UpTo(session(), turn(1))));
    check("aXbcd", "ab", Some(ConversationMatch::UpTo(session(), turn(2))));
}

#[test]
fn what_is_being_answered_is_not_asked_twice() {
    check("ab.", "ab", Some(ConversationMatch::Open(session(), turn(2))));
    let other = compare(session(), &past("ab."), &told("ab"), "something else");
    assert_eq!(other, Some(ConversationMatch::UpTo(session(), turn(1))));
}

#[test]
fn a_long_conversation_may_have_lost_its_beginning() {
    check("abcdefghijkl", "efghijkl", Some(ConversationMatch::Whole(session())));
    check("abcdefghijkl", "ijkl", None);
    check("abcdefghijkl", "cdefghij", None);
    check("efghijkl", "abcdefghijkl", Some(ConversationMatch::Whole(session())));
}

#[test]
fn what_was_said_to_a_question_in_the_middle_is_no_turn() {
    let mut past = past("ab");
    past[0].questions = 1;
    let mut earlier = told("axb");
    earlier[0].answered = "May I?".to_owned();
    earlier[1] = Exchange { said: "yes".to_owned(), answered: "said a".to_owned() };
    assert_eq!(compare(session(), &past, &earlier, ""), Some(ConversationMatch::Whole(session())));
}

#[test]
fn messages_of_the_same_side_are_one() {
    let said = |role: &str, content: &str| IngestMessage {
        role: role.into(),
        content: content.into(),
        speaker: None,
        at: None,
    };
    let messages = [said("assistant", "Hi"), said("user", "a"), said("user", "b"), said("assistant", "c")];
    let pairs = Exchange::pairs(&messages);
    let pair = |said: &str, answered: &str| Exchange { said: said.to_owned(), answered: answered.to_owned() };
    assert_eq!(pairs, [pair("", "Hi"), pair("a\n\nb", "c")]);
}

proptest! {
    /// The exact history of a session always matches, and one with another last message never does.
    #[test]
    fn telling_all_of_it_is_recognised(words in "[a-z]{1,20}") {
        let found = compare(session(), &past(&words), &told(&words), "");
        prop_assert_eq!(found, Some(ConversationMatch::Whole(session())));
        let other = format!("{}!", &words[..words.len() - 1]);
        prop_assert_eq!(compare(session(), &past(&words), &told(&other), ""), None);
    }
}
