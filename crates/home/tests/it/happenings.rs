//! What happens at home, one after the other, and sentences that its satellites speak.

use std::{collections::BTreeSet, time::Duration};

use home::{AnnounceError, HomeSpeakers, LiveHomeFeed};
use ports::{HomeEvent, HomeFeed, HomeHappening, HomeHappenings};
use serde_json::json;

use crate::fake_home_assistant::{FakeClient as _, FakeHomeAssistant, FakeReply, LONG, until};

async fn next(happenings: &mut Box<dyn HomeHappenings>) -> HomeHappening {
    tokio::time::timeout(LONG, happenings.next()).await.expect("something happens")
}

fn event(happening: HomeHappening) -> HomeEvent {
    match happening {
        HomeHappening::Event(event) => event,
        HomeHappening::Changed(change) => panic!("a change instead of an event: {change:?}"),
    }
}

#[tokio::test]
async fn every_change_and_every_wanted_event_of_home_assistant_is_told() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    let feed = LiveHomeFeed::new(home);
    let mut happenings = feed.happenings();
    // Far more often than pages are told.
    for (state, at) in [("on", 1001.0), ("off", 1001.1), ("off", 1001.2), ("on", 1001.3), ("unavailable", 1001.4)] {
        fake.tell("entities", json!({"c": {"light.lamp": {"+": {"s": state, "lc": at}}}}));
    }
    let mut changes = Vec::new();
    for _ in 0..3 {
        match next(&mut happenings).await {
            HomeHappening::Changed(change) => changes.push((change.from, change.to)),
            HomeHappening::Event(event) => panic!("an event that was not asked for: {event:?}"),
        }
    }
    let expected = [("off", "on"), ("on", "off"), ("off", "on")];
    assert_eq!(changes, expected.map(|(from, to)| (from.to_owned(), to.to_owned())));

    let subscribed = fake.count("subscribe_events");
    feed.want_events(BTreeSet::from(["zha_event".to_owned()]));
    until("subscribed", || fake.count("subscribe_events") == subscribed + 1).await;
    let fired = |command: &str, time: &str| {
        json!({ "event_type": "zha_event", "data": { "command": command }, "origin": "LOCAL",
                "time_fired": time, "context": { "id": "c1", "parent_id": null, "user_id": null } })
    };
    // The subscription has to be answered first.
    tokio::time::sleep(Duration::from_millis(50)).await;
    fake.tell("zha_event", fired("toggle", "2026-11-18T09:00:00.000001+00:00"));
    fake.tell("zha_event", fired("off", "2026-11-18T09:00:00.000002+00:00"));
    let (first, second) = (event(next(&mut happenings).await), event(next(&mut happenings).await));
    assert_eq!((first.event_type.as_str(), first.data["command"].as_str()), ("zha_event", Some("toggle")));
    assert_ne!(first.id, second.id, "two events of one action are two");

    // A new connection subscribes again; what is no longer wanted is not told.
    fake.break_connections();
    until("subscribed again", || fake.count("subscribe_events") == 2 * (subscribed + 1)).await;
    feed.want_events(BTreeSet::from(["tag_scanned".to_owned()]));
    until("subscribed to the other", || fake.count("subscribe_events") == 2 * (subscribed + 1) + 1).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    fake.tell("zha_event", fired("toggle", "2026-11-18T09:00:01+00:00"));
    fake.tell("tag_scanned", json!({ "event_type": "tag_scanned", "data": { "tag_id": "7" } }));
    let told = loop {
        // Coming back, the entity may be told of, too.
        if let HomeHappening::Event(event) = next(&mut happenings).await {
            break event;
        }
    };
    assert_eq!(told.event_type, "tag_scanned");
}

#[tokio::test]
async fn a_satellite_of_home_assistant_speaks_when_it_is_there_and_free() {
    let fake = FakeHomeAssistant::start().await;
    for (id, state) in [("assist_satellite.kitchen", "responding"), ("assist_satellite.attic", "unavailable")] {
        fake.stand(id, state);
    }
    let home = fake.client().await;
    let speakers = HomeSpeakers::new(home.clone());
    let satellite = |name: &str| HomeSpeakers::satellite(name).expect("a satellite");
    assert_eq!(HomeSpeakers::satellite("kitchen"), None);
    assert_eq!(HomeSpeakers::satellite("light.kitchen"), None);

    let away = speakers.announce(&satellite("assist_satellite.attic"), "Reminder: tea.").await.unwrap_err();
    assert!(matches!(&away, AnnounceError::NotSpoken(why) if why.contains("not available")), "{away:?}");
    let kitchen = satellite("assist_satellite.kitchen");
    let speaking = tokio::spawn({
        let (speakers, kitchen) = (speakers.clone(), kitchen.clone());
        async move { speakers.announce(&kitchen, "Reminder: tea.").await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(fake.count("call_service"), 0, "it is in the middle of a sentence");
    fake.tell("entities", json!({"c": {"assist_satellite.kitchen": {"+": {"s": "idle", "lc": 1001.0}}}}));
    speaking.await.unwrap().unwrap();
    let call = fake.script.lock().unwrap().heard.last().unwrap().1.clone();
    assert_eq!((&call["domain"], &call["service"]), (&json!("assist_satellite"), &json!("announce")));
    assert_eq!(call["service_data"], json!({ "message": "Reminder: tea." }));
    assert_eq!(call["target"]["entity_id"], json!(["assist_satellite.kitchen"]));

    fake.reply("call_service", FakeReply::Error("home_assistant_error", "Satellite is busy"));
    let busy = speakers.announce(&kitchen, "Reminder: tea.").await.unwrap_err();
    assert!(matches!(busy, AnnounceError::NotSpoken(_)), "{busy:?}");
}
