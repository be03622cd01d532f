//! Turns as tasks: a client that supports tasks gets one at once and finds it again after any
//! restart of the server.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use testkit::{McpClient, McpWire, Reply};

use super::{held, plain, text, with_tasks};
use crate::{
    access::NOWHERE,
    harness::harness,
    kill::{SeededRandom, setting},
    owners, started,
};

async fn get(mcp: &McpClient, task: &str) -> Value {
    mcp.ask("tasks/get", json!({ "taskId": task })).await.unwrap_or_else(|error| panic!("{task}: {error}"))
}

/// Waits until a task has this status.
async fn until(mcp: &McpClient, task: &str, status: &str) -> Value {
    for _ in 0..1500 {
        let got = get(mcp, task).await;
        if got["status"] == status {
            return got;
        }
        // A turn that was interrupted too often waits until it is resumed.
        if got["statusMessage"].as_str().is_some_and(|words| words.contains("resume")) {
            mcp.data("resume", json!({ "continuation_id": task })).await;
        }
        assert!(["working", "input_required"].contains(&got["status"].as_str().unwrap()), "not {status}: {got}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{task} never was {status}: {}", get(mcp, task).await)
}

/// The id of the task in a call's result.
#[track_caller]
fn created(result: &Value) -> String {
    assert_eq!(result["resultType"], "task", "{result}");
    text(&result["taskId"])
}

#[tokio::test]
async fn a_message_and_a_question_are_tasks_for_clients_that_know_them() {
    let harness = harness().await;
    for mcp in [
        harness.server.mcp(McpWire::Alone, with_tasks()).await,
        harness.program.mcp(McpWire::Alone, with_tasks()).await,
    ] {
        let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
        for (tool, arguments) in [
            ("send_message", json!({ "session_id": session, "message": "Is it clear tonight?" })),
            ("ask", json!({ "message": "Is it clear tonight?" })),
        ] {
            let pending = held(&harness, &mcp, tool, arguments).await;
            let result = pending.end().await.unwrap().unwrap();
            let task = created(&result);
            assert_eq!(result["status"], "working", "{result}");
            let working = get(&mcp, &task).await;
            assert_eq!((&working["status"], &working["taskId"]), (&json!("working"), &json!(task)));
            assert!(working["pollIntervalMs"].is_u64() && working.get("result").is_none(), "{working}");
            harness.tool_server.release("look_at_sky");
            let completed = until(&mcp, &task, "completed").await;
            let awaited = mcp.call("await_continuation", json!({ "continuation_id": task })).await.unwrap();
            assert_eq!(completed["result"]["structuredContent"], awaited["structuredContent"]);
            assert_eq!(completed["result"]["content"], awaited["content"]);
            let said = &awaited["structuredContent"]["response"]["final_message"];
            assert_eq!(said, "You said: Is it clear tonight?", "{tool}");
        }
    }
}

#[tokio::test]
async fn a_client_that_does_not_know_tasks_is_given_none() {
    let (_model, _program, server) = started().await;
    let mcp = server.mcp(McpWire::Alone, plain()).await;
    let asked = mcp.call("ask", json!({ "message": "hello" })).await.unwrap();
    assert_eq!(asked["structuredContent"]["status"], "completed", "{asked}");
}

#[tokio::test]
async fn tasks_are_cancelled_and_fail_as_turns_do() {
    let (model, _program, server) = started().await;
    let mcp = server.mcp(McpWire::Alone, with_tasks()).await;
    model.push(Reply::hang());
    let task = created(&mcp.call("ask", json!({ "message": "Think it over." })).await.unwrap());
    model.until(|model| model.requests().len() == 1).await;
    for _ in 0..2 {
        mcp.ask("tasks/cancel", json!({ "taskId": task })).await.unwrap();
        let cancelled = until(&mcp, &task, "cancelled").await;
        assert!(cancelled.get("result").is_none() && cancelled.get("error").is_none(), "{cancelled}");
    }
    let turn = server.rest().ended(&task).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("cancelled"), &json!("the client cancelled the task")));

    model.push(Reply::status(400).error_message("that will not do"));
    let task = created(&mcp.call("ask", json!({ "message": "Tell me about the moon." })).await.unwrap());
    let failed = until(&mcp, &task, "failed").await;
    assert!(failed["error"]["code"].is_i64() && failed.get("result").is_none(), "{failed}");
    assert!(text(&failed["error"]["message"]).contains("that will not do"), "{failed}");
    mcp.ask("tasks/cancel", json!({ "taskId": task })).await.unwrap();
    assert_eq!(get(&mcp, &task).await, failed, "what has ended stays as it is");
}

