//! Approvals as elicitations of the client's user: exactly the approved call runs, once, and only
//! after a yes.

use serde_json::{Value, json};
use testkit::{McpClient, McpWire, PostgresCluster, Program, Reply};

use super::{asking, every_way, plain, text, with_tasks};
use crate::{
    harness::{ToolHarness, calls, harness_with},
    owners,
};

fn confirming(program: Program) -> Program {
    program.with("DWELL_TOOLS_CONFIRM", "book_table,send_letter")
}

async fn confirming_scene() -> ToolHarness {
    harness_with(|_| {}, confirming).await
}

/// The parameters of two requests that lead to a call that needs approval: a direct call, and a
/// message whose turn makes the call.
async fn ways_to_book(mcp: &McpClient, note: &str) -> [Value; 2] {
    let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
    let message = json!({ "session_id": session, "message": "Book a table for two.", "timeout_ms": 30000 });
    [
        json!({ "name": "book_table", "arguments": { "note": note } }),
        json!({ "name": "send_message", "arguments": message }),
    ]
}

/// Lets the model make the call if the request is a message.
fn script(harness: &ToolHarness, request: &Value, note: &str) {
    if request["name"] == "send_message" {
        harness.model.push(calls("c1", "book_table", note));
        harness.model.push(Reply::text("As you say."));
    }
}

/// The only question in an answer: its name, and the state that the client keeps.
#[track_caller]
fn question(result: &Value) -> (String, Value) {
    assert_eq!(result["resultType"], "input_required", "{result}");
    let requests = result["inputRequests"].as_object().unwrap();
    assert_eq!(requests.len(), 1, "{result}");
    let (name, request) = requests.iter().next().unwrap();
    assert_eq!(request["method"], "elicitation/create", "{request}");
    let words = text(&request["params"]["message"]);
    assert!(words.contains("book_table") && words.contains("for two"), "{words}");
    assert_eq!(request["params"]["requestedSchema"]["required"], json!(["confirm"]));
    (name.clone(), result["requestState"].clone())
}

/// The request again, with an answer to the question.
fn answered(request: &Value, question: &(String, Value), answer: &Value) -> Value {
    let mut request = request.clone();
    request["inputResponses"] = json!({ &question.0: answer });
    request["requestState"] = question.1.clone();
    request
}

fn yes() -> Value {
    json!({ "action": "accept", "content": { "confirm": true } })
}

