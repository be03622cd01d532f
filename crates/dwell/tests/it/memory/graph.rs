//! People, places and things with their facts over time, on every API.

use serde_json::{Value, json};
use testkit::McpWire;

use super::{NOWHERE, add, exchange, memory, settled};
use crate::started;

/// The edges as lines, in alphabetical order: `person:maria lives in Ghent holds`.
fn lines(graph: &Value) -> Vec<String> {
    let text = |edge: &Value, name: &str| edge[name].as_str().unwrap_or_default().to_owned();
    let line = |edge: &Value| ["subject", "relation", "value", "state"].map(|name| text(edge, name)).join(" ");
    let mut lines: Vec<String> = graph["edges"].as_array().unwrap().iter().map(line).collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn people_and_places_are_shown_as_they_were_true_and_known_on_every_api() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let path = memory(&rest).await;
    let vault = path.split('/').nth(4).unwrap();
    for (day, words) in [(3, "My sister Maria lives in Ghent."), (20, "My sister lives in Bruges now.")] {
        let at = format!("2026-05-{day:02}T10:00:00Z");
        add(&rest, &path, json!({ "raw_entry": words, "conversation_time": at, "origin": "trusted" })).await;
    }
    let mut socket = server.socket().await;
    let mcp = server.mcp(McpWire::Alone, json!({})).await;
    let (named, ghent, bruges) =
        ("user sister Maria holds", "person:maria lives in Ghent", "person:maria lives in Bruges");
    for (query, expected) in [
        (json!({}), vec![format!("{bruges} holds"), named.to_owned()]),
        (
            json!({ "subject": "my sister", "as_of": "2026-05-10T00:00:00Z" }),
            vec![format!("{ghent} holds"), named.to_owned()],
        ),
        (json!({ "subject": "Ghent", "include_ended": true }), vec![format!("{ghent} ended")]),
        (json!({ "subject": "bruges", "as_of": "2026-05-10T00:00:00Z" }), vec![]),
        // It was true in May, but it was stored today.
        (json!({ "as_of": "2026-05-10T00:00:00Z", "known_at": "2026-05-10T00:00:00Z" }), vec![]),
    ] {
        let mut asked = query.clone();
        asked["vault_id"] = json!(vault);
        let pairs = asked.as_object().unwrap().iter();
        let pairs = pairs.map(|(name, value)| format!("{name}={}", value.to_string().trim_matches('"')));
        let route = format!("/api/v1/memory/graph?{}", pairs.collect::<Vec<_>>().join("&").replace(' ', "%20"));
        assert_eq!(lines(&rest.get(&route).await.ok()), expected, "REST {asked}");
        assert_eq!(lines(&socket.ask("memory.graph", asked.clone()).await.unwrap()), expected, "WebSocket {asked}");
        assert_eq!(lines(&mcp.data("memory_graph", asked.clone()).await), expected, "MCP {asked}");
    }

    let all = socket.ask("memory.graph", json!({ "vault_id": vault, "include_ended": true })).await.unwrap();
    let maria = all["nodes"].as_array().unwrap().iter().find(|node| node["id"] == "person:maria").unwrap();
    assert_eq!((&maria["label"], &maria["aliases"], &maria["facts"]), (&json!("Maria"), &json!(["sister"]), &json!(3)));
    let over = all["edges"].as_array().unwrap().iter().find(|edge| edge["value"] == "Ghent").unwrap();
    assert_eq!(over["valid_until"], "2026-05-20T10:00:00.000Z");
    assert_eq!(over["said_at"], "2026-05-03T10:00:00.000Z");
    assert!(over["known_from"].as_str() > Some("2026-05-21"), "{over}");

    // Page by page, and no edge twice.
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut asked = json!({ "vault_id": vault, "include_ended": true, "limit": 1 });
        if cursor.is_string() {
            asked["cursor"] = cursor;
        }
        let page = socket.ask("memory.graph", asked).await.unwrap();
        seen.extend(lines(&page));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    seen.sort();
    assert_eq!(seen, lines(&all));

    for (query, status, code) in [
        ("cursor=nonsense", 400, "invalid_request"),
        ("subject=%20", 400, "invalid_request"),
        ("as_of=yesterday", 400, "invalid_request"),
        ("colour=red", 400, "invalid_request"),
        (&format!("vault_id={NOWHERE}") as &str, 404, "not_found"),
    ] {
        assert_eq!(rest.get(&format!("/api/v1/memory/graph?{query}")).await.code(status), code, "{query}");
    }

    // What is said in conversations is apart from the vault.
    let session = rest.session().await;
    exchange(&rest, &session, "My brother's name is Leo.").await;
    settled(&rest).await;
    let own = rest.get("/api/v1/memory/graph").await.ok();
    assert_eq!(lines(&own), ["user brother Leo holds"]);
    assert_eq!(own["edges"][0]["source"]["session_id"], json!(session), "it says where it was said");

    let printed = program.run(&["memory", "graph", "--vault", vault, "--ended", "--subject", "sister"]).await;
    assert_eq!(printed.code(), 0, "{}", printed.stderr);
    let ended = "  lives in: Ghent  (2026-05-03 to 2026-05-20, ended, said 2026-05-03)";
    assert!(printed.stdout.lines().any(|line| line == "Maria (person, sister)"), "{}", printed.stdout);
    assert!(printed.stdout.lines().any(|line| line == ended), "{}", printed.stdout);
    let early = program.run(&["memory", "graph", "--as-of", "2020-01-01"]).await;
    assert_eq!(early.stdout, "nothing is known\n", "{}", early.stderr);
    let wrong = program.run(&["memory", "graph", "--as-of", "someday"]).await;
    assert!(wrong.code() == 2 && wrong.stderr.contains("`someday` is no time"), "{}", wrong.stderr);
}
