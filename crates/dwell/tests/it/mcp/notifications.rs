//! Notifications and lookups: progress, resources, prompts and completion.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{McpClient, McpWire, Reply};

use super::{every_way, plain, text};
use crate::{
    access::NOWHERE,
    harness::{calls, harness},
    started,
};

#[tokio::test]
async fn a_client_that_gives_a_token_gets_progress() {
    let harness = harness().await;
    for (way, mcp) in every_way(&harness.program, &harness.server, &plain()).await {
        harness.model.push(calls("c1", "look_at_sky", "tonight"));
        harness.model.push(Reply::text("It is clear, and will be.").every(Duration::from_millis(250)));
        let call = json!({ "name": "ask", "arguments": { "message": "Is the sky clear tonight?" }, "_meta": { "progressToken": way } });
        let done = mcp.ask("tools/call", call).await.unwrap();
        assert_eq!(done["structuredContent"]["status"], "completed", "{way}: {done}");
        let told: Vec<Value> =
            mcp.inbox().into_iter().filter(|told| told["method"] == "notifications/progress").collect();
        assert!(told.iter().all(|told| told["params"]["progressToken"] == way), "{way}: {told:?}");
        let steps: Vec<f64> = told.iter().map(|told| told["params"]["progress"].as_f64().unwrap()).collect();
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{way}: it only grows: {steps:?}");
        let words: String = told.iter().map(|told| text(&told["params"]["message"])).collect::<Vec<_>>().join("|");
        assert!(words.contains("calling look_at_sky") && words.contains("look_at_sky has answered"), "{way}: {words}");
        assert!(words.replace('|', "").contains("It is clear"), "{way}: {words}");

        // A client that did not ask for progress gets none.
        let before = mcp.inbox().len();
        mcp.data("ask", json!({ "message": "hello" })).await;
        assert_eq!(mcp.inbox().len(), before, "{way}: {:?}", mcp.inbox());
    }
}

async fn read(mcp: &McpClient, uri: &str) -> Value {
    let read = mcp.ask("resources/read", json!({ "uri": uri })).await.unwrap();
    let contents = &read["contents"][0];
    assert_eq!((&contents["uri"], &contents["mimeType"]), (&json!(uri), &json!("application/json")));
    serde_json::from_str(contents["text"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn sessions_are_resources() {
    let (_model, program, server) = started().await;
    for (way, mcp) in every_way(&program, &server, &plain()).await {
        let session = text(&mcp.data("start_session", json!({ "key": way })).await["session_id"]);
        mcp.data("send_message", json!({ "session_id": session, "message": "hello", "timeout_ms": 30000 })).await;
        let uri = format!("session://{session}");
        let listed = mcp.ask("resources/list", json!({})).await.unwrap();
        let found = listed["resources"].as_array().unwrap().iter().find(|resource| resource["uri"] == uri.as_str());
        assert!(found.is_some_and(|found| found["name"].is_string()), "{way}: {listed}");

        let view = read(&mcp, &uri).await;
        assert_eq!((&view["session"]["key"], &view["session"]["stats"]["turns"]), (&json!(way), &json!(1)));
        let events = read(&mcp, &format!("{uri}/events")).await;
        let known = server.rest().log(&session).await;
        assert_eq!(events["events"].as_array().unwrap().len(), known.len(), "{way}");

        let templates = mcp.ask("resources/templates/list", json!({})).await.unwrap();
        let forms: Vec<String> =
            templates["resourceTemplates"].as_array().unwrap().iter().map(|form| text(&form["uriTemplate"])).collect();
        assert_eq!(forms, ["session://{session_id}", "session://{session_id}/events"]);
        for uri in [format!("session://{NOWHERE}"), "session://".to_owned(), "file:///etc/passwd".to_owned()] {
            let error = mcp.ask("resources/read", json!({ "uri": uri })).await.unwrap_err();
            assert!([-32002, -32602].contains(&error["code"].as_i64().unwrap()), "{way} {uri}: {error}");
        }

        let completed = async |begun: &str| {
            let reference = json!({ "type": "ref/resource", "uri": "session://{session_id}" });
            let params = json!({ "ref": reference, "argument": { "name": "session_id", "value": begun } });
            mcp.ask("completion/complete", params).await.unwrap()["completion"]["values"].clone()
        };
        assert_eq!(completed(&session).await, json!([session]), "{way}");
        assert_eq!(completed(&session.to_lowercase()).await, json!([session]), "{way}");
        assert!(completed("").await.as_array().unwrap().contains(&json!(session)), "{way}");
        assert_eq!(completed("ZZZZ").await, json!([]), "{way}");
    }
}

#[tokio::test]
async fn a_session_that_moves_on_is_reported_to_its_subscribers() {
    let (_model, program, server) = started().await;
    for (way, mcp) in every_way(&program, &server, &plain()).await {
        let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
        let other = text(&mcp.data("start_session", json!({})).await["session_id"]);
        let uri = format!("session://{session}");
        let (mut _listening, mut _subscription) = (None, None);
        if mcp.wire() == McpWire::Session {
            _listening = mcp.listen().await;
            mcp.ask("resources/subscribe", json!({ "uri": uri })).await.unwrap();
        } else {
            let wanted = json!({ "notifications": { "resourceSubscriptions": [uri] } });
            _subscription = Some(mcp.begin("subscriptions/listen", wanted));
            mcp.received("notifications/subscriptions/acknowledged").await;
        }
        mcp.data("send_message", json!({ "session_id": other, "message": "not me", "timeout_ms": 30000 })).await;
        mcp.data("send_message", json!({ "session_id": session, "message": "hello", "timeout_ms": 30000 })).await;
        let told = mcp.received("notifications/resources/updated").await;
        assert_eq!(told["params"]["uri"], uri.as_str(), "{way}");
        // Changes at the same time give one notification, or a second one if they took longer. None
        // is about another session.
        assert!(mcp.inbox().iter().all(|told| !told.to_string().contains(&other)), "{way}: {:?}", mcp.inbox());
        if mcp.wire() == McpWire::Session {
            mcp.ask("resources/unsubscribe", json!({ "uri": uri })).await.unwrap();
            let error = mcp.ask("resources/subscribe", json!({ "uri": format!("session://{NOWHERE}") })).await;
            error.unwrap_err();
        }
    }
}

#[tokio::test]
async fn prompts_say_how_to_keep_a_memory() {
    let (_model, program, server) = started().await;
    for (way, mcp) in every_way(&program, &server, &plain()).await {
        let listed = mcp.ask("prompts/list", json!({})).await.unwrap();
        let names: Vec<String> =
            listed["prompts"].as_array().unwrap().iter().map(|prompt| text(&prompt["name"])).collect();
        assert_eq!(names, ["entry_capture", "summary", "context"], "{way}");
        for name in names {
            let prompt = mcp.ask("prompts/get", json!({ "name": name })).await.unwrap();
            let message = &prompt["messages"][0];
            assert_eq!(message["role"], "user");
            assert!(text(&message["content"]["text"]).len() > 100, "{way} {name}: {prompt}");
        }
        let error = mcp.ask("prompts/get", json!({ "name": "nothing" })).await.unwrap_err();
        assert!(error["code"] == -32602 && text(&error["message"]).contains("entry_capture"), "{error}");
    }
}
