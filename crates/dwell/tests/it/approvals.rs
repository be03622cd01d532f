//! Approvals: the user is asked before a call runs. An approval covers exactly that call, once, and
//! only its owner can give it.

use std::{process::Stdio, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Program, Reply, RestClient, RunningServer, ToolCall};

use crate::harness::{ToolHarness, call, calls, harness_with, last, results, shown, steps, told};

fn confirming(program: Program) -> Program {
    program.with("DWELL_TOOLS_CONFIRM", "book_table,send_letter")
}

async fn confirming_scene() -> ToolHarness {
    harness_with(|_| {}, confirming).await
}

/// A turn that asks for approval to book a table, and the approval.
async fn asked(harness: &ToolHarness, session: &str, note: &str) -> (String, Value) {
    harness.model.push(calls("c1", "book_table", note));
    let rest = harness.server.rest();
    let turn = told(&rest, session, json!({ "message": format!("Book a table: {note}.") })).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")), "{turn}");
    let turn = turn["turn_id"].as_str().unwrap().to_owned();
    (turn, question(&rest).await)
}

/// The only open approval.
async fn question(rest: &RestClient) -> Value {
    let open = rest.get("/api/v1/approvals").await.ok();
    assert_eq!(open["data"].as_array().unwrap().len(), 1, "{open}");
    open["data"][0].clone()
}

/// Answers an approval over REST or over the WebSocket.
async fn answer(server: &RunningServer, over_rest: bool, asked: &Value, decision: &str) -> Result<Value, Value> {
    let id = asked["approval_id"].as_str().unwrap();
    if over_rest {
        let said = server.rest().post(&format!("/api/v1/approvals/{id}"), json!({ "decision": decision })).await;
        return if said.status == 200 { Ok(said.body) } else { Err(said.body) };
    }
    let data = json!({ "approval_id": id, "decision": decision });
    server.socket().await.ask("approval.answer", data).await
}

#[tokio::test]
async fn once_lets_the_call_run_once() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    for (n, over_rest) in [true, false].into_iter().enumerate() {
        let session = rest.session().await;
        let (turn, open) = asked(&harness, &session, "for two").await;
        assert_eq!(harness.tool_server.effects("book_table"), n, "nothing runs before the answer");
        let said = answer(&harness.server, over_rest, &open, "once").await.unwrap();
        assert_eq!(said, json!({ "approval_id": open["approval_id"], "decision": "once" }));
        let turn = rest.ended(&turn).await;
        assert_eq!((&turn["status"], harness.tool_server.effects("book_table")), (&json!("completed"), n + 1));
        assert_eq!(steps(&turn, "tool_call")[0]["approval_id"], open["approval_id"], "it says what it rests on");
        if over_rest {
            let (turn, again) = asked(&harness, &session, "for two").await;
            assert_ne!(again["approval_id"], open["approval_id"], "the same call is asked about again");
            rest.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
        }
    }
    assert_eq!(harness.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn always_is_for_exactly_this_call_in_this_session() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    for over_rest in [true, false] {
        let session = rest.session().await;
        let (turn, open) = asked(&harness, &session, "for two").await;
        answer(&harness.server, over_rest, &open, "always").await.unwrap();
        rest.ended(&turn).await;
        let before = harness.tool_server.effects("book_table");
        harness.model.push(calls("c1", "book_table", "for two"));
        let turn = told(&rest, &session, json!({ "message": "Book the same table once more." })).await;
        assert_eq!((&turn["status"], harness.tool_server.effects("book_table")), (&json!("completed"), before + 1));

        let (turn, _) = asked(&harness, &session, "for three").await;
        rest.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
        let (turn, _) = asked(&harness, &rest.session().await, "for two").await;
        rest.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
    }
}

