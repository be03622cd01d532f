//! One node has the connection to Home Assistant, the others use it, and the next one takes it
//! over.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::{FakeHomeAssistant, HOME_TOKEN, Program, RestClient, TOKEN};
use tokio_tungstenite::tungstenite::{Error, client::IntoClientRequest};

use super::{Nodes, faults::signal};

/// How long a lease lasts in these tests.
const LEASE: Duration = Duration::from_secs(2);
/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(60);

/// Two nodes at a home.
async fn at_home() -> (FakeHomeAssistant, Nodes) {
    let fake = FakeHomeAssistant::start().await;
    let (url, token) = (fake.url.clone(), HOME_TOKEN);
    let settings =
        |program: Program| program.with_home().with("HOME_ASSISTANT_URL", &url).with("HOME_ASSISTANT_TOKEN", token);
    let mut nodes = Nodes::prepare_with(2, LEASE, settings).await;
    for node in &mut nodes.nodes {
        node.up().await;
    }
    (fake, nodes)
}

/// The state of the lamp for an owner, `None` unless the node that serves them knows the home.
async fn lamp(of: &RestClient) -> Option<String> {
    let home = of.get("/api/v1/home").await.ok();
    let lamp = home["entities"].as_array()?.iter().find(|entity| entity["entity_id"] == "light.lamp")?;
    (home["connection"] == "connected").then(|| lamp["state"].as_str().unwrap_or_default().to_owned())
}

async fn until_lamp(of: &RestClient, state: &str) {
    let begun = Instant::now();
    while lamp(of).await.as_deref() != Some(state) {
        assert!(begun.elapsed() < LONG, "the lamp is never {state}: {:?}", lamp(of).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Says something; the ended turn.
async fn say(who: &RestClient, session: &str, text: &str) -> Value {
    let turn = who.send(session, text).await;
    who.ended(&turn).await
}

fn connections(fake: &FakeHomeAssistant) -> usize {
    fake.script.lock().unwrap().connections
}

/// Another owner, whom the other node serves.
async fn guest(nodes: &Nodes) -> (usize, RestClient) {
    let token = nodes.add_owner("guest").await;
    // Every node looks for new owners once in a while.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let at = 1 - nodes.serving("owner").unwrap();
    (at, nodes.server(at).rest_as(Some(&token)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_node_has_the_connection_and_every_node_acts_by_it() {
    let (fake, nodes) = at_home().await;
    let owner = nodes.server(0).rest();
    let owners = owner.session().await;
    let (_, guest) = guest(&nodes).await;
    let guests = guest.session().await;
    assert_ne!(nodes.serving("owner"), nodes.serving("guest"));
    for who in [&owner, &guest] {
        until_lamp(who, "off").await;
    }
    for (at, (who, session)) in [(&owner, &owners), (&guest, &guests)].into_iter().enumerate() {
        let turn = say(who, session, "turn on the lamp").await;
        assert_eq!(fake.count("call_service"), at + 1, "{turn}");
    }
    fake.tell("entities", json!({ "c": { "light.lamp": { "+": { "s": "on", "lc": 2000.0 } } } }));
    for who in [&owner, &guest] {
        until_lamp(who, "on").await;
    }
    assert_eq!(connections(&fake), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_nodes_may_use_the_connection() {
    let (_fake, nodes) = at_home().await;
    let owner = nodes.server(0).rest();
    until_lamp(&owner, "off").await;
    let listed = owner.get("/api/v1/nodes").await.ok();
    let holder = nodes.serving("owner").unwrap();
    let is_holder = |node: &&Value| node["node_id"] == nodes.nodes[holder].id();
    let address = listed["data"].as_array().unwrap().iter().find(is_holder).unwrap()["address"].as_str().unwrap();
    let owners = format!("Bearer {TOKEN}");
    for header in [None, Some(("authorization", owners.as_str())), Some(("x-dwell-node-key", "guessed"))] {
        let mut request = format!("ws://{address}/cluster/home").into_client_request().unwrap();
        if let Some((name, value)) = header {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        match tokio_tungstenite::connect_async(request).await {
            Err(Error::Http(answer)) => assert_eq!(answer.status(), 401, "{header:?}"),
            other => panic!("{header:?}: {:?}", other.map(|_| "it is let in")),
        }
    }
    let refused = owner.get("/cluster/home").await;
    assert_eq!(refused.status, 404, "clients have no such path");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_node_takes_the_connection_over() {
    let (fake, mut nodes) = at_home().await;
    let session = nodes.server(0).rest().session().await;
    let (other, guest) = guest(&nodes).await;
    until_lamp(&guest, "off").await;
    assert_eq!((connections(&fake), nodes.serving("guest")), (1, Some(other)));
    // The holder is suspended for longer than its lease.
    let pid = nodes.server(1 - other).pid();
    signal(pid, "STOP").await;
    fake.stand("light.lamp", "unknown");
    until_lamp(&guest, "unknown").await;
    assert_eq!((connections(&fake), nodes.serving("owner")), (2, Some(other)));
    let owner = nodes.server(other).rest();
    let turn = say(&owner, &session, "turn on the lamp").await;
    assert_eq!(fake.count("call_service"), 1, "{turn}");
    // When it goes on, it uses the connection of the other one; that one is killed.
    signal(pid, "CONT").await;
    tokio::time::sleep(LEASE).await;
    assert_eq!(connections(&fake), 2);
    fake.stand("light.lamp", "unavailable");
    nodes.nodes[other].server.take().unwrap().kill().await;
    let owner = nodes.server(1 - other).rest();
    until_lamp(&owner, "unavailable").await;
    assert_eq!(connections(&fake), 3);
}
