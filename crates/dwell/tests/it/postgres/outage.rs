//! The database is stopped in the middle of turns.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use testkit::Reply;

use super::OnPostgres;

const SESSIONS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_go_on_after_the_database_was_gone_for_two_seconds() {
    let set = OnPostgres::new().await;
    set.model.respond_with(|request| Reply::echo(request).every(Duration::from_millis(20)));
    let server = set.program.start().await;
    let rest = server.rest();
    let mut clients = Vec::new();
    for n in 0..SESSIONS {
        let (rest, session) = (server.rest(), rest.session().await);
        clients.push(tokio::spawn(async move {
            let mut turns = Vec::new();
            let end = tokio::time::Instant::now() + Duration::from_secs(6);
            while tokio::time::Instant::now() < end {
                let key = format!("{n}-{}", turns.len());
                let body =
                    json!({ "message": format!("message {key} of some length, word by word"), "idempotency_key": key });
                let path = format!("/api/v1/sessions/{session}/turns");
                let answer = rest.call(Method::POST, &path, Some(body), &[]).await;
                assert_eq!(answer.status, 202, "it waits instead: {}", answer.body);
                let turn = answer.body["turn_id"].as_str().unwrap().to_owned();
                assert_eq!(rest.ended(&turn).await["status"], "completed");
                turns.push((turn, answer.body["seq"].clone()));
            }
            (session, turns)
        }));
    }
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let outage = |cluster: &testkit::PostgresCluster| {
        cluster.stop_immediately();
        std::thread::sleep(Duration::from_secs(2));
        cluster.start();
    };
    set.on_cluster(outage).await;
    for client in clients {
        let (session, turns) = client.await.unwrap();
        assert!(turns.len() > 1, "it went on");
        let log = rest.log(&session).await;
        for (event, seq) in log.iter().zip(1u64..) {
            assert_eq!(event["seq"], seq, "numbers without gaps");
        }
        let accepted: Vec<_> = log.iter().filter(|event| event["type"] == "message.accepted").collect();
        assert_eq!(accepted.len(), turns.len(), "each message once");
        for ((turn, seq), event) in turns.iter().zip(accepted) {
            assert_eq!((&event["turn_id"], &event["seq"]), (&json!(turn), seq), "what was acknowledged is there");
        }
    }
    assert_eq!(rest.get("/readyz").await.status, 200, "it is ready again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_stays_away_is_a_503_that_says_when_to_try_again() {
    let set = OnPostgres::new().await;
    set.model.respond_with(Reply::echo);
    let server = set.program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    set.on_cluster(testkit::PostgresCluster::stop_immediately).await;
    let body = json!({ "message": "hello", "idempotency_key": "one" });
    let path = format!("/api/v1/sessions/{session}/turns");
    let refused = rest.call(Method::POST, &path, Some(body.clone()), &[]).await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(refused.body["code"], "unavailable");
    assert!(refused.body["retry_after_ms"].as_u64().is_some_and(|wait| wait > 0), "{}", refused.body);
    set.on_cluster(testkit::PostgresCluster::start).await;
    // The same message, sent again, is one turn.
    let accepted = rest.call(Method::POST, &path, Some(body.clone()), &[]).await;
    assert_eq!(accepted.status, 202, "{}", accepted.body);
    let again = rest.call(Method::POST, &path, Some(body), &[]).await;
    assert_eq!(again.body["turn_id"], accepted.body["turn_id"]);
    let turn = accepted.body["turn_id"].as_str().unwrap();
    assert_eq!(rest.ended(turn).await["status"], "completed");
}
