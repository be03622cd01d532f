//! What the web page reads: turns from the newest back, the events of a turn, sessions by search,
//! limits and settings.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{owners::add, started};

fn all<'a>(page: &'a Value, field: &str) -> Vec<&'a str> {
    page["data"].as_array().unwrap().iter().map(|one| one[field].as_str().unwrap()).collect()
}

#[tokio::test]
async fn turns_come_from_the_newest_back_and_their_events_alone() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let mut said = Vec::new();
    for n in 0..5 {
        let turn = rest.send(&session, &format!("message {n}")).await;
        rest.ended(&turn).await;
        said.push(turn);
    }
    let path = format!("/api/v1/sessions/{session}/turns");
    let first = rest.get(&format!("{path}?order=newest&limit=3")).await.ok();
    assert_eq!(all(&first, "turn_id"), [&said[4], &said[3], &said[2]]);
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest_of = rest.get(&format!("{path}?order=newest&cursor={cursor}")).await.ok();
    assert_eq!((all(&rest_of, "turn_id"), rest_of.get("next_cursor")), (vec![said[1].as_str(), &said[0]], None));
    assert_eq!(all(&rest.get(&path).await.ok(), "turn_id"), said, "the oldest come first unless told");
    let wrong = rest.get(&format!("{path}?order=latest")).await;
    assert_eq!(wrong.code(400), "invalid_request");
    let why = wrong.body["message"].as_str().unwrap();
    assert!(why.contains("latest") && why.contains("`oldest` or `newest`"), "{why}");

    let events = format!("/api/v1/turns/{}/events", said[2]);
    let page = rest.get(&format!("{events}?limit=2")).await.ok();
    let after = page["next_cursor"].as_str().unwrap();
    let later = rest.get(&format!("{events}?after={after}")).await.ok();
    let told: Vec<&Value> = [&page, &later].into_iter().flat_map(|page| page["data"].as_array().unwrap()).collect();
    let log = rest.log(&session).await;
    let own: Vec<&Value> = log.iter().filter(|event| event["turn_id"] == said[2]).collect();
    assert_eq!(told, own);
    assert_eq!((&later["last_seq"], later.get("next_cursor")), (&own.last().unwrap()["seq"], None));
}

#[tokio::test]
async fn sessions_are_renamed_and_found_by_their_words() {
    let (_model, _program, server) = started().await;
    let (rest, mut socket) = (server.rest(), server.socket().await);
    let named = socket.ask("session.start", json!({ "key": "Küche-1" })).await.unwrap()["session_id"].clone();
    let other = rest.session().await;
    let rename = json!({ "session_id": other, "preferences": { "title": "Der große Garten" } });
    let view = socket.ask("session.update", rename).await.unwrap();
    assert_eq!(view["title"], "Der große Garten");
    for (query, found) in
        [("GARTEN grosse", vec![&other[..]]), ("küche", vec![named.as_str().unwrap()]), ("wald", vec![])]
    {
        let page = socket.ask("session.list", json!({ "query": query })).await.unwrap();
        assert_eq!(all(&page, "session_id"), found, "{query}");
    }
    socket.ask("session.end", json!({ "session_id": named })).await.unwrap();
    let ended = rest.get("/api/v1/sessions?status=ended&query=K%C3%BCche").await.ok();
    assert_eq!(all(&ended, "session_id"), [named.as_str().unwrap()]);
    assert_eq!(all(&rest.get("/api/v1/sessions?status=active").await.ok(), "session_id"), [&other]);
    assert_eq!(rest.get("/api/v1/sessions?status=sleeping").await.code(400), "invalid_request");
    let long = json!({ "preferences": { "title": "x".repeat(121) } });
    let refused = rest.call(Method::PATCH, &format!("/api/v1/sessions/{other}"), Some(long), &[]).await;
    assert_eq!(refused.code(413), "too_large");
    assert!(refused.body["message"].as_str().unwrap().contains("at most 120"), "{}", refused.body);
}

#[tokio::test]
async fn the_statistics_tell_what_bounds_agents() {
    let program = crate::program().with("DWELL_AGENTS_MAX", "3");
    let server = program.start().await;
    let limits = server.rest().get("/api/v1/stats").await.ok()["limits"].clone();
    assert_eq!((&limits["running_turns"], &limits["queued_turns"]), (&json!(3), &json!(10)), "{limits}");
    assert!(limits.as_object().unwrap().values().all(|limit| limit.as_u64() > Some(0)), "{limits}");
}

#[tokio::test]
async fn only_the_operator_reads_the_settings() {
    let (_model, program, server) = started().await;
    let page = server.rest().get("/api/v1/config").await.ok();
    let printed: Value = serde_json::from_str(&program.run(&["config", "--json"]).await.stdout).unwrap();
    let settings = page["data"].as_array().unwrap();
    // The listen address was set on the command line.
    for setting in settings.iter().filter(|setting| setting["key"] != "server.listen") {
        let same = &printed["settings"][setting["key"].as_str().unwrap()];
        assert_eq!((&setting["value"], &setting["from"]), (&same["value"], &same["source"]), "{setting}");
    }
    assert_eq!(settings.len(), printed["settings"].as_object().unwrap().len());
    assert!(!page.to_string().contains("test-token-0123456789"), "{page}");
    let ada = add(&program, "ada").await;
    let refused = server.rest_as(Some(&ada)).get("/api/v1/config").await;
    assert_eq!(refused.code(403), "forbidden");
    assert!(refused.body["hint"].as_str().unwrap().contains("`token`"), "{}", refused.body);
}
