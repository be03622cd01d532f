//! Memory in the prompt: the message is in it exactly once, calls keep their results, and every
//! token is counted.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, Request};

use super::{add, events, exchange, line, memory, settled};
use crate::{
    harness::{ToolHarness, call, harness, last, session_with, system, told},
    started,
};

/// How often a text appears in a request.
fn times(request: &Request, words: &str) -> usize {
    let contents = request.messages().iter().map(|message| message["content"].to_string());
    contents.map(|content| content.matches(words).count()).sum()
}

/// The memory that the last turn of a session used.
async fn used(rest: &testkit::RestClient, session: &str) -> Value {
    let log = rest.log(session).await;
    events(&log, "memory.used").last().unwrap()["data"].clone()
}

fn section(used: &Value, name: &str) -> u64 {
    let sections = used["sections"].as_array().unwrap().iter();
    sections.filter(|section| section["name"] == name).map(|section| section["tokens"].as_u64().unwrap()).sum()
}

#[tokio::test]
async fn the_message_stands_in_the_prompt_once() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.respond_with(|_| Reply::text("All right."));
    let words = "The boiler is serviced by Hartmann.";
    let first = rest.session().await;
    exchange(&rest, &first, words).await;
    assert_eq!(times(&last(&model), words), 1, "{:?}", last(&model));

    settled(&rest).await;
    let fresh = rest.session().await;
    exchange(&rest, &fresh, words).await;
    assert_eq!(times(&last(&model), words), 1, "memory holds the same words: {:?}", last(&model));

    let garden = memory(&rest).await;
    add(&rest, &garden, json!({ "raw_entry": "Hartmann: +31 20 555 0100, services the boiler." })).await;
    let fresh = rest.session().await;
    exchange(&rest, &fresh, "Who services the boiler of Hartmann?").await;
    let request = last(&model);
    assert_eq!(times(&request, "Who services the boiler of Hartmann?"), 1);
    assert_eq!(times(&request, "555 0100"), 1, "the matching entry is in the prompt, once: {request:?}");
    assert!(!system(&request).contains("Who services"), "the instructions stay what they are");
}

#[tokio::test]
async fn a_question_that_states_something_stands_there_once_as_well() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.respond_with(|_| Reply::text("All right."));
    let session = rest.session().await;
    let words = "I live in Leiden and I need a plumber.";
    exchange(&rest, &session, words).await;
    assert_eq!(times(&last(&model), words), 1, "{:?}", last(&model));
    exchange(&rest, &session, "Which one do you know?").await;
    assert_eq!(times(&last(&model), words), 1, "as what was said before: {:?}", last(&model));
}

/// Checks that every call has its result and every result its call.
#[track_caller]
fn assert_paired(request: &Request) {
    let (mut called, mut answered) = (BTreeSet::new(), BTreeSet::new());
    for message in request.messages() {
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        called.extend(calls.iter().map(|call| call["id"].to_string()));
        if message["role"] == "tool" {
            answered.insert(message["tool_call_id"].to_string());
        }
    }
    assert_eq!(called, answered, "{request:?}");
}

/// A model that calls `look_at_sky` once for each message and then gives a long answer.
fn observant(model: &ModelServer) {
    model.respond_with(|request| {
        let messages = request.messages();
        let is_told = messages.last().is_some_and(|message| message["role"] == "tool");
        match is_told {
            true => Reply::text(format!("Seen. {}", "It was grey and wet and windy. ".repeat(12))),
            false => {
                let note = format!("for {} {}", request.last_user(), "with care ".repeat(30));
                let id = format!("c{}", request.last_user().split(' ').nth(1).unwrap_or("0"));
                Reply::tool_calls([call(&id, "look_at_sky", &note)])
            }
        }
    });
}

