//! Errors in Anthropic's format, and who is let in.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::Reply;

use super::{PATH, TOKEN, body, call, post, user, with};
use crate::started;

#[tokio::test]
async fn the_key_is_the_token_and_only_here() {
    let (_model, _program, server) = started().await;
    let anonymous = server.rest_as(None);
    let asked = || Some(body(&[user("hello")]));
    for headers in [&[][..], &[("x-api-key", "wrong")], &[("x-api-key", "")], &[("authorization", "Bearer wrong")]] {
        let refused = anonymous.call(Method::POST, PATH, asked(), headers).await;
        assert_eq!((refused.status, &refused.body["type"]), (401, &json!("error")), "{headers:?}");
        assert_eq!(refused.body["error"]["type"], "authentication_error");
        assert!(refused.body["request_id"].as_str().unwrap().starts_with("req_"), "{}", refused.body);
    }
    let key = [("x-api-key", TOKEN)];
    assert_eq!(anonymous.call(Method::POST, PATH, asked(), &key).await.status, 200);
    assert_eq!(server.rest().call(Method::POST, PATH, asked(), &[]).await.status, 200, "or as bearer");
    for (method, path) in [
        (Method::POST, "/v1/chat/completions"),
        (Method::GET, "/v1/models"),
        (Method::GET, "/api/v1/sessions"),
        (Method::GET, "/api/tags"),
    ] {
        let refused = anonymous.call(method, path, None, &key).await;
        assert_eq!(refused.status, 401, "{path}");
    }
}

#[tokio::test]
async fn mistakes_are_named_in_its_own_form() {
    let (model, _program, server) = started().await;
    let hello = || body(&[user("hello")]);
    let block = |block: Value| body(&[user(json!([block]))]);
    for (what, asked) in [
        ("`mcp_servers`", with(hello(), "mcp_servers", json!([{ "type": "url", "url": "https://example.org" }]))),
        (
            "`web_search_20250305`",
            with(hello(), "tools", json!([{ "type": "web_search_20250305", "name": "web_search" }])),
        ),
        ("`max_tokens`", with(hello(), "max_tokens", json!(0))),
        ("`thinking`", with(hello(), "thinking", json!({ "type": "deep" }))),
        (
            "`base64`",
            block(
                json!({ "type": "document", "source": { "type": "base64", "media_type": "application/pdf", "data": "JVBE" } }),
            ),
        ),
        ("`container_upload`", block(json!({ "type": "container_upload", "file_id": "x" }))),
        ("assistant", body(&[user("hello"), super::assistant("The")])),
        ("messages", json!({ "model": "dwell", "max_tokens": 5 })),
        ("`tool_result`", block(json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": "x" }))),
    ] {
        let answer = post(&server, &asked).await;
        let error = answer.json();
        assert_eq!(
            (answer.status, &error["error"]["type"]),
            (400, &json!("invalid_request_error")),
            "{asked}: {error}"
        );
        assert!(error["error"]["message"].as_str().unwrap().contains(what), "{asked}: {error}");
        assert_eq!(error["request_id"].as_str(), answer.header("request-id"));
    }
    let unknown = post(&server, &with(hello(), "model", json!("anthropic/claude-9"))).await;
    assert_eq!((unknown.status, &unknown.json()["error"]["type"]), (404, &json!("not_found_error")));
    let nowhere = call(&server, "/v1/messages/batches", &json!({}), &[]).await;
    assert_eq!((nowhere.status, &nowhere.json()["error"]["type"]), (404, &json!("not_found_error")));
    let method = server.rest().get(PATH).await;
    assert_eq!((method.status, &method.body["type"]), (405, &json!("error")));
    assert_eq!(model.requests().len(), 0, "no model was asked");
}

#[tokio::test]
async fn a_failure_behind_dwell_keeps_its_meaning() {
    let (model, _program, server) = started().await;
    let rows = [
        (Reply::status(429).retry_after_s(3_600), 429, "rate_limit_error", Some("3600")),
        (Reply::status(401), 502, "api_error", None),
        (Reply::status(503).retry_after_s(3_600), 529, "overloaded_error", Some("3600")),
        (Reply::status(413), 400, "invalid_request_error", None),
    ];
    for (reply, status, kind, wait) in rows {
        for stream in [false, true] {
            model.push(reply.clone());
            let asked = with(body(&[user("Why is the sky blue?")]), "stream", json!(stream));
            let answer = call(&server, PATH, &asked, &[]).await;
            let error = answer.json();
            assert_eq!((answer.status, &error["error"]["type"]), (status, &json!(kind)), "{reply:?} {stream}: {error}");
            assert_eq!((answer.header("retry-after"), answer.header("x-should-retry")), (wait, Some("false")));
        }
    }
    model.push(Reply::text("one two three").cut_after(2));
    let asked = with(body(&[user("Why is the sky blue?")]), "stream", json!(true));
    let answer = post(&server, &asked).await;
    let error = answer.events().pop().unwrap();
    assert_eq!((&error["type"], &error["error"]["type"]), (&json!("error"), &json!("api_error")), "{error}");
    assert_eq!(error["request_id"].as_str(), answer.header("request-id"));
}
