//! A node that is asked to stop hands its owners over; one that was suspended too long has lost
//! them.

use std::time::{Duration, Instant};

use serde_json::json;
use testkit::Reply;

use super::Nodes;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stops_hands_over_without_an_error_for_others() {
    // Long enough that nothing but the handover explains what follows.
    let mut nodes = Nodes::start(Duration::from_secs(60)).await;
    nodes.model.respond_with(|request| Reply::echo(request).every(Duration::from_millis(50)));
    let session = nodes.server(0).rest().session().await;
    let turn = nodes.server(0).rest().send(&session, "a message whose answer takes a while to be written").await;
    let (asking, session_of) = (nodes.server(1).rest(), session.clone());
    let asked = tokio::spawn(async move {
        let (mut heads, path) = (Vec::new(), format!("/api/v1/sessions/{session_of}"));
        let until = Instant::now() + Duration::from_secs(4);
        while Instant::now() < until {
            heads.push(asking.get(&path).await.ok()["last_seq"].as_u64().unwrap());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        heads
    });
    assert!(nodes.nodes[0].server.take().unwrap().stop().await.success());
    let ended = nodes.server(2).rest().ended(&turn).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    let heads = asked.await.unwrap();
    assert!(heads.is_sorted() && heads.len() > 10, "no request failed, and none saw less than before: {heads:?}");
    assert_ne!(nodes.serving("owner"), Some(0));
    let statuses: Vec<String> = nodes.server(1).rest().get("/api/v1/nodes").await.ok()["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["status"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(statuses.iter().filter(|status| *status == "gone").count(), 1, "{statuses:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_slept_past_its_lease_writes_nothing_more() {
    let nodes = Nodes::start(Duration::from_secs(1)).await;
    let session = nodes.server(0).rest().session().await;
    nodes.model.respond_with(|request| Reply::echo(request).every(Duration::from_millis(100)));
    let mut socket = nodes.server(0).socket().await;
    socket.ask("session.resume", json!({ "session_id": session, "after": 0 })).await.unwrap();
    let turn = nodes.server(0).rest().send(&session, "one two three four five six seven eight nine ten").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let pid = nodes.server(0).pid();
    super::faults::signal(pid, "STOP").await;
    // Another node goes on with the turn.
    let ended = nodes.server(1).rest().ended(&turn).await;
    assert!(["completed", "interrupted"].contains(&ended["status"].as_str().unwrap()), "{ended}");
    let log = nodes.server(1).rest().log(&session).await;
    super::faults::signal(pid, "CONT").await;
    // The node that slept sends its client away, passes requests on, and has added nothing.
    while socket.try_next().await.is_some() {}
    assert_eq!(nodes.server(0).rest().log(&session).await, log);
    assert_ne!(nodes.serving("owner"), Some(0));
    let turn = nodes.server(0).rest().send(&session, "still there?").await;
    assert_eq!(nodes.server(0).rest().ended(&turn).await["status"], "completed");
}
