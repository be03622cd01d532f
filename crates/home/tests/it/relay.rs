//! Several nodes: one has the connection to Home Assistant, the others use it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::{SinkExt, StreamExt};
use home::{
    ActPermit, ConnectionStatus, HomeAssistantClient, HomeError, HomePort, HomeRoute, LiveHomeFeed, RelayAddress,
    ServiceCall,
};
use ports::{HomeFeed, HomeHappening};
use serde_json::json;
use tokio::{net::TcpListener, sync::watch};
use tokio_tungstenite::tungstenite::Message;

use crate::fake_home_assistant::{FakeClient as _, FakeHomeAssistant, FakeReply, LONG, until};

/// A node with the connection, and another one that uses it.
struct TwoNodes {
    fake: FakeHomeAssistant,
    holder: Arc<HomeAssistantClient>,
    other: Arc<HomeAssistantClient>,
    /// The route of the other node.
    route: watch::Sender<HomeRoute>,
    may_act: Arc<AtomicBool>,
    /// Links that the other node has opened.
    links: Arc<AtomicUsize>,
}

impl TwoNodes {
    async fn start() -> Self {
        let fake = FakeHomeAssistant::start().await;
        let may_act = Arc::new(AtomicBool::new(true));
        let asked = may_act.clone();
        let permit = ActPermit::new(move || asked.load(Ordering::SeqCst));
        let holder = client(&fake, watch::Sender::new(HomeRoute::Direct(permit)).subscribe());
        holder.ready(LONG).await.unwrap();
        let (url, links) = share(holder.clone()).await;
        let relay = RelayAddress { node: "a".to_owned(), url, header: "x-node-key", key: "of-the-test".into() };
        let route = watch::Sender::new(HomeRoute::Through(relay));
        let other = client(&fake, route.subscribe());
        other.ready(LONG).await.unwrap();
        Self { fake, holder, other, route, may_act, links }
    }

    fn connections(&self) -> usize {
        self.fake.script.lock().unwrap().connections
    }
}

fn client(fake: &FakeHomeAssistant, routes: watch::Receiver<HomeRoute>) -> Arc<HomeAssistantClient> {
    let mut settings = fake.settings();
    settings.routes = Some(routes);
    HomeAssistantClient::connect(settings).unwrap()
}

/// Passes a node's connection on, as the server does to other nodes; returns the URL.
async fn share(holder: Arc<HomeAssistantClient>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    let links = Arc::new(AtomicUsize::new(0));
    let count = links.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (holder, count) = (holder.clone(), count.clone());
            tokio::spawn(async move {
                // The connection breaks where the server answers that there is none.
                let Some(mut link) = holder.relay().await else { return };
                let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                loop {
                    tokio::select! {
                        message = link.next() => match message {
                            Some(text) => drop(socket.send(Message::text(text)).await),
                            None => return,
                        },
                        command = socket.next() => match command {
                            Some(Ok(Message::Text(text))) => drop(link.send(text.to_string()).await),
                            _ => return,
                        },
                    }
                }
            });
        }
    });
    (url, links)
}

fn state(client: &HomeAssistantClient) -> Option<String> {
    Some(client.index().state(&"light.lamp".parse().unwrap())?.state.clone())
}

fn turn_on() -> ServiceCall {
    let data = json!({ "transition": 1 }).as_object().cloned().unwrap();
    ServiceCall {
        domain: "light".to_owned(),
        service: "turn_on".to_owned(),
        entities: vec!["light.lamp".parse().unwrap()],
        data,
        wants_response: false,
    }
}

