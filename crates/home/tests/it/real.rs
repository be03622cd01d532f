//! Tests against a real Home Assistant with its demo home, where it is available.

use std::{sync::Arc, time::Duration};

use home::{
    ConnectionStatus, DependentKind, EntityId, EntityState, HomeAssistantClient, HomeAssistantSettings, HomeError,
    HomePort, Period, ServiceCall, TimeSource,
};
use protocol::Timestamp;
use serde_json::{Map, json};

use testkit::{HomeAssistant, HomeLink, Release};

use crate::fake_home_assistant::{LONG, until};

#[tokio::test]
async fn real_home_of_march_2024_is_known_and_moved() {
    story(Release::March2024).await;
}

#[tokio::test]
async fn real_home_of_april_2025_is_known_and_moved() {
    story(Release::April2025).await;
}

/// One instance is started for all checks, because that takes a while.
async fn story(release: Release) {
    let Some(mut real) = HomeAssistant::start_or_skip(release).await else { return };
    let home = connect(&real.url(), real.token()).await;
    it_is_read_whole(&home);
    it_switches_a_light_and_tells_of_it(&home).await;
    it_offers_services_and_gives_their_answers(&home).await;
    it_remembers(&home).await;
    it_knows_what_belongs_together(&home).await;
    it_tells_of_a_new_name(&home, &mut real.link().await).await;
    it_refuses_a_token_that_may_only_read(&real.url(), &real.make_reader().await).await;
    it_refuses_a_wrong_token(&real.url()).await;
    it_may_be_restarted(&home, &mut real).await;
}

#[allow(clippy::disallowed_methods, reason = "a real home lives in real time")]
fn now() -> Timestamp {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap())
}

async fn connect(url: &str, token: &str) -> Arc<HomeAssistantClient> {
    let home = HomeAssistantClient::connect(HomeAssistantSettings::new(url, token, TimeSource::new(now))).unwrap();
    home.ready(Duration::from_secs(60)).await.unwrap();
    home
}

fn id(text: &str) -> EntityId {
    text.parse().unwrap()
}

fn call(domain: &str, service: &str, entity: &str) -> ServiceCall {
    ServiceCall {
        domain: domain.to_owned(),
        service: service.to_owned(),
        entities: vec![id(entity)],
        data: Map::new(),
        wants_response: false,
    }
}

fn last_hour() -> Period {
    let until = now().plus(Duration::from_secs(60));
    Period { from: Timestamp::from_millis(until.as_millis() - 3_600_000), until }
}

fn it_is_read_whole(home: &HomeAssistantClient) {
    let about = home.about();
    assert_eq!((about.name.as_str(), about.time_zone.as_deref()), ("Test Home", Some("UTC")));
    assert!(about.version.is_some_and(|version| version.starts_with("202")));
    assert!(matches!(about.connection, ConnectionStatus::Connected { .. }));
    assert!(home.index().len() >= 100, "{}", home.index().len());
    let kitchen = home.index().get(&id("light.kitchen_lights")).unwrap();
    assert_eq!(kitchen.entity.name, "Kitchen Lights", "named after its device");
    assert_eq!(kitchen.area.unwrap().name, "Kitchen");
    assert!(kitchen.entity.exposed && kitchen.device.is_some() && kitchen.state.is_some());
    assert!(!home.index().get(&id("input_boolean.guest_mode")).unwrap().entity.exposed);
    for snapshot in home.index().all() {
        let shown = snapshot.state.as_ref().and_then(|state| state.text("friendly_name"));
        let named = &snapshot.entity.name;
        assert!(!named.is_empty(), "{}", snapshot.entity.id);
        assert!(shown.is_none_or(|shown| shown == named), "{}: {named:?}, shown as {shown:?}", snapshot.entity.id);
    }
}

