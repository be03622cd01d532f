//! What forgetting must not break: the sequence numbers of a session, its followers, and running
//! turns.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::Reply;

use super::{
    exchange,
    forgetting::{entry_of, traces},
    settled, texts,
};
use crate::{
    harness::{last, system},
    started,
};

fn numbers(log: &[Value]) -> Vec<u64> {
    log.iter().map(|event| event["seq"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn records_keep_their_numbers_and_followers_go_on() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let mut follower = server.socket().await;
    follower.ask("session.resume", json!({ "session_id": session, "after": 0 })).await.unwrap();
    let turn = rest.send(&session, "The spare key lies under the azurepot.").await;
    follower.until_end_of(&json!(turn)).await;
    let id = entry_of(&rest, "azurepot").await.as_str().unwrap().to_owned();
    let before = rest.log(&session).await;
    rest.call(Method::DELETE, &format!("/api/v1/memories/{id}"), None, &[]).await.ok();
    settled(&rest).await;
    let after = rest.log(&session).await;
    assert_eq!(numbers(&after)[..before.len()], numbers(&before));
    assert_eq!(numbers(&after), (1..=after.len() as u64).collect::<Vec<_>>(), "without gaps");
    let kinds = |log: &[Value]| log.iter().map(|event| event["type"].to_string()).collect::<Vec<_>>();
    assert_eq!(kinds(&after)[..before.len()], kinds(&before), "and are what they were");

    let turn = rest.send(&session, "What did I just say?").await;
    let live = follower.until_end_of(&json!(turn)).await;
    assert!(live.iter().any(|event| event["type"] == "chat.final"), "followers still follow: {live:?}");
    let told = format!("{} {}", system(&last(&model)), last(&model).said().join(" "));
    assert!(!told.contains("azurepot"), "the model is not told it either: {told}");

    for from in [0, 3, before.len() as u64] {
        let mut late = server.socket().await;
        late.ask("session.resume", json!({ "session_id": session, "after": from })).await.unwrap();
        let heard = late.until_end_of(&json!(turn)).await;
        let seqs: Vec<u64> = heard.iter().filter_map(|event| event["seq"].as_u64()).collect();
        assert_eq!(seqs, (from + 1..=*seqs.last().unwrap()).collect::<Vec<_>>(), "after {from}");
        assert!(heard.iter().all(|event| !event.to_string().contains("azurepot")));
    }
}

#[tokio::test]
async fn while_a_turn_is_open_nothing_is_forgotten_and_the_answer_names_it() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    exchange(&rest, &session, "The spare key lies under the azurepot.").await;
    let id = entry_of(&rest, "azurepot").await.as_str().unwrap().to_owned();
    model.push(Reply::text("one two three").stall_after(1));
    let open = rest.send(&session, "Count, please.").await;
    model.until(|model| model.requests().len() == 2).await;

    let before = rest.text(&format!("/api/v1/memories/{id}")).await;
    let wanted = [json!({ "ids": [id] }), json!({ "text": "under the azurepot" })];
    for body in &wanted {
        let refused = rest.post("/api/v1/memories/forget", body.clone()).await;
        assert_eq!(refused.code(409), "turn_open");
        assert!(refused.body.to_string().contains(&open), "it names the turn: {}", refused.body);
    }
    assert_eq!(rest.text(&format!("/api/v1/memories/{id}")).await, before, "nothing has changed");
    let log = rest.text(&format!("/api/v1/sessions/{session}/export")).await;
    assert!(log.contains("azurepot") && !log.contains("[forgotten]"), "{log}");

    rest.post(&format!("/api/v1/turns/{open}/cancel"), json!({})).await.ok();
    rest.ended(&open).await;
    for body in wanted.iter().take(1) {
        rest.post("/api/v1/memories/forget", body.clone()).await.ok();
    }
    assert_eq!(traces(&rest, &program, "azurepot").await, [""; 0]);
}

#[tokio::test]
async fn what_others_said_is_left_alone() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let (one, two) = (rest.session().await, rest.session().await);
    exchange(&rest, &one, "The spare key lies under the azurepot.").await;
    exchange(&rest, &two, "The roses opened early this year.").await;
    let untouched = rest.log(&two).await;
    let id = entry_of(&rest, "azurepot").await.as_str().unwrap().to_owned();
    let gone = rest.call(Method::DELETE, &format!("/api/v1/memories/{id}"), None, &[]).await.ok();
    assert_eq!(gone["sessions"], json!([one]));
    assert_eq!(rest.log(&two).await, untouched);
    let found = rest.get("/api/v1/memories?query=roses&level=entry").await.ok();
    assert!(texts(&found)[0].contains("roses"), "{found}");
}
