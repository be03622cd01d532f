//! A whole conversation over every transport and protocol version.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply};

use super::{CheckedClient, every_way, hanging, plain, text};
use crate::started;

#[tokio::test]
async fn a_whole_conversation_every_way() {
    let (model, program, server) = started().await;
    for (way, mcp) in every_way(&program, &server, &plain()).await {
        let mcp = CheckedClient::new(mcp).await;
        converse(&mcp, &model, &way).await;
        remember(&mcp, &way).await;
        ask(&mcp, &way).await;
    }
    assert_eq!(model.violations(), Vec::<String>::new());
}

async fn converse(mcp: &CheckedClient, model: &ModelServer, way: &str) {
    let session = text(&mcp.data("start_session", json!({ "key": way })).await["session_id"]);
    let again = mcp.data("start_session", json!({ "key": way })).await;
    assert_eq!(again["session_id"], session.as_str(), "the same key, the same session");

    let sent = mcp.data("send_message", json!({ "session_id": session, "message": "hello" })).await;
    assert_eq!((&sent["acknowledged"], &sent["duplicate"]), (&json!(true), &json!(false)), "{sent}");
    let turn = text(&sent["continuation_id"]);
    let answered = mcp.data("await_continuation", json!({ "continuation_id": turn, "timeout_ms": 30000 })).await;
    assert_eq!(answered["status"], "completed", "{way}: {answered}");
    assert_eq!(answered["response"]["final_message"], "You said: hello");

    // A message can wait for its answer and can name the session by its key.
    let message = json!({ "session_id": way, "message": "What about tomorrow?", "timeout_ms": 30000 });
    let sent = mcp.data("send_message", message).await;
    assert_eq!(
        (&sent["response"]["final_message"], &sent["acknowledged"]),
        (&json!("You said: What about tomorrow?"), &json!(true))
    );
    assert_eq!(sent["session_id"], session.as_str());

    // A turn that takes too long is cancelled.
    let (busy, turn) = hanging(&mcp.mcp, model).await;
    let waiting = mcp.data("await_continuation", json!({ "continuation_id": turn, "timeout_ms": 1 })).await;
    assert_eq!(waiting["status"], "running", "{waiting}");
    let looked = mcp.data("get_session", json!({ "session_id": busy })).await;
    assert_eq!(looked["session"]["open_turns"], json!([turn]), "{looked}");
    let cancelled = mcp.data("cancel", json!({ "continuation_id": turn, "reason": "changed my mind" })).await;
    assert_eq!(cancelled["status"], "cancelled");
    let ended = mcp.data("await_continuation", json!({ "continuation_id": turn })).await;
    assert_eq!(ended["status"], "cancelled", "{ended}");
    assert_eq!(mcp.data("cancel", json!({ "continuation_id": turn })).await["status"], "already_final");

    // A failed turn is retried.
    model.push(Reply::status(400).error_message("no such thing"));
    let failed = mcp
        .mcp
        .call(
            "send_message",
            json!({ "session_id": session, "message": "Tell me about the moon.", "timeout_ms": 30000 }),
        )
        .await;
    let failed = failed.unwrap();
    assert_eq!(
        (&failed["isError"], &failed["structuredContent"]["status"]),
        (&json!(true), &json!("failed")),
        "{failed}"
    );
    let turn = &failed["structuredContent"]["continuation_id"];
    let retried = mcp.data("retry", json!({ "continuation_id": turn })).await;
    assert_eq!(retried["response"]["final_message"], "You said: Tell me about the moon.", "{retried}");
    let resumed = mcp.data("resume", json!({ "continuation_id": retried["continuation_id"] })).await;
    assert_eq!(resumed, retried, "what has ended is shown as it is");

    let looked = mcp.data("get_session", json!({ "session_id": session })).await["session"].clone();
    assert_eq!(
        (&looked["key"], &looked["status"], &looked["stats"]["turns"]),
        (&json!(way), &json!("active"), &json!(4))
    );
    assert_eq!(mcp.data("end_session", json!({ "session_id": session })).await["status"], "ended");
    assert!(listed(mcp, "ended").await.contains(&session), "{way}");
    assert!(listed(mcp, "active").await.contains(&busy), "{way}");
    assert!(!listed(mcp, "active").await.contains(&session), "{way}");
    let refused =
        mcp.mcp.call("send_message", json!({ "session_id": session, "message": "still there?" })).await.unwrap();
    assert_eq!(
        (&refused["isError"], &refused["_meta"]["dwell/problem"]["code"]),
        (&json!(true), &json!("session_ended"))
    );
}

