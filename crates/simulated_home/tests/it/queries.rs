//! The query tools on the simulated home: they find its problems, at any time of the year.

use std::{collections::BTreeSet, sync::Arc};

use home::{HomePort, add_home_queries};
use ports::{NoDesktop, NoPinStore, NoResearch, ToolFailure};
use protocol::{Origin, SessionId, Timestamp, TurnId};
use serde_json::{Value, json};
use simulated_home::SimulatedHome;
use tokio::sync::mpsc;
use tools::{CallContext, Output};

/// The tokens that an answer may cost.
const TOKENS_MAX: usize = 1_500;

/// The output of a call, and its progress reports.
struct ToolRun {
    output: Output,
    said: Vec<String>,
}

impl ToolRun {
    fn tokens(&self) -> usize {
        tokens::count(&self.output.value.to_string())
    }
}

/// Calls a tool as a turn does: checks the call first.
async fn call(home: Arc<dyn HomePort>, tool: &str, arguments: Value, now: Timestamp) -> Result<ToolRun, ToolFailure> {
    let mut registry = tools::Registry::default();
    add_home_queries(&mut registry, home).unwrap();
    let checked = registry.check(tool, &arguments).map_err(ToolFailure::Invalid)?;
    let (progress, mut said) = mpsc::channel(tools::PROGRESS_MAX);
    let context = CallContext {
        owner: "ada".parse().unwrap(),
        session_id: SessionId::from_bytes([1; 16]),
        turn_id: TurnId::from_bytes([9; 16]),
        call_id: "call-1".to_owned(),
        place: 0,
        key: "call-1".to_owned(),
        now,
        origin: Origin::Trusted,
        schedule_id: None,
        satellite: None,
        pin_store: Arc::new(NoPinStore),
        desktop: Arc::new(NoDesktop::default()),
        research: Arc::new(NoResearch),
        hold: Default::default(),
        progress,
    };
    let output = tools::run(&checked.entry, arguments, context).await?;
    let mut told = Vec::new();
    while let Ok(message) = said.try_recv() {
        told.push(message);
    }
    Ok(ToolRun { output, said: told })
}

fn simulated(moment: &str) -> (Arc<dyn HomePort>, Timestamp, tempfile::TempDir) {
    let (folder, moment) = (tempfile::tempdir().unwrap(), moment.parse().unwrap());
    let home = SimulatedHome::open(folder.path(), Arc::new(move || moment), "Europe/Berlin").unwrap();
    (home, moment, folder)
}

/// Calls a tool on the simulated home.
async fn ask(tool: &str, arguments: Value) -> ToolRun {
    let (home, now, _folder) = simulated("2026-05-12T10:00:00Z");
    call(home, tool, arguments, now).await.unwrap()
}

/// Checks that all evidence is listed as a source, and that all sources are cited.
fn sources_hold(answered: &ToolRun) {
    let listed: BTreeSet<&str> = answered.output.sources.iter().map(|source| source.source.as_str()).collect();
    fn named<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                into.extend(fields.get("source").and_then(Value::as_str));
                into.extend(
                    fields.get("evidence").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str),
                );
                fields.values().for_each(|value| named(value, into));
            }
            Value::Array(items) => items.iter().for_each(|value| named(value, into)),
            _ => {}
        }
    }
    let mut evidence = Vec::new();
    named(&answered.output.value, &mut evidence);
    for source in evidence {
        assert!(listed.contains(source), "{source} is not among {listed:?}");
    }
}

