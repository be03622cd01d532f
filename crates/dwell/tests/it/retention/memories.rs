//! Memories of a deleted session: they are kept and marked, or deleted except for what other
//! sessions said too.

use serde_json::{Value, json};
use testkit::{Reply, RestClient};

use super::{delete, exchange, files_with, settled, view};
use crate::started;

async fn items(rest: &RestClient, query: &str) -> Vec<Value> {
    let found = rest.get(&format!("/api/v1/memories?limit=100&{query}")).await.ok();
    found["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn memories_stay_and_say_that_their_session_is_gone() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let (session, other) = (rest.session().await, rest.session().await);
    for place in ["attic", "cellar", "garden"] {
        exchange(&rest, &session, &format!("The {place} key lies under the azurequux pot.")).await;
    }
    exchange(&rest, &session, "My locker number is 118azurequux.").await;
    exchange(&rest, &other, "The gate needs oil.").await;
    settled(&rest).await;
    let before = items(&rest, "level=entry,context,profile,fact").await.len();
    let gone = delete(&rest, &session, "").await.ok();
    assert_eq!(gone["memories"], 0, "{gone}");
    settled(&rest).await;
    let left = items(&rest, "level=entry,context,profile,fact").await;
    assert!(left.len() >= before, "{} of {before}: {left:?}", left.len());
    for item in &left {
        let is_gone = item["source"]["session_id"] == session.as_str();
        assert_eq!(item["source"]["session_deleted"] == json!(true), is_gone, "{item}");
    }
    assert!(left.iter().any(|item| item["level"] == "fact" || item["level"] == "profile"), "{left:?}");

    // What is left can still be deleted by the session's id.
    let rest_of_it = delete(&rest, &session, "&memories=true").await.ok();
    assert!(rest_of_it["memories"].as_u64().unwrap() >= 8 && rest_of_it["events"] == 0, "{rest_of_it}");
    assert_eq!(files_with(&program, "azurequux"), [""; 0]);
    assert_eq!(delete(&rest, &session, "&memories=true").await.code(404), "not_found");
    assert_eq!(items(&rest, "query=gate&level=entry").await.len(), 2, "what the other one said is there");
}

#[tokio::test]
async fn what_another_conversation_states_too_stays() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let (one, two) = (rest.session().await, rest.session().await);
    exchange(&rest, &one, "My locker number is 118azurequux.").await;
    exchange(&rest, &one, "My bicycle is called ochrequux.").await;
    settled(&rest).await;
    exchange(&rest, &two, "My locker number is 118azurequux.").await;
    settled(&rest).await;
    let facts = items(&rest, "level=profile,fact").await;
    let locker = facts.iter().find(|fact| fact["text"].as_str().unwrap().contains("118azurequux")).unwrap();
    assert_eq!(locker["source"]["session_id"], one.as_str(), "it was said there first");

    delete(&rest, &one, "&memories=true").await.ok();
    let facts = items(&rest, "level=profile,fact").await;
    let left = facts.iter().find(|fact| fact["id"] == locker["id"]).unwrap_or_else(|| panic!("{facts:?}"));
    assert_eq!(left["source"]["session_id"], two.as_str(), "from now on it comes from there");
    assert!(!facts.iter().any(|fact| fact.to_string().contains("ochrequux")), "{facts:?}");
    let turns = rest.get(&format!("/api/v1/sessions/{two}/turns")).await.ok();
    assert_eq!(turns["data"][0]["request"]["message"], "My locker number is 118azurequux.");
    assert_eq!(turns["data"][0]["text"], "You said: My locker number is 118azurequux.", "what was said there is whole");
    let entries = items(&rest, "level=entry").await;
    assert!(entries.iter().any(|entry| entry["text"].as_str().unwrap().contains("118azurequux")), "{entries:?}");
}

#[tokio::test]
async fn while_another_turn_uses_it_nothing_is_deleted() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (session, other) = (rest.session().await, rest.session().await);
    exchange(&rest, &session, "The spare key lies under the azurequux pot.").await;
    settled(&rest).await;
    model.push(Reply::text("one two three").stall_after(1));
    let open = rest.send(&other, "Where does the spare key lie?").await;
    while !rest.text(&format!("/api/v1/sessions/{other}/export")).await.contains("azurequux") {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let refused = delete(&rest, &session, "&memories=true").await;
    assert_eq!(refused.code(409), "turn_open");
    assert!(refused.body.to_string().contains(&open), "{}", refused.body);
    assert_eq!(view(&rest, &session).await["status"], "active", "nothing has changed");
    rest.post(&format!("/api/v1/turns/{open}/cancel"), json!({})).await.ok();
    rest.ended(&open).await;
    let gone = delete(&rest, &session, "&memories=true").await.ok();
    assert_eq!(gone["redacted_sessions"], 1, "{gone}");
    let log = rest.text(&format!("/api/v1/sessions/{other}/export")).await;
    assert!(!log.contains("azurequux"), "{log}");
}
