//! Errors of models and providers as clients of OpenAI's and Ollama's APIs see them.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, RestClient};

use crate::{harness::session_with, program, started};

/// A session whose turns have too little time to ask a failing provider again.
async fn hasty(rest: &RestClient, name: &str) -> String {
    session_with(rest, json!({ "key": name, "budgets": { "max_duration_ms": 450 } })).await
}

#[tokio::test]
async fn a_failure_keeps_its_meaning_on_both_apis_whole_and_streamed() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    hasty(&rest, "hasty").await;
    let client = reqwest::Client::new();
    let context = "This model's maximum context length is 8192 tokens.";
    let rows = [
        (Reply::status(429).retry_after_s(3_600), 429, "rate_limit_exceeded", "rate_limit_error", Some("3600")),
        (Reply::status(401), 502, "upstream_auth", "server_error", None),
        (Reply::status(403), 502, "upstream_auth", "server_error", None),
        (Reply::status(404), 404, "model_not_found", "invalid_request_error", None),
        (Reply::status(408).retry_after_s(3_600), 504, "upstream_timeout", "server_error", Some("3600")),
        (Reply::status(413), 400, "context_length_exceeded", "invalid_request_error", None),
        (Reply::status(400).error_message(context), 400, "context_length_exceeded", "invalid_request_error", None),
        (Reply::status(422), 400, "upstream_refused", "invalid_request_error", None),
        (Reply::status(500).retry_after_s(3_600), 502, "upstream_failed", "server_error", Some("3600")),
        (Reply::status(503).retry_after_s(3_600), 503, "upstream_overloaded", "server_error", Some("3600")),
        (Reply::malformed(), 502, "upstream_failed", "server_error", None),
        (Reply::text("one").end_early(0), 502, "upstream_failed", "server_error", None),
    ];
    for (reply, status, code, kind, wait) in rows {
        for (path, stream) in
            [("/v1/chat/completions", false), ("/v1/chat/completions", true), ("/api/chat", false), ("/api/chat", true)]
        {
            model.push(reply.clone());
            let body = json!({
                "model": "dwell", "stream": stream,
                "messages": [{ "role": "user", "content": "Why is the sky blue?" }],
            });
            let request = client.post(format!("{}{path}", server.url())).bearer_auth("test-token-0123456789");
            // An answer that breaks off cannot say, as a status can, that asking again is no use.
            let session = if code == "upstream_failed" && wait.is_none() { "hasty" } else { "patient" };
            let response = request.header("x-dwell-session", session).json(&body).send().await.unwrap();
            let what = format!("{reply:?} on {path}, streamed: {stream}");
            assert_eq!(response.status().as_u16(), status, "{what}");
            let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
            assert_eq!((header("retry-after").as_deref(), header("x-should-retry").as_deref()), (wait, Some("false")));
            let said: Value = response.json().await.unwrap();
            if path == "/api/chat" {
                assert!(said["error"].as_str().is_some_and(|text| !text.is_empty()), "{what}: {said}");
                continue;
            }
            assert_eq!(
                (&said["error"]["code"], &said["error"]["type"]),
                (&json!(code), &json!(kind)),
                "{what}: {said}"
            );
            assert!(said["error"]["message"].is_string() && said["error"].get("param").is_some(), "{what}: {said}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_says_so_in_each_form() {
    let (model, _program, server) = started().await;
    let post = async |path: &str| {
        model.push(Reply::text("one two three").cut_after(2));
        let body = json!({
            "model": "dwell", "stream": true, "messages": [{ "role": "user", "content": "Why is the sky blue?" }],
        });
        let request =
            reqwest::Client::new().post(format!("{}{path}", server.url())).bearer_auth("test-token-0123456789");
        request.json(&body).send().await.unwrap().text().await.unwrap()
    };
    let openai = post("/v1/chat/completions").await;
    let last = openai.trim().rsplit("\n\n").next().unwrap().strip_prefix("data: ").unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!((&last["error"]["code"], &last["error"]["type"]), (&json!("upstream_failed"), &json!("server_error")));
    assert!(!openai.contains("[DONE]"), "it is not done");
    let ollama = post("/api/chat").await;
    let last: Value = serde_json::from_str(ollama.trim().lines().last().unwrap()).unwrap();
    assert!(last["error"].as_str().unwrap().contains("broke off"), "{last}");
}

#[tokio::test]
async fn what_is_not_there_is_told_in_the_form_of_its_api() {
    let server = program().start().await;
    let rest = server.rest();
    for (method, path, status) in [
        (Method::POST, "/v1/images/generations", 404),
        (Method::GET, "/v1/nothing", 404),
        (Method::GET, "/v1/chat/completions", 405),
    ] {
        let answer = rest.call(method, path, None, &[]).await;
        let error = &answer.body["error"];
        assert_eq!(
            (answer.status, &error["type"]),
            (status, &json!("invalid_request_error")),
            "{path} {}",
            answer.body
        );
    }
    for (method, path, status) in [(Method::POST, "/api/nothing", 404), (Method::GET, "/api/chat", 405)] {
        let answer = rest.call(method, path, None, &[]).await;
        assert_eq!((answer.status, answer.body["error"].is_string()), (status, true), "{path} {}", answer.body);
    }
    let own = rest.get("/api/v1/nothing").await;
    assert_eq!(own.code(404), "not_found");
    for (path, is_text) in [("/v1/chat/completions", false), ("/api/chat", true)] {
        let answer = rest.send_raw(Method::POST, &format!("{}{path}", server.url()), "{not json".to_owned()).await;
        assert_eq!((answer.status, answer.body["error"].is_string()), (400, is_text), "{}", answer.body);
    }
}
