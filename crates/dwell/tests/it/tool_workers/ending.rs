//! Calls whose result is no longer needed: the worker is told, and the turn goes on or ends.

use serde_json::json;
use testkit::ModelServer;

use super::{answer, has_received, next, script, tool, until_away, worker};
use crate::{
    harness::{last, results},
    started,
};

#[tokio::test]
async fn a_worker_is_told_what_no_longer_waits() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let mut weather = worker(&server, "weather", &[tool("get_weather", "at_most_once")]).await;
    let session = rest.session().await;
    script(&model, "c1", "get_weather", "Snow.");
    let turn_id = rest.send(&session, "How is the weather?").await;
    let call = next(&mut weather, "tool.call").await;
    rest.post(&format!("/api/v1/turns/{turn_id}/cancel"), json!({})).await.ok();
    let cancel = next(&mut weather, "tool.cancel").await;
    assert_eq!(cancel, json!({ "turn_id": turn_id, "call_id": "c1", "reason": "cancelled" }));
    let late = json!({ "turn_id": turn_id, "results": [{ "call_id": call["call_id"], "content": "snow" }] });
    assert_eq!(weather.ask("tool.answer", late).await.unwrap_err()["code"], "already_final");

    // What is left in the script is the answer to the next message.
    rest.ended(&rest.send(&session, "Never mind.").await).await;
    script(&model, "c2", "get_weather", "Sun.");
    let turn_id = rest.send(&session, "How is the weather now?").await;
    next(&mut weather, "tool.call").await;
    let elsewhere = json!({ "results": [{ "call_id": "c2", "content": "sun" }] });
    rest.post(&format!("/api/v1/turns/{turn_id}/tool-results"), elsewhere).await.ok();
    assert_eq!(next(&mut weather, "tool.cancel").await["reason"], "answered");
    assert_eq!(rest.ended(&turn_id).await["text"], "Sun.");

    script(&model, "c3", "get_weather", "Rain.");
    rest.send(&session, "And tomorrow?").await;
    next(&mut weather, "tool.call").await;
    rest.call(reqwest::Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await;
    let reason = next(&mut weather, "tool.cancel").await["reason"].clone();
    assert!(reason == "deleted" || reason == "cancelled", "{reason}");
}

#[tokio::test]
async fn a_call_that_is_not_answered_in_time_fails_and_its_turn_goes_on() {
    let model = ModelServer::start().await;
    let program = crate::program().with_model(&model).with("DWELL_TOOLS_CLIENT_MS", "300");
    let server = program.start().await;
    let rest = server.rest();
    let mut weather = worker(&server, "weather", &[tool("get_weather", "at_most_once")]).await;
    let session = rest.session().await;
    script(&model, "c1", "get_weather", "I could not find out.");
    let turn_id = rest.send(&session, "How is the weather?").await;
    let call = next(&mut weather, "tool.call").await;
    assert_eq!(next(&mut weather, "tool.cancel").await["reason"], "deadline");
    let ended = rest.ended(&turn_id).await;
    assert_eq!((&ended["status"], &ended["text"]), (&json!("completed"), &json!("I could not find out.")));
    let told = results(&last(&model));
    assert!(told[0].1.contains("may have taken effect"), "{told:?}");
    assert_eq!(answer(&mut weather, &call, "snow").await["duplicate"], true, "too late");
    assert!(!has_received(&mut weather, "tool.call").await);

    drop(weather);
    until_away(&rest).await;
    script(&model, "c2", "get_weather", "There is none to ask.");
    let ended = rest.ended(&rest.send(&session, "And now?").await).await;
    assert_eq!(ended["text"], "There is none to ask.");
    let told = results(&last(&model));
    assert!(told.last().unwrap().1.contains("was not run"), "{told:?}");
}
