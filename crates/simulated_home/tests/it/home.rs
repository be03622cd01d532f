//! The simulated home: its reactions, what it stores, and its computed past.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use home::{EntityId, EntityState, HomeError, HomePort, Period, ServiceCall};
use proptest::prelude::*;
use protocol::Timestamp;
use serde_json::{Value, json};
use simulated_home::SimulatedHome;

const DAY: i64 = 86_400_000;

/// A clock that is set by hand.
#[derive(Clone)]
struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    fn at(moment: &str) -> Self {
        let moment: Timestamp = moment.parse().unwrap();
        Self(Arc::new(AtomicI64::new(moment.as_millis())))
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    fn pass(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

fn open(folder: &Path, hands: &ManualClock) -> Arc<SimulatedHome> {
    let hands = hands.clone();
    SimulatedHome::open(folder, Arc::new(move || hands.now()), "Europe/Berlin").unwrap()
}

fn id(text: &str) -> EntityId {
    text.parse().unwrap()
}

fn call(service: &str, entities: &[&str], data: Value) -> ServiceCall {
    let (domain, service) = service.split_once('.').unwrap();
    ServiceCall {
        domain: domain.to_owned(),
        service: service.to_owned(),
        entities: entities.iter().map(|entity| id(entity)).collect(),
        data: data.as_object().cloned().unwrap_or_default(),
        wants_response: service.starts_with("get_"),
    }
}

async fn told(home: &SimulatedHome, service: &str, entity: &str, data: Value) -> EntityState {
    home.call(&call(service, &[entity], data)).await.unwrap();
    home.read(&[id(entity)]).await.unwrap().remove(0)
}

async fn refused(home: &SimulatedHome, service: &str, entity: &str, data: Value) -> String {
    match home.call(&call(service, &[entity], data)).await {
        Err(HomeError::Invalid(why)) => why,
        other => panic!("{service}: {other:?}"),
    }
}

fn stands(home: &SimulatedHome, entity: &str) -> String {
    home.index().get(&id(entity)).unwrap().word().to_owned()
}

const NOON: &str = "2026-05-12T10:00:00Z";

#[tokio::test]
async fn it_says_that_it_is_simulated_and_has_a_household_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let home = open(folder.path(), &ManualClock::at(NOON));
    let about = home.about();
    assert!(about.simulated);
    assert_eq!((about.time_zone.as_deref(), about.temperature_unit.as_deref()), (Some("Europe/Berlin"), Some("°C")));
    let index = home.index();
    assert_eq!((index.floors().len(), index.areas().len()), (2, 9));
    let all = index.all();
    assert!(all.iter().all(|snapshot| snapshot.state.is_some()), "everything stands somehow");
    let domains: std::collections::BTreeSet<&str> = all.iter().map(|snapshot| snapshot.entity.id.domain()).collect();
    for domain in [
        "light",
        "switch",
        "climate",
        "sensor",
        "binary_sensor",
        "lock",
        "alarm_control_panel",
        "cover",
        "valve",
        "fan",
        "media_player",
        "vacuum",
        "lawn_mower",
        "todo",
        "weather",
        "person",
        "scene",
        "script",
        "automation",
        "input_boolean",
        "sun",
    ] {
        assert!(domains.contains(domain), "{domain}");
    }
}

#[tokio::test]
async fn lights_do_what_they_can_and_refuse_nonsense() {
    let folder = tempfile::tempdir().unwrap();
    let home = open(folder.path(), &ManualClock::at(NOON));
    let lamp = "light.floor_lamp";
    let state = told(&home, "light.turn_on", lamp, json!({"brightness_pct": 40, "color_name": "red"})).await;
    assert_eq!((state.state.as_str(), state.number("brightness")), ("on", Some(102.0)));
    assert_eq!(state.attributes["rgb_color"], json!([255, 0, 0]));
    let state = told(&home, "light.turn_on", lamp, json!({"color_temp_kelvin": 9_000})).await;
    assert_eq!(state.number("color_temp_kelvin"), Some(6_500.0), "held within what the lamp can do");
    assert!(state.attributes.get("rgb_color").is_none());
    assert_eq!(told(&home, "light.toggle", lamp, Value::Null).await.state, "off");
    assert_eq!(told(&home, "light.turn_on", lamp, json!({"brightness_pct": 0})).await.state, "off");
    let plain = told(&home, "light.turn_on", "light.garage", json!({"brightness_pct": 40})).await;
    assert_eq!((plain.state.as_str(), plain.number("brightness")), ("on", None));

    assert!(refused(&home, "light.turn_on", lamp, json!({"brightness_pct": 400})).await.contains("0 to 100"));
    assert!(refused(&home, "light.turn_on", lamp, json!({"color_name": "blurple"})).await.contains("blurple"));
    assert!(refused(&home, "light.turn_on", lamp, json!({"bright": 1})).await.contains("bright"));
    assert!(refused(&home, "light.explode", lamp, Value::Null).await.contains("light.explode"));
    assert_eq!(stands(&home, lamp), "off", "what was refused was not done");
}

#[tokio::test]
async fn a_group_is_its_members() {
    let folder = tempfile::tempdir().unwrap();
    let home = open(folder.path(), &ManualClock::at(NOON));
    let group = "light.living_room_lights";
    assert_eq!(told(&home, "light.turn_on", group, json!({"brightness": 200})).await.state, "on");
    for member in home.related(&id(group)).await.unwrap().made_of {
        assert_eq!(stands(&home, member.as_str()), "on");
    }
    assert_eq!(told(&home, "homeassistant.turn_off", group, Value::Null).await.state, "off");
}

#[tokio::test]
async fn what_moves_takes_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let hands = ManualClock::at(NOON);
    let home = open(folder.path(), &hands);
    assert_eq!(told(&home, "cover.close_cover", "cover.living_room_blinds", Value::Null).await.state, "closing");
    hands.pass(10_000);
    assert_eq!(stands(&home, "cover.living_room_blinds"), "closed");
    told(&home, "cover.set_cover_position", "cover.living_room_blinds", json!({"position": 40})).await;
    hands.pass(10_000);
    let state = home.read(&[id("cover.living_room_blinds")]).await.unwrap().remove(0);
    assert_eq!((state.state.as_str(), state.number("current_position")), ("open", Some(40.0)));
    assert_eq!(told(&home, "lock.unlock", "lock.front_door", Value::Null).await.state, "unlocking");
    hands.pass(2_000);
    assert_eq!(stands(&home, "lock.front_door"), "unlocked");
    told(&home, "alarm_control_panel.alarm_disarm", "alarm_control_panel.house", Value::Null).await;
    let arming = told(&home, "alarm_control_panel.alarm_arm_home", "alarm_control_panel.house", Value::Null).await;
    assert_eq!(arming.state, "arming");
    hands.pass(10_000);
    assert_eq!(stands(&home, "alarm_control_panel.house"), "armed_home");
    assert!(
        refused(&home, "valve.set_valve_position", "valve.irrigation", json!({"position": 3}))
            .await
            .contains("support")
    );
}

