//! Policy: the server decides what is possible, a session can only restrict it further, and no
//! prompt can change it.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Program, ToolServerTool};

use crate::harness::{ToolHarness, call, calls, harness, harness_with, last, session_with, shown, steps, told};

fn as_it_is(_: &mut ToolServerTool) {}

/// A turn in which the model calls this tool, even if it is not offered.
async fn tried(harness: &ToolHarness, session: &str, tool: &str) -> Value {
    harness.model.push(calls("c1", tool, "please"));
    told(&harness.server.rest(), session, json!({ "message": format!("Use {tool} now, whatever it takes.") })).await
}

/// Checks that the call was refused, that the tool was not offered, and that nothing was done.
#[track_caller]
fn assert_barred(harness: &ToolHarness, turn: &Value, tool: &str) {
    assert_eq!(turn["status"], "completed", "{turn}");
    assert_eq!(steps(turn, "tool_result")[0]["status"], "denied", "{turn}");
    assert!(steps(turn, "tool_call").is_empty());
    assert!(!shown(&last(&harness.model)).contains(&tool.to_owned()), "{tool} is not shown");
    assert_eq!(harness.tool_server.effects(tool), 0);
    assert_eq!(harness.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn actuation_is_off_unless_the_server_says_otherwise() {
    let harness = harness_with(as_it_is, |program| program.with("DWELL_TOOLS_ACTUATION", "false")).await;
    let rest = harness.server.rest();
    let tools = rest.get("/api/v1/tools").await.ok();
    let booking = tools["data"].as_array().unwrap().iter().find(|tool| tool["name"] == "book_table").unwrap();
    assert_eq!(booking["enabled"], false);
    assert!(booking["disabled_because"].as_str().unwrap().contains("tools.actuation"), "{booking}");
    let turn = tried(&harness, &rest.session().await, "book_table").await;
    assert_barred(&harness, &turn, "book_table");
    assert!(shown(&last(&harness.model)).contains(&"look_at_sky".to_owned()), "looking is allowed");

    let loosened = session_with(&rest, json!({ "policy": { "actuation": true, "allow": ["*"] } })).await;
    let turn = tried(&harness, &loosened, "book_table").await;
    assert_barred(&harness, &turn, "book_table");
}

#[tokio::test]
async fn actuation_is_off_by_default() {
    let harness = harness().await;
    let program = harness.program.run(&["config", "--json"]).await.stdout;
    let shown: Value = serde_json::from_str(&program).unwrap();
    assert_eq!(shown["settings"]["tools.actuation"]["source"], "environment DWELL_TOOLS_ACTUATION");
    let bare = crate::program().run(&["config", "--json"]).await.stdout;
    let bare: Value = serde_json::from_str(&bare).unwrap();
    assert_eq!(
        bare["settings"]["tools.actuation"],
        json!({ "value": false, "source": "default", "variables": ["DWELL_TOOLS_ACTUATION"] })
    );
}

#[tokio::test]
async fn the_servers_lists_say_what_may_be_called() {
    let deny = |program: Program| program.with("DWELL_TOOLS_DENY", "look_*, send_letter");
    let harness = harness_with(as_it_is, deny).await;
    let turn = tried(&harness, &harness.server.rest().session().await, "look_at_sky").await;
    assert_barred(&harness, &turn, "look_at_sky");
    let turn = tried(&harness, &harness.server.rest().session().await, "set_label").await;
    assert_eq!((&turn["status"], harness.tool_server.effects("set_label")), (&json!("completed"), 1));

    let harness = harness_with(as_it_is, |program| program.with("DWELL_TOOLS_ALLOW", "calculator,set_label")).await;
    let turn = tried(&harness, &harness.server.rest().session().await, "look_at_sky").await;
    assert_barred(&harness, &turn, "look_at_sky");
    assert_eq!(shown(&last(&harness.model)), ["calculator", "set_label"]);
}

#[tokio::test]
async fn a_session_can_be_stricter_and_change_its_mind() {
    let harness = harness().await;
    let rest = harness.server.rest();
    let strict = session_with(&rest, json!({ "policy": { "deny": ["look_*"] } })).await;
    let turn = tried(&harness, &strict, "look_at_sky").await;
    assert_barred(&harness, &turn, "look_at_sky");
    let narrow = session_with(&rest, json!({ "policy": { "allow": ["calculator"] } })).await;
    let turn = tried(&harness, &narrow, "look_at_sky").await;
    assert_barred(&harness, &turn, "look_at_sky");
    assert_eq!(shown(&last(&harness.model)), ["calculator"]);
    let still = session_with(&rest, json!({ "policy": { "actuation": false } })).await;
    let turn = tried(&harness, &still, "book_table").await;
    assert_barred(&harness, &turn, "book_table");

    let path = format!("/api/v1/sessions/{still}");
    rest.call(Method::PATCH, &path, Some(json!({ "policy": { "actuation": true } })), &[]).await.ok();
    harness.model.push(calls("c2", "book_table", "please"));
    let turn = told(&rest, &still, json!({ "message": "Now you may book it." })).await;
    assert_eq!((&turn["status"], harness.tool_server.effects("book_table")), (&json!("completed"), 1));
}

#[tokio::test]
async fn a_session_cannot_loosen_what_the_server_says() {
    let set =
        |program: Program| program.with("DWELL_TOOLS_DENY", "send_letter").with("DWELL_TOOLS_CONFIRM", "book_table");
    let harness = harness_with(as_it_is, set).await;
    let rest = harness.server.rest();
    let policy = json!({ "actuation": true, "allow": ["*"], "deny": [], "confirm": [] });
    let session = session_with(&rest, json!({ "policy": policy })).await;
    let turn = tried(&harness, &session, "send_letter").await;
    assert_barred(&harness, &turn, "send_letter");
    let turn = tried(&harness, &session, "book_table").await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")));
    assert_eq!(harness.tool_server.ledger().len(), 0);
}

#[tokio::test]
async fn a_pattern_may_name_what_a_call_touches() {
    let scoped = |tool: &mut ToolServerTool| {
        if tool.name == "set_label" {
            tool.more.push_str("scope_field = \"note\"");
        }
    };
    let harness = harness_with(scoped, |program| program.with("DWELL_TOOLS_DENY", "set_label:private*")).await;
    let rest = harness.server.rest();
    let touching = [call("c1", "set_label", "private diary"), call("c2", "set_label", "jam jar")];
    harness.model.push(testkit::Reply::tool_calls(touching));
    let turn = told(&rest, &rest.session().await, json!({ "message": "Label the diary and the jar." })).await;
    let became: Vec<&Value> = steps(&turn, "tool_result").iter().map(|result| &result["status"]).collect();
    assert_eq!(became, ["denied", "ok"]);
    assert_eq!(harness.tool_server.ledger().len(), 1);
}

#[tokio::test]
async fn a_pattern_that_is_none_is_refused_with_what_to_write() {
    let ToolHarness { server, program, model: _model, tool_server: _tool_server } = harness().await;
    let rest = server.rest();
    let session = rest.session().await;
    for pattern in ["", "Look At", "book_table:", "rm -rf"] {
        for field in ["allow", "deny", "confirm"] {
            let policy = json!({ "policy": { field: [pattern] } });
            let refused = rest.post("/api/v1/sessions", policy.clone()).await;
            assert_eq!(refused.code(400), "invalid_request");
            assert!(refused.body["message"].as_str().unwrap().contains("tool:scope"), "{}", refused.body);
            let path = format!("/api/v1/sessions/{session}");
            assert_eq!(rest.call(Method::PATCH, &path, Some(policy), &[]).await.code(400), "invalid_request");
        }
    }
    server.stop().await;
    let refused = program.command(&["serve", "--listen", "127.0.0.1:0"]).env("DWELL_TOOLS_DENY", "Look At").output();
    let refused = refused.await.unwrap();
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && words.contains("tools.deny"), "{words}");
}

#[tokio::test]
async fn a_session_may_want_to_be_asked() {
    let harness = harness().await;
    let rest = harness.server.rest();
    let session = session_with(&rest, json!({ "policy": { "confirm": ["look_*"] } })).await;
    let turn = tried(&harness, &session, "look_at_sky").await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")));
    let open = rest.get(&format!("/api/v1/approvals?session_id={session}")).await.ok();
    assert!(open["data"][0]["reason"].as_str().unwrap().contains("this session's policy"), "{open}");
}

#[tokio::test]
async fn what_a_client_says_of_itself_changes_nothing() {
    let harness = harness_with(as_it_is, |program| program.with("DWELL_TOOLS_DENY", "send_letter")).await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    let claims = [
        ("x-scopes", "admin tools:send_letter"),
        ("x-dwell-scopes", "*"),
        ("x-user-id", "root"),
        ("x-forwarded-user", "root"),
        ("x-owner", "root"),
    ];
    harness.model.push(calls("c1", "send_letter", "dear all"));
    let path = format!("/api/v1/sessions/{session}/turns");
    let accepted = rest.call(Method::POST, &path, Some(json!({ "message": "Send the letter." })), &claims).await.ok();
    let turn = rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    assert_barred(&harness, &turn, "send_letter");
    let created = rest.call(Method::POST, "/api/v1/sessions", Some(json!({})), &claims).await.ok();
    assert_eq!(created["owner"], "owner", "the token decides the owner");

    for claim in ["user_id", "owner", "scopes", "owner_id"] {
        let refused = rest.post("/api/v1/sessions", json!({ claim: "root" })).await;
        assert_eq!(refused.code(400), "invalid_request", "{claim}");
        let refused = rest.post(&path, json!({ "message": "Hello there.", claim: "root" })).await;
        assert_eq!(refused.code(400), "invalid_request", "{claim}");
        let data = json!({ "session_id": session, "message": "Hello there.", claim: "root" });
        let refused = harness.server.socket().await.ask("chat.send", data).await.unwrap_err();
        assert_eq!(refused["code"], "invalid_request", "{claim}");
    }
}

#[tokio::test]
async fn a_tool_has_only_so_many_calls_a_minute() {
    let rare = |tool: &mut ToolServerTool| tool.more.push_str("calls_per_minute_max = 1");
    let harness = harness_with(rare, |program| program).await;
    let session = harness.server.rest().session().await;
    tried(&harness, &session, "look_at_sky").await;
    let turn = tried(&harness, &harness.server.rest().session().await, "look_at_sky").await;
    assert_eq!((&turn["status"], harness.tool_server.effects("look_at_sky")), (&json!("completed"), 1));
    let result = steps(&turn, "tool_result")[0];
    assert_eq!(result["status"], "error");
    assert!(result["content"].as_str().unwrap().contains("at most 1 a minute"), "{result}");
}
