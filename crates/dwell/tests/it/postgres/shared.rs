//! Two nodes on one database share tokens, owners and keys.

use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::json;
use testkit::{PostgresCluster, Program, RunningServer};

use crate::{entry::browser::Browser, owners::add, program};

/// How long a node may take to notice a change, with some time for a busy machine.
const NOTICED_WITHIN: Duration = Duration::from_secs(5);
/// What must not be in a data folder.
const SHARED: [&str; 6] = ["token", "owners.json", "tokens.json", "seal-key", "ollama-key", "push_subscriptions.json"];

async fn database() -> (Arc<PostgresCluster>, String) {
    let cluster = tokio::task::spawn_blocking(PostgresCluster::shared).await.unwrap();
    let url = cluster.database();
    (cluster, url)
}

fn on(url: &str) -> Program {
    as_node(program().with_own_token(), url)
}

/// The program as a node that takes the requests of others.
fn as_node(program: Program, url: &str) -> Program {
    program.with("DWELL_STORE_URL", url).with("DWELL_CLUSTER_LISTEN", "127.0.0.1:0")
}

fn shared(cluster: &PostgresCluster, url: &str, name: &str) -> String {
    let sql = format!("SELECT convert_from(bytes, 'UTF8') FROM dwell.shared_files WHERE name = '{name}'");
    cluster.sql(url, &sql).trim().to_owned()
}

/// Waits until a token gets this status.
async fn gets(server: &RunningServer, token: &str, status: u16) {
    let (began, rest) = (Instant::now(), server.rest_as(Some(token)));
    while rest.get("/api/v1/sessions").await.status != status {
        assert!(began.elapsed() < NOTICED_WITHIN, "it takes too long until {status}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_start_together_have_the_same_secrets() {
    let (cluster, url) = database().await;
    let programs = [on(&url), on(&url)];
    let (one, other) = tokio::join!(programs[0].start(), programs[1].start());
    let token = shared(&cluster, &url, "token");
    assert_eq!(token.len(), 64);
    let told = |server: &RunningServer| server.greeting().iter().any(|line| line.contains(&token));
    assert!(told(&one) != told(&other), "the node that made it shows it");
    for (program, server) in programs.iter().zip([&one, &other]) {
        assert_eq!(server.rest_as(Some(&token)).get("/api/v1/sessions").await.status, 200);
        for name in SHARED {
            assert!(!program.folder().join(name).exists(), "{name} is in a data folder");
        }
        // Commands find the token in the database.
        assert_eq!(program.run(&["health"]).await.code(), 0);
        let doors = program.run(&["doors"]).await;
        assert!(doors.stdout.contains(&shared(&cluster, &url, "ollama-key")), "{}", doors.stdout);
    }
    // The cookie of one opens the other.
    let browser = Browser::of(&one, &token).await;
    browser.get("/api/v1/entry").await.ok();
    browser.at(&other).get("/api/v1/entry").await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owners_and_scoped_tokens_are_known_and_refused_on_all_nodes() {
    let (cluster, url) = database().await;
    let programs = [on(&url), on(&url)];
    let ada = add(&programs[0], "ada").await;
    let (one, other) = (programs[0].start().await, programs[1].start().await);
    let token = shared(&cluster, &url, "token");
    for server in [&one, &other] {
        server.rest_as(Some(&ada)).get("/api/v1/sessions").await.ok();
    }
    let ben = add(&programs[0], "ben").await;
    gets(&other, &ben, 200).await;
    gets(&one, &ben, 200).await;
    let listed = programs[1].run(&["owners", "list"]).await.stdout;
    assert!(listed.contains("ada") && listed.contains("ben"), "{listed}");

    // Each node makes a token at the same time; none is lost.
    let make = |server: &RunningServer, name: &str| {
        let (rest, name) = (server.rest_as(Some(&token)), name.to_owned());
        async move {
            let spec = json!({ "name": name, "scope": "talk" });
            let made = rest.call(Method::POST, "/api/v1/tokens", Some(spec), &[]).await.ok();
            (made["token"].as_str().unwrap().to_owned(), made["token_id"].as_str().unwrap().to_owned())
        }
    };
    let made = tokio::join!(make(&one, "a"), make(&other, "b"), make(&one, "c"), make(&other, "d"));
    let (tablet, id) = made.0;
    for scoped in [&tablet, &made.1.0, &made.2.0, &made.3.0] {
        gets(&one, scoped, 200).await;
        gets(&other, scoped, 200).await;
    }
    let revoked = other.rest_as(Some(&token)).call(Method::DELETE, &format!("/api/v1/tokens/{id}"), None, &[]).await;
    assert_eq!(revoked.status, 200, "{}", revoked.body);
    gets(&other, &tablet, 401).await;
    gets(&one, &tablet, 401).await;
    gets(&one, &made.1.0, 200).await;

    assert_eq!(programs[1].run(&["owners", "remove", "ben"]).await.code(), 0);
    gets(&one, &ben, 401).await;
    gets(&other, &ben, 401).await;
    gets(&one, &ada, 200).await;
    // A restart has all of it.
    one.stop().await;
    let one = programs[0].start().await;
    gets(&one, &made.1.0, 200).await;
    gets(&one, &tablet, 401).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_the_data_folder_move_into_the_database_once() {
    let (cluster, url) = database().await;
    let first = program().with_own_token();
    let ada = add(&first, "ada").await;
    first.start().await.stop().await;
    let token = fs::read_to_string(first.folder().join("token")).unwrap().trim().to_owned();
    let first = as_node(first, &url);
    let server = first.start().await;
    for token in [&token, &ada] {
        server.rest_as(Some(token)).get("/api/v1/sessions").await.ok();
    }
    assert_eq!(shared(&cluster, &url, "token"), token);
    for name in SHARED {
        assert!(!first.folder().join(name).exists(), "{name} is still in the data folder");
    }
    // A second node with files of its own: the database's count, and its files stay.
    let second = program().with_own_token().with_log();
    second.start().await.stop().await;
    let own = fs::read_to_string(second.folder().join("token")).unwrap().trim().to_owned();
    assert_ne!(own, token);
    let second = as_node(second, &url);
    let other = second.start().await;
    assert_eq!(other.rest_as(Some(&token)).get("/api/v1/sessions").await.status, 200);
    assert_eq!(other.rest_as(Some(&own)).get("/api/v1/sessions").await.status, 401);
    assert!(second.folder().join("token").exists(), "what is not in the database is not removed");
    let log = fs::read_to_string(second.folder().join("log")).unwrap();
    assert!(log.contains("this file is not used"), "{log}");
}