#[tokio::test]
async fn what_leaves_the_window_is_never_the_message_nor_half_of_a_call() {
    let ToolHarness { model, server, tool_server: _tool_server, program: _program } = harness().await;
    let rest = server.rest();
    observant(&model);
    let session = session_with(&rest, json!({ "budgets": { "context_tokens": 2_000 } })).await;
    for number in 1..=12 {
        let message = format!("Sky {number} please. {}", "I really want to know. ".repeat(20));
        let before = model.requests().len();
        let turn = told(&rest, &session, json!({ "message": message })).await;
        assert_eq!(turn["status"], "completed", "{turn}");
        let requests = model.requests();
        assert_eq!(requests.len(), before + 2, "a call and an answer");
        for request in &requests[before..] {
            assert_eq!(request.last_user(), message, "the current message is there, whole");
            assert_paired(request);
            assert_eq!(request.messages()[0]["role"], "system");
        }
    }
    assert!(!last(&model).said().join("\n").contains("Sky 1 please"), "something had to leave");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_message_larger_than_its_window_is_told_whole() {
    let ToolHarness { model, server, tool_server: _tool_server, program: _program } = harness().await;
    let rest = server.rest();
    observant(&model);
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "Sky 1 please." })).await;
    let message = format!("Sky 2 please. {}", "I really want to know. ".repeat(300));
    let turn = told(&rest, &session, json!({ "message": message, "context_window": 600 })).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    let request = last(&model);
    assert_eq!(request.last_user(), message);
    assert_paired(&request);
    assert_eq!(request.said()[0], message, "all else had to make room");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_filter_of_tags_leaves_the_instructions_and_the_profile() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    line(&rest, "diet", "vegan").await;
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "The fence is painted.", "tags": ["context:fence"] })).await;
    let before = system(&last(&model));
    told(&rest, &session, json!({ "message": "what is it?", "context_tags": ["context:nothing"] })).await;
    let request = last(&model);
    assert_eq!(system(&request), before, "the same instructions, word for word");
    assert!(before.contains("diet: vegan"), "{before}");
    assert_eq!(request.said(), ["what is it?"]);
}

#[tokio::test]
async fn all_that_is_sent_is_counted_also_the_tools() {
    let ToolHarness { model, server, tool_server: _tool_server, program: _program } = harness().await;
    let (_plain_model, _plain_program, plain) = started().await;
    let mut counted = Vec::new();
    for server in [&server, &plain] {
        let rest = server.rest();
        line(&rest, "diet", "vegan").await;
        let session = rest.session().await;
        exchange(&rest, &session, "What do you see in the sky?").await;
        let used = used(&rest, &session).await;
        let sections = used["sections"].as_array().unwrap().iter();
        let sum: u64 = sections.map(|section| section["tokens"].as_u64().unwrap()).sum();
        assert_eq!(used["tokens"], sum, "the parts make up the whole: {used}");
        assert!(section(&used, "profile") > 0 && section(&used, "task") > 0, "{used}");
        counted.push((section(&used, "tools"), used["tokens"].as_u64().unwrap()));
    }
    let [(with, with_all), (without, without_all)] = counted[..] else { unreachable!() };
    assert!(with != without && with > 0 && without > 0, "other tools: {counted:?}");
    assert_eq!(with_all - with, without_all - without, "nothing else differs: {counted:?}");
    // A token of JSON has about three to four characters.
    let sent = json!(last(&model).tools()).to_string().len() as u64;
    assert!((sent / 6..sent / 2).contains(&with), "{with} tokens for {sent} characters");
}

#[tokio::test]
async fn a_sentence_stands_in_the_prompt_once_as_profile_fact_entry_or_message() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.respond_with(|_| Reply::text("All right."));
    let first = rest.session().await;
    for words in ["I live in Leiden.", "My locker code is 4711.", "Also, the tandem is parked behind the Boerhaave."] {
        exchange(&rest, &first, words).await;
    }
    // In the same conversation the message itself stands there.
    for (question, words) in [
        ("Where is it that I live?", "I live in Leiden"),
        ("What is my locker code?", "4711"),
        ("Where is the tandem parked?", "Boerhaave"),
    ] {
        settled(&rest).await;
        exchange(&rest, &first, question).await;
        assert_eq!(times(&last(&model), words), 1, "{question}: {:?}", last(&model));
        // In another one it is remembered.
        let fresh = rest.session().await;
        exchange(&rest, &fresh, question).await;
        let value = words.rsplit(' ').next().unwrap();
        assert_eq!(times(&last(&model), value), 1, "{question}: {:?}", last(&model));
    }
}
