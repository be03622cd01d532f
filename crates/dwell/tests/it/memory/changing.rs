//! Facts that change: the newer value is current, the older one is history and is marked as such.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, Request, RestClient};

use super::{exchange, memory_of, settled};
use crate::{
    harness::{last, system},
    started,
};

/// The lines of a request that come from memory, in the instructions or beside the message.
fn remembered(request: &Request) -> Vec<String> {
    let message = request.messages().last().unwrap()["content"].as_str().unwrap().to_owned();
    let notes = message.split_once("\n\n<notes>\n").map_or(String::new(), |(_, notes)| notes.to_owned());
    let lines = format!("{}\n{notes}", system(request));
    lines.lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect()
}

/// The lines that give a value as the current one.
fn holding<'a>(lines: &'a [String], value: &str) -> Vec<&'a String> {
    let is_ended = |line: &str| line.contains("no longer so") || line.contains("until then");
    lines.iter().filter(|line| line.contains(value) && !is_ended(line)).collect()
}

async fn history(rest: &RestClient, value: &str) -> Vec<Value> {
    let all = rest.get("/api/v1/memories?level=profile,fact&history=true&limit=100").await.ok();
    let facts = all["items"].as_array().unwrap().iter();
    facts.filter(|fact| fact["value"].as_str().is_some_and(|it| it.contains(value))).cloned().collect()
}

#[tokio::test]
async fn of_two_facts_that_contradict_each_other_the_newer_one_is_told() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.respond_with(|_| Reply::text("All right."));
    for (stated, changed, question, new, old) in [
        ("I live in Graz.", "I moved to Linz last month.", "Where do I live?", "Linz", "Graz"),
        ("My 5k time is 27:12.", "My 5k time is 25:50 now.", "What is my 5k time?", "25:50", "27:12"),
        ("I work at Siemens.", "I left Siemens and joined Bosch.", "Where do I work?", "Bosch", "at Siemens"),
    ] {
        for message in [stated, changed] {
            let session = rest.session().await;
            exchange(&rest, &session, message).await;
            settled(&rest).await;
        }
        let session = rest.session().await;
        exchange(&rest, &session, question).await;
        let lines = remembered(&last(&model));
        assert!(!holding(&lines, new).is_empty(), "{question} {lines:#?}");
        assert!(holding(&lines, old).is_empty(), "{question} {lines:#?}");
        let place = |value: &str| lines.iter().position(|line| line.contains(value));
        assert!(place(old).is_none() || place(new) < place(old), "what holds comes first: {lines:#?}");

        let old = old.trim_start_matches("at ");
        let older = history(&rest, old).await;
        let ended: Vec<&Value> = older.iter().filter(|fact| fact["valid_until"].is_string()).collect();
        assert_eq!((ended.len(), older.len()), (1, 1), "the older one is readable and has ended: {older:?}");
        let newer = &history(&rest, new).await[0];
        assert_eq!(ended[0]["superseded_by"], newer["id"]);
        assert!(newer.get("valid_until").is_none(), "{newer}");
    }
}

#[tokio::test]
async fn a_new_number_outlives_the_document_with_the_old_one() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.respond_with(|_| Reply::text("All right."));
    let session = rest.session().await;
    for message in ["My 5k time is 27:12.", "The roses opened early this year.", "The gate needs new paint."] {
        exchange(&rest, &session, message).await;
    }
    let contexts = format!("{}/contexts", memory_of(&rest, &session).await);
    let first = rest.get(&format!("{contexts}/latest")).await.ok();
    assert!(first["content"].as_str().unwrap().contains("27:12"), "{first}");

    exchange(&rest, &session, "I ran the 5k in 25:50 yesterday!").await;
    settled(&rest).await;
    exchange(&rest, &session, "What is my 5k time?").await;
    let request = last(&model);
    let lines = remembered(&request);
    assert_eq!(holding(&lines, "27:12"), Vec::<&String>::new(), "{lines:#?}");
    let said = request.said();
    let place = |words: &str| said.iter().position(|message| message.contains(words));
    assert!(place("25:50") > place("27:12"), "and the newest statement comes last: {said:?}");

    rest.call(Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await.ok();
    settled(&rest).await;
    let second = rest.get(&format!("{contexts}/latest")).await.ok();
    assert_eq!(second["version"], 2, "{second}");
    let text = second["content"].as_str().unwrap();
    let holds = text.lines().find(|line| line.contains("5k time: ")).unwrap();
    assert!(holds.contains("5k time: 25:50") && holds.contains("27:12 until then"), "{text}");
    let fresh = rest.session().await;
    exchange(&rest, &fresh, "What is my 5k time?").await;
    let lines = remembered(&last(&model));
    assert!(!holding(&lines, "25:50").is_empty(), "{lines:#?}");
    assert!(holding(&lines, "27:12").is_empty(), "{lines:#?}");
}

#[tokio::test]
async fn what_is_said_later_of_an_earlier_time_does_not_end_what_holds() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = super::memory(&rest).await;
    let said = async |words: &str, at: &str| {
        let body = json!({ "raw_entry": words, "conversation_time": at, "origin": "trusted" });
        super::add(&rest, &memory, body).await
    };
    said("I moved to Linz.", "2026-05-03T10:00:00Z").await;
    said("I live in Graz.", "2025-05-03T10:00:00Z").await;
    let facts = rest.get("/api/v1/memories?level=profile,fact").await.ok();
    let values: Vec<&Value> = facts["items"].as_array().unwrap().iter().map(|fact| &fact["value"]).collect();
    assert_eq!(values, ["Linz"], "{facts}");
    assert!(history(&rest, "Graz").await.iter().all(|fact| fact["valid_until"].is_string()));
}

#[tokio::test]
async fn without_a_model_too_what_was_said_last_is_told_first() {
    let program = crate::program();
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    exchange(&rest, &session, "I'm single").await;
    let noted = exchange(&rest, &session, "I got married to Jonas").await;
    assert_eq!(noted["text"], "Noted: \"relationship: single\" may no longer hold.", "{noted}");
    for session in [session, rest.session().await] {
        settled(&rest).await;
        let told = exchange(&rest, &session, "Am I single?").await["text"].as_str().unwrap().to_owned();
        let (last, first) = (told.find("Jonas").unwrap(), told.find("\"I'm single\"").or(told.find(": single")));
        assert!(first.is_none_or(|first| last < first), "{told}");
        assert_eq!(told.matches("Jonas").count(), 1, "each thing is told once: {told}");
    }
}
