//! `dwell migrate`: a data folder moves into PostgreSQL and back, also after a kill in the middle;
//! wrong sources and targets are refused.

use std::{fs, sync::Arc, time::Duration};

use journal::{NewValue, ValueChange, Values, sqlite::Sqlite};
use protocol::{OwnerId, Timestamp, ValueKey};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::{CommandOutput, PostgresCluster, Program, RestClient, RunningServer};

use crate::{harness::told, owners::add, program};

/// Values that make a migration long enough to be killed in the middle, and the size of each.
const VALUES: u32 = 80;
const VALUE_BYTES: usize = 1_000_000;

async fn database() -> (Arc<PostgresCluster>, String) {
    let cluster = tokio::task::spawn_blocking(PostgresCluster::shared).await.unwrap();
    let url = cluster.database();
    (cluster, url)
}

fn token(program: &Program) -> String {
    fs::read_to_string(program.folder().join("token")).unwrap().trim().to_owned()
}

async fn settled(rest: &RestClient) {
    let state = rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
    assert_eq!(state["consistent"], true, "{state}");
}

/// Everything that a client sees of an owner.
async fn seen(rest: &RestClient) -> Value {
    settled(rest).await;
    let sessions = rest.get("/api/v1/sessions?limit=100").await.ok()["data"].clone();
    let mut logs = Vec::new();
    for session in sessions.as_array().unwrap() {
        logs.push(rest.log(session["session_id"].as_str().unwrap()).await);
    }
    let artifacts = rest.get("/api/v1/artifacts").await.ok()["data"].clone();
    let mut contents = Vec::new();
    for artifact in artifacts.as_array().unwrap() {
        contents.push(rest.text(&format!("/api/v1/artifacts/{}", artifact["artifact_id"].as_str().unwrap())).await);
    }
    json!({
        "sessions": sessions,
        "logs": logs,
        "artifacts": artifacts,
        "contents": contents,
        "schedules": rest.get("/api/v1/schedules?ended=true").await.ok()["data"],
        "profile": rest.get("/api/v1/profile").await.ok()["data"],
        "memories": rest.get("/api/v1/memories?limit=100").await.ok()["items"],
        "vaults": rest.get("/api/v1/vaults").await.ok()["data"],
        "values": rest.post("/api/v1/values/list", json!({})).await.ok()["data"],
    })
}

/// Fills a data folder with something of every kind; returns the tokens of its owners and of a
/// scoped token.
async fn fill(program: &Program) -> [String; 3] {
    let ada = add(program, "ada").await;
    let server = program.start().await;
    let owner = token(program);
    let rest = server.rest_as(Some(&owner));
    for message in ["Save this as notes.md: Buy milk.", "What is 20 + 22?", &"A long one. ".repeat(3_000)] {
        let session = rest.session().await;
        told(&rest, &session, json!({ "message": message })).await;
        told(&rest, &session, json!({ "message": "What is 1 + 1?" })).await;
    }
    let gone = rest.session().await;
    told(&rest, &gone, json!({ "message": "What is 2 + 2?" })).await;
    rest.call(Method::DELETE, &format!("/api/v1/sessions/{gone}"), None, &[]).await.ok();
    let remind = json!({ "when": { "kind": "after", "after_ms": 3_600_000 },
        "action": { "do": "remind", "text": "take the pizza out" } });
    rest.post("/api/v1/schedules", remind).await.ok();
    rest.call(Method::PUT, "/api/v1/profile/diet", Some(json!({ "value": "vegan" })), &[]).await.ok();
    rest.post("/api/v1/values/write", json!({ "puts": [{ "key": ["a", "é\u{0}"], "value": "AAEC" }] })).await.ok();
    let spec = json!({ "name": "tablet", "scope": "talk" });
    let scoped = rest.call(Method::POST, "/api/v1/tokens", Some(spec), &[]).await.ok();
    let hers = server.rest_as(Some(&ada));
    let session = hers.session().await;
    told(&hers, &session, json!({ "message": "What is 3 + 4?" })).await;
    settled(&rest).await;
    settled(&hers).await;
    server.stop().await;
    [owner, ada, scoped["token"].as_str().unwrap().to_owned()]
}

