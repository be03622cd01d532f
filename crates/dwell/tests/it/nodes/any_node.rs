//! Everything through any node: sessions, streams, tickets, memory, approvals, hooks.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use testkit::{Reply, Socket};

use super::Nodes;
use crate::entry::browser::Browser;

const LEASE: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_node_takes_every_request() {
    let nodes = Nodes::start(LEASE).await;
    nodes.model.respond_with(|request| Reply::echo(request).every(Duration::from_millis(20)));
    let [first, second, third] = [0, 1, 2].map(|at| nodes.server(at).rest());
    let session = first.session().await;
    assert_eq!(nodes.serving("owner"), Some(0), "the first node that was asked serves the owner");

    // A WebSocket through the second node sees the text of a turn that was sent through the third.
    let mut socket = nodes.server(1).socket().await;
    socket.ask("session.resume", json!({ "session_id": session, "after": 0 })).await.unwrap();
    let turn = third.send(&session, "my bicycle is green and stands in the yard").await;
    let told = socket.until_end_of(&json!(turn)).await;
    assert!(told.iter().any(|message| message["type"] == "chat.token"), "text arrives as it is written");
    assert_eq!(second.ended(&turn).await["status"], "completed");
    let log = second.log(&session).await;
    assert_eq!(log, third.log(&session).await);
    assert!(log.iter().zip(1u64..).all(|(event, seq)| event["seq"] == seq));

    // A ticket that one node hands out opens a stream at another, once.
    let ticket = second.post("/api/v1/tickets", json!({})).await.ok()["ticket"].as_str().unwrap().to_owned();
    let query = format!("?ticket={ticket}");
    let (mut streamed, _) = Socket::connect_with(nodes.server(2).url(), &query, &[]).await.unwrap();
    assert_eq!(streamed.next().await["type"], "connection.status");
    assert!(Socket::connect_with(nodes.server(0).url(), &query, &[]).await.is_err(), "it was used up");

    // An invitation signs a browser in at any node, once; its cookie is good at all of them.
    let invitation = third.post("/api/v1/invitations", json!({})).await.ok()["invitation"].clone();
    let mut browser = Browser::new(nodes.server(1));
    browser.enter(json!({ "invitation": invitation })).await.ok();
    let shown = browser.at(nodes.server(2)).get(&format!("/api/v1/sessions/{session}")).await.ok();
    assert_eq!(shown["session_id"], session);
    let again = Browser::new(nodes.server(0)).enter(json!({ "invitation": invitation })).await;
    assert_eq!((again.status, again.body["code"].as_str()), (401, Some("unauthorized")), "it was used up");

    // What one node has stored, the next request finds at another.
    let line = Some(json!({ "value": "under the blue pot" }));
    third.call(Method::PUT, "/api/v1/profile/spare-key", line, &[]).await.ok();
    let found = second.get("/api/v1/profile/spare-key").await.ok();
    assert_eq!(found["data"][0]["value"], "under the blue pot");

    // Only the node that serves the owner has loaded the session, and every node knows that.
    let listed = third.get("/api/v1/nodes").await.ok();
    let owners: u64 = listed["data"].as_array().unwrap().iter().map(|node| node["owners"].as_u64().unwrap()).sum();
    assert_eq!((listed["data"].as_array().unwrap().len(), owners), (3, 1), "{listed}");
    // Statistics are those of the node that serves the owner, or of the one that is named.
    let turns = |stats: serde_json::Value| stats["totals"]["completed"].as_u64().unwrap();
    assert_eq!(turns(third.get("/api/v1/stats").await.ok()), 1);
    let other = format!("/api/v1/stats?node={}", nodes.nodes[2].id());
    assert_eq!(turns(second.get(&other).await.ok()), 0);
    let unknown = second.get("/api/v1/stats?node=nowhere").await;
    assert_eq!(unknown.code(404), "not_found");
    let logged = nodes.nodes[1].program.run(&["logs", "--node", &nodes.nodes[0].id()]).await;
    assert_eq!(logged.code(), 0, "{}", logged.stderr);
    let printed = nodes.nodes[1].program.run(&["nodes"]).await;
    assert_eq!((printed.code(), printed.stdout.lines().count()), (0, 3), "{}{}", printed.stdout, printed.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owners_are_spread_and_kept_apart() {
    let nodes = Nodes::prepare(LEASE).await;
    let (ada, ben) = (nodes.add_owner("ada").await, nodes.add_owner("ben").await);
    let mut nodes = nodes;
    for node in &mut nodes.nodes {
        node.up().await;
    }
    let adas = nodes.server(1).rest_as(Some(&ada)).session().await;
    let bens = nodes.server(2).rest_as(Some(&ben)).session().await;
    assert_eq!((nodes.serving("ada"), nodes.serving("ben")), (Some(1), Some(2)));
    let turn = nodes.server(0).rest_as(Some(&ada)).send(&adas, "hello").await;
    assert_eq!(nodes.server(2).rest_as(Some(&ada)).ended(&turn).await["status"], "completed");
    // Ben's node is asked for Ada's session, and the other way round.
    for (at, token, session) in [(1, &ben, &adas), (2, &ben, &adas), (1, &ada, &bens), (0, &ada, &bens)] {
        let refused = nodes.server(at).rest_as(Some(token)).get(&format!("/api/v1/sessions/{session}")).await;
        assert_eq!(refused.code(404), "not_found");
    }
    // The address for nodes is of no use to others.
    let listed = nodes.server(0).rest().get("/api/v1/nodes").await.ok();
    let address = listed["data"][0]["address"].as_str().unwrap();
    let refused = reqwest::get(format!("http://{address}/healthz")).await.unwrap();
    assert_eq!(refused.status(), 401);
}
