//! How a connection begins, breaks and is restored.

use std::time::Duration;

use home::{ConnectionStatus, HomeAssistantClient, HomeError, HomePort, SettingsError};
use serde_json::json;

use crate::fake_home_assistant::{FakeClient as _, FakeHomeAssistant, FakeReply, LONG, TOKEN, until};

fn is_connected(home: &HomeAssistantClient) -> bool {
    matches!(home.about().connection, ConnectionStatus::Connected { .. })
}

#[tokio::test]
async fn everything_is_read_and_kept_current() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    let about = home.about();
    assert_eq!((about.name.as_str(), about.time_zone.as_deref()), ("Fake", Some("Europe/Berlin")));
    assert_eq!(about.temperature_unit.as_deref(), Some("°F"));
    assert_eq!((about.version.as_deref(), about.simulated), (Some("2024.3.3"), false));
    let lamp = home.index().get(&"light.lamp".parse().unwrap()).unwrap();
    assert_eq!((lamp.entity.name.as_str(), lamp.word()), ("Lamp", "off"));
    assert_eq!(lamp.entity.aliases, ["Funzel"]);
    assert_eq!(lamp.area.unwrap().name, "Hall");
    fake.tell("entities", json!({"c": {"light.lamp": {"+": {"s": "on", "lc": 1001.0}}}}));
    let is_on =
        |index: &home::HomeIndex| index.get(&"light.lamp".parse().unwrap()).is_some_and(|lamp| lamp.word() == "on");
    assert!(home.index().wait_until(LONG, is_on).await);
    fake.tell("entities", json!({"r": ["light.lamp"]}));
    assert!(home.index().wait_until(LONG, |index| index.state(&"light.lamp".parse().unwrap()).is_none()).await);
}

#[tokio::test]
async fn after_a_break_everything_is_subscribed_and_read_again() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    fake.stand("light.lamp", "on");
    fake.stand("light.new", "off");
    fake.break_connections();
    until("two connections", || fake.script.lock().unwrap().connections == 2).await;
    let has_new = |index: &home::HomeIndex| index.get(&"light.new".parse().unwrap()).is_some();
    assert!(home.index().wait_until(LONG, has_new).await);
    until("connected", || is_connected(&home)).await;
    assert_eq!(home.index().get(&"light.lamp".parse().unwrap()).unwrap().word(), "on");
    fake.tell("entities", json!({"c": {"light.new": {"+": {"s": "on", "lc": 1001.0}}}}));
    let is_on =
        |index: &home::HomeIndex| index.get(&"light.new".parse().unwrap()).is_some_and(|new| new.word() == "on");
    assert!(home.index().wait_until(LONG, is_on).await, "the new connection is subscribed");
    let script = fake.script.lock().unwrap();
    let first_ids: Vec<_> =
        [1, 2].map(|of| script.heard.iter().find(|(number, _)| *number == of).unwrap().1["id"].clone()).into();
    assert_eq!(first_ids, [json!(1), json!(1)], "every connection counts from one");
}

#[tokio::test]
async fn what_was_known_is_kept_while_it_cannot_be_reached() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    fake.reply("subscribe_entities", FakeReply::Error("unknown_error", "Starting."));
    fake.break_connections();
    until("lost", || !is_connected(&home)).await;
    let ConnectionStatus::Reconnecting { since: Some(_), why } = home.about().connection else { panic!() };
    assert!(!why.is_empty());
    assert_eq!(home.index().get(&"light.lamp".parse().unwrap()).unwrap().word(), "off");
    fake.script.lock().unwrap().replies.remove("subscribe_entities");
    until("connected", || is_connected(&home)).await;
}

#[tokio::test]
async fn a_token_that_is_refused_is_said_to_be_and_seldom_tried_again() {
    let fake = FakeHomeAssistant::start().await;
    fake.script.lock().unwrap().refuses_token = true;
    let home = HomeAssistantClient::connect(fake.settings()).unwrap();
    let error = home.ready(LONG).await.unwrap_err();
    assert!(matches!(&error, HomeError::Forbidden(why) if why.contains("token")), "{error}");
    let ConnectionStatus::Refused { why } = home.about().connection else { panic!() };
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(fake.script.lock().unwrap().connections, 1);
    let asked = home.errors().await.unwrap_err();
    for text in [why, error.to_string(), asked.to_string(), format!("{home:?} {:?} {error:?} {asked:?}", home.about())]
    {
        assert!(!text.contains(TOKEN), "{text}");
    }
}

#[tokio::test]
async fn a_token_that_is_accepted_later_heals_by_itself() {
    let fake = FakeHomeAssistant::start().await;
    fake.script.lock().unwrap().refuses_token = true;
    let mut settings = fake.settings();
    settings.patience.refused_pause = Duration::from_millis(100);
    let home = HomeAssistantClient::connect(settings).unwrap();
    home.ready(LONG).await.unwrap_err();
    fake.script.lock().unwrap().refuses_token = false;
    until("connected", || is_connected(&home)).await;
}