#[tokio::test]
async fn a_yes_lets_the_call_run_once_however_often_it_is_said() {
    let harness = confirming_scene().await;
    for mcp in [harness.server.mcp(McpWire::Alone, asking()).await, harness.program.mcp(McpWire::Alone, asking()).await]
    {
        for request in ways_to_book(&mcp, "for two").await {
            let before = harness.tool_server.effects("book_table");
            script(&harness, &request, "for two");
            let question = question(&mcp.ask("tools/call", request.clone()).await.unwrap());
            assert_eq!(harness.tool_server.effects("book_table"), before, "nothing runs before the answer");
            let said = answered(&request, &question, &yes());
            let first = mcp.ask("tools/call", said.clone()).await.unwrap();
            assert_ne!(first["isError"], true, "{first}");
            assert_eq!(harness.tool_server.effects("book_table"), before + 1);
            // The same answer again, as a client that retries sends it, gives the same turn.
            let again = mcp.ask("tools/call", said.clone()).await.unwrap();
            assert_eq!(harness.tool_server.effects("book_table"), before + 1, "nothing runs twice");
            let id = |result: &Value| result["structuredContent"]["continuation_id"].clone();
            assert_eq!((id(&again), &again["content"]), (id(&first), &first["content"]));
        }
    }
    assert_eq!(harness.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn many_who_say_yes_at_once_let_it_run_once() {
    let harness = confirming_scene().await;
    let mcp = harness.server.mcp(McpWire::Alone, asking()).await;
    let [request, _] = ways_to_book(&mcp, "for two").await;
    let question = question(&mcp.ask("tools/call", request.clone()).await.unwrap());
    let said = answered(&request, &question, &yes());
    let saying: Vec<_> = (0..10).map(|_| mcp.begin("tools/call", said.clone())).collect();
    for pending in saying {
        let result = pending.end().await.unwrap().unwrap();
        assert_ne!(result["isError"], true, "{result}");
    }
    assert_eq!(harness.tool_server.effects("book_table"), 1);
}

#[tokio::test]
async fn a_no_keeps_the_call_from_running_and_looking_away_keeps_the_question() {
    let harness = confirming_scene().await;
    let mcp = harness.server.mcp(McpWire::Alone, asking()).await;
    for request in ways_to_book(&mcp, "for two").await {
        for no in [json!({ "action": "decline" }), json!({ "action": "accept", "content": { "confirm": false } })] {
            script(&harness, &request, "for two");
            let asked = question(&mcp.ask("tools/call", request.clone()).await.unwrap());
            // Neither a dismissed form nor an invalid answer settles the question.
            for unsettled in [
                json!({ "action": "cancel" }),
                json!({ "action": "accept", "content": {} }),
                json!({ "action": "accept", "content": { "confirm": "yes" } }),
                json!({ "action": "accept" }),
                json!({ "action": "perhaps" }),
                json!("yes"),
            ] {
                let again = mcp.ask("tools/call", answered(&request, &asked, &unsettled)).await.unwrap();
                assert_eq!(question(&again).0, asked.0, "{unsettled}: the same question is open");
            }
            let refused = mcp.ask("tools/call", answered(&request, &asked, &no)).await.unwrap();
            assert_eq!(refused["isError"] == true, request["name"] == "book_table", "{refused}");
            // A yes after the no has no effect.
            mcp.ask("tools/call", answered(&request, &asked, &yes())).await.unwrap();
            assert_eq!(harness.tool_server.ledger().len(), 0, "nothing has happened");
        }
    }
}

#[tokio::test]
async fn state_that_was_not_given_for_this_call_is_refused() {
    let harness = confirming_scene().await;
    let token = owners::add(&harness.program, "ada").await;
    let mcp = harness.server.mcp(McpWire::Alone, asking()).await;
    let ada = harness.server.mcp_as(&token, McpWire::Alone, asking()).await;
    let [request, _] = ways_to_book(&mcp, "for two").await;
    let asked = question(&mcp.ask("tools/call", request.clone()).await.unwrap());
    let said = answered(&request, &asked, &yes());

    let changed = |change: &dyn Fn(&mut Value)| {
        let mut said = said.clone();
        change(&mut said);
        said
    };
    let state = text(&asked.1);
    let middle = state.len() / 2;
    let flipped = if &state[middle..=middle] == "A" { "B" } else { "A" };
    let tampered = format!("{}{flipped}{}", &state[..middle], &state[middle + 1..]);
    for (what, client, request) in [
        ("another owner's", &ada, said.clone()),
        ("with other arguments", &mcp, changed(&|said| said["arguments"]["note"] = json!("for two hundred"))),
        ("for another tool", &mcp, changed(&|said| said["name"] = json!("send_letter"))),
        ("tampered with", &mcp, changed(&|said| said["requestState"] = json!(tampered))),
        ("cut short", &mcp, changed(&|said| said["requestState"] = json!(&state[..state.len() - 1]))),
        ("made up", &mcp, changed(&|said| said["requestState"] = json!("eyJ0dXJuIjoxfQ"))),
        ("empty", &mcp, changed(&|said| said["requestState"] = json!(""))),
    ] {
        let error = client.ask("tools/call", request).await.unwrap_err();
        assert_eq!(error["code"], -32602, "{what}: {error}");
        assert!(text(&error["message"]).contains("request state"), "{what}: {error}");
        assert_eq!(harness.tool_server.ledger().len(), 0, "{what}");
    }
    // An answer without the state is a new call, which needs an approval of its own.
    let stateless =
        mcp.ask("tools/call", changed(&|said| drop(said.as_object_mut().unwrap().remove("requestState")))).await;
    assert_ne!(question(&stateless.unwrap()).0, asked.0);
    assert_eq!(harness.tool_server.ledger().len(), 0);
    let done = mcp.ask("tools/call", said).await.unwrap();
    assert!(done["isError"] != true && harness.tool_server.effects("book_table") == 1, "{done}");
}

#[tokio::test]
async fn state_opens_after_a_restart() {
    let harness = confirming_scene().await;
    let mcp = harness.server.mcp(McpWire::Alone, asking()).await;
    let requests = ways_to_book(&mcp, "for two").await;
    let mut asked = Vec::new();
    for request in &requests {
        script(&harness, request, "for two");
        asked.push(question(&mcp.ask("tools/call", request.clone()).await.unwrap()));
    }
    let ToolHarness { model: _model, tool_server, program, server } = harness;
    server.kill().await;
    let server = program.start().await;
    let mcp = server.mcp(McpWire::Alone, asking()).await;
    for (request, asked) in requests.iter().zip(&asked) {
        let done = mcp.ask("tools/call", answered(request, asked, &yes())).await.unwrap();
        assert!(done["resultType"] != "input_required" && done["isError"] != true, "{done}");
    }
    assert_eq!(tool_server.effects("book_table"), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn state_opens_on_another_node() {
    let cluster = tokio::task::spawn_blocking(PostgresCluster::shared).await.unwrap();
    let url = cluster.database();
    let harness = harness_with(|_| {}, |program| confirming(program).with("DWELL_STORE_URL", &url)).await;
    let mcp = harness.server.mcp(McpWire::Alone, asking()).await;
    let [request, _] = ways_to_book(&mcp, "for two").await;
    let asked = question(&mcp.ask("tools/call", request.clone()).await.unwrap());
    let file = harness.program.folder().join("tools.toml");
    let other = confirming(crate::program().with_model(&harness.model)).with("DWELL_STORE_URL", &url);
    let other = other.with("DWELL_TOOLS_FILE", file.to_str().unwrap()).with("DWELL_TOOLS_ACTUATION", "true");
    let ToolHarness { model: _model, tool_server, program: _program, server } = harness;
    // Its session is free for the other node.
    server.stop().await;
    let server = other.start().await;
    let mcp = server.mcp(McpWire::Alone, asking()).await;
    let done = mcp.ask("tools/call", answered(&request, &asked, &yes())).await.unwrap();
    assert!(done["resultType"] != "input_required" && done["isError"] != true, "{done}");
    assert_eq!(tool_server.effects("book_table"), 1);
}

/// In the 2025-11-25 version the question is a request of the server, on the stream of the call or
/// on standard output.
#[tokio::test]
async fn clients_with_a_session_are_asked_while_their_call_is_open() {
    let harness = confirming_scene().await;
    for mcp in
        [harness.server.mcp(McpWire::Session, asking()).await, harness.program.mcp(McpWire::Session, asking()).await]
    {
        for request in ways_to_book(&mcp, "for two").await {
            for (answer, happens) in
                [(yes(), 1), (json!({ "action": "decline" }), 0), (json!({ "action": "cancel" }), 0)]
            {
                let before = harness.tool_server.effects("book_table");
                script(&harness, &request, "for two");
                let pending = mcp.begin("tools/call", request.clone());
                let asked = mcp.received("elicitation/create").await;
                assert!(text(&asked["params"]["message"]).contains("for two"), "{asked}");
                assert_eq!(harness.tool_server.effects("book_table"), before, "nothing runs before the answer");
                mcp.reply(&asked, answer.clone()).await;
                let done = pending.end().await.unwrap().unwrap();
                assert_eq!(harness.tool_server.effects("book_table"), before + happens, "{answer}: {done}");
                if answer["action"] == "cancel" {
                    assert!(done.to_string().contains("waiting"), "the question stays: {done}");
                    // Cancels the turn, so that the next ones do not wait for it.
                    let open = harness.server.rest().get("/api/v1/approvals").await.ok();
                    let turn = text(&open["data"][0]["turn_id"]);
                    mcp.data("cancel", json!({ "continuation_id": turn })).await;
                    // Uses up the model's remaining reply.
                    drain(&harness, &request).await;
                }
            }
        }
    }
}

/// Uses up the model reply that a cancelled turn did not take.
async fn drain(harness: &ToolHarness, request: &Value) {
    if request["name"] == "send_message" {
        let rest = harness.server.rest();
        let turn = rest.send(&rest.session().await, "what was left").await;
        rest.ended(&turn).await;
    }
}

#[tokio::test]
async fn the_question_of_a_task_is_answered_by_updating_it() {
    let harness = confirming_scene().await;
    let mut capabilities = with_tasks();
    capabilities["elicitation"] = json!({ "form": {} });
    let mcp = harness.server.mcp(McpWire::Alone, capabilities).await;
    for request in ways_to_book(&mcp, "for two").await {
        let before = harness.tool_server.effects("book_table");
        script(&harness, &request, "for two");
        let created = mcp.ask("tools/call", request.clone()).await.unwrap();
        assert_eq!(created["resultType"], "task", "{created}");
        let got = async || mcp.ask("tasks/get", json!({ "taskId": created["taskId"] })).await.unwrap();
        let asked = loop {
            let task = got().await;
            if task["status"] == "input_required" {
                break task;
            }
            assert_eq!(task["status"], "working", "{task}");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        };
        let name = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
        let update = |answer: Value| json!({ "taskId": created["taskId"], "inputResponses": { &name: answer } });
        mcp.ask("tasks/update", update(json!({ "action": "cancel" }))).await.unwrap();
        assert_eq!(got().await["status"], "input_required", "the question stays");
        for _ in 0..2 {
            mcp.ask("tasks/update", update(yes())).await.unwrap();
        }
        let done = loop {
            let task = got().await;
            if task["status"] == "completed" {
                break task;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        };
        assert_ne!(done["result"]["isError"], true, "{done}");
        assert_eq!(harness.tool_server.effects("book_table"), before + 1);
    }
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_told_what_waits_and_how_to_allow_it() {
    let harness = confirming_scene().await;
    for (way, mcp) in every_way(&harness.program, &harness.server, &plain()).await {
        for request in ways_to_book(&mcp, "for two").await {
            let before = harness.tool_server.effects("book_table");
            script(&harness, &request, "for two");
            let told = mcp.ask("tools/call", request.clone()).await.unwrap();
            let words = text(&told["content"][0]["text"]);
            assert!(words.contains("book_table") && words.contains("for two"), "{way}: {words}");
            let open = harness.server.rest().get("/api/v1/approvals").await.ok();
            let id = text(&open["data"][0]["approval_id"]);
            assert!(words.contains(&format!("dwell approvals answer {id} once")), "{way}: {words}");
            let turn = &open["data"][0]["turn_id"];
            assert!(words.contains(turn.as_str().unwrap()), "{way}: {words}");
            let answered = harness.program.run(&["approvals", "answer", &id, "once"]).await;
            assert_eq!(answered.code(), 0, "{answered:?}");
            let done = mcp.call("await_continuation", json!({ "continuation_id": turn })).await.unwrap();
            assert_ne!(done["isError"], true, "{way}: {done}");
            assert_eq!(harness.tool_server.effects("book_table"), before + 1);
        }
    }
}
