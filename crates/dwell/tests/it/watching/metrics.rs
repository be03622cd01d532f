//! `/metrics`: who may read it, and what it says after turns that succeed, fail and are cancelled.

use reqwest::StatusCode;
use serde_json::json;
use testkit::{MetricsText, Reply, RunningServer, ToolCall};

use super::WatchedServer;
use crate::{harness::told, started};

const SCRAPE_TOKEN: &str = "scrape-scrape-scrape";

/// The answer of a path to a token.
async fn answer(server: &RunningServer, path: &str, token: &str) -> (StatusCode, String, String) {
    let request = reqwest::Client::new().get(format!("{}{path}", server.url())).bearer_auth(token);
    let response = request.send().await.unwrap();
    let kind = response.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    (response.status(), kind.unwrap_or_default(), response.text().await.unwrap())
}

async fn scrape(server: &RunningServer) -> MetricsText {
    let (status, kind, text) = answer(server, "/metrics", SCRAPE_TOKEN).await;
    assert_eq!((status, kind.as_str()), (StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8"));
    MetricsText::parse(&text)
}

#[tokio::test]
async fn count_turns_that_succeed_fail_and_are_cancelled() {
    let watched = WatchedServer::start(|program, _| {
        program.with("DWELL_METRICS_ENABLED", "true").with("DWELL_METRICS_TOKEN", SCRAPE_TOKEN)
    })
    .await;
    let (model, rest) = (&watched.model, watched.server.rest());
    let before = scrape(&watched.server).await;
    assert_eq!(before.value("dwell_turns_accepted_total", &[]), Some(0.0));
    let session = rest.session().await;
    let sky = ToolCall::new("c1", "look_at_sky", json!({}));
    let unknown = ToolCall::new("c2", "made_up_by_the_model", json!({}));
    model.push(Reply::tool_calls([sky, unknown]).usage(100, 10));
    model.push(Reply::text("It is blue.").usage(200, 20));
    told(&rest, &session, json!({ "message": "What colour is the sky?" })).await;
    model.push(Reply::status(400));
    told(&rest, &session, json!({ "message": "And what colour at night?" })).await;
    model.push(Reply::hang());
    let open = rest.send(&session, "And in the morning, perhaps?").await;
    model.until(|model| model.in_flight() == 1).await;
    let during = scrape(&watched.server).await;
    assert_eq!(during.value("dwell_turns_running", &[]), Some(1.0));
    rest.post(&format!("/api/v1/turns/{open}/cancel"), json!({})).await.ok();

    let page = scrape(&watched.server).await;
    let turns = |outcome| page.value("dwell_turns_total", &[("outcome", outcome), ("way", "tool_loop")]);
    assert_eq!(["completed", "failed", "cancelled"].map(turns), [Some(1.0); 3]);
    assert_eq!(page.value("dwell_turns_accepted_total", &[]), Some(3.0));
    assert_eq!(page.value("dwell_turn_errors_total", &[("code", "model_refused")]), Some(1.0));
    assert_eq!(page.value("dwell_turn_duration_seconds_count", &[]), Some(3.0));
    assert_eq!(page.value("dwell_turn_first_text_seconds_count", &[]), Some(1.0), "only one has said something");
    let tokens = |direction| page.value("dwell_tokens_total", &[("provider", "openai"), ("direction", direction)]);
    assert_eq!((tokens("input"), tokens("output")), (Some(300.0), Some(30.0)));
    let error = [("provider", "openai"), ("kind", "model_refused")];
    assert_eq!(page.value("dwell_model_errors_total", &error), Some(1.0));
    let answered = [("provider", "openai"), ("purpose", "turn"), ("outcome", "ok")];
    assert_eq!(page.value("dwell_model_calls_total", &answered), Some(2.0));
    let calls = |tool, kind, outcome| {
        page.value("dwell_tool_calls_total", &[("tool", tool), ("kind", kind), ("outcome", outcome)])
    };
    assert_eq!(calls("look_at_sky", "http", "ok"), Some(1.0));
    assert_eq!(calls("other", "other", "error"), Some(1.0), "a name that the model made up is no label");
    assert!(!format!("{page:?}").contains("made_up"), "{page:?}");
    let target = if testkit::is_on_postgres() { "database" } else { "log" };
    assert!(page.value("dwell_journal_commits_total", &[("target", target)]).unwrap() >= 3.0);
    let events = rest.get(&format!("/api/v1/sessions/{session}/events?limit=1000")).await.ok();
    let events = events["data"].as_array().unwrap().len() as f64;
    assert!(page.value("dwell_journal_batch_events_sum", &[]).unwrap() >= events, "{events}");
    assert_eq!(page.value("dwell_journal_leases", &[]), Some(1.0));
    assert_eq!(page.value("dwell_sessions_live", &[]), Some(1.0));
    assert!(page.value("dwell_connections_open", &[]).unwrap() >= 1.0);
    assert!(page.value("process_resident_memory_bytes", &[]).unwrap() > 1e6);
    assert!(page.value("dwell_spans_exported_total", &[]).is_none(), "there are no traces");
    only_the_operator_and_the_scraper_read(&watched).await;
}

async fn only_the_operator_and_the_scraper_read(watched: &WatchedServer) {
    let server = &watched.server;
    let (elsewhere, _, _) = answer(server, "/api/v1/stats", SCRAPE_TOKEN).await;
    assert_eq!(elsewhere, StatusCode::UNAUTHORIZED, "it is valid for the metrics only");
    let (wrong, _, _) = answer(server, "/metrics", "guessed").await;
    assert_eq!(wrong, StatusCode::UNAUTHORIZED);
    let added = watched.program.run(&["owners", "add", "grace"]).await;
    let token = added.stdout.split_whitespace().max_by_key(|word| word.len()).unwrap();
    let (other, _, body) = answer(server, "/metrics", token).await;
    assert_eq!(other, StatusCode::FORBIDDEN, "{body}");
    assert_eq!(server.rest().get("/metrics").await.status, 200, "the operator's own token");
}

#[tokio::test]
async fn are_off_unless_they_are_switched_on() {
    let (_model, _program, server) = started().await;
    let off = server.rest().get("/metrics").await;
    assert_eq!(off.code(404), "not_found");
    assert!(off.body["hint"].as_str().unwrap().contains("metrics.enabled"), "{}", off.body);
}