#[tokio::test]
async fn a_room_warms_up_slowly() {
    let folder = tempfile::tempdir().unwrap();
    let hands = ManualClock::at("2026-01-13T12:00:00Z");
    let home = open(folder.path(), &hands);
    let room = |home: &SimulatedHome| stands(home, "sensor.living_room_temperature").parse::<f64>().unwrap();
    told(&home, "climate.set_temperature", "climate.living_room", json!({"temperature": 26})).await;
    hands.pass(10 * 60_000);
    let soon = room(&home);
    hands.pass(100 * 60_000);
    let later = room(&home);
    assert!(soon < 24.0 && later > soon + 1.0, "{soon} {later}");
    let why = refused(&home, "climate.set_temperature", "climate.living_room", json!({"temperature": 50})).await;
    assert!(why.contains("7 to 30"), "{why}");
    assert!(
        refused(&home, "climate.set_hvac_mode", "climate.living_room", json!({"hvac_mode": "boil"}))
            .await
            .contains("heat")
    );
}

#[tokio::test]
async fn scenes_scripts_and_automations_do_what_they_are_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let hands = ManualClock::at(NOON);
    let home = open(folder.path(), &hands);
    told(&home, "scene.turn_on", "scene.movie_night", Value::Null).await;
    assert_eq!(stands(&home, "light.tv_backlight"), "on");
    home.call(&call("script.good_night", &[], Value::Null)).await.unwrap();
    hands.pass(5_000);
    assert_eq!(stands(&home, "light.tv_backlight"), "off");
    assert_eq!(stands(&home, "lock.back_door"), "locked");
    told(&home, "automation.trigger", "automation.water_the_garden", Value::Null).await;
    hands.pass(5_000);
    assert_eq!(stands(&home, "valve.irrigation"), "open");
    let traces = home.traces(&id("automation.water_the_garden")).await.unwrap();
    assert_eq!((traces[0].outcome.as_str(), traces[0].trigger.as_deref()), ("finished", Some("by hand")));
}