/// Another owner's task is answered exactly like one that does not exist.
#[tokio::test]
async fn another_owners_task_does_not_exist() {
    let (model, program, server) = started().await;
    let token = owners::add(&program, "ada").await;
    model.push(Reply::hang());
    let own = server.mcp(McpWire::Alone, with_tasks()).await;
    let session = text(&own.data("start_session", json!({ "key": "diary" })).await["session_id"]);
    let task = created(
        &own.call("send_message", json!({ "session_id": session, "message": "Keep this secret for me." }))
            .await
            .unwrap(),
    );
    model.until(|model| model.requests().len() == 1).await;
    for wire in McpWire::BOTH {
        let ada = server.mcp_as(&token, wire, with_tasks()).await;
        let asked = async |method: &str, params: Value| format!("{:?}", ada.ask(method, params).await);
        for (method, task_id, params) in [
            ("tasks/get", "taskId", json!({})),
            ("tasks/update", "taskId", json!({ "inputResponses": { "x": { "action": "accept" } } })),
            ("tasks/cancel", "taskId", json!({})),
        ] {
            let of = |id: &str| {
                let mut params = params.clone();
                params[task_id] = json!(id);
                params
            };
            let foreign = asked(method, of(&task)).await;
            assert_eq!(foreign.replace(&task, NOWHERE), asked(method, of(NOWHERE)).await, "{method}");
            assert!(foreign.starts_with("Err") && foreign.contains("no task"), "{method}: {foreign}");
        }
        for (tool, field, id) in [
            ("await_continuation", "continuation_id", &task),
            ("resume", "continuation_id", &task),
            ("retry", "continuation_id", &task),
            ("cancel", "continuation_id", &task),
            ("get_session", "session_id", &session),
            ("end_session", "session_id", &session),
        ] {
            let call = async |id: &str| asked("tools/call", json!({ "name": tool, "arguments": { field: id } })).await;
            assert_eq!(call(id).await.replace(id, NOWHERE), call(NOWHERE).await, "{tool}");
        }
        for suffix in ["", "/events"] {
            let read =
                async |id: &str| asked("resources/read", json!({ "uri": format!("session://{id}{suffix}") })).await;
            let foreign = read(&session).await;
            assert_eq!(foreign.replace(&session, NOWHERE), read(NOWHERE).await);
            assert!(foreign.starts_with("Err"), "{foreign}");
        }
        assert_eq!(ada.data("list_sessions", json!({})).await["sessions"], json!([]));
        assert_eq!(ada.ask("resources/list", json!({})).await.unwrap()["resources"], json!([]));
    }
    assert_eq!(get(&own, &task).await["status"], "working", "and nothing of it has done anything");
}

#[tokio::test]
async fn a_task_is_found_and_completes_after_a_kill() {
    let (model, program, server) = started().await;
    let mcp = server.mcp(McpWire::Alone, with_tasks()).await;
    model.respond_with(|request| Reply::echo(request).every(Duration::from_millis(50)));
    let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
    let task = created(&mcp.call("send_message", json!({ "session_id": session, "message": "hello" })).await.unwrap());
    server.kill().await;
    let server = program.start().await;
    let mcp = server.mcp(McpWire::Alone, with_tasks()).await;
    let completed = until(&mcp, &task, "completed").await;
    assert_eq!(completed["result"]["structuredContent"]["response"]["final_message"], "You said: hello", "{completed}");
}

/// Sends questions until the server is gone; returns the tasks that were created, with their
/// questions.
async fn ask_until_killed(mcp: McpClient, round: u64, client: u64, count: Arc<AtomicU64>) -> Vec<(String, String)> {
    let mut told = Vec::new();
    for n in 0.. {
        let message = format!("Tell me about number {round}-{client}-{n}.");
        let asked = json!({ "name": "ask", "arguments": { "message": message } });
        match mcp.try_ask("tools/call", asked).await {
            Ok(Ok(result)) => told.push((created(&result), message)),
            _ => break,
        }
        count.fetch_add(1, Ordering::Relaxed);
    }
    told
}

/// The server is killed while tasks are created or right after: every task that a client was told
/// about exists afterwards.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[allow(clippy::print_stdout, reason = "a long run says what it came to")]
async fn kill_loop_over_tasks_loses_none_that_was_told() {
    let (kills, seed) = (setting("DWELL_TASK_KILLS", 8), setting("DWELL_SEED", 20_261_115));
    let (model, program, mut server) = started().await;
    model.respond_with(|request| Reply::echo(request).every(Duration::from_millis(5)));
    let mut random = SeededRandom::new(seed);
    let mut told: Vec<(String, String)> = Vec::new();
    for round in 0..kills {
        let mcp = server.mcp(McpWire::Alone, with_tasks()).await;
        let count = Arc::new(AtomicU64::new(0));
        let asking: Vec<_> =
            (0..4).map(|client| tokio::spawn(ask_until_killed(mcp.clone(), round, client, count.clone()))).collect();
        // The kill comes while tasks are created, or right after one was.
        let enough = 1 + random.below(6);
        while count.load(Ordering::Relaxed) < enough {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_millis(random.below(20))).await;
        server.kill().await;
        for asked in asking {
            told.extend(asked.await.unwrap());
        }
        server = program.start().await;
    }
    let mcp = server.mcp(McpWire::Alone, with_tasks()).await;
    for (task, message) in &told {
        let completed = until(&mcp, task, "completed").await;
        let said = &completed["result"]["structuredContent"]["response"]["final_message"];
        assert_eq!(said, &format!("You said: {message}"), "{completed}");
    }
    println!("{kills} kills, seed {seed}: {} tasks were told of, and all were found and completed", told.len());
    assert!(told.len() as u64 >= kills, "hardly any traffic: {}", told.len());
}