#[tokio::test]
async fn why_the_bedroom_lights_flickered_last_night() {
    for moment in ["2026-05-12T10:00:00Z", "2026-01-03T05:30:00Z", "2026-07-01T00:40:00Z", "2026-03-29T21:50:00Z"] {
        let (home, now, _folder) = simulated(moment);
        let asked = json!({"entity_id": "light.bedroom_ceiling", "period": "last night"});
        let answered = call(home, "diagnose_entity", asked, now).await.unwrap();
        let told = &answered.output.value;
        let cause = &told["root_cause"];
        assert_eq!(cause["entity_id"], "sensor.mains_voltage", "{moment}: {told:#}");
        assert!(cause["confidence"].as_f64().unwrap() > 0.85);
        assert!(cause["what"].as_str().unwrap().contains("4 of 4"), "{told:#}");
        assert_eq!(cause["evidence"][0], "history:sensor.mains_voltage");
        let findings = told["findings"].to_string();
        for part in ["flickered 4 times", "brown-out", "Landing light", "Bedside lamp"] {
            assert!(findings.contains(part), "{moment}: {part}: {told:#}");
        }
        sources_hold(&answered);
        assert!(answered.tokens() < TOKENS_MAX, "{} tokens", answered.tokens());
        assert!(answered.said.iter().any(|line| line.contains("Comparing with")), "{:?}", answered.said);
    }
}

#[tokio::test]
async fn a_template_is_followed_down_to_the_empty_battery() {
    let answered = ask("diagnose_entity", json!({"entity_id": "binary_sensor.garden_needs_water"})).await;
    let told = &answered.output.value;
    assert_eq!(told["root_cause"]["entity_id"], "sensor.soil_sensor_battery", "{told:#}");
    assert!(told["root_cause"]["what"].as_str().unwrap().contains("to 1 %"), "{told:#}");
    assert!(told["findings"].to_string().contains("sensor.soil_moisture"), "{told:#}");
    assert!(told["impact"].to_string().contains("automation.water_the_garden"), "{told:#}");
    assert!(told["suggestions"][0].as_str().unwrap().contains("battery"));
    sources_hold(&answered);
    assert!(answered.tokens() < TOKENS_MAX, "{} tokens", answered.tokens());
}

#[tokio::test]
async fn an_automation_says_why_its_last_run_failed_and_what_it_waits_for() {
    let told = ask("diagnose_entity", json!({"entity_id": "automation.coffee_ready"})).await.output.value;
    let what = told["root_cause"]["what"].as_str().unwrap();
    assert!(what.contains("mobile_app_martas_old_phone") && what.contains("5 of the last 5"), "{told:#}");
    assert_eq!(told["root_cause"]["evidence"][0], "trace:automation.coffee_ready");
    let told = ask("diagnose_entity", json!({"entity_id": "automation.water_the_garden"})).await.output.value;
    assert_eq!(told["root_cause"]["entity_id"], "binary_sensor.garden_needs_water", "{told:#}");
}

#[tokio::test]
async fn what_the_router_took_with_it_is_traced_back_to_it() {
    let told = ask("diagnose_entity", json!({"entity_id": "sensor.printer"})).await.output.value;
    assert!(told["root_cause"]["what"].as_str().unwrap().contains("setup_retry"), "{told:#}");
    assert!(told["findings"].to_string().contains("Internet was lost"), "{told:#}");
    let asked = json!({"entity_id": "media_player.kitchen_speaker", "period": "yesterday evening"});
    let told = ask("diagnose_entity", asked).await.output.value;
    assert_eq!(told["root_cause"]["entity_id"], "binary_sensor.internet", "{told:#}");
}

#[tokio::test]
async fn errors_are_grouped_into_incidents_that_begin_with_what_failed_first() {
    let answered = ask("analyze_errors", Value::Null).await;
    let told = &answered.output.value;
    let worst = &told["incidents"][0];
    assert!(worst["first"]["what"].as_str().unwrap().contains("Internet was lost"), "{told:#}");
    assert_eq!(worst["lasted"], "ongoing", "the printer is still away");
    let followed = worst["followed"].to_string();
    assert!(followed.contains("cast") && followed.contains("Kitchen speaker"), "{told:#}");
    let all = told["incidents"].to_string();
    let night =
        told["incidents"].as_array().unwrap().iter().find(|incident| incident.to_string().contains("brown-out"));
    assert!(
        night.unwrap()["first"]["what"].as_str().unwrap().contains("Mains voltage deviated to 188.7 V"),
        "{told:#}"
    );
    for part in ["Soil moisture became unavailable", "coffee", "brown-out"] {
        assert!(all.contains(part), "{part}: {told:#}");
    }
    sources_hold(&answered);
    assert!(answered.tokens() < TOKENS_MAX, "{} tokens", answered.tokens());
}