#[tokio::test]
async fn lists_and_forecasts_answer() {
    let folder = tempfile::tempdir().unwrap();
    let home = open(folder.path(), &ManualClock::at(NOON));
    let list = "todo.shopping_list";
    let before: usize = stands(&home, list).parse().unwrap();
    assert_eq!(told(&home, "todo.add_item", list, json!({"item": "Cheese"})).await.state, (before + 1).to_string());
    let done = json!({"item": "cheese", "status": "completed"});
    assert_eq!(told(&home, "todo.update_item", list, done).await.state, before.to_string());
    let answer = home.call(&call("todo.get_items", &[list], json!({"status": ["completed"]}))).await.unwrap().unwrap();
    assert_eq!(answer[list]["items"][0]["summary"], "Cheese");
    assert!(refused(&home, "todo.remove_item", list, json!({"item": "Unicorn"})).await.contains("Unicorn"));
    let answer = home.call(&call("weather.get_forecasts", &["weather.home"], json!({"type": "daily"}))).await.unwrap();
    assert_eq!(answer.unwrap()["weather.home"]["forecast"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn what_is_dead_or_not_there_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = open(folder.path(), &ManualClock::at(NOON));
    assert_eq!(told(&home, "switch.turn_on", "switch.fountain", Value::Null).await.state, "off");
    home.call(&call("light.turn_on", &["light.nowhere"], Value::Null)).await.unwrap();
    let errors = home.errors().await.unwrap();
    for part in ["light.nowhere", "switch.fountain: the device did not acknowledge"] {
        assert!(errors.iter().any(|entry| entry.messages[0].contains(part)), "{part}");
    }
}

#[tokio::test]
async fn what_cannot_be_kept_is_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("data");
    let home = open(&inside, &ManualClock::at(NOON));
    std::fs::remove_dir_all(&inside).unwrap();
    let done = home.call(&call("light.turn_on", &["light.floor_lamp"], Value::Null)).await;
    assert!(matches!(done, Err(HomeError::Unreachable(_))), "{done:?}");
    assert_eq!(stands(&home, "light.floor_lamp"), "off");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_caller_is_told_when_a_cover_has_arrived() {
    let folder = tempfile::tempdir().unwrap();
    let (began, noon) = (tokio::time::Instant::now(), ManualClock::at(NOON).now());
    let clock = Arc::new(move || noon.plus(began.elapsed()));
    let home = SimulatedHome::open(folder.path(), clock, "Europe/Berlin").unwrap();
    let door = id("cover.garage_door");
    assert_eq!(told(&home, "cover.open_cover", "cover.garage_door", Value::Null).await.state, "opening");
    let is_open = |index: &home::HomeIndex| index.state(&door).is_some_and(|state| state.state == "open");
    assert!(home.index().wait_until(std::time::Duration::from_secs(60), is_open).await);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_set_aside_and_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("simulated-home.json"), "{\"version\": 1, \"seed\"").unwrap();
    let home = open(folder.path(), &ManualClock::at(NOON));
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let aside = names.iter().find(|name| name.contains("unreadable")).expect("it is still there");
    assert_eq!(std::fs::read_to_string(folder.path().join(aside)).unwrap(), "{\"version\": 1, \"seed\"");
    assert!(home.errors().await.unwrap().iter().any(|entry| entry.messages[0].contains("renamed to")));

    std::fs::write(folder.path().join("simulated-home.json"), concat!(r#"{"version": 99, "seed": 1}"#, "\n[]\n"))
        .unwrap();
    let hands = ManualClock::at(NOON);
    let opened = SimulatedHome::open(folder.path(), Arc::new(move || hands.now()), "Europe/Berlin");
    assert!(opened.err().unwrap().to_string().contains("99"));
}

#[tokio::test]
async fn a_call_costs_one_line_and_one_that_was_cut_off_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (path, hands) = (folder.path().join("simulated-home.json"), ManualClock::at(NOON));
    let text = || std::fs::read_to_string(&path).unwrap();
    {
        let home = open(folder.path(), &hands);
        for service in ["light.turn_on", "light.turn_off", "light.turn_on"] {
            told(&home, service, "light.floor_lamp", Value::Null).await;
        }
        told(&home, "todo.add_item", "todo.shopping_list", json!({ "item": "yeast" })).await;
    }
    assert_eq!(text().lines().count(), 4, "the first call after the start writes everything");
    // The next call is cut off while it is written.
    let call = text().lines().last().unwrap().replace("yeast", "never");
    std::fs::write(&path, text() + &call[..call.len() - 1]).unwrap();
    let home = open(folder.path(), &hands);
    assert_eq!(home.read(&[id("light.floor_lamp")]).await.unwrap()[0].state, "on");
    told(&home, "light.turn_off", "light.floor_lamp", Value::Null).await;
    assert_eq!(text().lines().count(), 1);
    assert!(text().contains("yeast") && !text().contains("never"));
    drop(home);
    let home = open(folder.path(), &hands);
    assert_eq!(home.read(&[id("light.floor_lamp")]).await.unwrap()[0].state, "off");
}

#[tokio::test]
async fn the_planted_problems_are_as_old_as_they_are_told_to_be() {
    for now in ["2026-05-12T10:00:00Z", "2026-01-03T04:10:00Z", "2026-12-31T23:40:00Z", "2026-07-01T02:10:00Z"] {
        let folder = tempfile::tempdir().unwrap();
        let hands = ManualClock::at(now);
        let home = open(folder.path(), &hands);
        let period =
            Period { from: Timestamp::from_millis(hands.now().as_millis() - 29 * 3_600_000), until: hands.now() };
        let ids = [id("light.bedroom_ceiling"), id("sensor.mains_voltage"), id("light.landing")];
        let series = home.history(&ids, period).await.unwrap();
        let volts: Vec<f64> = series[1].samples.iter().map(|sample| sample.state.parse().unwrap()).collect();
        assert_eq!(volts.iter().filter(|volts| **volts < 200.0).count(), 4, "{now}");
        let dark = series[0]
            .samples
            .windows(2)
            .filter(|pair| pair[0].state == "off" && pair[1].at.since(pair[0].at).as_secs() < 5);
        assert_eq!(dark.count(), 4, "{now}");
        assert!(
            series[2].samples.iter().any(|sample| sample.attributes.get("brightness") == Some(&json!(22))),
            "{now}"
        );

        assert_eq!(stands(&home, "binary_sensor.garden_needs_water"), "unavailable");
        let soil = home.read(&[id("sensor.soil_moisture")]).await.unwrap().remove(0);
        let hours = hands.now().since(soil.changed_at).as_secs() / 3_600;
        assert!((36..72).contains(&hours), "{now}: {hours}");
        assert!(
            home.related(&id("sensor.printer")).await.unwrap().integration_trouble.unwrap().contains("setup_retry")
        );
        let errors = home.errors().await.unwrap();
        assert!(errors.iter().any(|entry| entry.messages[0].contains("brown-out") && entry.count == 4), "{now}");
        assert!(errors.iter().all(|entry| entry.last_at <= hands.now()), "{now}");
        let traces = home.traces(&id("automation.coffee_ready")).await.unwrap();
        assert_eq!(traces[0].outcome, "error", "{now}");
    }
}

#[tokio::test]
async fn ten_days_of_the_past_are_there_from_the_first_minute() {
    let folder = tempfile::tempdir().unwrap();
    let hands = ManualClock::at(NOON);
    let home = open(folder.path(), &hands);
    let ids: Vec<EntityId> = home.index().all().iter().map(|snapshot| snapshot.entity.id.clone()).collect();
    let period = Period { from: Timestamp::from_millis(hands.now().as_millis() - 10 * DAY), until: hands.now() };
    let series = home.history(&ids, period).await.unwrap();
    let moving = series.iter().filter(|series| series.samples.len() > 9).count();
    assert!(moving > 60, "{moving} entities have a past");
    let lines = home.logbook(&[], period).await.unwrap();
    assert!(lines.len() > 500);
    assert!(lines.is_sorted_by_key(|line| line.at));
    assert!(lines.iter().any(|line| line.cause.is_some()));
}

#[tokio::test]
async fn a_query_of_the_past_delays_no_other_task() {
    let folder = tempfile::tempdir().unwrap();
    let hands = ManualClock::at(NOON);
    let home = open(folder.path(), &hands);
    let ids: Vec<EntityId> = home.index().all().iter().map(|snapshot| snapshot.entity.id.clone()).collect();
    let period = Period { from: Timestamp::from_millis(hands.now().as_millis() - 10 * DAY), until: hands.now() };
    let before = home.history(&ids, period).await.unwrap();
    let mut asked = home.history(&ids, period);
    assert!(futures::poll!(&mut asked).is_pending(), "it is computed elsewhere");
    assert_eq!(told(&home, "light.turn_on", "light.floor_lamp", Value::Null).await.state, "on");
    assert_eq!(stands(&home, "light.floor_lamp"), "on");
    assert!(asked.await.unwrap() == before, "it is the past as it was when it was asked for");
}

/// Valid service calls.
fn deeds() -> impl Strategy<Value = (&'static str, &'static str, Value)> {
    prop_oneof![
        (0..=100).prop_map(|percent| ("light.turn_on", "light.floor_lamp", json!({"brightness_pct": percent}))),
        Just(("light.toggle", "light.living_room_lights", Value::Null)),
        Just(("switch.toggle", "switch.car_charger", Value::Null)),
        (0..=100).prop_map(|at| ("cover.set_cover_position", "cover.bedroom_blinds", json!({"position": at}))),
        Just(("lock.unlock", "lock.front_door", Value::Null)),
        Just(("lock.lock", "lock.front_door", Value::Null)),
        (14..=60).prop_map(|half| {
            ("climate.set_temperature", "climate.bedroom", json!({"temperature": f64::from(half) / 2.0}))
        }),
        Just(("vacuum.start", "vacuum.dusty", Value::Null)),
        Just(("script.turn_on", "script.good_night", Value::Null)),
        "[A-Z][a-z]{2,8}".prop_map(|item| ("todo.add_item", "todo.shopping_list", json!({"item": item}))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_done_survives_and_the_past_ends_in_the_present(
        start in 0_i64..400,
        deeds in prop::collection::vec((deeds(), 0_i64..40_000_000), 1..6),
        later in 0_i64..20_000_000,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let folder = tempfile::tempdir().unwrap();
            let hands = ManualClock::at("2026-02-01T00:07:00Z");
            hands.pass(start * 7_919_000);
            let home = open(folder.path(), &hands);
            for ((service, entity, data), pause) in deeds {
                hands.pass(pause);
                home.call(&call(service, &[entity], data)).await.unwrap();
            }
            hands.pass(later);
            let ids: Vec<EntityId> = home.index().all().iter().map(|snapshot| snapshot.entity.id.clone()).collect();
            let period = Period {
                from: Timestamp::from_millis(hands.now().as_millis() - DAY),
                until: Timestamp::from_millis(hands.now().as_millis() + 1),
            };
            let (states, past) = (home.read(&ids).await.unwrap(), home.history(&ids, period).await.unwrap());
            for (state, series) in states.iter().zip(&past) {
                let last = series.samples.last().unwrap();
                assert_eq!(last.state, state.state, "{}", state.entity_id);
                assert!(series.samples.is_sorted_by_key(|sample| sample.at));
                assert!(state.changed_at <= state.updated_at && state.updated_at <= hands.now(), "{state:?}");
                if state.changed_at > period.from {
                    let since = series.samples.iter().rev().take_while(|sample| sample.state == state.state).last().unwrap();
                    assert_eq!(since.at, state.changed_at, "{}", state.entity_id);
                }
                let known = home.index().state(&state.entity_id).unwrap();
                assert_eq!(known.state, state.state, "the index knows how {} stands", state.entity_id);
            }
            drop(home);
            let again = open(folder.path(), &hands);
            assert_eq!(again.read(&ids).await.unwrap(), states);
            assert_eq!(again.history(&ids, period).await.unwrap(), past);
            assert_eq!(again.logbook(&[], period).await.unwrap(), again.logbook(&[], period).await.unwrap());
        });
    }
}
