//! Reverse proxies: what they say of their clients counts only from the addresses that are trusted.

use reqwest::{Method, header};
use serde_json::{Value, json};
use testkit::{RestResponse, RunningServer};

use crate::program;

const ADA: (&str, &str) = ("x-forwarded-for", "203.0.113.7");
const EVE: (&str, &str) = ("x-forwarded-for", "198.51.100.9");

async fn call(server: &RunningServer, token: Option<&str>, headers: &[(&str, &str)]) -> RestResponse {
    server.rest_as(token).call(Method::GET, "/api/v1/sessions", None, headers).await
}

/// Guesses a token until the address is refused; the number of guesses that were looked at.
async fn guess(server: &RunningServer, headers: &[(&str, &str)]) -> usize {
    for count in 0..50 {
        if call(server, Some("wrong"), headers).await.status == 429 {
            return count;
        }
    }
    50
}

#[tokio::test]
async fn each_client_of_a_trusted_proxy_has_failures_of_its_own() {
    let program = program().with("DWELL_LIMITS_FAILED_ENTRIES_PEER_MAX", "5");
    let program = program.with("DWELL_SERVER_TRUSTED_PROXIES", "127.0.0.0/8");
    let program = program.with("DWELL_SERVER_HOSTS", "dwell.example");
    let server = program.start().await;
    assert!(guess(&server, &[EVE]).await < 50);
    assert_eq!(call(&server, Some("wrong"), &[EVE]).await.status, 429);
    assert_eq!(call(&server, Some("wrong"), &[ADA]).await.status, 401, "another client is looked at");
    let claimed = [("x-forwarded-for", "203.0.113.7, 198.51.100.9")];
    assert_eq!(call(&server, Some("wrong"), &claimed).await.status, 429, "what it claims itself does not help");
    let standard = [("forwarded", "for=198.51.100.9;proto=https")];
    assert_eq!(call(&server, Some("wrong"), &standard).await.status, 429, "the standard header says the same");

    // The name and the scheme that the browser used.
    let (proto, host) = (("x-forwarded-proto", "https"), ("x-forwarded-host", "dwell.example"));
    let metadata = server.rest_as(None);
    let metadata =
        metadata.call(Method::GET, "/.well-known/oauth-protected-resource/mcp", None, &[ADA, proto, host]).await.ok();
    assert_eq!(metadata["resource"], "https://dwell.example/mcp");
    let foreign = [ADA, ("x-forwarded-host", "evil.example")];
    assert_eq!(call(&server, None, &foreign).await.status, 403, "the host still has to be one of the server's");

    // A browser behind the proxy: its cookie is for TLS only.
    let client = reqwest::Client::new();
    let entry = client.post(format!("{}/api/v1/entry", server.url())).header("origin", "http://dwell.example");
    let entry = entry.header(proto.0, proto.1).header(host.0, host.1).header(ADA.0, ADA.1);
    let entry = entry.json(&json!({ "token": "test-token-0123456789" })).send().await.unwrap();
    assert_eq!(entry.status(), 200);
    assert!(entry.headers()[header::SET_COOKIE].to_str().unwrap().contains("; Secure"));
}

#[tokio::test]
async fn nothing_that_other_addresses_say_is_believed() {
    let program = program().with("DWELL_LIMITS_FAILED_ENTRIES_PEER_MAX", "5").with("DWELL_SERVER_PROXIES", "127.0.0.1");
    let program = program.with("DWELL_SERVER_TRUSTED_PROXIES", "10.0.0.0/8");
    let server = program.start().await;
    assert!(guess(&server, &[EVE]).await < 50);
    assert_eq!(call(&server, Some("wrong"), &[ADA]).await.status, 429, "it is still one address");
    let host = [("x-forwarded-host", "127.0.0.1")];
    let answer = server.rest().call(Method::GET, "/api/v1/entry", None, &host).await;
    assert_ne!(answer.body, Value::Null);
    server.stop().await;
    let wrong = program.with("DWELL_SERVER_TRUSTED_PROXIES", "proxy").run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(wrong.code() == 1 && wrong.stderr.contains("`server.trusted_proxies` is wrong"), "{wrong:?}");
}