async fn seen_by(server: &RunningServer, tokens: &[String; 3]) -> [Value; 2] {
    assert_eq!(server.rest_as(Some(&tokens[2])).get("/api/v1/sessions").await.status, 200, "the scoped token works");
    [seen(&server.rest_as(Some(&tokens[0]))).await, seen(&server.rest_as(Some(&tokens[1]))).await]
}

async fn a_turn_works(server: &RunningServer, token: &str) {
    let rest = server.rest_as(Some(token));
    let sessions = rest.get("/api/v1/sessions").await.ok();
    let session = sessions["data"].as_array().unwrap().last().unwrap()["session_id"].as_str().unwrap();
    let before = rest.log(session).await.len();
    let turn = told(&rest, session, json!({ "message": "What is 30 + 12?" })).await;
    assert!(turn["text"].as_str().unwrap().contains("42"), "{turn}");
    for (event, seq) in rest.log(session).await.iter().zip(1u64..) {
        assert_eq!(event["seq"], seq, "numbers go on after {before}");
    }
    rest.session().await;
}

/// The tables of a report: names, rows and digests.
fn tables(report: &CommandOutput) -> Value {
    assert_eq!(report.code(), 0, "{}", report.stderr);
    serde_json::from_str::<Value>(&report.stdout).unwrap()["migration"]["tables"].clone()
}

fn number(report: &CommandOutput, name: &str) -> u64 {
    serde_json::from_str::<Value>(&report.stdout).unwrap()["migration"][name].as_u64().unwrap()
}

