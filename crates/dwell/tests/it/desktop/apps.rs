//! Apps in windows: their files are public, their messages need the window's token, agents send
//! them requests, and their state is restored.

use serde_json::{Value, json};
use testkit::Socket;

use super::{DesktopHarness, acts, app, asked, markdown};
use crate::harness::{last, steps};

/// A harness with an app that is ready, the page that shows it, and its token.
async fn ready() -> (DesktopHarness, Socket, String) {
    let harness = DesktopHarness::start().await;
    let token = app::open(&harness, "board", "notes").await;
    let mut page = harness.socket().await;
    let answer = app::ready(&harness, &mut page, "board", &token).await.unwrap();
    assert_eq!(answer, json!({ "restore": [], "requests": [] }));
    (harness, page, token)
}

/// Lets the main agent query or command the app, and responds for the app.
async fn asks(harness: &DesktopHarness, page: &mut Socket, token: &str, call: (&str, Value), value: Value) -> Value {
    harness.model.push(acts(call.0, call.1));
    let number = harness.model.requests().len();
    let turn = harness.send(json!({ "message": format!("Ask the app, at number {number}.") })).await;
    let is_asked = |it: &Value| it["type"] == "app.request" && it["turn_id"] == turn["turn_id"];
    let request = page.until(is_asked).await.pop().unwrap();
    app::respond(harness, page, "board", token, &request["data"]["request_id"], value).await.unwrap();
    harness.ended(&turn).await
}

fn command(name: &str, arguments: Value) -> (&'static str, Value) {
    ("app_command", json!({ "window_id": "board", "command": name, "arguments": arguments }))
}