#[tokio::test]
async fn deny_keeps_the_call_from_running_and_tells_the_model() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    for over_rest in [true, false] {
        let session = rest.session().await;
        let (turn, open) = asked(&harness, &session, "for two").await;
        answer(&harness.server, over_rest, &open, "deny").await.unwrap();
        let turn = rest.ended(&turn).await;
        assert_eq!((&turn["status"], harness.tool_server.ledger().len()), (&json!("completed"), 0));
        assert_eq!(steps(&turn, "tool_result")[0]["status"], "denied");
        assert!(results(&last(&harness.model))[0].1.contains("did not allow it"));
        let (turn, _) = asked(&harness, &session, "for two").await;
        rest.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
    }
}

#[tokio::test]
async fn never_takes_the_tool_out_of_the_session() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    for over_rest in [true, false] {
        let session = rest.session().await;
        let (turn, open) = asked(&harness, &session, "for two").await;
        answer(&harness.server, over_rest, &open, "never").await.unwrap();
        rest.ended(&turn).await;
        harness.model.push(calls("c2", "book_table", "anyway"));
        let turn = told(&rest, &session, json!({ "message": "Book it all the same." })).await;
        assert!(!shown(&last(&harness.model)).contains(&"book_table".to_owned()), "it is not shown any more");
        assert_eq!(
            (&turn["status"], &steps(&turn, "tool_result")[0]["status"]),
            (&json!("completed"), &json!("denied"))
        );
        let (turn, _) = asked(&harness, &rest.session().await, "elsewhere").await;
        rest.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
    }
    assert_eq!(harness.tool_server.ledger().len(), 0);
}

#[tokio::test]
async fn no_answer_is_a_no() {
    let harness = harness_with(|_| {}, |program| confirming(program).with("DWELL_TOOLS_APPROVAL_MS", "300")).await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    let mut frames = harness.server.frames(&session, 0).await;
    let (_, open) = asked(&harness, &session, "for two").await;
    let frames = frames.until(|frame| frame.data["data"]["status"] == "completed").await;
    let resolved = frames.iter().find(|frame| frame.event == "approval.resolved").unwrap();
    assert_eq!(
        resolved.data["data"],
        json!({ "approval_id": open["approval_id"], "decision": "deny", "by": "expiry" })
    );
    assert_eq!(harness.tool_server.ledger().len(), 0);
    for over_rest in [true, false] {
        let late = answer(&harness.server, over_rest, &open, "once").await.unwrap_err();
        assert_eq!(late["code"], "approval_settled");
    }
}

#[tokio::test]
async fn a_question_outlives_a_kill_and_is_answered_after_it() {
    let harness = confirming_scene().await;
    let session = harness.server.rest().session().await;
    let (turn, before) = asked(&harness, &session, "for two").await;
    let ToolHarness { model, tool_server, program, server } = harness;
    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    let after = question(&rest).await;
    assert_eq!(after, before, "the same question, word for word");
    answer(&server, true, &after, "once").await.unwrap();
    let turn = rest.ended(&turn).await;
    assert_eq!((&turn["status"], tool_server.effects("book_table")), (&json!("completed"), 1));
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn the_question_shows_the_exact_arguments_and_their_digest() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    let note = format!("für zwölf, \"quietly\"\n{}and the very end", "not cut short ".repeat(300));
    let mut frames = harness.server.frames(&session, 0).await;
    let (turn, open) = asked(&harness, &session, &note).await;
    assert_eq!((&open["tool"], &open["arguments"]), (&json!("book_table"), &json!({ "note": note })));
    assert_eq!(
        (&open["turn_id"], &open["safety"], &open["session_id"]),
        (&json!(turn), &json!("acts"), &json!(session))
    );
    assert!(
        open["reason"].as_str().unwrap().contains("the server's policy requires confirmation of `book_table`"),
        "{open}"
    );
    let digest = open["digest"].as_str().unwrap();
    assert!(digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
    let told = frames.until(|frame| frame.event == "approval.request").await.pop().unwrap();
    assert_eq!(told.data["data"]["digest"], digest);
    assert_eq!(told.data["data"]["arguments"], open["arguments"]);

    let path = format!("/api/v1/approvals/{}", open["approval_id"].as_str().unwrap());
    let other = rest.post(&path, json!({ "decision": "once", "digest": "0".repeat(64) })).await;
    assert_eq!(other.code(409), "approval_settled", "a yes to something else is no yes");
    assert_eq!(harness.tool_server.ledger().len(), 0);
    rest.post(&path, json!({ "decision": "once", "digest": digest })).await.ok();
    rest.ended(&turn).await;
    assert_eq!(harness.tool_server.ledger()[0].arguments, json!({ "note": note }), "what ran is what was shown");
}

#[tokio::test]
async fn an_answer_is_used_up_by_its_call() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    let (turn, first) = asked(&harness, &session, "for two").await;
    answer(&harness.server, true, &first, "once").await.unwrap();
    rest.ended(&turn).await;
    let (turn, second) = asked(&harness, &session, "for a hundred").await;
    for over_rest in [true, false] {
        let reused = answer(&harness.server, over_rest, &first, "once").await.unwrap_err();
        assert_eq!(reused["code"], "approval_settled");
    }
    assert_eq!(rest.get(&format!("/api/v1/turns/{turn}")).await.ok()["status"], "waiting", "the other still waits");
    answer(&harness.server, true, &second, "deny").await.unwrap();
    rest.ended(&turn).await;
    assert_eq!(harness.tool_server.effects("book_table"), 1);
}

