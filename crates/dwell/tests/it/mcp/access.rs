//! Access control of `/mcp`.

use reqwest::{Client, Method};
use serde_json::json;
use testkit::{McpWire, RunningServer};

use crate::{owners, started};

/// Sends a request with this method, token and headers; returns the status.
async fn status(server: &RunningServer, method: Method, token: Option<&str>, headers: &[(&str, &str)]) -> u16 {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": McpWire::Session.version(), "capabilities": {},
            "clientInfo": { "name": "stranger", "version": "1" },
        },
    });
    let request = Client::new().request(method.clone(), format!("{}/mcp", server.url()));
    let mut request = request.header("accept", "application/json, text/event-stream");
    if method == Method::POST {
        request = request.json(&body);
    }
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap().status().as_u16()
}

const TOKEN: &str = "test-token-0123456789";

#[tokio::test]
async fn foreign_pages_and_names_are_refused_whatever_they_ask() {
    let (_model, _program, server) = started().await;
    let host = server.url().strip_prefix("http://").unwrap().to_owned();
    let port = host.rsplit(':').next().unwrap();
    let (own, lookalike) = (server.url().to_owned(), format!("{}.evil.example", server.url()));
    let other_port = "http://127.0.0.1:1";
    for method in [Method::POST, Method::GET, Method::DELETE] {
        for origin in ["https://evil.example", "null", "", "http://127.0.0.1.evil.example", &lookalike, other_port] {
            let status = status(&server, method.clone(), Some(TOKEN), &[("origin", origin)]).await;
            assert_eq!(status, 403, "{method} from {origin:?}");
        }
        for name in
            ["evil.example", &format!("evil.example:{port}"), &format!("{host}.evil.example"), "127.0.0.1.evil.example"]
        {
            let status = status(&server, method.clone(), Some(TOKEN), &[("host", name)]).await;
            assert_eq!(status, 403, "{method} as {name}");
        }
        let status = status(&server, method.clone(), Some(TOKEN), &[("origin", &own)]).await;
        assert_ne!(status, 403, "{method} from our own page");
    }
    assert_eq!(status(&server, Method::POST, Some(TOKEN), &[]).await, 200, "programs send no origin");
}

#[tokio::test]
async fn no_client_gets_in_without_a_good_token() {
    let (_model, program, server) = started().await;
    let ada = owners::add(&program, "ada").await;
    for method in [Method::POST, Method::GET, Method::DELETE] {
        for token in [None, Some(""), Some("wrong"), Some("test-token-012345678"), Some("test-token-0123456789x")] {
            assert_eq!(status(&server, method.clone(), token, &[]).await, 401, "{method} with {token:?}");
        }
    }
    for wire in McpWire::BOTH {
        let mcp = server.mcp_as(&ada, wire, json!({})).await;
        let session = mcp.data("start_session", json!({})).await;
        assert!(session["session_id"].is_string());
    }
    program.run(&["owners", "remove", "ada"]).await;
    assert_eq!(status(&server, Method::POST, Some(&ada), &[]).await, 401, "a removed owner has no access");
}

/// The id of another owner's protocol session gives no access.
#[tokio::test]
async fn a_session_of_the_protocol_is_its_owners_only() {
    let (_model, program, server) = started().await;
    let ada = owners::add(&program, "ada").await;
    let begun = Client::new()
        .post(format!("{}/mcp", server.url()))
        .header("accept", "application/json, text/event-stream")
        .bearer_auth(TOKEN)
        .json(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": McpWire::Session.version(), "capabilities": {},
                "clientInfo": { "name": "owner", "version": "1" },
            },
        }))
        .send()
        .await
        .unwrap();
    let id = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let version = ("mcp-protocol-version", McpWire::Session.version());
    let ping = async |token: &str| {
        let ping = Client::new()
            .post(format!("{}/mcp", server.url()))
            .header("accept", "application/json, text/event-stream")
            .header("mcp-session-id", &id)
            .header(version.0, version.1)
            .bearer_auth(token)
            .json(&json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }));
        ping.send().await.unwrap().status().as_u16()
    };
    for method in [Method::GET, Method::DELETE] {
        let of = async |id: &str| status(&server, method.clone(), Some(&ada), &[("mcp-session-id", id), version]).await;
        assert_eq!(of(&id).await, of("00000000-0000-4000-8000-000000000000").await, "{method}: as if there were none");
    }
    assert_eq!((ping(&ada).await, ping(TOKEN).await), (404, 200));
}
