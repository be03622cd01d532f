//! A conversation in the form that every provider accepts: sides alternate, nothing is empty, ids
//! are unique.

use serde_json::{Value, json};

use super::ids::CallIds;
use crate::{Call, Image, Message};

/// Consecutive messages of one side.
#[derive(Debug, PartialEq)]
pub(super) enum ChatTurn {
    /// The user's text and pictures.
    User { text: String, images: Vec<Image> },
    /// The model's text and calls.
    Assistant { text: String, calls: Vec<Call> },
    /// The results of those calls.
    Results(Vec<CallResult>),
}

/// The result of a tool call.
#[derive(Debug, PartialEq)]
pub(super) struct CallResult {
    pub(super) call_id: String,
    pub(super) tool: String,
    pub(super) text: String,
}

/// Joins consecutive messages of one side: some providers and many local models refuse two in a
/// row.
pub(super) fn turns(messages: Vec<Message>) -> Vec<ChatTurn> {
    let mut ids = CallIds::default();
    let mut turns: Vec<ChatTurn> = Vec::with_capacity(messages.len());
    for message in messages {
        match message {
            Message::User { mut text, images, notes } => {
                join(&mut text, &notes);
                if text.trim().is_empty() && images.is_empty() {
                    continue;
                }
                match turns.last_mut() {
                    Some(ChatTurn::User { text: before, images: seen }) => {
                        join(before, &text);
                        seen.extend(images);
                    }
                    _ => turns.push(ChatTurn::User { text, images }),
                }
            }
            Message::Assistant { text, calls } => {
                let calls: Vec<Call> = calls.into_iter().map(|call| sendable(call, &mut ids)).collect();
                if text.trim().is_empty() && calls.is_empty() {
                    continue;
                }
                match turns.last_mut() {
                    Some(ChatTurn::Assistant { text: before, calls: made }) => {
                        join(before, &text);
                        made.extend(calls);
                    }
                    _ => turns.push(ChatTurn::Assistant { text, calls }),
                }
            }
            Message::Result { call_id, tool, text } => {
                let answered = CallResult { call_id: ids.of_result(&call_id), tool, text };
                match turns.last_mut() {
                    Some(ChatTurn::Results(results)) => results.push(answered),
                    _ => turns.push(ChatTurn::Results(vec![answered])),
                }
            }
        }
    }
    turns
}

fn join(before: &mut String, text: &str) {
    if !before.is_empty() && !text.is_empty() {
        before.push_str("\n\n");
    }
    before.push_str(text);
}

/// Arguments are sent back as an object, even where the model wrote something else: providers
/// refuse the rest.
fn sendable(call: Call, ids: &mut CallIds) -> Call {
    let arguments = match call.arguments {
        object @ Value::Object(_) => object,
        Value::Null => json!({}),
        Value::String(text) if text.is_empty() => json!({}),
        other => json!({ "unreadable": other }),
    };
    Call { id: ids.of_call(&call.id), arguments, ..call }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Message {
        Message::user(text)
    }

    fn call(id: &str, arguments: Value) -> Call {
        Call { id: id.to_owned(), tool: "lamp".to_owned(), arguments, signatures: Vec::new() }
    }

    fn said(text: &str, calls: Vec<Call>) -> Message {
        Message::Assistant { text: text.to_owned(), calls }
    }

    fn result(id: &str) -> Message {
        Message::Result { call_id: id.to_owned(), tool: "lamp".to_owned(), text: "on".to_owned() }
    }

    #[test]
    fn one_side_speaks_once_and_the_empty_says_nothing() {
        let turns =
            turns(vec![user("one"), user(" "), user("two"), said("", vec![]), said("a", vec![]), said("b", vec![])]);
        let expected = [
            ChatTurn::User { text: "one\n\ntwo".to_owned(), images: Vec::new() },
            ChatTurn::Assistant { text: "a\n\nb".to_owned(), calls: Vec::new() },
        ];
        assert_eq!(turns, expected);
    }

    #[test]
    fn notes_follow_the_words_they_belong_to() {
        let noted = |text: &str| Message::User {
            text: text.to_owned(),
            images: Vec::new(),
            notes: "<notes>noon</notes>".to_owned(),
        };
        let results = || vec![said("", vec![call("call_1", json!({}))]), result("call_1")];
        let told = |messages| match turns(messages).remove(0) {
            ChatTurn::User { text, .. } => text,
            other => panic!("{other:?}"),
        };
        assert_eq!(told(vec![noted("one")]), "one\n\n<notes>noon</notes>");
        let later: Vec<Message> = [vec![noted("one")], results(), vec![user("two")]].concat();
        assert_eq!(told(later), "one\n\n<notes>noon</notes>", "also when more has been said since");
    }

    #[test]
    fn results_stand_together_under_the_names_of_their_calls() {
        let again = || said("", vec![call("call_1", json!({})), call("call_2", json!({}))]);
        let turns = turns(vec![again(), result("call_2"), result("call_1"), again(), result("call_1")]);
        let ids = turns.iter().map(|turn| match turn {
            ChatTurn::Results(results) => results.iter().map(|result| result.call_id.clone()).collect(),
            ChatTurn::Assistant { calls, .. } => calls.iter().map(|call| call.id.clone()).collect(),
            ChatTurn::User { .. } => Vec::new(),
        });
        let expected = [vec!["call_1", "call_2"], vec!["call_2", "call_1"], vec!["call_3", "call_4"], vec!["call_3"]];
        assert_eq!(ids.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn arguments_that_are_no_object_go_back_as_one() {
        let mut ids = CallIds::default();
        assert_eq!(sendable(call("a", json!("{oops")), &mut ids).arguments, json!({"unreadable": "{oops"}));
        assert_eq!(sendable(call("b", json!("")), &mut ids).arguments, json!({}));
        assert_eq!(sendable(call("c", Value::Null), &mut ids).arguments, json!({}));
    }
}