async fn it_switches_a_light_and_tells_of_it(home: &HomeAssistantClient) {
    let lamp = id("light.office_rgbw_lights");
    for (service, state) in [("turn_off", "off"), ("turn_on", "on"), ("turn_off", "off")] {
        assert_eq!(home.call(&call("light", service, lamp.as_str())).await, Ok(None));
        let is_so = |index: &home::HomeIndex| index.state(&lamp).is_some_and(|told| told.state == state);
        assert!(home.index().wait_until(LONG, is_so).await, "{service}");
        assert_eq!(home.read(std::slice::from_ref(&lamp)).await.unwrap()[0].state, state);
    }
    assert_eq!(home.read(&[id("light.nobody")]).await, Ok(Vec::new()));
    assert_eq!(home.call(&call("light", "turn_on", "light.nobody")).await, Ok(None), "it says yes to anything");
    let unknown = home.call(&call("light", "levitate", lamp.as_str())).await.unwrap_err();
    assert!(matches!(&unknown, HomeError::Invalid(why) if why.contains("levitate")), "{unknown}");
    let wrong = ServiceCall {
        data: Map::from_iter([("brightness".to_owned(), json!("lots"))]),
        ..call("light", "turn_on", lamp.as_str())
    };
    assert!(matches!(home.call(&wrong).await, Err(HomeError::Invalid(_))));
}

async fn it_offers_services_and_gives_their_answers(home: &HomeAssistantClient) {
    let services = home.services().await.unwrap();
    let find = |domain: &str, name: &str| services.iter().find(|one| one.domain == domain && one.name == name).unwrap();
    assert!(find("weather", "get_forecasts").responds);
    let turn_on = find("light", "turn_on");
    assert!(!turn_on.responds && turn_on.fields.iter().any(|field| field == "brightness_pct"), "{turn_on:?}");
    assert!(turn_on.fields.iter().any(|field| field == "flash"), "{turn_on:?}");
    let data = Map::from_iter([("type".to_owned(), json!("daily"))]);
    let forecast = ServiceCall { data, ..call("weather", "get_forecasts", "weather.demo_weather_south") };
    let answer = home.call(&forecast).await.unwrap().unwrap();
    assert!(answer["weather.demo_weather_south"]["forecast"].is_array(), "{answer}");
}

async fn it_remembers(home: &HomeAssistantClient) {
    let guests = id("input_boolean.guest_mode");
    for service in ["turn_off", "turn_on", "turn_off"] {
        home.call(&call("input_boolean", service, guests.as_str())).await.unwrap();
    }
    // The recorder writes every second.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let history = home.history(&[guests.clone(), id("light.nobody")], last_hour()).await.unwrap();
    assert_eq!(history.len(), 1);
    let samples = &history[0].samples;
    assert!(samples.is_sorted_by_key(|sample| sample.at), "{samples:?}");
    assert_eq!(samples.last().unwrap().state, "off");
    assert!(samples.iter().any(|sample| sample.state == "on"));
    let told = home.logbook(std::slice::from_ref(&guests), last_hour()).await.unwrap();
    assert!(told.iter().any(|line| line.message == "turned on" && line.name == "Guest mode"), "{told:?}");
    assert!(
        told.iter().any(|line| line.cause.as_ref().is_some_and(|cause| cause.contains("input_boolean.turn_on"))),
        "{told:?}"
    );
    let all = home.logbook(&[], last_hour()).await.unwrap();
    assert!(all.iter().any(|line| line.entity_id == Some(id("automation.guest_entrance_light"))), "{all:?}");
    let runs = home.traces(&id("automation.guest_entrance_light")).await.unwrap();
    assert!(runs.is_sorted_by(|newer, older| newer.at >= older.at), "{runs:?}");
    assert_eq!(runs[0].outcome, "finished");
    assert!(runs[0].trigger.as_ref().is_some_and(|trigger| trigger.contains("guest_mode")), "{runs:?}");
    assert!(matches!(home.traces(&guests).await, Err(HomeError::Invalid(_))));
    let errors = home.errors().await.unwrap();
    assert!(!errors.is_empty() && errors.is_sorted_by(|newer, older| newer.last_at >= older.last_at));
}

async fn it_knows_what_belongs_together(home: &HomeAssistantClient) {
    let entrance = home.related(&id("light.entrance_color_white_lights")).await.unwrap();
    let users: Vec<(DependentKind, &str)> =
        entrance.used_by.iter().map(|user| (user.kind, user.name.as_str())).collect();
    assert_eq!(users, [(DependentKind::Automation, "Guest entrance light")]);
    assert!(entrance.device.is_some() && entrance.integration_trouble.is_none(), "{entrance:?}");
    let ceiling = home.related(&id("light.ceiling_lights")).await.unwrap();
    assert!(
        ceiling.used_by.iter().any(|user| user.kind == DependentKind::Scene && user.name == "Movie time"),
        "{ceiling:?}"
    );
    assert_eq!(ceiling.area.unwrap().as_str(), "living_room");
    let automation = home.related(&id("automation.guest_entrance_light")).await.unwrap();
    assert_eq!(automation.made_of, [id("input_boolean.guest_mode"), id("light.entrance_color_white_lights")]);
    let scene = home.related(&id("scene.movie_time")).await.unwrap();
    assert_eq!(scene.made_of, [id("light.ceiling_lights")]);
}

