//! Calls whose outcome is unknown without a crash: the endpoint fails, breaks the connection, or
//! does not answer.

use serde_json::{Value, json};
use testkit::RestClient;
use tokio::net::TcpListener;

use super::harness::{EffectsHarness, TASK, check_log, steps};

/// Starts the turn; returns it after it has ended or while it waits, and the session.
async fn ask(rest: &RestClient) -> (Value, String) {
    let session = rest.session().await;
    let turn = rest.send(&session, TASK).await;
    (rest.ended(&turn).await, session)
}

/// The tool declarations with a short timeout.
fn impatient(toml: String) -> String {
    toml.replace("[[tool]]\n", "[[tool]]\ntimeout_ms = 1000\n")
}

/// The only result in a session's journal.
async fn result(rest: &RestClient, session: &str) -> Value {
    let log = rest.log(session).await;
    check_log(&log);
    let results: Vec<&Value> = steps(&log, "tool_result").collect();
    assert_eq!(results.len(), 1);
    results[0].clone()
}

#[tokio::test]
async fn what_must_not_happen_twice_is_asked_about() {
    for (happened, outcome, status, effects) in
        [(true, "happened", "assumed", 1), (false, "did_not_happen", "ok", 1), (true, "did_not_happen", "ok", 2)]
    {
        let harness = EffectsHarness::set_for("send_letter").await;
        if happened {
            harness.tool_server.fail_after("send_letter", 500);
        } else {
            harness.tool_server.fail("send_letter", 502);
        }
        let server = harness.program.start().await;
        let rest = server.rest();
        let (turn, session) = ask(&rest).await;
        assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("outcome_unknown")));
        let call = json!({
            "call_id": "call_send_letter", "tool": "send_letter", "arguments": { "note": "for send_letter" },
        });
        assert_eq!(turn["question"]["calls"], json!([call]));
        let turn = turn["turn_id"].as_str().unwrap();

        let path = format!("/api/v1/turns/{turn}/resume");
        assert_eq!(rest.post(&path, json!({})).await.code(409), "outcome_needed", "it continues only with an answer");
        let other = rest.post(&path, json!({ "outcome": outcome, "call_id": "call_other" })).await;
        assert_eq!(other.code(409), "outcome_needed", "about this call, not about another");
        harness.tool_server.recover("send_letter");
        rest.post(&path, json!({ "outcome": outcome })).await.ok();
        let ended = rest.ended(turn).await;
        assert_eq!((&ended["status"], &ended["attempts"]), (&json!("completed"), &json!(2)), "{ended}");
        assert_eq!(result(&rest, &session).await["status"], status);
        assert_eq!(harness.tool_server.effects("send_letter"), effects, "it is done as often as the person says");
        assert_eq!(harness.model.violations(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn what_can_be_looked_up_is_looked_up() {
    for (trouble, status, told, effects) in [
        ("it fails when it is done", "ok", "\"number\":1", 1),
        ("it fails before", "error", "it had not happened by then", 0),
        ("it is done and says nothing", "ok", "\"number\":1", 1),
    ] {
        let harness = EffectsHarness::set_for_changed("book_table", impatient).await;
        match trouble {
            "it fails when it is done" => harness.tool_server.fail_after("book_table", 500),
            "it fails before" => harness.tool_server.fail("book_table", 500),
            _ => harness.tool_server.hold("book_table"),
        }
        let server = harness.program.start().await;
        let rest = server.rest();
        let (turn, session) = ask(&rest).await;
        assert_eq!(turn["status"], "completed", "the user is not asked: {turn}");
        let result = result(&rest, &session).await;
        assert_eq!(result["status"], status);
        assert!(result["content"].as_str().unwrap().contains(told), "{result}");
        assert_eq!((harness.tool_server.look_ups().len(), harness.tool_server.effects("book_table")), (1, effects));
    }
}

#[tokio::test]
async fn what_cannot_be_looked_up_at_the_moment_is_asked_about() {
    let harness = EffectsHarness::set_for("book_table").await;
    harness.tool_server.fail_after("book_table", 500);
    harness.tool_server.fail("look_up", 503);
    let server = harness.program.start().await;
    let rest = server.rest();
    let (turn, session) = ask(&rest).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("outcome_unknown")));
    assert_eq!(turn["question"]["calls"][0]["tool"], "book_table");
    let asked = turn["question"]["text"].as_str().unwrap();
    assert!(!asked.contains("server stopped") && asked.ends_with("Did it happen?"), "it says what went wrong: {asked}");

    // The turn still waits after a restart, and then gets its answer.
    server.kill().await;
    let server = harness.program.start().await;
    let rest = server.rest();
    let (turn, answers) = harness.see_through(&rest, turn["turn_id"].as_str().unwrap()).await;
    assert_eq!((&turn["status"], answers), (&json!("completed"), vec!["happened"]));
    assert_eq!(result(&rest, &session).await["status"], "assumed");
    assert_eq!(harness.tool_server.effects("book_table"), 1);
}

