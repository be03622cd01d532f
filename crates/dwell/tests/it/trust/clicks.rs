//! Calls in a session that has read untrusted text: they need approval, unless they come from a
//! proven click on the page.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::Socket;

use super::{ORDER, ToolHarness, obedient};
use crate::{
    entry::browser::Browser,
    harness::{calls, told},
};

const TOKEN: &str = "test-token-0123456789";

fn letter(note: &str) -> Value {
    json!({ "message": "Send it", "calls": [{ "tool": "send_letter", "arguments": { "note": note } }] })
}

/// A session that has read untrusted text with `look_at_sky`.
async fn tainted(harness: &ToolHarness) -> String {
    let rest = harness.server.rest();
    let session = rest.session().await;
    harness.model.push(calls("c1", "look_at_sky", ORDER));
    harness.model.push(testkit::Reply::text("It says something."));
    told(&rest, &session, json!({ "message": "How is the sky?" })).await;
    session
}

#[tokio::test]
async fn calls_in_a_tainted_session_are_asked_about() {
    let harness = obedient().await;
    let rest = harness.server.rest();
    let clean = rest.session().await;
    let turn = told(&rest, &clean, letter("from a clean session")).await;
    assert_eq!((&turn["status"], harness.tool_server.effects("send_letter")), (&json!("completed"), 1), "{turn}");
    let session = tainted(&harness).await;
    let turn = told(&rest, &session, letter("by REST")).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")), "{turn}");
    let session = tainted(&harness).await;
    let mut socket = harness.server.socket().await;
    let mut asked = letter("by the socket");
    asked["session_id"] = json!(session);
    let accepted = socket.ask("chat.send", asked).await.unwrap();
    let turn = rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")), "{turn}");
    assert_eq!(harness.tool_server.effects("send_letter"), 1);
}

#[tokio::test]
async fn calls_in_one_session_that_read_taint_the_calls_after_them() {
    let harness = obedient().await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    let look = json!({ "calls": [{ "tool": "look_at_sky", "arguments": { "note": ORDER } }] });
    assert_eq!(told(&rest, &session, look).await["status"], "completed");
    let turn = told(&rest, &session, letter("after looking")).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")), "{turn}");
}

#[tokio::test]
async fn a_click_on_the_page_is_not_asked_about_twice() {
    let harness = obedient().await;
    let rest = harness.server.rest();
    let session = tainted(&harness).await;
    let browser = Browser::of(&harness.server, TOKEN).await;
    let path = format!("/api/v1/sessions/{session}/turns");
    let accepted = browser.call(Method::POST, &path, Some(letter("by REST"))).await.ok();
    let turn = rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    assert_eq!((&turn["status"], &turn["request"]["via"]), (&json!("completed"), &json!("page")), "{turn}");
    let (mut socket, _) = Socket::connect_with(harness.server.url(), "", &browser.for_socket()).await.unwrap();
    let mut asked = letter("by the socket");
    asked["session_id"] = json!(session);
    let accepted = socket.ask("chat.send", asked).await.unwrap();
    let turn = rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    assert_eq!((&turn["status"], harness.tool_server.effects("send_letter")), (&json!("completed"), 2), "{turn}");
    // A message cannot claim that it was a click or that it is trusted.
    for (name, value) in [("via", json!("page")), ("origin", json!("trusted")), ("way", json!({ "via": "page" }))] {
        let mut claimed = letter("claimed");
        claimed[name] = value;
        assert_eq!(rest.post(&path, claimed).await.code(400), "invalid_request", "{name}");
    }
    // The cookie does not help without the page's origin either.
    let bare = browser.send(Method::POST, &path, Some(letter("no origin")), &[]).await;
    assert_eq!(bare.status, 403, "{}", bare.body);
}
