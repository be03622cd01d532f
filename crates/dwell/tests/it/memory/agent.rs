//! The memory agent: a table decides what it stores and when it summarises. It never delays an
//! answer.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply, Request, RestClient};

use super::{events, exchange, memory_of, settled};
use crate::{harness::steps, program, started};

/// The memory of a conversation: role and text of each entry in order, and the versions of its
/// summary.
async fn kept(rest: &RestClient, session: &str) -> (Vec<(String, String)>, Vec<Value>) {
    let memory = memory_of(rest, session).await;
    let entries = rest.get(&format!("{memory}/entries?order=oldest&limit=100")).await.ok();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = entries["data"].as_array().unwrap().iter();
    let entries = entries.map(|entry| (text(&entry["role"]), text(&entry["raw_entry"]))).collect();
    (entries, rest.get(&format!("{memory}/contexts")).await.ok()["data"].as_array().unwrap().clone())
}

#[tokio::test]
async fn it_stores_every_message_once_in_order_and_sums_up_after_six_and_at_the_end() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let mut said = Vec::new();
    for number in 1..=7 {
        let message = format!("Bed {number} has {} tulips of the kind Arabian Mystery.", number * 10);
        exchange(&rest, &session, &message).await;
        said.push(("user".to_owned(), message.clone()));
        said.push(("assistant".to_owned(), format!("You said: {message}")));
        let (entries, contexts) = kept(&rest, &session).await;
        assert_eq!(entries, said, "the messages, in order, each with its role");
        assert_eq!(contexts.len(), said.len() / 6, "after {} messages", said.len());
    }
    rest.call(Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await.ok();
    let (entries, contexts) = kept(&rest, &session).await;
    assert_eq!(entries, said, "the end adds no entry");
    let versions: Vec<u64> = contexts.iter().map(|context| context["version"].as_u64().unwrap()).collect();
    assert_eq!(versions, [1, 2, 3], "two of six messages each, and the rest at the end");
    assert!(contexts[2]["content"].as_str().unwrap().contains("Bed 7"), "{}", contexts[2]);
    let log = rest.log(&session).await;
    let told: Vec<&Value> =
        events(&log, "memory.summary_created").iter().map(|event| &event["data"]["version"]).collect();
    assert!(told.starts_with(&[&json!(1), &json!(2)]), "each is announced in the session: {told:?}");
}

#[tokio::test]
async fn a_kill_in_the_middle_neither_loses_nor_doubles_anything() {
    let (_model, program, server) = started().await;
    let session = server.rest().session().await;
    let mut said = Vec::new();
    let mut server = Some(server);
    for number in 1..=6 {
        let running = match server.take() {
            Some(running) => running,
            None => program.start().await,
        };
        let message = format!("Bed {number} has {} tulips.", number * 10);
        exchange(&running.rest(), &session, &message).await;
        said.extend([message.clone(), format!("You said: {message}")]);
        // The kill comes at once: what the agent has not read yet it must read after the restart.
        running.kill().await;
    }
    let server = program.start().await;
    let (entries, contexts) = kept(&server.rest(), &session).await;
    assert_eq!(entries.into_iter().map(|(_, words)| words).collect::<Vec<_>>(), said);
    assert_eq!(contexts.len(), 2, "{contexts:?}");
}

#[tokio::test]
async fn without_a_model_of_its_own_memory_asks_no_model() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    for (number, message) in (1..).zip(["I'm vegan.", "I live in Leiden.", "I moved to Delft.", "Where do I live?"]) {
        exchange(&rest, &session, message).await;
        settled(&rest).await;
        assert_eq!(model.requests().len(), number, "one request for each message");
    }
    rest.call(Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await.ok();
    let (_, contexts) = kept(&rest, &session).await;
    assert!(contexts.iter().all(|context| context["written_by"] == "extract"), "{contexts:?}");
    assert_eq!(model.requests().len(), 4);
}

/// Whether a request comes from the memory agent.
fn is_memorys(request: &Request) -> bool {
    request.last_user().contains("CURRENT SESSION")
}

async fn with_own_model() -> (ModelServer, Program) {
    let model = ModelServer::start().await;
    let program = program()
        .with_model(&model)
        .with("DWELL_MEMORY_MODEL", "default")
        .with("DWELL_MEMORY_MODEL_DELAY_MS", "600000");
    (model, program)
}

#[tokio::test]
async fn with_a_model_it_sums_up_after_the_answer_and_off_its_path() {
    let (model, program) = with_own_model().await;
    model.respond_with(|request| match is_memorys(request) {
        true => Reply::text("The beds are full of tulips.").after(Duration::from_millis(1_500)),
        false => Reply::echo(request),
    });
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for number in 1..=3 {
        exchange(&rest, &session, &format!("Bed {number} has tulips.")).await;
    }
    model.until(|model| model.requests().iter().any(is_memorys)).await;
    let requests = model.requests();
    assert_eq!(requests.iter().map(is_memorys).collect::<Vec<_>>(), [false, false, false, true]);
    let asked = requests[3].last_user().to_owned();
    let order = ["PREVIOUS CONTEXT:", "CURRENT SESSION", "Bed 1 has tulips.", "Bed 3 has tulips."];
    let places: Vec<_> = order.iter().map(|words| asked.find(words).unwrap()).collect();
    assert!(places.is_sorted() && requests[3].tools().is_empty(), "{asked}");

    // The next message is answered while the memory agent's model is busy.
    let next = exchange(&rest, &session, "And bed 4?").await;
    assert_eq!(next["text"], "You said: And bed 4?");
    assert_eq!(model.in_flight(), 1, "the summary is still being written");
    let (_, contexts) = kept(&rest, &session).await;
    assert_eq!(contexts[0]["content"], "The beds are full of tulips.");
    assert!(contexts[0]["written_by"].as_str().unwrap().contains("gpt"), "{}", contexts[0]);
}

#[tokio::test]
async fn where_that_model_fails_the_conversations_own_sentences_serve() {
    let (model, program) = with_own_model().await;
    model.respond_with(|request| match is_memorys(request) {
        true => Reply::status(400).error_message("no"),
        false => Reply::echo(request),
    });
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for number in 1..=3 {
        let turn = exchange(&rest, &session, &format!("Bed {number} has tulips of the kind Arabian Mystery.")).await;
        assert_eq!((turn["status"].as_str(), steps(&turn, "error").len()), (Some("completed"), 0), "{turn}");
    }
    let (entries, contexts) = kept(&rest, &session).await;
    assert_eq!((entries.len(), contexts.len()), (6, 1));
    assert_eq!(contexts[0]["written_by"], "extract");
    assert!(contexts[0]["content"].as_str().unwrap().contains("Arabian Mystery"), "{}", contexts[0]);
}
