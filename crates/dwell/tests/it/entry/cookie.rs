//! The session cookie: after a restart, beside another server's cookie, and when it is forged.

use std::time::{Duration, SystemTime};

use rmcp::model::{RequestStateCodec, SealOptions};
use serde_json::json;
use sha2::{Digest, Sha256};
use testkit::{Program, Socket};

use super::{Browser, TOKEN, refused};
use crate::{program, started};

const DAY: u64 = 24 * 60 * 60;

/// Makes cookies with the key of a data folder, as only its server can.
struct CookieMaker {
    name: String,
    codec: RequestStateCodec,
}

impl CookieMaker {
    fn of(program: &Program, browser: &Browser) -> Self {
        let key = std::fs::read_to_string(program.folder().join("seal-key")).unwrap();
        let digest = Sha256::digest([b"cookie\0", key.trim().as_bytes()].concat());
        let name = browser.cookie.as_deref().unwrap().split('=').next().unwrap().to_owned();
        Self { name, codec: RequestStateCodec::new_unchecked(digest.to_vec()) }
    }

    /// A cookie for this token that expires at this Unix time in seconds.
    fn make(&self, token: &str, expires: u64) -> String {
        let digest: String = Sha256::digest(token).iter().map(|byte| format!("{byte:02x}")).collect();
        let says = format!("{digest}.{}.false", expires * 1000);
        format!("{}={}", self.name, self.codec.seal_with(says.as_bytes(), &SealOptions::new()))
    }
}

fn now() -> u64 {
    #[allow(clippy::disallowed_methods, reason = "the server under test lives in the same time")]
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

#[tokio::test]
async fn a_restart_signs_no_browser_out_and_another_token_does() {
    let program = program();
    let server = program.start().await;
    let browser = Browser::of(&server, TOKEN).await;
    server.stop().await;
    let server = program.start().await;
    let browser = browser.at(&server);
    assert_eq!(browser.get("/api/v1/entry").await.ok()["owner"], "owner");
    let (mut socket, _) = Socket::connect_with(server.url(), "", &browser.for_socket()).await.unwrap();
    socket.ask("session.start", json!({})).await.unwrap();
    server.kill().await;
    let program = program.with("DWELL_TOKEN", "another-token-0123456789");
    let server = program.start().await;
    assert_eq!(browser.at(&server).get("/api/v1/entry").await.status, 401);
    let server = {
        server.stop().await;
        program.with("DWELL_TOKEN", TOKEN).start().await
    };
    browser.at(&server).get("/api/v1/entry").await.ok();
}

#[tokio::test]
async fn forged_expired_and_cut_ones_are_worth_nothing() {
    let (_model, program, server) = started().await;
    let browser = Browser::of(&server, TOKEN).await;
    let maker = CookieMaker::of(&program, &browser);
    let good = maker.make(TOKEN, now() + 29 * DAY + 23 * 60 * 60);
    let (name, value) = good.split_once('=').unwrap();
    let forger = CookieMaker { name: name.to_owned(), codec: RequestStateCodec::new_unchecked([0; 32]) };
    let parts: Vec<_> = value.split('.').collect();
    let longer = maker.make(TOKEN, now() + 365 * DAY);
    let grafted = format!("{name}={}.{}.{}", parts[0], longer.split('.').nth(1).unwrap(), parts[2]);
    for (what, cookie, status) in [
        ("as the server makes it", good.clone(), 200),
        ("among others", format!("a=b; {good}; {name}x=1"), 200),
        ("behind one that is planted", format!("{name}=planted; {good}"), 200),
        ("expired", maker.make(TOKEN, now() - 1), 401),
        ("of a token that is not known", maker.make("unknown", now() + DAY), 401),
        ("forged", forger.make(TOKEN, now() + DAY), 401),
        ("with another time", grafted, 401),
        ("cut", good[..good.len() - 1].to_owned(), 401),
        ("cut short", format!("{name}={}", parts[0]), 401),
        ("empty", format!("{name}="), 401),
        ("the token itself", format!("{name}={TOKEN}"), 401),
        ("under another name", format!("dwell={value}"), 401),
    ] {
        let browser = browser.with(&cookie);
        let got = browser.get("/api/v1/entry").await;
        assert_eq!(got.status, status, "{what}: {}", got.body);
        assert!(got.cookie().is_none(), "{what}");
        let expected = (status != 200).then_some(status);
        assert_eq!(refused(&server, &browser.for_socket()).await, expected, "{what}");
    }
}

#[tokio::test]
async fn one_that_is_older_than_a_day_is_renewed() {
    let (_model, program, server) = started().await;
    let browser = Browser::of(&server, TOKEN).await;
    let old = CookieMaker::of(&program, &browser).make(TOKEN, now() + 29 * DAY - 60);
    let got = browser.with(&old).get("/api/v1/entry").await;
    let renewed = got.cookie().unwrap().to_owned();
    assert!(renewed.ends_with("; Max-Age=2592000"), "{renewed}");
    let fresh = browser.with(renewed.split(';').next().unwrap()).get("/api/v1/entry").await;
    assert!(fresh.cookie().is_none());
    assert_eq!(fresh.ok()["expires_at"], got.ok()["expires_at"]);
    let elsewhere = browser.with(&old).get("/api/v1/sessions").await;
    assert!(elsewhere.cookie().is_none(), "other answers set no cookies");
}

#[tokio::test]
async fn two_servers_on_one_machine_do_not_take_each_others() {
    let (one, other) = (program(), program().with("DWELL_TOKEN", "another-token-0123456789"));
    let (first, second) = (one.start().await, other.start().await);
    let here = Browser::of(&first, TOKEN).await;
    let there = Browser::of(&second, "another-token-0123456789").await;
    // A browser sends both cookies to both servers, because they differ only in the port.
    let both = format!("{}; {}", here.cookie.as_deref().unwrap(), there.cookie.as_deref().unwrap());
    here.with(&both).get("/api/v1/sessions").await.ok();
    there.with(&both).get("/api/v1/sessions").await.ok();
    assert_eq!(here.at(&second).get("/api/v1/sessions").await.status, 401);
    assert_eq!(there.at(&first).get("/api/v1/sessions").await.status, 401);
}
