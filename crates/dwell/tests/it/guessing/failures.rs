//! A client that fails to sign in too often must wait, and all other clients are unaffected.

use std::{net::Ipv4Addr, time::Duration};

use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use testkit::RunningServer;

use super::secret;
use crate::program;

/// The token of every program that the tests start.
const TOKEN: &str = "test-token-0123456789";

/// A client with an address of its own.
struct PeerClient<'s> {
    http: Client,
    server: &'s RunningServer,
}

impl<'s> PeerClient<'s> {
    fn new(server: &'s RunningServer, last: u8) -> Self {
        let address = Ipv4Addr::new(127, 0, 0, last);
        Self { http: Client::builder().local_address(Some(address.into())).build().unwrap(), server }
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.http.get(format!("{}{path}", self.server.url()))
    }

    /// Sends a request with a token; returns the status.
    async fn with(&self, token: &str) -> u16 {
        self.get("/api/v1/sessions").bearer_auth(token).send().await.unwrap().status().as_u16()
    }

    fn entry(&self, proof: &Value) -> RequestBuilder {
        let asked = self.http.post(format!("{}/api/v1/entry", self.server.url()));
        asked.header("origin", self.server.url()).header("content-type", "application/json").body(proof.to_string())
    }

    /// A wrong credential over one of the APIs.
    fn wrong(&self, way: &str, cookie: &str) -> RequestBuilder {
        match way {
            "token" => self.get("/api/v1/sessions").bearer_auth("wrong"),
            "a path that is not there" => self.get("/nowhere").bearer_auth("wrong"),
            "mcp" => self.get("/mcp").bearer_auth("wrong"),
            "openai" => self.get("/v1/models").bearer_auth("wrong"),
            "subprotocol" => self.get("/ws").header("sec-websocket-protocol", "dwell.bearer.wrong"),
            "ticket" => self.get("/events/01ARZ3NDEKTSV4RRFFQ69G5FAV?ticket=wrong"),
            "ollama" => self.get("/ollama/wrong/api/tags"),
            "invitation" => self.entry(&json!({ "invitation": "wrong" })),
            "pasted token" => self.entry(&json!({ "token": "wrong" })),
            "cookie" => self.get("/api/v1/sessions").header("cookie", format!("{cookie}=rs1.forged.wrong")),
            way => panic!("{way}"),
        }
    }
}

const WAYS: [&str; 10] = [
    "token",
    "a path that is not there",
    "mcp",
    "openai",
    "subprotocol",
    "ticket",
    "ollama",
    "invitation",
    "pasted token",
    "cookie",
];

/// The time to wait that an answer gives in its body; its header gives one too.
async fn wait(answer: Response) -> Duration {
    let seconds: u64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(seconds >= 1);
    let body: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    assert_eq!(body["code"], "rate_limited", "{body}");
    Duration::from_millis(body["retry_after_ms"].as_u64().unwrap())
}

#[tokio::test]
async fn every_way_in_is_limited_for_its_peer_alone() {
    let program = program().with("DWELL_LIMITS_FAILED_ENTRIES_PEER_MAX", "4");
    let server = program.start().await;
    let entered = PeerClient::new(&server, 1).entry(&json!({ "token": TOKEN })).send().await.unwrap();
    let cookie = entered.headers()["set-cookie"].to_str().unwrap().split('=').next().unwrap().to_owned();
    for (number, way) in (10..).zip(WAYS) {
        let peer = PeerClient::new(&server, number);
        for _ in 0..4 {
            let answer = peer.wrong(way, &cookie).send().await.unwrap();
            assert_eq!(answer.status().as_u16(), 401, "{way}");
        }
        let refused = peer.wrong(way, &cookie).send().await.unwrap();
        assert_eq!(refused.status().as_u16(), 429, "{way}");
        assert!(refused.headers().contains_key("retry-after"), "{way}");
        // One limit covers all APIs and also refuses good credentials. Otherwise it would not slow
        // down guessing.
        assert_eq!(peer.with("wrong").await, 429, "{way}");
        assert_eq!(peer.with(TOKEN).await, 429, "{way}");
        // Routes without authentication stay available, and a request without a credential is not
        // counted as an attempt.
        assert_eq!(peer.get("/healthz").send().await.unwrap().status().as_u16(), 200);
        assert_eq!(peer.get("/api/v1/sessions").send().await.unwrap().status().as_u16(), 401);
    }
    assert_eq!(PeerClient::new(&server, 9).with(TOKEN).await, 200, "other peers are not affected");
    assert_eq!(PeerClient::new(&server, 1).with(TOKEN).await, 200);
}

#[tokio::test]
async fn after_the_wait_a_good_token_is_let_in() {
    let program = program().with("DWELL_LIMITS_FAILED_ENTRIES_PEER_MAX", "120");
    let server = program.start().await;
    let peer = PeerClient::new(&server, 2);
    let mut refused = None;
    for _ in 0..400 {
        let answer = peer.get("/api/v1/sessions").bearer_auth("wrong").send().await.unwrap();
        if answer.status().as_u16() == 429 {
            refused = Some(answer);
            break;
        }
    }
    let wait = wait(refused.expect("so many are too many")).await;
    tokio::time::sleep(wait).await;
    assert_eq!(peer.with(TOKEN).await, 200);
    assert_eq!(peer.with(TOKEN).await, 200, "and it keeps working");
}

/// Behind a proxy all clients have one address.
#[tokio::test]
async fn what_was_good_from_an_address_stays_good_while_others_fail_there() {
    let program = program().with("DWELL_LIMITS_FAILED_ENTRIES_PEER_MAX", "3");
    let server = program.start().await;
    let (ada, stranger) = (PeerClient::new(&server, 1), PeerClient::new(&server, 1));
    assert_eq!(ada.with(TOKEN).await, 200);
    let entered = ada.entry(&json!({ "token": TOKEN })).send().await.unwrap();
    let cookie = entered.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let invitation = secret(&server.rest(), "invitation").await;
    for _ in 0..20 {
        stranger.with("wrong").await;
    }
    assert_eq!(stranger.with("wrong").await, 429);
    assert_eq!(ada.with(TOKEN).await, 200);
    let page = ada.get("/api/v1/sessions").header("cookie", &cookie).header("sec-fetch-site", "same-origin");
    assert_eq!(page.send().await.unwrap().status().as_u16(), 200, "the page stays signed in by its cookie");
    let invited = ada.entry(&json!({ "invitation": invitation })).send().await.unwrap();
    assert_eq!(invited.status().as_u16(), 200, "an invitation from that address works too");
}