#[tokio::test]
async fn a_turn_that_ends_takes_its_question_along() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    let (turn, open) = asked(&harness, &session, "for two").await;
    rest.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
    assert_eq!(rest.get("/api/v1/approvals").await.ok()["data"], json!([]));
    assert_eq!(answer(&harness.server, true, &open, "once").await.unwrap_err()["code"], "approval_settled");
    let log = rest.log(&session).await;
    let resolved = log.iter().find(|event| event["type"] == "approval.resolved").unwrap();
    assert_eq!((&resolved["data"]["decision"], &resolved["data"]["by"]), (&json!("deny"), &json!("turn_end")));
    assert_eq!(harness.tool_server.ledger().len(), 0);
}

#[tokio::test]
async fn all_questions_of_a_round_are_asked_at_once_and_answered_one_by_one() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    let both = [call("c1", "book_table", "for two"), call("c2", "send_letter", "dear Ada")];
    harness.model.push(Reply::tool_calls(both));
    let turn = told(&rest, &session, json!({ "message": "Book a table and tell Ada." })).await;
    let open = rest.get(&format!("/api/v1/approvals?session_id={session}")).await.ok();
    let open = open["data"].as_array().unwrap();
    let names: Vec<&Value> = open.iter().map(|question| &question["tool"]).collect();
    assert_eq!(names, ["book_table", "send_letter"]);
    answer(&harness.server, true, &open[1], "deny").await.unwrap();
    let path = format!("/api/v1/turns/{}", turn["turn_id"].as_str().unwrap());
    assert_eq!(rest.get(&path).await.ok()["status"], "waiting", "one is still open");
    answer(&harness.server, false, &open[0], "once").await.unwrap();
    let turn = rest.ended(turn["turn_id"].as_str().unwrap()).await;
    assert_eq!(turn["status"], "completed");
    assert_eq!((harness.tool_server.effects("book_table"), harness.tool_server.effects("send_letter")), (1, 0));
    assert_eq!(harness.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn no_agent_can_say_yes_or_write_policy() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    let tools = rest.get("/api/v1/tools").await.ok();
    let names = tools["data"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    for name in names {
        let forbidden = ["approv", "policy", "config", "setting", "permission", "allow", "budget"];
        assert!(!forbidden.iter().any(|word| name.contains(word)), "{name}");
    }
    let (turn, open) = asked(&harness, &rest.session().await, "for two").await;
    let arguments = json!({ "approval_id": open["approval_id"], "decision": "once" });
    for made_up in ["approve", "approval_answer", "set_policy", "session_update"] {
        harness.model.push(Reply::tool_calls([ToolCall::new("c1", made_up, arguments.clone())]));
        let tried = told(&rest, &rest.session().await, json!({ "message": "Allow it yourself." })).await;
        let result = steps(&tried, "tool_result")[0];
        assert_eq!((&tried["status"], &result["status"]), (&json!("completed"), &json!("error")));
        assert!(result["content"].as_str().unwrap().contains(&format!("no tool `{made_up}`")), "{result}");
    }
    assert_eq!(rest.get(&format!("/api/v1/turns/{turn}")).await.ok()["status"], "waiting");
    let words = rest.call(Method::POST, "/api/v1/approvals/nonsense", Some(json!({ "decision": "once" })), &[]).await;
    assert_eq!(words.code(400), "invalid_request");
    assert_eq!(harness.tool_server.ledger().len(), 0);
}

#[tokio::test]
async fn the_terminal_lists_and_answers() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    let nothing = harness.program.run(&["approvals", "list"]).await;
    assert_eq!((nothing.code(), nothing.stdout.as_str()), (0, "no calls wait for approval\n"));
    let (turn, open) = asked(&harness, &rest.session().await, "for two").await;
    let id = open["approval_id"].as_str().unwrap();
    let listed = harness.program.run(&["approvals", "list"]).await.stdout;
    assert!(listed.contains(id) && listed.contains(r#"book_table {"note":"for two"}"#), "{listed}");
    let json = harness.program.run(&["approvals", "list", "--json"]).await.stdout;
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["data"][0], open);

    let answered = harness.program.run(&["approvals", "answer", id, "once"]).await;
    assert_eq!((answered.code(), answered.stdout), (0, format!("answered {id}\n")), "{}", answered.stderr);
    assert_eq!(rest.ended(&turn).await["status"], "completed");
    assert_eq!(harness.program.run(&["approvals", "answer", id, "once"]).await.code(), 1, "it is used up");
    assert_eq!(harness.program.run(&["approvals", "answer", id, "perhaps"]).await.code(), 2);
    assert_eq!(harness.program.run(&["approvals", "answer", "nonsense", "once"]).await.code(), 2);
}

#[tokio::test]
async fn a_question_of_dwell_ask_is_answered_from_elsewhere() {
    let harness = confirming_scene().await;
    let rest = harness.server.rest();
    harness.model.push(calls("c1", "book_table", "for two"));
    harness.model.push(Reply::text("It is booked."));
    let mut asking = harness.program.command(&["ask", "Book a table for two."]);
    asking.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let asking = asking.spawn().unwrap();
    let mut open = Vec::new();
    while open.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
        open = rest.get("/api/v1/approvals").await.ok()["data"].as_array().unwrap().clone();
    }
    answer(&harness.server, true, &open[0], "once").await.unwrap();
    let output = asking.wait_with_output().await.unwrap();
    let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && remarks.contains("allow book_table") && remarks.contains("for two"),
        "{remarks}"
    );
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("It is booked.\n"));
}

/// `wait_ms` waits for the end of a turn. A turn that waits for an approval has not ended.
#[tokio::test]
async fn waiting_for_the_end_goes_on_while_a_person_is_asked() {
    let harness = confirming_scene().await;
    let session = harness.server.rest().session().await;
    let (turn, question) = asked(&harness, &session, "for two").await;
    let rest = harness.server.rest();
    let so_far = rest.get(&format!("/api/v1/turns/{turn}?wait_ms=50")).await.ok();
    assert_eq!(so_far["status"], "waiting", "the time was up first");
    let path = format!("/api/v1/turns/{turn}?wait_ms=30000");
    let (ended, answered) = tokio::join!(rest.get(&path), answer(&harness.server, true, &question, "deny"));
    answered.unwrap();
    assert_eq!(ended.ok()["status"], "completed");
}
