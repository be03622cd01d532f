//! A request body that is too large is refused with an error document on every route, and the
//! client can read that document.

use futures::stream;
use reqwest::{Body, Client, Method, Response};
use serde_json::Value;
use testkit::RunningServer;

use crate::{access::filled, program};

/// The token of every program that the tests start.
const TOKEN: &str = "test-token-0123456789";
/// The largest archive in bytes.
const ARCHIVE: usize = 64 * 1024 * 1024;

async fn send(http: &Client, server: &RunningServer, method: Method, path: &str, body: impl Into<Body>) -> Response {
    let asked = http.request(method, format!("{}{path}", server.url())).bearer_auth(TOKEN);
    let asked = asked.header("content-type", "application/json").header("origin", server.url());
    let asked = asked.header("accept", "application/json, text/event-stream");
    asked.body(body).send().await.unwrap_or_else(|error| panic!("{path} is not answered: {error:?}"))
}

/// Checks that the answer is an error document that names the limit.
async fn check(path: &str, answer: Response, limit: usize) {
    assert_eq!(answer.status().as_u16(), 413, "{path}");
    let kind = answer.headers()["content-type"].to_str().unwrap().to_owned();
    let text = answer.text().await.unwrap();
    let body: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error} {text}"));
    assert!(text.contains(&limit.to_string()), "{path}: {text}");
    if body["error"].is_null() {
        assert_eq!(kind, "application/problem+json", "{path}");
        assert_eq!((body["code"].as_str(), body["status"].as_u64()), (Some("too_large"), Some(413)), "{path}: {text}");
        assert!(!body["hint"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn at_every_route_that_takes_one() {
    let server = program().with("DWELL_LIMITS_FRAME_BYTES_MAX", "2000").start().await;
    let description = server.rest().get("/openapi.json").await.ok();
    let (http, mut tried) = (Client::new(), 0);
    for (path, operations) in description["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let takes_archives = ["/import", "/ingest", "/values/write"].iter().any(|end| path.ends_with(end));
            if (operation["requestBody"].is_null() && path != "/mcp") || takes_archives || method == "get" {
                continue;
            }
            let method: Method = method.to_uppercase().parse().unwrap();
            if path == "/mcp" && method != Method::POST {
                continue;
            }
            let path = filled(path, &[]);
            let large = format!("{{\"x\": \"{}\"}}", "y".repeat(3_000));
            check(&path, send(&http, &server, method.clone(), &path, large.clone()).await, 2_000).await;
            // The same without a `content-length` header.
            let pieces = stream::iter([Ok::<_, std::io::Error>(large)]);
            check(&path, send(&http, &server, method, &path, Body::wrap_stream(pieces)).await, 2_000).await;
            tried += 1;
        }
    }
    assert!(tried >= 25, "{tried} routes take a body");
    server.rest().session().await;
}

#[tokio::test]
async fn of_archives() {
    let (server, http) = (program().start().await, Client::new());
    for path in
        ["/api/v1/sessions/import", "/api/v1/memories/import", "/api/v1/memories/ingest", "/api/v1/values/write"]
    {
        check(path, send(&http, &server, Method::POST, path, vec![b' '; ARCHIVE + 1]).await, ARCHIVE).await;
    }
    let path = "/api/v1/sessions/import";
    let pieces = stream::iter((0..=64).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1024 * 1024])));
    check(path, send(&http, &server, Method::POST, path, Body::wrap_stream(pieces)).await, ARCHIVE).await;
    server.rest().session().await;
}