#[tokio::test]
async fn looking_around_costs_little_and_says_what_it_rests_on() {
    let asked = [
        ("search_entities", Value::Null),
        ("search_entities", json!({"text": "bedroom lights"})),
        ("search_entities", json!({"domain": "light", "floor": "upstairs", "limit": 60})),
        ("search_entities", json!({"state": "unavailable"})),
        ("get_state", json!({"entity_ids": ["light.bedroom_ceiling", "climate.living_room", "sun.sun"]})),
        ("get_state", json!({"area": "Lounge"})),
        ("get_state", json!({"domain": "lock"})),
        (
            "get_history",
            json!({"entity_ids": ["light.bedroom_ceiling", "sensor.mains_voltage"], "period": "last night"}),
        ),
        ("get_history", json!({"entity_ids": ["sensor.mains_power", "lock.front_door"], "period": "last 10 days"})),
        ("get_logbook", json!({"period": "last night"})),
        ("get_logbook", json!({"entity_ids": ["lock.front_door"], "period": "last 3 days"})),
        ("get_errors", Value::Null),
        ("get_errors", json!({"text": "printer"})),
    ];
    for (tool, arguments) in asked {
        let answered = ask(tool, arguments.clone()).await;
        assert!(answered.tokens() < TOKENS_MAX, "{tool} {arguments}: {} tokens", answered.tokens());
        assert_eq!(answered.output.origin, Origin::Trusted, "the simulated home's words are our own");
        assert!(!answered.said.is_empty(), "{tool}");
        assert!(!answered.output.sources.is_empty() || arguments.is_null(), "{tool} {arguments}");
        sources_hold(&answered);
    }
}

#[tokio::test]
async fn history_is_condensed_and_names_what_was_odd() {
    let asked = json!({"entity_ids": ["light.bedroom_ceiling", "sensor.mains_voltage", "light.landing"], "period": "last night"});
    let told = ask("get_history", asked).await.output.value;
    assert!(told["entities"][0]["odd"][0].as_str().unwrap().contains("flickered 4 times"), "{told:#}");
    assert!(
        told["entities"][1]["numbers"]["min"].as_str().unwrap().starts_with("188.7 at 2026-05-12 02:17"),
        "{told:#}"
    );
    assert!(told["entities"][1]["odd"].to_string().contains("dip to 192.4 V"), "{told:#}");
    assert!(told["entities"][2]["odd"].to_string().contains("dimmer"), "{told:#}");
}

#[tokio::test]
async fn nothing_is_made_up_about_what_is_not_there_or_not_to_be_seen() {
    let (home, now, _folder) = simulated("2026-05-12T10:00:00Z");
    let asked = json!({"entity_ids": ["light.bedroom_celing", "switch.guest_wifi", "Floor lamp"]});
    let told = call(home.clone(), "get_state", asked, now).await.unwrap().output.value;
    assert_eq!(told["states"][0]["entity_id"], "light.floor_lamp", "a name that means one entity will do: {told:#}");
    assert_eq!(told["states"].as_array().unwrap().len(), 1);
    assert_eq!(told["unknown"][0]["did_you_mean"][0], "light.bedroom_ceiling", "{told:#}");
    assert!(told["unknown"][1]["why"].as_str().unwrap().contains("not exposed"), "{told:#}");
    for (tool, arguments) in [
        ("diagnose_entity", json!({"entity_id": "switch.guest_wifi"})),
        ("diagnose_entity", json!({"entity_id": "light.bedroom_celing"})),
        ("get_history", json!({"entity_ids": ["sun.sun"], "period": "once upon a time"})),
        ("get_state", json!({})),
        ("get_state", json!({"area": "Dungeon"})),
        ("search_entities", json!({"floor": "Dungeon"})),
    ] {
        let refused = call(home.clone(), tool, arguments.clone(), now).await;
        assert!(matches!(refused, Err(ToolFailure::Invalid(_))), "{tool} {arguments}");
    }
    let told = call(home, "get_logbook", json!({"entity_ids": ["switch.guest_wifi"]}), now).await.unwrap().output.value;
    assert_eq!(told["lines"], json!([]), "{told:#}");
}