#[tokio::test]
async fn the_files_of_apps_need_no_token_and_can_reach_nothing() {
    let harness = DesktopHarness::start().await;
    for name in ["timer", "notes"] {
        let response = reqwest::get(format!("{}/apps/{name}/index.html", harness.server.url())).await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert!(header("content-type").starts_with("text/html"));
        let policy = header("content-security-policy");
        for rule in ["default-src 'none'", "form-action 'none'", "base-uri 'none'", "sandbox allow-scripts"] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("allow-same-origin") && !policy.contains("connect-src"), "{policy}");
        assert_eq!(header("x-content-type-options"), "nosniff");
        let page = response.text().await.unwrap();
        assert!(page.contains("\"commands\"") && !page.contains("http://") && !page.contains("https://"), "{name}");
        let bridge = reqwest::get(format!("{}/apps/{name}/bridge.js", harness.server.url())).await.unwrap();
        assert_eq!(bridge.status().as_u16(), 200);
    }
    let none = harness.server.rest_as(None);
    for path in ["/apps/chess/index.html", "/apps/timer/..%2F..%2Fjournal.db", "/apps/timer/other.html"] {
        assert_eq!(none.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn only_the_holder_of_the_windows_token_speaks_for_its_app() {
    let harness = DesktopHarness::start().await;
    let mut page = harness.socket().await;
    let (token, other) = (app::open(&harness, "board", "notes").await, app::open(&harness, "clock", "timer").await);
    let created = page.until(|it| it["data"]["actions"][0]["type"] == "window.create").await.pop().unwrap();
    assert_eq!(created["data"]["actions"][0]["token"], json!(token), "every tab learns it with the window");
    assert!(token.len() >= 32 && token != other);
    for wrong in [other.as_str(), "", &token[1..]] {
        let refused = app::ready(&harness, &mut page, "board", wrong).await.unwrap_err();
        assert_eq!(refused["code"], "forbidden", "{refused}");
        let did = json!({ "type": "app.interaction", "window_id": "board", "token": wrong, "text": "pressed" });
        let data = json!({ "session_id": harness.session, "interactions": [did] });
        assert_eq!(page.ask("user.interaction", data).await.unwrap_err()["code"], "forbidden");
    }
    harness.open("plain", markdown("No app.")).await;
    let refused = app::ready(&harness, &mut page, "plain", &token).await.unwrap_err();
    assert_eq!(refused["code"], "not_found", "{refused}");
    assert!(harness.window("board").await["app"].get("manifest").is_none());
    app::ready(&harness, &mut page, "board", &token).await.unwrap();
    assert_eq!(harness.window("board").await["app"]["manifest"]["name"], "board");
    let told = harness.rest.log(&harness.session).await;
    assert_eq!(told.iter().filter(|it| it["type"] == "app.ready").count(), 1);
    app::ready(&harness, &mut page, "board", &token).await.unwrap();
    let told = harness.rest.log(&harness.session).await;
    assert_eq!(told.iter().filter(|it| it["type"] == "app.ready").count(), 1, "saying the same again says nothing");
}

#[tokio::test]
async fn agents_ask_and_tell_and_each_answer_finds_its_request() {
    let (harness, mut page, token) = ready().await;
    let query = ("app_query", json!({ "window_id": "board", "key": "remaining" }));
    let turn = asks(&harness, &mut page, &token, query, json!({ "seconds": 42 })).await;
    let result = steps(&turn, "tool_result")[0];
    assert_eq!((&turn["status"], &result["status"]), (&json!("completed"), &json!("ok")));
    assert!(result["content"].as_str().unwrap().contains("42"), "{result}");

    // The first response of two tabs counts. A response to another request is refused.
    let mut other = harness.socket().await;
    harness.model.push(acts("app_query", json!({ "window_id": "board", "key": "all" })));
    let turn = harness.send(json!({ "message": "What is on the board?" })).await;
    let request = page.until(|it| it["type"] == "app.request").await.pop().unwrap();
    assert_eq!(request["data"]["request"], json!({ "type": "query", "key": "all" }));
    let id = &request["data"]["request_id"];
    let stray = json!("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    app::respond(&harness, &mut other, "board", &token, &stray, json!("stray")).await.unwrap();
    app::respond(&harness, &mut other, "board", &token, id, json!("from the second tab")).await.unwrap();
    app::respond(&harness, &mut page, "board", &token, id, json!("from the first tab")).await.unwrap();
    let turn = harness.ended(&turn).await;
    let told = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
    assert!(told.contains("from the second tab"), "{told}");
    let log = harness.rest.log(&harness.session).await;
    let answers = log.iter().filter(|it| it["type"] == "app.answered" && it["data"]["request_id"] == *id);
    assert_eq!(answers.count(), 1);

    let turn = harness
        .doing("Ask for something it has not.", [acts("app_query", json!({ "window_id": "board", "key": "mood" }))])
        .await;
    let told = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
    assert!(told.contains("the app has no `mood`; it has remaining, all"), "{told}");
}

#[tokio::test]
async fn an_app_that_says_no_or_nothing_is_told_to_the_model() {
    let (harness, mut page, token) = ready().await;
    harness.model.push(acts("app_query", json!({ "window_id": "board", "key": "all" })));
    let turn = harness.send(json!({ "message": "What is on the board?" })).await;
    let request = page.until(|it| it["type"] == "app.request").await.pop().unwrap();
    let data = json!({
        "session_id": harness.session, "window_id": "board", "token": token,
        "request_id": request["data"]["request_id"], "error": "the board is broken",
    });
    page.ask("app.response", data).await.unwrap();
    let turn = harness.ended(&turn).await;
    let told = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
    assert!(told.contains("refused: the board is broken"), "{told}");

    let (tool, arguments) = command("set", json!({ "to": 1 }));
    let turn = harness.doing("Set the board.", [acts(tool, arguments)]).await;
    let result = steps(&turn, "tool_result")[0];
    let told = result["content"].as_str().unwrap();
    assert!(result["status"] == "error" && told.contains("did not answer within 5 s"), "{result}");
    assert!(told.contains("query its state before trying again"), "{told}");
    assert_eq!((&turn["status"], &harness.desktop().await["app_requests"]), (&json!("completed"), &json!([])));
    let answered =
        page.until(|it| it["type"] == "app.answered" && it["turn_id"] == turn["turn_id"]).await.pop().unwrap();
    assert_eq!(answered["data"]["outcome"], "timed_out");
}

#[tokio::test]
async fn what_was_done_comes_back_compacted_after_a_reload() {
    let (harness, mut page, token) = ready().await;
    for call in [
        command("set", json!({ "to": 1 })),
        command("add", json!({ "id": "n1", "text": "milk" })),
        command("add", json!({ "id": "n2", "text": "eggs" })),
        command("set", json!({ "to": 2 })),
        command("add", json!({ "id": "n1", "text": "oat milk" })),
        command("drop", json!({ "id": "n2" })),
        command("blink", json!({})),
    ] {
        asks(&harness, &mut page, &token, call, json!("done")).await;
    }
    let did = json!({ "name": "add", "arguments": { "id": "n3", "text": "bread" } });
    let interaction = json!({
        "type": "app.interaction", "window_id": "board", "token": token, "text": "wrote a note", "did": did,
    });
    let data = json!({ "session_id": harness.session, "interactions": [interaction] });
    page.ask("user.interaction", data).await.unwrap();
    let expected = json!([
        { "name": "set", "arguments": { "to": 2 } },
        { "name": "add", "arguments": { "id": "n1", "text": "oat milk" } },
        { "name": "add", "arguments": { "id": "n3", "text": "bread" } },
    ]);
    assert_eq!(app::ready(&harness, &mut page, "board", &token).await.unwrap()["restore"], expected);
    let log = harness.rest.log(&harness.session).await;
    let told = log.iter().find(|it| it["type"] == "user.interaction").unwrap();
    assert!(!told.to_string().contains(&token), "the token is not stored: {told}");
    harness.say("What is new?").await;
    assert!(asked(&last(&harness.model)).contains("app:board wrote a note"), "{}", asked(&last(&harness.model)));

    let harness = harness.restart().await;
    let mut page = harness.socket().await;
    assert_eq!(app::ready(&harness, &mut page, "board", &token).await.unwrap()["restore"], expected);
    asks(&harness, &mut page, &token, command("clear", json!({})), json!("done")).await;
    let after = app::ready(&harness, &mut page, "board", &token).await.unwrap()["restore"].clone();
    assert_eq!(after, json!([{ "name": "clear", "arguments": {} }]));
}

#[tokio::test]
async fn closing_the_window_ends_the_wait_for_its_app() {
    let (harness, mut page, _) = ready().await;
    harness.model.push(acts("app_query", json!({ "window_id": "board", "key": "all" })));
    let turn = harness.send(json!({ "message": "What is on the board?" })).await;
    page.until(|it| it["type"] == "app.request").await;
    harness.does(json!([{ "type": "window.close", "window_id": "board" }])).await;
    let turn = harness.ended(&turn).await;
    let result = steps(&turn, "tool_result")[0];
    assert_eq!(turn["status"], "completed", "{turn}");
    assert!(result["content"].as_str().unwrap().contains("was closed before its app answered"), "{result}");
    assert_eq!(harness.desktop().await["app_requests"], json!([]));
}

#[tokio::test]
async fn a_locked_app_answers_but_is_told_nothing() {
    let (harness, mut page, token) = ready().await;
    harness.does(json!([{ "type": "window.lock", "window_id": "board" }])).await;
    let (tool, arguments) = command("set", json!({ "to": 1 }));
    let turn = harness.doing("Set the board.", [acts(tool, arguments)]).await;
    let told = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
    assert!(told.contains("is locked by the user"), "{told}");
    let query = ("app_query", json!({ "window_id": "board", "key": "all" }));
    let turn = asks(&harness, &mut page, &token, query, json!("nothing")).await;
    assert_eq!(steps(&turn, "tool_result")[0]["status"], "ok");
}
