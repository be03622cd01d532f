//! Events of responses, and responses in the background: followed, continued, cancelled, deleted.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, RestClient};

use super::{PATH, events, id, kinds, respond, text};
use crate::started;

/// A response once it has ended.
async fn ended(rest: &RestClient, id: &str) -> Value {
    for _ in 0..300 {
        let response = rest.get(&format!("{PATH}/{id}")).await.ok();
        if !["queued", "in_progress"].contains(&response["status"].as_str().unwrap()) {
            return response;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{id} is not complete after fifteen seconds")
}

fn words(events: &[Value]) -> String {
    events
        .iter()
        .filter(|event| event["type"] == "response.output_text.delta")
        .filter_map(|event| event["delta"].as_str())
        .collect()
}

#[tokio::test]
async fn a_stream_has_the_events_in_their_order_and_can_be_continued_after_each() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("Größe ist nicht alles.").usage(9, 4));
    let (headers, told) = events(&server, PATH, Some(json!({ "input": "hello", "stream": true, "seed": 1 }))).await;
    assert_eq!(headers["x-dwell-ignored"], "seed");
    let expected = [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(kinds(&told), expected);
    assert_eq!((&told[0]["response"]["status"], &told[0]["sequence_number"]), (&json!("in_progress"), &json!(0)));
    assert_eq!((&told[0]["response"]["output"], &told[0]["response"]["usage"]), (&json!([]), &json!(null)));
    assert_eq!((&told[2]["item"]["status"], &told[2]["item"]["content"]), (&json!("in_progress"), &json!([])));
    assert_eq!(words(&told), "Größe ist nicht alles.");
    let [.., done, part, item, completed] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((&done["text"], &part["part"]["text"]), (&json!("Größe ist nicht alles."), &done["text"]));
    let response = &completed["response"];
    assert_eq!((&response["output"], &response["usage"]["total_tokens"]), (&json!([item["item"]]), &json!(13)));
    assert!(
        told.iter().filter(|event| !event["item_id"].is_null()).all(|event| event["item_id"] == item["item"]["id"])
    );

    let stored = server.rest().get(&format!("{PATH}/{}", id(response))).await.ok();
    assert_eq!((&stored["output"], &stored["usage"]), (&response["output"], &response["usage"]));
    for (index, event) in told.iter().enumerate() {
        let path = format!("{PATH}/{}?stream=true&starting_after={}", id(response), event["sequence_number"]);
        let (_, rest) = events(&server, &path, None).await;
        assert_eq!(words(&told[..=index]) + &words(&rest), "Größe ist nicht alles.", "after {event}");
        assert_eq!(
            rest.last().map(|last| &last["sequence_number"]),
            told.get(index + 1).map(|_| &completed["sequence_number"])
        );
    }
}

#[tokio::test]
async fn what_fails_in_the_middle_says_so_and_what_fails_before_has_a_status() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("one two three").cut_after(1));
    let (_, told) = events(&server, PATH, Some(json!({ "input": "hello", "stream": true }))).await;
    let failed = told.last().unwrap();
    assert_eq!((&failed["type"], &failed["response"]["status"]), (&json!("response.failed"), &json!("failed")));
    assert_eq!(failed["response"]["error"]["code"], "server_error");
    assert!(!failed["response"]["error"]["message"].as_str().unwrap().is_empty());
    let stored = server.rest().get(&format!("{PATH}/{}", id(&failed["response"]))).await.ok();
    assert_eq!((&stored["status"], &stored["error"]), (&json!("failed"), &failed["response"]["error"]));

    model.push(Reply::status(429));
    model.push(Reply::status(429));
    model.push(Reply::status(429));
    let early = server.rest().post(PATH, json!({ "input": "hello", "stream": true })).await;
    assert_eq!((early.status, &early.body["error"]["type"]), (429, &json!("rate_limit_error")), "{}", early.body);
}

#[tokio::test]
async fn a_response_in_the_background_is_followed_from_anywhere() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.push(Reply::text("One by one the words arrive.").every(Duration::from_millis(60)));
    let begun = rest.post(PATH, json!({ "input": "Take your time.", "background": true })).await.ok();
    assert!(["queued", "in_progress"].contains(&begun["status"].as_str().unwrap()), "{begun}");
    assert_eq!((&begun["background"], &begun["output"]), (&json!(true), &json!([])));
    let path = format!("{PATH}/{}?stream=true", id(&begun));
    let ((_, one), (_, other)) = tokio::join!(events(&server, &path, None), async {
        tokio::time::sleep(Duration::from_millis(150)).await;
        events(&server, &path, None).await
    });
    assert_eq!((words(&one).as_str(), words(&other)), ("One by one the words arrive.", words(&one)));
    assert_eq!(one.last(), other.last(), "also the numbers are the same");
    assert_eq!(text(&ended(&rest, &id(&begun)).await), "One by one the words arrive.");

    model.push(Reply::hang());
    let hanging = rest.post(PATH, json!({ "input": "Wait.", "background": true })).await.ok();
    let cancel = format!("{PATH}/{}/cancel", id(&hanging));
    assert_eq!(rest.post(&cancel, json!({})).await.ok()["status"], "cancelled");
    assert_eq!(rest.post(&cancel, json!({})).await.ok()["status"], "cancelled", "once more changes nothing");
    assert_eq!(ended(&rest, &id(&hanging)).await["status"], "cancelled");

    model.push(Reply::status(401));
    let failing = rest.post(PATH, json!({ "input": "Try.", "background": true })).await.ok();
    let failed = ended(&rest, &id(&failing)).await;
    assert_eq!((&failed["status"], &failed["error"]["code"]), (&json!("failed"), &json!("server_error")));
    let (_, told) = events(&server, &format!("{PATH}/{}?stream=true", id(&failing)), None).await;
    assert_eq!(kinds(&told), ["created", "in_progress", "failed"]);
}

#[tokio::test]
async fn a_deleted_response_is_gone_and_unknown_ones_never_were() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let response = respond(&rest, json!({ "input": "A secret of mine." })).await;
    let path = format!("{PATH}/{}", id(&response));
    let deleted = rest.call(Method::DELETE, &path, None, &[]).await.ok();
    assert_eq!(deleted, json!({ "id": response["id"], "object": "response", "deleted": true }));
    for (method, path) in [
        (Method::GET, path.clone()),
        (Method::DELETE, path.clone()),
        (Method::GET, format!("{path}/input_items")),
        (Method::POST, format!("{path}/cancel")),
        (Method::GET, format!("{PATH}/resp_01ARZ3NDEKTSV4RRFFQ69G5FAV")),
        (Method::GET, format!("{PATH}/resp_abc?stream=true")),
        (Method::GET, format!("{path}_7")),
    ] {
        let gone = rest.call(method.clone(), &path, None, &[]).await;
        assert_eq!(
            (gone.status, &gone.body["error"]["type"]),
            (404, &json!("invalid_request_error")),
            "{method} {path}"
        );
        assert!(gone.body["error"]["message"].as_str().unwrap().contains("resp_"), "{}", gone.body);
    }
}
