//! Home Assistant's ingress: its users are signed in, from its own proxy alone.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{RestResponse, RunningServer, Socket};

use crate::program;

const PATH: (&str, &str) = ("x-ingress-path", "/api/hassio_ingress/abc");
const HOST: (&str, &str) = ("host", "homeassistant.local:8123");
const ORIGIN: (&str, &str) = ("origin", "http://homeassistant.local:8123");
const FOREIGN: (&str, &str) = ("origin", "http://evil.example");

async fn call(server: &RunningServer, method: Method, path: &str, headers: &[(&'static str, &str)]) -> RestResponse {
    let body = (method == Method::POST).then(|| json!({}));
    server.rest_as(None).call(method, path, body, headers).await
}

/// The policy of the page, asked for with these headers.
async fn policy(server: &RunningServer, headers: &[(&'static str, &str)]) -> String {
    let client = reqwest::Client::new();
    let request = headers.iter().fold(client.get(server.url()), |request, (name, value)| request.header(*name, *value));
    let response = request.send().await.unwrap();
    response
        .headers()
        .get("content-security-policy")
        .map(|value| value.to_str().unwrap().to_owned())
        .unwrap_or_default()
}

#[tokio::test]
async fn users_of_home_assistant_are_signed_in_and_foreign_pages_are_not() {
    let program = program().with("DWELL_SERVER_INGRESS", "127.0.0.1");
    let server = program.start().await;
    let entry = call(&server, Method::GET, "/api/v1/entry", &[HOST, PATH]).await.ok();
    assert_eq!((&entry["owner"], &entry["expires_at"]), (&json!("owner"), &Value::Null), "without a cookie");
    call(&server, Method::POST, "/api/v1/sessions", &[HOST, PATH, ORIGIN]).await.ok();
    assert!(Socket::connect_with(server.url(), "", &[HOST, PATH, ORIGIN]).await.is_ok(), "the WebSocket opens");

    // A page of another origin, or one that does not say where it comes from.
    for headers in [&[HOST, PATH, FOREIGN][..], &[HOST, PATH], &[HOST, PATH, ("origin", "null")]] {
        assert_eq!(call(&server, Method::POST, "/api/v1/sessions", headers).await.status, 403, "{headers:?}");
        assert!(Socket::connect_with(server.url(), "", headers).await.is_err(), "{headers:?}");
    }
    let cross = [HOST, PATH, ("sec-fetch-site", "cross-site")];
    assert_eq!(call(&server, Method::GET, "/api/v1/sessions", &cross).await.status, 403);
    // APIs of other programs take their token, through ingress as well.
    assert_eq!(call(&server, Method::GET, "/v1/models", &[HOST, PATH]).await.status, 401);
    // Without the mark the proxy is a client like others.
    assert_eq!(call(&server, Method::GET, "/api/v1/entry", &[]).await.status, 401);
    assert_eq!(call(&server, Method::GET, "/api/v1/entry", &[HOST]).await.status, 403);

    if !policy(&server, &[]).await.is_empty() {
        assert!(policy(&server, &[]).await.contains("frame-ancestors 'none'"));
        let framed = policy(&server, &[HOST, PATH]).await;
        assert!(framed.contains("frame-ancestors 'self'") && framed.contains("require-trusted-types-for"), "{framed}");
    }
}

#[tokio::test]
async fn from_any_other_address_the_mark_means_nothing() {
    for (ingress, status) in [("", 401), ("172.30.32.2", 401)] {
        let program = program().with("DWELL_SERVER_INGRESS", ingress);
        let server = program.start().await;
        assert_eq!(call(&server, Method::GET, "/api/v1/entry", &[PATH]).await.status, status, "{ingress}");
        assert_eq!(call(&server, Method::GET, "/api/v1/entry", &[PATH, HOST]).await.status, 403, "{ingress}");
    }
    let wrong = program().with("DWELL_SERVER_INGRESS", "supervisor").run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(wrong.stderr.contains("`server.ingress` is wrong"), "{}", wrong.stderr);
}
