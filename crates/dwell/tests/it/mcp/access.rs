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

/// Clients that speak OAuth look here; a client with a plain token never does.
#[tokio::test]
async fn a_client_without_a_token_is_told_where_the_metadata_is() {
    let (_model, program, server) = started().await;
    let get = async |url: String, headers: &[(&str, &str)]| {
        let mut request = Client::new().get(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    };
    for (token, error) in [(None, ""), (Some("Bearer wrong"), r#"error="invalid_token", "#)] {
        let headers: Vec<(&str, &str)> = token.map(|token| ("authorization", token)).into_iter().collect();
        let refused = get(format!("{}/mcp", server.url()), &headers).await;
        let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", server.url());
        let expected = format!(r#"Bearer {error}resource_metadata="{metadata}""#);
        assert_eq!(
            (refused.status().as_u16(), refused.headers()["www-authenticate"].to_str().unwrap()),
            (401, &*expected)
        );
    }
    let elsewhere = get(format!("{}/api/v1/sessions", server.url()), &[]).await;
    assert_eq!(elsewhere.headers()["www-authenticate"], "Bearer", "other APIs are not OAuth resources");

    let document = async |server: &RunningServer, path: &str, headers: &[(&str, &str)]| {
        let answer = get(format!("{}/.well-known/oauth-protected-resource{path}", server.url()), headers).await;
        assert_eq!(answer.status(), 200, "{path} needs no token");
        answer.json::<serde_json::Value>().await.unwrap()
    };
    for path in ["", "/mcp"] {
        let told = document(&server, path, &[]).await;
        let expected = json!({
            "resource": format!("{}{path}", server.url()), "resource_name": "Dwell",
            "bearer_methods_supported": ["header"],
        });
        assert_eq!(told, expected, "without an authorization server there is none to name");
    }
    let claimed = document(&server, "/mcp", &[("x-forwarded-proto", "https")]).await;
    assert!(claimed["resource"].as_str().unwrap().starts_with("http://"), "any client can claim that: {claimed}");
    server.stop().await;

    let issuer = "https://login.example.org";
    let named = program.with("DWELL_MCP_AUTHORIZATION_SERVERS", issuer);
    let named = named.with("DWELL_SERVER_TRUSTED_PROXIES", "127.0.0.1");
    let server = named.start().await;
    let proxied = document(&server, "/mcp", &[("x-forwarded-proto", "https")]).await;
    assert!(proxied["resource"].as_str().unwrap().starts_with("https://"), "{proxied}");
    assert_eq!(document(&server, "/mcp", &[]).await["authorization_servers"], json!([issuer]));
    server.stop().await;
    let wrong = named.with("DWELL_MCP_AUTHORIZATION_SERVERS", "login").run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(wrong.code() != 0 && wrong.stderr.contains("mcp.authorization_servers"), "{wrong:?}");
}

/// What the SDKs take for the end of a session: 200 or 204.
#[tokio::test]
async fn a_session_that_is_ended_says_so() {
    let (_model, _program, server) = started().await;
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
    let headers = [("mcp-session-id", id.as_str()), ("mcp-protocol-version", McpWire::Session.version())];
    assert_eq!(status(&server, Method::DELETE, Some(TOKEN), &headers).await, 204);
    assert_eq!(status(&server, Method::GET, Some(TOKEN), &headers).await, 404, "it is gone");
    assert_eq!(
        status(&server, Method::DELETE, Some(TOKEN), &headers).await,
        204,
        "a lost answer can be asked for again"
    );
}