#[tokio::test]
async fn silence_is_noticed_by_asking() {
    let fake = FakeHomeAssistant::start().await;
    let mut settings = fake.settings();
    settings.patience.heartbeat = Duration::from_millis(100);
    let home = HomeAssistantClient::connect(settings).unwrap();
    home.ready(LONG).await.unwrap();
    until("asked thrice", || fake.count("ping") >= 3).await;
    assert_eq!(fake.script.lock().unwrap().connections, 1, "who answers is alive");
    fake.reply("ping", FakeReply::Silence);
    until("another connection", || fake.script.lock().unwrap().connections > 1).await;
}

#[tokio::test]
async fn changes_that_come_in_a_flock_are_read_once() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    let entities = || fake.count("config/entity_registry/list");
    let before = entities();
    let area = json!([{"area_id": "hall", "name": "Corridor", "aliases": []}]);
    fake.reply("config/area_registry/list", FakeReply::Result(area));
    for _ in 0..50 {
        fake.tell("area_registry_updated", json!({"event_type": "area_registry_updated", "data": {}}));
    }
    let is_renamed = |index: &home::HomeIndex| index.areas().iter().any(|area| area.name == "Corridor");
    assert!(home.index().wait_until(LONG, is_renamed).await);
    tokio::time::sleep(Duration::from_millis(300)).await;
    // Two if the machine paused in the middle of the burst.
    assert!(entities() - before <= 2, "{}", entities() - before);
    let revision = home.index().revision();
    fake.tell("entity_registry_updated", json!({}));
    until("read once more", || entities() - before >= 2).await;
    assert_eq!(home.index().revision(), revision, "nothing has changed, so nothing is made anew");
}

#[tokio::test]
async fn what_is_not_listed_is_exposed_by_the_rule_even_if_it_comes_later() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    let state = json!({"s": "on", "a": {}, "lc": 1.0});
    fake.tell("entities", json!({"a": {"light.later": state, "lock.later": state}}));
    let exposed = |index: &home::HomeIndex, id: &str| index.get(&id.parse().unwrap()).map(|new| new.entity.exposed);
    assert!(home.index().wait_until(LONG, |index| exposed(index, "light.later") == Some(true)).await);
    assert_eq!(exposed(home.index(), "lock.later"), Some(false));
}

#[tokio::test]
async fn a_read_only_token_sees_what_the_registry_exposes_and_nothing_else() {
    let fake = FakeHomeAssistant::start().await;
    for kind in ["homeassistant/expose_entity/list", "homeassistant/expose_new_entities/get"] {
        fake.reply(kind, FakeReply::Error("unauthorized", "Unauthorized"));
    }
    fake.stand("light.taken_away", "on");
    let home = fake.client().await;
    let exposed = |id: &str| home.index().get(&id.parse().unwrap()).unwrap().entity.exposed;
    assert!(exposed("light.lamp"));
    assert!(!exposed("light.taken_away"), "the owner may have decided against it");
}

#[tokio::test]
async fn a_version_without_floors_is_no_trouble_but_a_missing_registry_means_that_it_is_still_starting() {
    for kind in [
        "config/entity_registry/list",
        "config/entity_registry/get_entries",
        "config/device_registry/list",
        "homeassistant/expose_entity/list",
    ] {
        let fake = FakeHomeAssistant::start().await;
        let reply = fake.script.lock().unwrap().replies.remove(kind).unwrap();
        let home = HomeAssistantClient::connect(fake.settings()).unwrap();
        until("tried again", || fake.script.lock().unwrap().connections > 1).await;
        assert!(home.index().is_empty(), "{kind}");
        let ConnectionStatus::Reconnecting { why, .. } = home.about().connection else { panic!("{kind}") };
        assert!(why.contains("still starting"), "{why}");
        fake.reply(kind, reply);
        home.ready(LONG).await.unwrap();
        assert_eq!((home.index().len(), home.index().floors().len()), (1, 0), "{kind}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_again_is_kept_as_it_was_and_tried_again() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    let areas = json!([{"area_id": "hall", "name": "Corridor", "aliases": []}]);
    fake.reply("config/area_registry/list", FakeReply::Error("unknown_command", "Unknown command."));
    let before = fake.count("config/area_registry/list");
    fake.tell("area_registry_updated", json!({}));
    until("tried again", || fake.count("config/area_registry/list") > before + 1).await;
    assert!(is_connected(&home));
    assert_eq!(home.index().areas()[0].name, "Hall");
    fake.reply("config/area_registry/list", FakeReply::Result(areas));
    assert!(home.index().wait_until(LONG, |index| index.areas()[0].name == "Corridor").await);
}

#[tokio::test]
async fn closing_ends_the_connection_and_what_is_asked_afterwards_is_unreachable() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    home.close();
    let error = home.errors().await.unwrap_err();
    assert!(matches!(error, HomeError::Unreachable(_)), "{error}");
    until("not connected", || !is_connected(&home)).await;
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_at_once() {
    let fake = FakeHomeAssistant::start().await;
    let with = |change: fn(&mut home::HomeAssistantSettings)| {
        let mut settings = fake.settings();
        change(&mut settings);
        HomeAssistantClient::connect(settings).unwrap_err()
    };
    assert_eq!(with(|settings| settings.token = " ".into()), SettingsError::NoToken);
    assert_eq!(with(|settings| settings.token = "a b".into()), SettingsError::BrokenToken);
    assert!(matches!(with(|settings| settings.url = "ha.local".to_owned()), SettingsError::NotAnAddress(_)));
}