#[tokio::test]
async fn what_may_happen_again_is_an_error_that_the_model_reads() {
    for (tool, tries) in [("look_at_sky", 1), ("set_label", 2)] {
        let harness = EffectsHarness::set_for(tool).await;
        harness.tool_server.fail_after(tool, 503);
        let server = harness.program.start().await;
        let rest = server.rest();
        let (turn, session) = ask(&rest).await;
        assert_eq!(turn["status"], "completed", "the user is not asked: {turn}");
        let result = result(&rest, &session).await;
        assert_eq!(result["status"], "error");
        assert!(result["content"].as_str().unwrap().contains("503"), "{result}");
        assert_eq!(harness.entries(tool).len(), tries, "only idempotent calls are retried automatically");
        assert_eq!(harness.tool_server.effects(tool), 1, "and takes effect once");
    }
}

/// The address of an endpoint that breaks every connection, and one where no server listens.
async fn breaking() -> (String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let breaking = format!("http://{}/at_most_once", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            stream.readable().await.unwrap();
            drop(stream);
        }
    });
    let none = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let refusing = format!("http://{}/at_most_once", none.local_addr().unwrap());
    (breaking, refusing)
}

#[tokio::test]
async fn a_connection_that_breaks_leaves_a_doubt_and_one_that_is_refused_none() {
    let (breaking, refusing) = breaking().await;
    for (address, status, reason) in
        [(breaking, "waiting", json!("outcome_unknown")), (refusing, "completed", Value::Null)]
    {
        let change = |toml: String| {
            let lines = toml.lines().map(|line| match line.ends_with("/at_most_once\"") {
                true => format!("url = \"{address}\"\n"),
                false => format!("{line}\n"),
            });
            lines.collect()
        };
        let harness = EffectsHarness::set_for_changed("send_letter", change).await;
        let server = harness.program.start().await;
        let rest = server.rest();
        let (turn, session) = ask(&rest).await;
        assert_eq!((&turn["status"], &turn["reason"]), (&json!(status), &reason), "{turn}");
        if status == "completed" {
            let result = result(&rest, &session).await;
            assert_eq!(result["status"], "error");
            assert!(result["content"].as_str().unwrap().contains("nothing was sent"), "{result}");
        }
    }
}

#[tokio::test]
async fn silence_is_a_doubt_too() {
    let harness = EffectsHarness::set_for_changed("send_letter", impatient).await;
    harness.tool_server.hold("send_letter");
    let server = harness.program.start().await;
    let rest = server.rest();
    let (turn, _) = ask(&rest).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("outcome_unknown")));
    let (turn, answers) = harness.see_through(&rest, turn["turn_id"].as_str().unwrap()).await;
    assert_eq!((&turn["status"], answers), (&json!("completed"), vec!["happened"]));
    assert_eq!(harness.tool_server.effects("send_letter"), 1);
}

/// Removes a tool from the owner's file.
fn undeclare(harness: &EffectsHarness, tool: &str) {
    let file = harness.program.folder().join("tools.toml");
    let declared = std::fs::read_to_string(&file).unwrap();
    let kept = declared.split("[[tool]]").filter(|part| part.contains("name") && !part.contains(tool));
    std::fs::write(&file, kept.map(|part| format!("[[tool]]{part}")).collect::<String>()).unwrap();
}

#[tokio::test]
async fn a_tool_that_is_gone_after_a_restart_leaves_no_turn_stuck() {
    for (tool, status, answers) in [
        ("look_at_sky", "error", vec![]),
        ("set_label", "error", vec![]),
        ("book_table", "assumed", vec!["happened"]),
        ("send_letter", "assumed", vec!["happened"]),
    ] {
        let harness = EffectsHarness::set_for(tool).await;
        let server = harness.program.start().await;
        let rest = server.rest();
        let session = rest.session().await;
        harness.tool_server.hold(tool);
        let mut socket = server.socket().await;
        socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
        let turn = rest.send(&session, TASK).await;
        socket.until(|message| message["data"]["type"] == "tool_call").await;
        harness.tool_server.until(|tool_server| tool_server.waiting(tool) == 1).await;
        server.kill().await;
        undeclare(&harness, tool);

        let server = harness.program.start().await;
        let rest = server.rest();
        let seen = tokio::time::timeout(std::time::Duration::from_secs(10), harness.see_through(&rest, &turn)).await;
        let (turn, answered) = seen.unwrap_or_else(|_| panic!("{tool}: it asks over and over"));
        assert_eq!((&turn["status"], answered), (&json!("completed"), answers), "{turn}");
        assert_eq!(result(&rest, &session).await["status"], status);
        assert_eq!(harness.tool_server.effects(tool), 1);
    }
}
