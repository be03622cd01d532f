//! Conversations are sessions.

use reqwest::Method;
use serde_json::{Value, json};

use super::{PATH, respond, user};
use crate::{
    harness::{last, system},
    started,
};

#[tokio::test]
async fn a_conversation_is_a_session_with_its_items() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let items = json!([user("My cat is called Mimi."), { "role": "assistant", "content": "A fine name." }]);
    let begun = rest.post("/v1/conversations", json!({ "items": items, "metadata": { "topic": "cats" } })).await.ok();
    assert_eq!((&begun["object"], &begun["metadata"]), (&json!("conversation"), &json!({ "topic": "cats" })));
    let path = format!("/v1/conversations/{}", begun["id"].as_str().unwrap());
    for input in ["Who is she?", "Sure?"] {
        let response = respond(&rest, json!({ "input": input, "conversation": begun["id"] })).await;
        assert_eq!(response["conversation"]["id"], begun["id"]);
    }
    assert!(system(&last(&model)).contains("Mimi"));
    let listed = rest.get(&format!("{path}/items?order=asc")).await.ok();
    let texts: Vec<&Value> =
        listed["data"].as_array().unwrap().iter().map(|item| &item["content"][0]["text"]).collect();
    assert_eq!(texts, ["Who is she?", "You said: Who is she?", "Sure?", "You said: Sure?"]);
    let newest = rest.get(&format!("{path}/items?limit=1")).await.ok();
    assert_eq!((&newest["data"][0], &newest["has_more"]), (&listed["data"][3], &json!(true)));
    let before = rest.get(&format!("{path}/items?after={}", newest["last_id"].as_str().unwrap())).await.ok();
    assert_eq!((&before["data"][0], &before["has_more"]), (&listed["data"][2], &json!(false)));

    let changed = rest.post(&path, json!({ "metadata": { "topic": "dogs" } })).await.ok();
    assert_eq!(changed["metadata"]["topic"], "dogs");
    assert_eq!(rest.get(&path).await.ok(), changed);
    let refused = rest.post(&format!("{path}/items"), json!({ "items": [] })).await;
    assert!(refused.status == 400 && refused.body["error"]["message"].as_str().unwrap().contains("`input`"));
    assert_eq!(rest.call(Method::DELETE, &path, None, &[]).await.ok()["deleted"], true);
    assert_eq!(rest.get(&path).await.status, 404);
    let gone = rest.post(PATH, json!({ "input": "x", "conversation": begun["id"] })).await;
    assert_eq!(gone.status, 404);
}
