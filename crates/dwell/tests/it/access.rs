//! Access control: every route, without a token, with a wrong token, from a foreign page and under
//! a foreign host name.

use std::{collections::BTreeSet, os::unix::fs::PermissionsExt};

use reqwest::Method;
use serde_json::json;
use testkit::{RestClient, RunningServer, Socket};

use crate::{program, started};

/// An id that does not exist.
pub(crate) const NOWHERE: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// All routes as the running server describes them: methods and paths.
pub(crate) async fn templates(server: &RunningServer) -> BTreeSet<(String, String)> {
    let description = server.rest().get("/openapi.json").await.ok();
    let mut routes = BTreeSet::new();
    for (path, operations) in description["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            routes.insert((method.to_uppercase(), path.clone()));
        }
    }
    routes
}

/// Fills the ids of a path from `things`; ids that are not given are set to one that does not
/// exist.
pub(crate) fn filled(path: &str, things: &[(&str, &str)]) -> String {
    let mut path = path.to_owned();
    for (name, value) in things {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    for name in [
        "session_id",
        "turn_id",
        "approval_id",
        "artifact_id",
        "item_id",
        "vault_id",
        "memory_id",
        "entry_id",
        "dialog_id",
        "folder_id",
        "response_id",
        "conversation_id",
        "schedule_id",
        "alert_id",
        "device_id",
        "token_id",
    ] {
        path = path.replace(&format!("{{{name}}}"), NOWHERE);
    }
    for (name, value) in [
        ("version", "1"),
        ("window_id", "settings"),
        ("app", "timer"),
        ("file", "index.html"),
        ("key", "diet"),
        ("model", "dwell"),
        ("provider", "openai"),
    ] {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    assert!(!path.contains('{'), "{path} has an id that this test does not know");
    path
}

/// All routes, with ids that do not exist.
async fn routes(server: &RunningServer) -> BTreeSet<(String, String)> {
    templates(server).await.into_iter().map(|(method, path)| (method, filled(&path, &[]))).collect()
}

async fn status(rest: &RestClient, route: &(String, String), headers: &[(&str, &str)]) -> u16 {
    let method: Method = route.0.parse().unwrap();
    rest.call(method, &route.1, None, headers).await.status
}

/// The statuses that a route may answer without a token. The page may or may not be built in, and
/// the route that signs a browser in checks the origin first.
fn without_token(route: &(String, String)) -> &'static [u16] {
    match (route.0.as_str(), route.1.as_str()) {
        (_, "/healthz") => &[200],
        ("GET", path) if path.starts_with("/.well-known/") => &[200],
        ("GET", "/" | "/service-worker.js" | "/manifest.webmanifest") => &[200, 404],
        ("GET", path) if path.starts_with("/apps/") => &[200],
        ("GET", path) if path.starts_with("/assets/") => &[404],
        ("POST", "/api/v1/entry") => &[403],
        _ => &[401],
    }
}

#[tokio::test]
async fn every_route_asks_for_the_token() {
    // The limits on failed sign-ins are raised, because this test sends many wrong tokens.
    let program = program().with("DWELL_LIMITS_FAILED_ENTRIES_PEER_MAX", "100000");
    let server = program.with("DWELL_LIMITS_FAILED_ENTRIES_ALL_MAX", "100000").start().await;
    let routes = routes(&server).await;
    assert_eq!(routes.len(), 174, "a new route belongs into this count: {routes:?}");
    for token in [None, Some("wrong"), Some(""), Some("test-token-012345678"), Some("test-token-0123456789x")] {
        let rest = server.rest_as(token);
        for route in &routes {
            let status = status(&rest, route, &[]).await;
            assert!(without_token(route).contains(&status), "{route:?} with {token:?}: {status}");
        }
    }
    let rest = server.rest();
    // The credential of a webhook is its signature.
    for route in routes.iter().filter(|route| !route.1.starts_with("/hooks/")) {
        // With the right token the handler answers. That shows that the route exists.
        let status = status(&rest, route, &[("origin", server.url())]).await;
        assert!(![401, 403, 405].contains(&status), "{route:?}: {status}");
    }
    let unknown = server.rest_as(None).get("/nowhere").await;
    assert_eq!(unknown.code(401), "unauthorized", "unknown paths are not revealed without a token");
}

#[tokio::test]
async fn every_route_refuses_foreign_pages_and_names() {
    let (_model, _program, server) = started().await;
    let (own, rest) = (server.url().to_owned(), server.rest());
    let host = own.strip_prefix("http://").unwrap().to_owned();
    for route in &routes(&server).await {
        for origin in ["https://evil.example", "null", "http://127.0.0.1.evil.example", &format!("{own}.evil.example")]
        {
            // App frames have the origin `null` and load files from their own folder.
            if origin == "null" && route.1.starts_with("/apps/") {
                continue;
            }
            let status = status(&rest, route, &[("origin", origin)]).await;
            assert_eq!(status, 403, "{route:?} from {origin}");
        }
        for name in ["evil.example", &format!("{host}.evil.example"), "localhost.evil.example:80"] {
            let status = status(&rest, route, &[("host", name)]).await;
            assert_eq!(status, 403, "{route:?} as {name}");
        }
        let status = status(&rest, route, &[("origin", &own)]).await;
        assert_ne!(status, 403, "{route:?} from our own page");
    }
}

#[tokio::test]
async fn the_websocket_asks_before_it_opens() {
    let (_model, _program, server) = started().await;
    let refused = async |query: &str, headers: &[(&'static str, &str)]| {
        let error = Socket::connect_with(server.url(), query, headers).await.err().unwrap();
        let tokio_tungstenite::tungstenite::Error::Http(answer) = error else { panic!("{error}") };
        answer.status().as_u16()
    };
    let token = ("authorization", "Bearer test-token-0123456789");
    assert_eq!(refused("", &[]).await, 401);
    assert_eq!(refused("", &[("authorization", "Bearer wrong")]).await, 401);
    assert_eq!(refused("?ticket=wrong", &[]).await, 401);
    assert_eq!(refused("", &[("sec-websocket-protocol", "dwell.bearer.wrong")]).await, 401);
    assert_eq!(refused("", &[token, ("origin", "https://evil.example")]).await, 403);
    assert_eq!(refused("", &[token, ("host", "evil.example")]).await, 403);
}

#[tokio::test]
async fn a_browser_brings_its_token_as_a_subprotocol() {
    let (_model, _program, server) = started().await;
    for (offered, chosen) in [
        ("dwell.bearer.test-token-0123456789", "dwell.bearer.test-token-0123456789"),
        ("dwell, dwell.bearer.test-token-0123456789", "dwell"),
    ] {
        let headers = [("sec-websocket-protocol", offered), ("origin", server.url())];
        let (mut socket, answer) = Socket::connect_with(server.url(), "", &headers).await.unwrap();
        assert_eq!(answer["sec-websocket-protocol"], chosen);
        socket.ask("session.start", json!({})).await.unwrap();
    }
}

#[tokio::test]
async fn a_ticket_opens_once() {
    let (_model, _program, server) = started().await;
    let session = server.rest().session().await;
    let ticket = async || {
        let ticket = server.rest().post("/api/v1/tickets", json!({})).await.ok();
        ticket["ticket"].as_str().unwrap().to_owned()
    };
    let first = format!("?ticket={}", ticket().await);
    let (mut socket, _) = Socket::connect_with(server.url(), &first, &[]).await.unwrap();
    socket.ask("session.get", json!({ "session_id": session })).await.unwrap();
    assert!(Socket::connect_with(server.url(), &first, &[]).await.is_err(), "it is used up");

    let anonymous = server.rest_as(None);
    let elsewhere = format!("/api/v1/sessions?ticket={}", ticket().await);
    assert_eq!(anonymous.get(&elsewhere).await.code(401), "unauthorized", "tickets are for streams only");
}

#[tokio::test]
async fn the_token_is_made_once_kept_private_and_shown_once() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let program = program().with_own_token();
    let first = program.start().await;
    let file = program.folder().join("token");
    let token = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    assert_eq!(token.len(), 64);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(program.folder().join("journal.db")).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(first.greeting().iter().any(|line| line.contains(&token)));
    first.rest_as(Some(&token)).get("/api/v1/sessions").await.ok();
    first.stop().await;

    let second = program.start().await;
    assert!(!second.greeting().iter().any(|line| line.contains(&token)), "it is shown once");
    second.rest_as(Some(&token)).get("/api/v1/sessions").await.ok();
}
