//! What was said in a window that is closed: no prompt, summary or search of a model contains its
//! words, while facts that were stated there stay known.

use serde_json::{Value, json};
use testkit::{Reply, RestClient};

use super::{DesktopHarness, acts, all, markdown};
use crate::harness::{last, results};

const FOLLOWS: &str = "DWELL_MEMORY_FOLLOW_SESSIONS";

async fn settled(rest: &RestClient) {
    let state = rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
    assert_eq!(state["consistent"], true, "{state}");
}

/// The hits of a search by the user.
async fn search(rest: &RestClient, query: &str) -> Vec<Value> {
    let found = rest.post("/api/v1/memories/search", json!({ "query": query, "levels": ["entry"] })).await.ok();
    found["items"].as_array().unwrap().clone()
}

/// Asks the main agent, in this session and in a new one; gives both prompts.
async fn prompts(harness: &DesktopHarness, question: &str) -> [String; 2] {
    harness.say(question).await;
    let here = all(&last(&harness.model));
    let other = harness.rest.session().await;
    let path = format!("/api/v1/sessions/{other}/turns");
    let accepted = harness.rest.post(&path, json!({ "message": question })).await.ok();
    harness.ended(&accepted).await;
    [here, all(&last(&harness.model))]
}

/// Checks that closed windows are silent, and that their facts are told once, as facts.
async fn assert_silent(harness: &DesktopHarness) {
    for prompt in prompts(harness, "Who is it that services the boiler?").await {
        assert!(!prompt.contains("Hartmann") && !prompt.contains("Quibble"), "{prompt}");
    }
    for prompt in prompts(harness, "What is my locker code?").await {
        assert_eq!(prompt.matches("4711").count(), 1, "{prompt}");
        assert!(!prompt.contains("code is 4711"), "it is told as a fact: {prompt}");
    }
}

#[tokio::test]
async fn what_was_said_in_a_closed_window_is_not_given_to_models() {
    let harness = DesktopHarness::start_with(|program| program.with(FOLLOWS, "true")).await;
    harness.model.respond_with(|request| match request.last_user() {
        words if words.contains("Hartmann") => Reply::text("Hartmann services the boiler, noted."),
        _ => Reply::text("All right."),
    });
    harness.open("a", markdown("Notes.")).await;
    harness.ended(&harness.tell("a", "The boiler is serviced by Hartmann in May.").await).await;
    harness.ended(&harness.tell("a", "My locker code is 4711.").await).await;
    settled(&harness.rest).await;
    for prompt in prompts(&harness, "Who is it that services the boiler?").await {
        assert!(prompt.contains("Hartmann"), "the window is open: {prompt}");
    }
    let found = search(&harness.rest, "boiler Hartmann").await;
    assert!(found.iter().any(|item| item["source"]["window_id"] == "a" && item["role"] == "assistant"), "{found:?}");

    // At once, before memory has taken notice.
    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    harness.say("Who is it that services the boiler?").await;
    let prompt = all(&last(&harness.model));
    assert!(!prompt.contains("Hartmann"), "{prompt}");

    // An agent that closes its own window says its last words after that.
    harness.open("b", markdown("More notes.")).await;
    harness.model.push(acts("window_close", json!({ "window_ids": ["b"] })));
    harness.model.push(Reply::text("The boiler is serviced by Quibble too."));
    harness.ended(&harness.tell("b", "Note the second firm for the boiler, then close this.").await).await;
    settled(&harness.rest).await;
    // The main agent is told once what was done there.
    harness.say("All right?").await;
    assert!(all(&last(&harness.model)).contains("Quibble"));
    assert_silent(&harness).await;
    harness.model.push(acts("memory_search", json!({ "query": "boiler serviced" })));
    harness.model.push(Reply::text("All right."));
    harness.say("Look it up in memory, please.").await;
    let looked_up = results(&last(&harness.model)).pop().unwrap().1;
    assert!(looked_up.contains("items") && !looked_up.contains("in May"), "{looked_up}");
    assert!(!looked_up.contains("Quibble"), "{looked_up}");

    // Another window under the same name is another window.
    harness.open("a", markdown("Fresh notes.")).await;
    for number in 0..8 {
        harness.say(&format!("Note number {number}: the garden has {number} birches.")).await;
    }
    settled(&harness.rest).await;
    assert_silent(&harness).await;
    let kept = harness.rest.get("/api/v1/memories?level=context&limit=20").await.ok();
    let texts: Vec<&str> = kept["items"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert!(texts.iter().any(|text| text.contains("birches")), "there is a summary: {texts:?}");
    assert!(!texts.iter().any(|text| text.contains("Hartmann") || text.contains("Quibble")), "{texts:?}");

    // The user still finds the words.
    let found = search(&harness.rest, "boiler Hartmann").await;
    let said: Vec<&Value> = found.iter().filter(|item| item["text"].as_str().unwrap().contains("Hartmann")).collect();
    assert_eq!(said.len(), 2, "{found:?}");
    assert!(said.iter().all(|item| item["source"]["window_closed"] == true), "{said:?}");

    let harness = harness.restart().await;
    assert_silent(&harness).await;
}