async fn it_refuses_a_token_that_may_only_read(url: &str, token: &str) {
    let home = connect(url, token).await;
    let entities = home.index().len();
    let lamp = id("light.bed_light");
    let before = home.read(std::slice::from_ref(&lamp)).await.unwrap().remove(0);
    let told = home.call(&call("light", "toggle", lamp.as_str())).await;
    let after = home.read(std::slice::from_ref(&lamp)).await.unwrap().remove(0);
    let log = home.errors().await;
    let history = home.history(std::slice::from_ref(&lamp), last_hour()).await;
    let is_exposed = home.index().get(&lamp).unwrap().entity.exposed;
    home.close();
    assert!(entities >= 100 && is_exposed, "it reads everything: {entities}");
    assert!(matches!(&told, Err(HomeError::Forbidden(why)) if why.contains("may only read")), "{told:?}");
    assert_eq!(EntityState { updated_at: before.updated_at, ..after }, before);
    assert!(matches!(&log, Err(HomeError::Forbidden(why)) if why.contains("administrator")), "{log:?}");
    assert!(history.is_ok(), "{history:?}");
}

async fn it_refuses_a_wrong_token(url: &str) {
    let home =
        HomeAssistantClient::connect(HomeAssistantSettings::new(url, "wrong-token-of-a-test", TimeSource::new(now)))
            .unwrap();
    let error = home.ready(LONG).await.unwrap_err();
    assert!(matches!(error, HomeError::Forbidden(_)), "{error}");
    assert!(matches!(home.about().connection, ConnectionStatus::Refused { .. }));
}

async fn it_tells_of_a_new_name(home: &HomeAssistantClient, link: &mut HomeLink) {
    let renamed =
        |name: Option<&str>, aliases: &[&str]| json!({"entity_id": "switch.ac", "name": name, "aliases": aliases});
    let is_renamed = |index: &home::HomeIndex| {
        index.get(&id("switch.ac")).is_some_and(|ac| ac.entity.name == "Big cooler" && ac.entity.aliases == ["Freezer"])
    };
    let update = "config/entity_registry/update";
    link.call(update, renamed(Some("Big cooler"), &["Freezer"])).await.unwrap();
    assert!(home.index().wait_until(LONG, is_renamed).await);
    link.call(update, renamed(None, &[])).await.unwrap();
    assert!(home.index().wait_until(LONG, |index| !is_renamed(index)).await);
}

async fn it_may_be_restarted(home: &HomeAssistantClient, real: &mut HomeAssistant) {
    let entities = home.index().len();
    real.stop().await.unwrap();
    until("lost", || matches!(home.about().connection, ConnectionStatus::Reconnecting { .. })).await;
    assert_eq!(home.index().len(), entities, "what was known is kept");
    let lost = home.call(&call("light", "turn_on", "light.bed_light")).await.unwrap_err();
    assert!(matches!(lost, HomeError::Unreachable(_) | HomeError::Lost(_)), "{lost}");
    real.go_on().await.unwrap();
    let is_whole = |index: &home::HomeIndex| {
        let is_connected = matches!(home.about().connection, ConnectionStatus::Connected { .. });
        is_connected && index.len() >= entities && index.state(&id("light.bed_light")).is_some_and(|bed| bed.is_known())
    };
    assert!(home.index().wait_until(Duration::from_secs(120), is_whole).await);
    for (service, state) in [("turn_off", "off"), ("turn_on", "on")] {
        home.call(&call("light", service, "light.bed_light")).await.unwrap();
        let is_so =
            |index: &home::HomeIndex| index.state(&id("light.bed_light")).is_some_and(|told| told.state == state);
        assert!(home.index().wait_until(LONG, is_so).await, "{service}: it is subscribed again");
    }
}
