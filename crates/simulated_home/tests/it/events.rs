//! What leaves the simulated home by itself: events, and alerts that it takes.

use std::{collections::BTreeSet, sync::Arc};

use home::{HomeAlerts, HomePort, LiveHomeFeed, ServiceCall};
use ports::{AlertChannel, HomeFeed, HomeHappening};
use protocol::{Alert, AlertId, AlertKind, SessionId, Timestamp};
use serde_json::{Map, json};
use simulated_home::SimulatedHome;

#[tokio::test]
async fn it_reports_each_call_as_an_event() {
    let folder = tempfile::TempDir::new().unwrap();
    let home =
        SimulatedHome::open(folder.path(), Arc::new(|| Timestamp::from_millis(1_790_000_000_000)), "UTC").unwrap();
    let mut happenings = LiveHomeFeed::new(home.clone()).happenings();
    let call = ServiceCall {
        domain: "light".to_owned(),
        service: "turn_on".to_owned(),
        entities: vec!["light.floor_lamp".parse().unwrap()],
        data: Map::new(),
        wants_response: false,
    };
    let mut ids = BTreeSet::new();
    for _ in 0..2 {
        home.call(&call).await.unwrap();
        let told = loop {
            if let HomeHappening::Event(event) = happenings.next().await {
                break event;
            }
        };
        assert_eq!(told.event_type, "call_service");
        let service_data = json!({ "entity_id": ["light.floor_lamp"] });
        let data = json!({ "domain": "light", "service": "turn_on", "service_data": service_data });
        assert_eq!(json!(told.data), data);
        assert!(ids.insert(told.id), "each has its own id");
    }
}

#[tokio::test]
async fn it_takes_notifications_of_its_own() {
    let folder = tempfile::TempDir::new().unwrap();
    let home =
        SimulatedHome::open(folder.path(), Arc::new(|| Timestamp::from_millis(1_790_000_000_000)), "UTC").unwrap();
    let alert = Alert {
        alert_id: AlertId::from_bytes([7; 16]),
        session_id: SessionId::from_bytes([1; 16]),
        at: Timestamp::from_millis(0),
        kind: AlertKind::Timer,
        title: "The timer has ended".to_owned(),
        text: "Pizza".to_owned(),
        turn_id: None,
        approval_id: None,
        schedule_id: None,
        satellite: None,
        language: None,
    };
    HomeAlerts::new(home, None, &[]).unwrap().deliver(&"ada".parse().unwrap(), &alert).await.unwrap();
}