async fn listed(mcp: &CheckedClient, status: &str) -> Vec<String> {
    let listed = mcp.data("list_sessions", json!({ "status": status })).await;
    listed["sessions"].as_array().unwrap().iter().map(|view| text(&view["session_id"])).collect()
}

/// Calls every memory tool and checks its answer against the declared schema.
async fn remember(mcp: &CheckedClient, way: &str) {
    let vault = mcp.data("create_vault", json!({ "title": way, "description": "a test" })).await["vault_id"].clone();
    assert!(mcp.data("list_vaults", json!({})).await.to_string().contains(way));
    let memory = mcp.data("create_memory", json!({ "vault_id": vault, "title": "trips" })).await["memory_id"].clone();
    mcp.data("list_memories", json!({ "vault_id": vault })).await;
    let entry = json!({ "vault_id": vault, "memory_id": memory, "raw_entry": "The ferry to Tromsø leaves at seven." });
    let entry = mcp.data("add_entry", entry).await;
    mcp.data("list_entries", json!({ "vault_id": vault, "memory_id": memory })).await;
    let which = json!({ "vault_id": vault, "memory_id": memory, "entry_id": entry["entry_id"] });
    assert_eq!(mcp.data("get_entry", which).await["raw_entry"], entry["raw_entry"]);
    let document = json!({ "vault_id": vault, "memory_id": memory, "content": "Ferries leave early." });
    mcp.data("put_context", document).await;
    mcp.data("get_context", json!({ "vault_id": vault, "memory_id": memory })).await;
    mcp.data("await_consistency", json!({ "timeout_ms": 10000 })).await;
    let found = mcp.data("search_memories", json!({ "query": "ferry Tromsø" })).await;
    assert!(found.to_string().contains("leaves at seven"), "{way}: {found}");
}

/// Checks that `ask` leaves no session behind.
async fn ask(mcp: &CheckedClient, way: &str) {
    let before = listed(mcp, "active").await;
    let asked = mcp.data("ask", json!({ "message": "one thing" })).await;
    assert_eq!(asked["response"]["final_message"], "You said: one thing", "{way}: {asked}");
    assert_eq!(listed(mcp, "active").await, before, "{way}");
}

/// Wrong arguments are tool errors that a model can act on. Only violations of the protocol are
/// protocol errors.
#[tokio::test]
async fn mistakes_are_answers_and_only_nonsense_is_an_error() {
    let (_model, program, server) = started().await;
    for (way, mcp) in every_way(&program, &server, &plain()).await {
        let nowhere = crate::access::NOWHERE;
        for (tool, arguments, word) in [
            ("send_message", json!({ "message": "x" }), "session_id"),
            ("send_message", json!({ "session_id": "s", "message": "x", "colour": 1 }), "colour"),
            ("await_continuation", json!({ "continuation_id": nowhere }), "turn"),
            ("get_session", json!({ "session_id": nowhere }), "session"),
            ("get_session", json!({ "session_id": "" }), "start_session"),
            ("start_session", json!({ "key": "k", "preferences": 1 }), "expected a map"),
        ] {
            let result = mcp.call(tool, arguments).await.unwrap_or_else(|error| panic!("{way} {tool}: {error}"));
            assert_eq!(result["isError"], true, "{way} {tool}: {result}");
            let words = text(&result["content"][0]["text"]);
            assert!(words.contains(word), "{way} {tool}: {words}");
            assert!(result["_meta"]["dwell/problem"]["code"].is_string(), "{result}");
        }
        let error = mcp.call("no_such_tool", json!({})).await.unwrap_err();
        assert_eq!(error["code"], -32602, "{way}: {error}");
        let error = mcp.ask("no/such_method", json!({})).await.unwrap_err();
        assert_eq!(error["code"], -32601, "{way}: {error}");
        let cancelled: Value = mcp.data("cancel", json!({ "continuation_id": nowhere })).await;
        assert_eq!(cancelled["status"], "not_found");
    }
}
