//! Tests of reading conversations.

use serde_json::{Value, json};

use super::*;

fn read(messages: Value) -> Result<ChatHistory, Problem> {
    ChatHistory::read(serde_json::from_value(messages).unwrap())
}

fn contents(history: &ChatHistory) -> Vec<(&str, &str)> {
    history.earlier.iter().map(|said| (said.role.as_str(), said.content.as_str())).collect()
}

#[test]
fn the_last_words_are_the_message_and_the_rest_is_earlier() {
    let history = read(json!([
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": "one" },
        { "role": "assistant", "content": "1", "tool_calls": null },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "x" }] },
        { "role": "tool", "content": "{}", "tool_call_id": "x" },
        { "role": "assistant", "content": "and 1" },
        { "role": "developer", "content": "And kind." },
        { "role": "user", "content": "two" },
        { "role": "user", "content": [{ "type": "text", "text": "three" }] },
    ]))
    .unwrap();
    assert_eq!(history.instructions.as_deref(), Some("Be brief.\n\nAnd kind."));
    assert_eq!(contents(&history), [("user", "one"), ("assistant", "1"), ("assistant", "and 1")]);
    assert_eq!((history.message.as_str(), history.results.len()), ("two\n\nthree", 0), "old results are not new");
}

#[test]
fn pictures_go_with_the_message() {
    let url = "data:image/png;base64,iVBORw0";
    let parts =
        json!([{ "type": "text", "text": "what is it?" }, { "type": "image_url", "image_url": { "url": url } }]);
    let history = read(json!([{ "role": "user", "content": parts }])).unwrap();
    assert_eq!(history.images, [inline("image/png", "iVBORw0")]);

    let history = read(json!([{ "role": "user", "content": "and this?", "images": ["/9j/4AAQ"] }])).unwrap();
    assert_eq!(history.images, [inline("image/jpeg", "/9j/4AAQ")]);
}

#[test]
fn mistakes_are_named() {
    for wrong in [
        json!([]),
        json!([{ "role": "user", "content": "  " }]),
        json!([{ "role": "user", "content": "a" }, { "role": "assistant", "content": "b" }]),
        json!([{ "role": "user", "content": [{ "type": "input_audio", "input_audio": {} }] }]),
        json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "data:image/png,x" } }] }]),
    ] {
        assert_eq!(read(wrong.clone()).unwrap_err().code, Code::InvalidRequest, "{wrong}");
    }
    let long = "x".repeat(INSTRUCTIONS_MAX + 1);
    let long = read(json!([{ "role": "system", "content": long }, { "role": "user", "content": "a" }]));
    assert_eq!(long.unwrap_err().code, Code::TooLarge);
}

#[test]
fn of_much_that_was_said_before_the_newest_is_taken_in() {
    let half = "x".repeat(EARLIER_MAX / 2 + 1);
    let history = read(json!([
        { "role": "user", "content": half }, { "role": "assistant", "content": half }, { "role": "user", "content": "a" },
    ]));
    let history = history.unwrap();
    assert_eq!((history.earlier.len(), history.newest_earlier().len()), (2, 1));
    assert_eq!(history.newest_earlier()[0].role, "assistant");
}

#[test]
fn results_are_told_apart_from_what_was_said() {
    let history = read(json!([
        { "role": "user", "content": "one" },
        { "role": "assistant", "content": "1" },
        { "role": "user", "content": "two" },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "a", "function": { "name": "look" } }] },
        { "role": "tool", "content": "old", "tool_call_id": "a" },
        { "role": "assistant", "content": "Hm.", "tool_calls": [
            { "id": "b", "type": "function", "function": { "name": "look", "arguments": "{}" } },
            { "id": "c", "type": "function", "function": { "name": "listen", "arguments": "{}" } },
        ] },
        { "role": "tool", "content": [{ "type": "text", "text": "clouds" }], "tool_call_id": "b" },
        { "role": "tool", "content": "birds", "tool_call_id": "c", "name": "listen" },
        { "role": "user", "content": "And quickly." },
    ]));
    let history = history.unwrap();
    assert_eq!(contents(&history), [("user", "one"), ("assistant", "1")]);
    assert_eq!(
        (history.said.as_str(), history.message.as_str(), history.tools.join(" ")),
        ("two", "And quickly.", "look listen".to_owned())
    );
    let results: Vec<(Option<&str>, &str)> =
        history.results.iter().map(|result| (result.name.as_deref(), result.content.as_str())).collect();
    assert_eq!(results, [(Some("b"), "clouds"), (Some("c"), "birds")]);
}

#[test]
fn words_in_the_place_of_results_are_a_message_of_their_own() {
    let history = read(json!([
        { "role": "user", "content": "one" },
        { "role": "assistant", "content": "", "tool_calls": [{ "id": "a", "function": { "name": "look" } }] },
        { "role": "user", "content": "never mind" },
    ]));
    let history = history.unwrap();
    assert_eq!(
        (contents(&history), history.message.as_str()),
        (vec![("user", "one"), ("assistant", "")], "never mind")
    );
    assert!(history.results.is_empty() && history.newest_earlier().len() == 1, "{history:?}");
}

#[test]
fn results_of_nothing_and_pictures_in_them_are_refused() {
    let url = "data:image/png;base64,iVBORw0";
    let picture = json!([{ "type": "image_url", "image_url": { "url": url } }]);
    let calls = json!([{ "id": "a", "function": { "name": "look" } }]);
    for wrong in [
        json!([{ "role": "user", "content": "a" }, { "role": "tool", "content": "x", "tool_call_id": "a" }]),
        json!([{ "role": "user", "content": "a" }, { "role": "function", "content": "x", "name": "look" }]),
        json!([
            { "role": "user", "content": "a" }, { "role": "assistant", "tool_calls": calls },
            { "role": "tool", "content": picture, "tool_call_id": "a" },
        ]),
    ] {
        assert_eq!(read(wrong.clone()).unwrap_err().code, Code::InvalidRequest, "{wrong}");
    }
}
