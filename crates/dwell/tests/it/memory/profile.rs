//! The owner's profile: one current value for each key, the others as history, and nothing that was
//! said only in passing.

use serde_json::{Value, json};
use testkit::RestClient;

use super::{exchange, line, settled};
use crate::{
    harness::{last, system},
    program, started,
};

/// The values of a key, newest first, each with whether it is current.
async fn values(rest: &RestClient, key: &str) -> Vec<(String, bool)> {
    let history = rest.get(&format!("/api/v1/profile/{key}")).await.ok();
    let facts = history["data"].as_array().unwrap().iter();
    facts.map(|fact| (fact["value"].as_str().unwrap().to_owned(), fact.get("valid_until").is_none())).collect()
}

fn held(values: &[(&str, bool)]) -> Vec<(String, bool)> {
    values.iter().map(|(value, holds)| ((*value).to_owned(), *holds)).collect()
}

#[tokio::test]
async fn a_value_can_be_changed_and_changed_back_and_all_stay_as_history() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    for value in ["vegetarian", "vegan", "vegetarian"] {
        line(&rest, "diet", value).await;
    }
    let expected = [("vegetarian", true), ("vegan", false), ("vegetarian", false)];
    assert_eq!(values(&rest, "diet").await, held(&expected));
    let profile = rest.get("/api/v1/profile").await.ok();
    let lines = profile["data"].as_array().unwrap();
    assert_eq!((lines.len(), &lines[0]["value"]), (1, &json!("vegetarian")), "one key, one line");

    line(&rest, "diet", "vegetarian").await;
    assert_eq!(values(&rest, "diet").await.len(), 3, "saying the same again is no change");
}

#[tokio::test]
async fn saying_so_changes_it_as_well_and_back() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    for message in ["I'm vegetarian.", "I'm vegan now.", "I'm vegetarian again."] {
        exchange(&rest, &session, message).await;
    }
    settled(&rest).await;
    let expected = [("vegetarian", true), ("vegan", false), ("vegetarian", false)];
    assert_eq!(values(&rest, "diet").await, held(&expected));

    let fresh = rest.session().await;
    exchange(&rest, &fresh, "What shall I cook tonight?").await;
    let told = system(&last(&model));
    assert!(
        told.contains("diet: vegetarian") && !told.contains("vegan\n"),
        "every prompt has the current values: {told}"
    );
}

#[tokio::test]
async fn what_is_said_in_passing_is_not_in_the_profile() {
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for passing in [
        "I am hungry.",
        "I'm so tired today.",
        "Miami",
        "Miami is hot in summer.",
        "notebook",
        "Where is my notebook?",
        "Do I live in Miami?",
        "Imagine I live in Miami.",
        "My goodness!",
    ] {
        exchange(&rest, &session, passing).await;
    }
    settled(&rest).await;
    let known = rest.get("/api/v1/memories?level=profile,fact&history=true&limit=100").await.ok();
    assert_eq!(known["items"], json!([]), "{known}");
    let log = rest.log(&session).await;
    let written: Vec<&Value> = super::events(&log, "memory.written");
    assert!(written.is_empty(), "{written:?}");

    exchange(&rest, &session, "I live in Leiden.").await;
    settled(&rest).await;
    let known = rest.get("/api/v1/memories?level=profile,fact").await.ok();
    assert_eq!(known["items"][0]["value"], "Leiden", "a real statement is kept: {known}");
    assert_eq!(known["items"].as_array().unwrap().len(), 1, "{known}");
}
