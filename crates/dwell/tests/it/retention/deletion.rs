//! Deleted sessions are gone: from lists, reads, memory and the bytes of every file.

use serde_json::json;
use testkit::{Reply, ToolCall};

use super::{delete, exchange, files_with, settled, view};
use crate::{harness::session_with, owners::add, program, started};

#[tokio::test]
async fn no_byte_of_a_deleted_session_is_left() {
    let model = testkit::ModelServer::start().await;
    let program = program().with_model(&model).with_log();
    let server = program.start().await;
    let (rest, bob) = (server.rest(), server.rest_as(Some(&add(&program, "bob").await)));
    let session = session_with(&rest, json!({ "key": "kitchen" })).await;
    let other = rest.session().await;
    let bobs = bob.session().await;
    exchange(&bob, &bobs, "Bob painted the ochrequux shed.").await;
    for place in ["attic", "cellar", "garden"] {
        exchange(&rest, &session, &format!("The {place} key lies under the azurequux pot.")).await;
        exchange(&rest, &other, &format!("The {place} was swept by umberquux.")).await;
    }
    // Also an artifact that is too large for its record.
    let save = json!({ "name": "azurequux.txt", "content": "azurequux pot\n".repeat(3_000) });
    model.push(Reply::tool_calls([ToolCall::new("c1", "artifact_save", save)]));
    model.push(Reply::text("Saved."));
    exchange(&rest, &session, "Save that.").await;
    settled(&rest).await;
    // Another conversation gets it from memory.
    exchange(&rest, &other, "Where does the attic key lie?").await;
    settled(&rest).await;
    assert!(!files_with(&program, "azurequux").is_empty());

    let path = format!("/api/v1/sessions/{session}");
    assert_eq!(delete(&bob, &session, "&memories=true").await.code(404), "not_found", "bob has no such session");
    let events = view(&rest, &session).await["last_seq"].as_u64().unwrap();
    let gone = delete(&rest, &session, "&memories=true").await.ok();
    assert_eq!((&gone["session_id"], &gone["artifacts"]), (&json!(session), &json!(1)), "{gone}");
    assert!(gone["events"].as_u64().unwrap() > events && gone["memories"].as_u64().unwrap() >= 7, "{gone}");
    for part in ["", "/events", "/turns", "/export", "/artifacts", "/desktop"] {
        assert_eq!(rest.get(&format!("{path}{part}")).await.code(404), "not_found", "{part}");
    }
    assert_eq!(delete(&rest, &session, "&memories=true").await.code(404), "not_found", "a second time");
    assert_eq!(files_with(&program, "azurequux"), [""; 0]);
    assert!(
        rest.text(&format!("/api/v1/sessions/{other}/export")).await.contains("umberquux"),
        "the other one is whole"
    );
    assert!(bob.text(&format!("/api/v1/sessions/{bobs}/export")).await.contains("ochrequux"));
    let again = session_with(&rest, json!({ "key": "kitchen" })).await;
    assert_ne!(again, session, "the name is free");
    let log = std::fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(log.contains("deleted a session") && log.contains(&session), "{log}");
    let stats = rest.get("/api/v1/stats").await.ok()["retention"].clone();
    assert_eq!((&stats["deleted"], &stats["events"]), (&json!(1), &gone["events"]), "{stats}");

    server.kill().await;
    let server = program.start().await;
    settled(&server.rest()).await;
    assert_eq!(files_with(&program, "azurequux"), [""; 0], "after a restart");
    assert_eq!(server.rest().get(&path).await.code(404), "not_found");
}

#[tokio::test]
async fn a_large_session_is_gone_too() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let kept = rest.session().await;
    exchange(&rest, &kept, "The umberquux shed stays.").await;
    // More lines than are searched one by one.
    let content: String = (0..20_000).map(|line| format!("Line {line} of the azurequux.\n")).collect();
    let save = json!({ "name": "long.txt", "content": content });
    model.push(Reply::tool_calls([ToolCall::new("c1", "artifact_save", save)]));
    model.push(Reply::text("Saved, azurequux."));
    let turn = exchange(&rest, &session, "Save all of that.").await;
    assert_eq!(turn["response"]["artifacts"].as_array().unwrap().len(), 1, "{turn}");
    settled(&rest).await;
    delete(&rest, &session, "&memories=true").await.ok();
    assert_eq!(files_with(&program, "azurequux"), [""; 0]);
    assert!(rest.text(&format!("/api/v1/sessions/{kept}/export")).await.contains("umberquux"));
}

#[tokio::test]
async fn a_stale_version_deletes_nothing() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    exchange(&rest, &session, "Tell me of the gate.").await;
    let version = view(&rest, &session).await["version"].as_u64().unwrap();
    assert_eq!(delete(&rest, &session, &format!("&version={}", version - 1)).await.code(409), "version_conflict");
    assert_eq!(view(&rest, &session).await["status"], "active", "nothing has changed");
    delete(&rest, &session, &format!("&version={version}")).await.ok();
    assert_eq!(rest.get(&format!("/api/v1/sessions/{session}")).await.code(404), "not_found");
}

#[tokio::test]
async fn of_many_who_delete_at_once_one_does() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    exchange(&rest, &session, "Tell me of the gate.").await;
    let all = futures::future::join_all((0..8).map(|_| delete(&rest, &session, "&memories=true"))).await;
    let mut statuses: Vec<u16> = all.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404, 404, 404, 404, 404, 404, 404], "{all:?}");
}
