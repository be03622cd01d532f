//! Browser sign-in: how a browser gets a session, what the session allows, and what ends it.

pub(crate) mod browser;
mod cookie;
mod opening;
mod page;

use browser::Browser;
use reqwest::Method;
use serde_json::json;
use testkit::{RunningServer, Socket};

use crate::{
    access::{filled, templates},
    owners::add,
    program, started,
};

/// The token of every program that the tests start.
const TOKEN: &str = "test-token-0123456789";

/// Headers that say where a request comes from.
type Headers<'a> = &'a [(&'static str, &'a str)];

/// An invitation of the owner of this token.
async fn invitation(server: &RunningServer, token: &str) -> String {
    let given = server.rest_as(Some(token)).post("/api/v1/invitations", json!({})).await;
    assert_eq!(given.status, 201, "{}", given.body);
    given.body["invitation"].as_str().unwrap().to_owned()
}

/// The status with which a WebSocket with these headers is refused; none if it opens.
async fn refused(server: &RunningServer, headers: Headers<'_>) -> Option<u16> {
    let error = Socket::connect_with(server.url(), "", headers).await.err()?;
    let tokio_tungstenite::tungstenite::Error::Http(answer) = error else { panic!("{error}") };
    Some(answer.status().as_u16())
}

#[tokio::test]
async fn an_invitation_lets_a_browser_in_once() {
    let (_model, _program, server) = started().await;
    let invitation = invitation(&server, TOKEN).await;
    let mut browser = Browser::new(&server);
    assert_eq!(browser.get("/api/v1/entry").await.status, 401);
    let entered = browser.enter(json!({ "invitation": invitation })).await;
    let cookie = entered.cookie().unwrap().to_owned();
    assert!(cookie.starts_with("dwell-"), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000"), "{cookie}");
    assert_eq!(entered.headers["cache-control"], "no-store");
    let entered = entered.ok();
    assert_eq!(entered["owner"], "owner");

    let known = browser.get("/api/v1/entry").await;
    assert!(known.cookie().is_none(), "a new cookie is not renewed");
    assert_eq!(known.ok(), entered);
    assert_eq!(entered["version"], server.rest().get("/healthz").await.ok()["version"]);
    browser.call(Method::POST, "/api/v1/sessions", Some(json!({}))).await.ok();

    let again = Browser::new(&server).enter(json!({ "invitation": invitation })).await;
    assert_eq!((again.status, again.body["code"].as_str()), (401, Some("unauthorized")));
    assert!(again.cookie().is_none());
    let hint = again.body["hint"].as_str().unwrap();
    assert!(hint.contains("`dwell open`") && hint.contains("file `token`"), "{hint}");
}

#[tokio::test]
async fn so_does_the_token_and_nothing_else() {
    let (_model, _program, server) = started().await;
    Browser::new(&server).enter(json!({ "token": format!(" {TOKEN}\n") })).await.ok();
    let ticket = server.rest().post("/api/v1/tickets", json!({})).await.ok()["ticket"].clone();
    for (proof, status) in [
        (json!({ "token": "wrong" }), 401),
        (json!({ "token": "" }), 401),
        (json!({ "invitation": "wrong" }), 401),
        (json!({ "invitation": TOKEN }), 401),
        (json!({ "invitation": ticket }), 401),
        (json!({}), 400),
        (json!({ "token": TOKEN, "invitation": "x" }), 400),
        (json!({ "ticket": ticket }), 400),
    ] {
        let refused = Browser::new(&server).enter(proof.clone()).await;
        assert_eq!(refused.status, status, "{proof}: {}", refused.body);
        assert!(refused.cookie().is_none(), "{proof}");
    }
    let query = format!("?ticket={}", invitation(&server, TOKEN).await);
    assert!(Socket::connect_with(server.url(), &query, &[]).await.is_err(), "an invitation is no ticket");
}

#[tokio::test]
async fn no_foreign_page_can_sign_a_browser_in() {
    let (_model, _program, server) = started().await;
    let invitation = invitation(&server, TOKEN).await;
    let proof = || Some(json!({ "invitation": invitation }));
    let own = server.url().to_owned();
    let foreign: [&[(&str, &str)]; 6] = [
        &[],
        &[("origin", "null")],
        &[("origin", "http://127.0.0.1:1")],
        &[("origin", "https://evil.example")],
        &[("origin", &own), ("sec-fetch-site", "same-site")],
        &[("origin", &own), ("sec-fetch-site", "cross-site")],
    ];
    for headers in foreign {
        let got = Browser::new(&server).send(Method::POST, "/api/v1/entry", proof(), headers).await;
        assert_eq!((got.status, got.cookie()), (403, None), "{headers:?}");
    }
    Browser::new(&server).enter(json!({ "invitation": invitation })).await.ok();
}

#[tokio::test]
async fn by_tls_the_cookie_is_for_tls_alone() {
    let program = program().with("DWELL_SERVER_HOSTS", "dwell.example");
    let server = program.start().await;
    let origin = [("origin", "https://dwell.example"), ("host", "dwell.example")];
    let proof = Some(json!({ "token": TOKEN }));
    let got = Browser::new(&server).send(Method::POST, "/api/v1/entry", proof, &origin).await;
    assert!(got.cookie().unwrap().ends_with("; Secure"), "{:?}", got.cookie());
}

#[tokio::test]
async fn a_cookie_counts_only_for_what_comes_from_the_page_itself() {
    let (_model, _program, server) = started().await;
    let browser = Browser::of(&server, TOKEN).await;
    let own = server.url().to_owned();
    let other_port = "http://127.0.0.1:1";
    // Headers, then the statuses of a read, a change and a WebSocket.
    let table: [(Headers<'_>, [u16; 3]); 11] = [
        (&[], [200, 403, 403]),
        (&[("origin", &own)], [200, 201, 101]),
        (&[("origin", &own), ("sec-fetch-site", "same-origin")], [200, 201, 101]),
        (&[("sec-fetch-site", "same-origin")], [200, 403, 403]),
        (&[("sec-fetch-site", "none")], [200, 403, 403]),
        (&[("sec-fetch-site", "same-site")], [403, 403, 403]),
        (&[("sec-fetch-site", "cross-site")], [403, 403, 403]),
        (&[("origin", &own), ("sec-fetch-site", "same-site")], [403, 403, 403]),
        (&[("origin", other_port), ("sec-fetch-site", "same-site")], [403, 403, 403]),
        (&[("origin", "https://evil.example")], [403, 403, 403]),
        // A sandboxed frame has no origin, whatever it shows.
        (&[("origin", "null"), ("sec-fetch-site", "same-origin")], [403, 403, 403]),
    ];
    for (headers, expected) in table {
        let read = browser.send(Method::GET, "/api/v1/sessions", None, headers).await.status;
        let changed = browser.send(Method::POST, "/api/v1/sessions", Some(json!({})), headers).await.status;
        let mut of_socket = headers.to_vec();
        of_socket.push(("cookie", browser.cookie.as_deref().unwrap()));
        let socket = refused(&server, &of_socket).await.unwrap_or(101);
        assert_eq!([read, changed, socket], expected, "{headers:?}");
    }
}

#[tokio::test]
async fn and_only_for_what_the_page_needs() {
    let (_model, _program, server) = started().await;
    let browser = Browser::of(&server, TOKEN).await;
    let mut closed = 0;
    for (method, path) in templates(&server).await {
        let path = filled(&path, &[]);
        let is_for_pages = ["/ws", "/openapi.json", "/readyz"].contains(&path.as_str())
            || ["/api/v1/", "/events/"].iter().any(|start| path.starts_with(start));
        let is_for_all = ["/", "/healthz", "/service-worker.js", "/manifest.webmanifest"].contains(&path.as_str())
            || ["/apps/", "/assets/", "/.well-known/"].iter().any(|start| path.starts_with(start));
        let got = browser.call(method.parse().unwrap(), &path, None).await;
        assert_ne!(got.status, 403, "{method} {path}");
        assert_eq!(got.status == 401, !is_for_pages && !is_for_all, "{method} {path}: {}", got.status);
        closed += usize::from(got.status == 401);
    }
    assert!(closed > 10, "{closed}");
}

#[tokio::test]
async fn a_token_in_the_same_request_wins() {
    let (_model, program, server) = started().await;
    let ada = add(&program, "ada").await;
    let browser = Browser::of(&server, &ada).await;
    let as_owner = format!("Bearer {TOKEN}");
    let got = browser.send(Method::GET, "/api/v1/entry", None, &[("authorization", &as_owner)]).await.ok();
    assert_eq!((got["owner"].as_str(), got.get("expires_at")), (Some("owner"), None));
    let made = browser.send(Method::POST, "/api/v1/sessions", Some(json!({})), &[("authorization", &as_owner)]).await;
    assert_eq!(made.ok()["owner"], "owner", "and what comes with a token needs no origin");
    let wrong = browser.send(Method::GET, "/api/v1/entry", None, &[("authorization", "Bearer wrong")]).await;
    assert_eq!(wrong.status, 401, "a wrong one too");
}

#[tokio::test]
async fn two_owners_each_see_their_own() {
    let (_model, program, server) = started().await;
    let (ada, bob) = (add(&program, "ada").await, add(&program, "bob").await);
    let mut hers = Browser::new(&server);
    hers.enter(json!({ "invitation": invitation(&server, &ada).await })).await.ok();
    let his = Browser::of(&server, &bob).await;
    let session = hers.call(Method::POST, "/api/v1/sessions", Some(json!({}))).await.ok();
    assert_eq!(session["owner"], "ada");
    assert_eq!(hers.get("/api/v1/sessions").await.ok()["data"].as_array().unwrap().len(), 1);
    assert_eq!(his.get("/api/v1/sessions").await.ok()["data"], json!([]));
    let path = format!("/api/v1/sessions/{}", session["session_id"].as_str().unwrap());
    assert_eq!((hers.get(&path).await.status, his.get(&path).await.status), (200, 404));
    // A signed-in browser can invite another browser of the same owner.
    let invited = hers.call(Method::POST, "/api/v1/invitations", None).await.ok();
    let mut phone = Browser::new(&server);
    let entered = phone.enter(json!({ "invitation": invited["invitation"] })).await.ok();
    assert_eq!(entered["owner"], "ada");
}

#[tokio::test]
async fn an_owner_who_is_removed_is_out_at_once() {
    let (_model, program, server) = started().await;
    let ada = add(&program, "ada").await;
    let browser = Browser::of(&server, &ada).await;
    let open = invitation(&server, &ada).await;
    let (mut socket, _) = Socket::connect_with(server.url(), "", &browser.for_socket()).await.unwrap();
    socket.ask("session.start", json!({})).await.unwrap();
    program.run(&["owners", "remove", "ada"]).await;
    while socket.try_next().await.is_some() {}
    assert_eq!(browser.get("/api/v1/sessions").await.status, 401);
    assert_eq!(refused(&server, &browser.for_socket()).await, Some(401));
    assert_eq!(Browser::new(&server).enter(json!({ "invitation": open })).await.status, 401);
    let back = add(&program, "ada").await;
    assert_eq!(browser.get("/api/v1/entry").await.status, 401, "another token is another entry");
    Browser::of(&server, &back).await;
}

#[tokio::test]
async fn a_browser_that_signs_out_is_out() {
    let (_model, _program, server) = started().await;
    let browser = Browser::of(&server, TOKEN).await;
    let foreign = [("sec-fetch-site", "same-site")];
    assert_eq!(browser.send(Method::DELETE, "/api/v1/entry", None, &foreign).await.status, 403);
    let left = browser.call(Method::DELETE, "/api/v1/entry", None).await;
    assert_eq!((left.status, &left.body), (204, &json!(null)));
    let name = browser.cookie.as_deref().unwrap().split('=').next().unwrap();
    assert_eq!(left.cookie(), Some(format!("{name}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0").as_str()));
    assert_eq!(Browser::new(&server).call(Method::DELETE, "/api/v1/entry", None).await.status, 401);
}