#[tokio::test]
async fn both_nodes_know_the_home_by_one_connection() {
    let nodes = TwoNodes::start().await;
    assert_eq!(nodes.connections(), 1);
    for client in [&nodes.holder, &nodes.other] {
        assert_eq!(state(client).as_deref(), Some("off"));
        assert_eq!(client.about().name, "Fake");
        assert_eq!(client.about().version.as_deref(), Some("2024.3.3"));
    }
    nodes.fake.tell("entities", json!({ "c": { "light.lamp": { "+": { "s": "on", "lc": 2000.0 } } } }));
    until("both have heard it", || [&nodes.holder, &nodes.other].iter().all(|at| state(at).as_deref() == Some("on")))
        .await;
    nodes.other.call(&turn_on()).await.unwrap();
    assert_eq!(nodes.fake.count("call_service"), 1);
    nodes.fake.reply("call_service", FakeReply::Error("not_found", "Service not found."));
    assert!(nodes.other.call(&turn_on()).await.is_err());
    assert_eq!(nodes.other.read(&["light.lamp".parse().unwrap()]).await.unwrap().len(), 1);
    assert_eq!(nodes.connections(), 1);
}

#[tokio::test]
async fn events_that_only_the_other_node_waits_for_reach_it() {
    let nodes = TwoNodes::start().await;
    let feed = LiveHomeFeed::new(nodes.other.clone());
    let mut happenings = feed.happenings();
    feed.want_events(["doorbell".to_owned()].into());
    until("it is subscribed to", || {
        let heard = nodes.fake.script.lock().unwrap();
        heard.heard.iter().any(|(_, command)| command["event_type"] == "doorbell")
    })
    .await;
    let event = json!({ "event_type": "doorbell", "data": { "button": "front" }, "origin": "LOCAL",
        "time_fired": "2026-11-18T09:00:00+00:00", "context": { "id": "c1" } });
    // The subscription has to be answered first.
    tokio::time::sleep(Duration::from_millis(50)).await;
    nodes.fake.tell("doorbell", event);
    match tokio::time::timeout(LONG, happenings.next()).await.unwrap() {
        HomeHappening::Event(event) => assert_eq!(event.data["button"], "front"),
        HomeHappening::Changed(change) => panic!("a change instead of an event: {change:?}"),
    }
}

#[tokio::test]
async fn a_broken_connection_comes_back_for_both() {
    let nodes = TwoNodes::start().await;
    nodes.fake.stand("light.lamp", "on");
    nodes.fake.break_connections();
    until("both know the new state", || {
        [&nodes.holder, &nodes.other].iter().all(|at| {
            state(at).as_deref() == Some("on") && matches!(at.about().connection, ConnectionStatus::Connected { .. })
        })
    })
    .await;
    assert_eq!(nodes.connections(), 2);
    assert!(nodes.links.load(Ordering::SeqCst) >= 2);
}

#[tokio::test]
async fn a_node_whose_lease_has_ended_sends_nothing_and_the_other_one_takes_over() {
    let nodes = TwoNodes::start().await;
    nodes.may_act.store(false, Ordering::SeqCst);
    let refused = nodes.holder.call(&turn_on()).await.unwrap_err();
    assert!(matches!(refused, HomeError::Unreachable(_)), "it is known that it was not sent: {refused}");
    assert!(nodes.other.call(&turn_on()).await.is_err());
    assert_eq!(nodes.fake.count("call_service"), 0);
    nodes.route.send_replace(HomeRoute::Direct(ActPermit::always()));
    until("it has its own connection", || {
        nodes.connections() == 2 && matches!(nodes.other.about().connection, ConnectionStatus::Connected { .. })
    })
    .await;
    nodes.other.call(&turn_on()).await.unwrap();
    assert_eq!(nodes.fake.count("call_service"), 1);
    assert!(nodes.holder.relay().await.is_none(), "the other one has the connection");
}

#[tokio::test]
async fn without_a_way_to_the_home_it_says_why() {
    let fake = FakeHomeAssistant::start().await;
    let why = "the node that has the connection takes no requests".to_owned();
    let route = watch::Sender::new(HomeRoute::None { why: why.clone() });
    let client = client(&fake, route.subscribe());
    until("it says why", || match client.about().connection {
        ConnectionStatus::Reconnecting { why: said, .. } => said == why,
        _ => false,
    })
    .await;
    assert_eq!(fake.script.lock().unwrap().connections, 0);
    route.send_replace(HomeRoute::Direct(ActPermit::always()));
    client.ready(LONG).await.unwrap();
}
