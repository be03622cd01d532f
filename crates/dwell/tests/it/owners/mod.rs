//! Several owners: added and removed while the server runs, and isolated from each other.

mod first_owner_apis;
mod isolation;

use std::{fs, os::unix::fs::PermissionsExt, time::Duration};

use serde_json::{Value, json};
use testkit::{Program, Reply, Socket};

use crate::{program, started};

/// Adds an owner with the command line; returns their token.
pub(crate) async fn add(program: &Program, name: &str) -> String {
    let added = program.run(&["owners", "add", name]).await;
    assert_eq!(added.code(), 0, "{}", added.stderr);
    if testkit::is_on_postgres() {
        // A server that runs looks for new owners in the database once a second.
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    added.stdout.trim().to_owned()
}

#[tokio::test]
async fn an_owner_is_let_in_and_turned_out_while_the_server_runs() {
    let (_model, program, server) = started().await;
    let ada = add(&program, "ada").await;
    assert_eq!(ada.len(), 64);
    let rest = server.rest_as(Some(&ada));
    let session = rest.session().await;
    let view = rest.get(&format!("/api/v1/sessions/{session}")).await.ok();
    assert_eq!(view["owner"], "ada");

    let again = program.run(&["owners", "add", "ada"]).await;
    assert_eq!(again.code(), 1, "{}", again.stderr);
    assert!(again.stderr.contains("owners renew"), "{}", again.stderr);
    let renewed = program.run(&["owners", "renew", "ada"]).await.stdout.trim().to_owned();
    assert_ne!(renewed, ada);
    assert_eq!(rest.get("/api/v1/sessions").await.code(401), "unauthorized", "the old token is worth nothing");
    let rest = server.rest_as(Some(&renewed));
    assert_eq!(rest.get("/api/v1/sessions").await.ok()["data"][0]["session_id"], session.as_str());

    let removed = program.run(&["owners", "remove", "ada"]).await;
    assert!(
        removed.stdout.contains("stay, and are available again") && removed.stdout.contains("memory forget"),
        "{}",
        removed.stdout
    );
    assert_eq!(rest.get("/api/v1/sessions").await.code(401), "unauthorized");
    assert_eq!(program.run(&["owners", "remove", "ada"]).await.code(), 1);
    let back = add(&program, "ada").await;
    let kept = server.rest_as(Some(&back)).get("/api/v1/sessions").await.ok();
    assert_eq!(kept["data"][0]["session_id"], session.as_str(), "what was theirs is theirs again");
}

#[tokio::test]
async fn only_digests_are_kept_and_a_restart_forgets_no_owner() {
    let (_model, program, server) = started().await;
    let ada = add(&program, "ada").await;
    let file = program.folder().join("owners.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    for entry in fs::read_dir(program.folder()).unwrap() {
        let path = entry.unwrap().path();
        let holds = path.is_file() && String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(&ada);
        assert!(!holds, "{} holds the token", path.display());
    }
    server.stop().await;
    let server = program.start().await;
    server.rest_as(Some(&ada)).get("/api/v1/sessions").await.ok();

    let listed = program.run(&["owners", "list", "--json"]).await.stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let names: Vec<_> = listed["data"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["owner", "ada"]);
    assert!(!listed.to_string().contains("sha256"));
}

#[tokio::test]
async fn owners_are_added_before_the_first_start_and_by_several_at_once() {
    let program = program();
    let adding: Vec<_> =
        (0..8).map(|number| program.command(&["owners", "add", &format!("guest-{number}")]).spawn().unwrap()).collect();
    for mut adding in adding {
        assert!(adding.wait().await.unwrap().success());
    }
    let listed = program.run(&["owners", "list"]).await.stdout;
    assert_eq!(listed.lines().count(), 9, "{listed}");
    let ada = add(&program, "Ada Lovelace").await;
    let server = program.start().await;
    server.rest_as(Some(&ada)).get("/api/v1/sessions").await.ok();
}

#[tokio::test]
async fn names_are_checked_and_the_first_owner_is_not_in_the_list() {
    let program = program();
    for (name, code) in [("", 2), ("a\nb", 2), (" ada", 2), (&*"x".repeat(65), 2), ("owner", 1)] {
        assert_eq!(program.run(&["owners", "add", name]).await.code(), code, "{name:?}");
    }
    for command in ["remove", "renew"] {
        let refused = program.run(&["owners", command, "owner"]).await;
        assert_eq!(refused.code(), 1);
        assert!(refused.stderr.contains("file `token`"), "{}", refused.stderr);
        let none = program.run(&["owners", command, "nobody"]).await;
        assert!(none.stderr.contains("owners list"), "{}", none.stderr);
    }
}

#[tokio::test]
async fn a_list_that_cannot_be_read_admits_no_owner_of_it() {
    let (_model, program, server) = started().await;
    let ada = add(&program, "ada").await;
    let rest = server.rest_as(Some(&ada));
    rest.get("/api/v1/sessions").await.ok();
    let file = program.folder().join("owners.json");
    let written = fs::read_to_string(&file).unwrap();
    for wrong in ["{", &written.replace("ada", "owner"), &written.replace("sha256\": \"", "sha256\": \"x")] {
        fs::write(&file, wrong).unwrap();
        assert_eq!(rest.get("/api/v1/sessions").await.code(401), "unauthorized", "{wrong}");
        server.rest().get("/api/v1/sessions").await.ok();
        let refused = program.run(&["owners", "add", "bob"]).await;
        assert!(refused.code() == 1 && refused.stderr.contains("owners.json"), "{}", refused.stderr);
    }
    fs::write(&file, &written).unwrap();
    rest.get("/api/v1/sessions").await.ok();
    fs::remove_file(&file).unwrap();
    assert_eq!(rest.get("/api/v1/sessions").await.code(401), "unauthorized");
}

#[tokio::test]
async fn what_is_open_ends_with_the_token() {
    let (model, program, server) = started().await;
    let (ada, bob) = (add(&program, "ada").await, add(&program, "bob").await);
    let (hers, his) = (server.rest_as(Some(&ada)), server.rest_as(Some(&bob)));
    let (session, other) = (hers.session().await, his.session().await);
    let mut socket = server.socket_as(&ada).await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    let mut silent = server.socket_as(&ada).await;
    let mut frames = server.frames_as(&ada, &format!("/events/{session}")).await;
    let mut kept = server.frames_as(&bob, &format!("/events/{other}")).await;
    frames.next().await.unwrap();
    let ticket = hers.post("/api/v1/tickets", json!({})).await.ok()["ticket"].as_str().unwrap().to_owned();
    // A turn that waits for its model, and a request that waits for the turn.
    model.push(Reply::hang());
    let turn = hers.send(&session, "Think it over.").await;
    let waiting = {
        let (hers, path) = (hers.clone(), format!("/api/v1/turns/{turn}?wait_ms=30000"));
        tokio::spawn(async move { hers.get(&path).await })
    };
    socket.until(|message| message["type"] == "message.accepted").await;
    // The hanging reply is for this turn, so the turn's request must come before any other.
    while model.in_flight() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }

    program.run(&["owners", "remove", "ada"]).await;
    while frames.next().await.is_some() {}
    while silent.try_next().await.is_some() {}
    while socket.try_next().await.is_some() {}
    assert_eq!(waiting.await.unwrap().code(401), "unauthorized");
    assert!(Socket::connect_with(server.url(), &format!("?ticket={ticket}"), &[]).await.is_err(), "nor does a ticket");

    model.push(Reply::text("Still here."));
    let turn = his.send(&other, "Are you there?").await;
    assert_eq!(his.ended(&turn).await["status"], "completed");
    kept.until(|frame| frame.event == "turn.status" && frame.data["data"]["status"] == "completed").await;
}

#[tokio::test]
async fn a_message_after_the_token_has_ended_is_not_taken() {
    let (_model, program, server) = started().await;
    let ada = add(&program, "ada").await;
    let mut socket = server.socket_as(&ada).await;
    socket.ask("session.list", json!({})).await.unwrap();
    program.run(&["owners", "renew", "ada"]).await;
    socket.try_send_text(&json!({ "type": "session.start", "id": 9, "data": { "key": "late" } }).to_string()).await;
    while let Some(message) = socket.try_next().await {
        assert_ne!(message["re"], 9, "{message}");
    }
}