fn refused(output: &CommandOutput, words: &str) {
    assert!(output.code() != 0 && output.stderr.contains(words), "`{words}` is not in {output:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_moves_into_the_database_and_back() {
    let (cluster, url) = database().await;
    let embedded = program().with_own_token();
    let tokens = fill(&embedded).await;
    let server = embedded.start().await;
    let before = seen_by(&server, &tokens).await;
    refused(&embedded.run(&["migrate", "--to", &url]).await, "in use by another Dwell");
    server.stop().await;

    let there = embedded.run(&["migrate", "--to", &url, "--json"]).await;
    let copied = tables(&there);
    let rows =
        |name: &str| copied.as_array().unwrap().iter().find(|table| table["table"] == name).unwrap()["rows"].clone();
    let sessions: usize = before.iter().map(|seen| seen["sessions"].as_array().unwrap().len()).sum();
    assert_eq!((rows("sessions"), rows("artifacts"), rows("stored_values")), (json!(sessions), json!(1), json!(1)));
    assert!(rows("events").as_u64() > Some(30) && rows("records").as_u64() > Some(5), "{copied}");
    assert_eq!(rows("shared_files"), 5, "{copied}");
    // A second run changes nothing and finds the same.
    let again = embedded.run(&["migrate", "--to", &url, "--json"]).await;
    assert_eq!((tables(&again), number(&again, "copied_rows")), (copied.clone(), 0));
    let words = embedded.run(&["migrate", "--to", &url]).await.stdout;
    assert!(words.contains("had everything") && words.contains("in all 17 tables"), "{words}");
    assert_eq!(embedded.run(&["migrate", "--to", &url, "--quiet"]).await.stdout, "");

    // Back into a new folder, before any server has used the database.
    let straight = program().with_own_token();
    let back = straight.run(&["migrate", "--from", &url, "--json"]).await;
    assert_eq!(tables(&back), copied, "the digests are those of the original");
    let again = straight.run(&["migrate", "--from", &url, "--json"]).await;
    assert_eq!((tables(&again), number(&again, "copied_rows")), (copied, 0));

    let embedded = embedded.with("DWELL_STORE_URL", &url);
    let server = embedded.start().await;
    assert_eq!(seen_by(&server, &tokens).await, before);
    assert!(!server.greeting().iter().any(|line| line.starts_with("token ")), "it has the token that it had");
    a_turn_works(&server, &tokens[0]).await;
    let with_turn = seen_by(&server, &tokens).await;
    let other = program().with_own_token();
    refused(&other.run(&["migrate", "--from", &url]).await, "the database is in use by");
    assert!(server.stop().await.success());

    let moved = other.run(&["migrate", "--from", &url]).await;
    assert_eq!(moved.code(), 0, "{}", moved.stderr);
    assert!(moved.stdout.contains("events"), "{}", moved.stdout);
    let verified = other.run(&["verify"]).await;
    assert!(verified.code() == 0 && verified.stdout.contains("no damage was found"), "{verified:?}");
    let server = other.start().await;
    assert_eq!(seen_by(&server, &tokens).await, with_turn);
    a_turn_works(&server, &tokens[0]).await;
    server.stop().await;
    // The totals are those of the rows.
    let sql = "SELECT sum(journal_bytes) - (SELECT sum(octet_length(body)) FROM dwell.events) FROM dwell.owner_totals";
    assert_eq!(cluster.sql(&url, sql), "0");
    // What a server has used since is not overwritten.
    refused(&straight.run(&["migrate", "--to", &url]).await, "has data already");
    refused(&other.run(&["migrate", "--from", &url]).await, "data already (`journal.db`)");
}

/// Stores values without a server, which takes less time.
async fn add_values(program: &Program) {
    let store = Sqlite::open(program.folder()).unwrap();
    let owner: OwnerId = "owner".parse().unwrap();
    for n in 0..VALUES {
        let bytes = (0..VALUE_BYTES).map(|at| (at as u32).wrapping_mul(n + 7).to_le_bytes()[1]).collect();
        let key = ValueKey(vec![format!("large {n}")]);
        let put = NewValue { key, bytes, ttl_ms: None, vectors: Vec::new(), keep: false };
        let now = Timestamp::from_millis(1_800_000_000_000);
        let (deletes, deletes_below, refreshes) = (Vec::new(), Vec::new(), Vec::new());
        let change = ValueChange { deletes, deletes_below, puts: vec![put], refreshes, now, bytes_max: None };
        store.change_values(&owner, change).await.unwrap();
    }
}

/// Starts a migration, and kills it once it has copied some of the values.
async fn kill_in_the_middle(program: &Program, arguments: &[&str], copied: impl Fn() -> u32) {
    let mut child = program.command(arguments).spawn().unwrap();
    while copied() < 8 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    child.kill().await.unwrap();
    assert!(copied() < VALUES, "it was not killed in the middle");
}

/// How many of the values a migration has copied into a data folder. The size of the file says it,
/// without a look into it.
fn copied_into_folder(program: &Program) -> u32 {
    let folder = program.folder().join(".migrating");
    let size = |name: &str| fs::metadata(folder.join(name)).map_or(0, |file| file.len());
    u32::try_from((size("journal.db") + size("journal.db-wal")) / VALUE_BYTES as u64).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_migration_that_was_killed_goes_on_where_it_was() {
    let (cluster, url) = database().await;
    let embedded = program().with_own_token();
    let tokens = fill(&embedded).await;
    add_values(&embedded).await;
    let in_database = || {
        let there = cluster.sql(&url, "SELECT to_regclass('dwell.migration') IS NOT NULL");
        let sql = "SELECT count(*) FROM dwell.stored_values";
        if there == "t" { cluster.sql(&url, sql).parse().unwrap() } else { 0 }
    };
    kill_in_the_middle(&embedded, &["migrate", "--to", &url], in_database).await;
    let node = program().with_own_token().with("DWELL_STORE_URL", &url);
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    refused(&node.run(&serve).await, "a migration into it was not completed");
    refused(&program().run(&["migrate", "--from", &url]).await, "was not completed");
    let other = program().with_own_token();
    other.start().await.stop().await;
    refused(&other.run(&["migrate", "--to", &url]).await, "a part of another migration");
    let resumed = embedded.run(&["migrate", "--to", &url, "--json"]).await;
    let copied = tables(&resumed);
    assert!(number(&resumed, "resumed_rows") > 100, "{}", resumed.stdout);

    // The same on the way back.
    let back = program().with_own_token();
    kill_in_the_middle(&back, &["migrate", "--from", &url], || copied_into_folder(&back)).await;
    refused(&back.run(&serve).await, "was not completed");
    let resumed = back.run(&["migrate", "--from", &url, "--json"]).await;
    assert_eq!(tables(&resumed), copied);
    assert!(number(&resumed, "resumed_rows") > 100, "{}", resumed.stdout);
    assert!(!back.folder().join(".migrating").exists());
    let server = back.start().await;
    assert_eq!(server.rest_as(Some(&tokens[1])).get("/api/v1/sessions").await.status, 200);
    a_turn_works(&server, &tokens[0]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_was_interrupted_is_begun_anew_with_another_source() {
    let (cluster, url) = database().await;
    let (large, small) = (program().with_own_token(), program().with_own_token());
    add_values(&large).await;
    small.start().await.stop().await;
    let copied = || {
        let there = cluster.sql(&url, "SELECT to_regclass('dwell.migration') IS NOT NULL");
        let sql = "SELECT count(*) FROM dwell.stored_values";
        if there == "t" { cluster.sql(&url, sql).parse().unwrap() } else { 0 }
    };
    kill_in_the_middle(&large, &["migrate", "--to", &url], copied).await;
    refused(&small.run(&["migrate", "--to", &url]).await, "--restart");
    let anew = small.run(&["migrate", "--to", &url, "--restart", "--json"]).await;
    assert!(!tables(&anew).is_null());
    assert_eq!(number(&anew, "resumed_rows"), 0);
    assert_eq!(cluster.sql(&url, "SELECT count(*) FROM dwell.stored_values"), "0");
    assert_eq!(cluster.sql(&url, "SELECT coalesce(sum(value_bytes), 0) FROM dwell.owner_totals"), "0");

    // The same on the way back.
    let (_, other) = database().await;
    tables(&large.run(&["migrate", "--to", &other, "--json"]).await);
    let back = program().with_own_token();
    kill_in_the_middle(&back, &["migrate", "--from", &other], || copied_into_folder(&back)).await;
    refused(&back.run(&["migrate", "--from", &url]).await, "--restart");
    let again = back.run(&["migrate", "--from", &url, "--restart", "--json"]).await;
    assert_eq!((tables(&again), number(&again, "resumed_rows")), (tables(&anew), 0));
    assert!(!back.folder().join(".migrating").exists());
    assert_eq!(back.run(&["verify"]).await.code(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_sources_and_targets_are_refused() {
    let (cluster, url) = database().await;
    let empty = program();
    refused(&empty.run(&["migrate", "--to", &url]).await, "there is no journal in");
    refused(&empty.run(&["migrate", "--from", &url]).await, "there is no journal in");
    assert_eq!(empty.run(&["migrate"]).await.code(), 2);
    assert_eq!(empty.run(&["migrate", "--to", &url, "--from", &url]).await.code(), 2);
    refused(&empty.run(&["migrate", "--to", "env"]).await, "DATABASE_URL is not set");
    refused(&empty.run(&["migrate", "--from", "mysql://db/x"]).await, "postgres://");

    let embedded = program().with_own_token();
    let server = embedded.start().await;
    let rest = server.rest_as(Some(&token(&embedded)));
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "What is 1 + 1?" })).await;
    server.stop().await;
    // A database that another installation uses, while it runs and after it.
    let (_, used) = database().await;
    let node = program().with_own_token().with("DWELL_STORE_URL", &used);
    let server = node.start().await;
    refused(&embedded.run(&["migrate", "--to", &used]).await, "the database is in use by");
    server.stop().await;
    refused(&embedded.run(&["migrate", "--to", &used]).await, "has data already (in `dwell.");
    // A folder that has a token of its own.
    let owned = program().with_own_token();
    add(&owned, "ben").await;
    refused(&owned.run(&["migrate", "--from", &used]).await, "owners.json is there already");

    // What differs is named.
    let copied = embedded.run(&["migrate", "--to", &url]).await;
    assert_eq!(copied.code(), 0, "{}", copied.stderr);
    cluster.sql(&url, "UPDATE dwell.events SET body = replace(body, 'What', 'That') WHERE body LIKE '%What%'");
    refused(&embedded.run(&["migrate", "--to", &url]).await, "the table `events` is not the same on both sides");
    // What a newer program has migrated is refused by its number, also if it only adds to this one.
    cluster.sql(&url, "UPDATE dwell.schema SET number = 99, program = 'Dwell 9'");
    for arguments in [["migrate", "--to", &url], ["migrate", "--from", &url]] {
        let program = if arguments[1] == "--to" { &embedded } else { &empty };
        refused(&program.run(&arguments).await, "schema 99, written by Dwell 9");
    }
}
