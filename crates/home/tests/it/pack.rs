//! The query tools on small homes with known contents; `simulated_home` has them on a whole one.

use home::{Dependent, DependentKind, EntityRelations, HomeError, LogEntry, LogLevel, Trace, add_home_queries};
use ports::ToolFailure;
use protocol::{Effect, Origin, Safety};
use serde_json::json;

use crate::{
    fake_home::FakeHome,
    small_home::{SmallHome, ago, call, id, now},
};

/// The tokens that the declarations may cost in every turn.
const TOLD_TOKENS_MAX: usize = 1_500;

#[tokio::test]
async fn a_group_that_flickers_is_traced_to_its_member_and_to_what_switches_it() {
    let mut home = SmallHome::default();
    let blinks =
        [(7_200, "on"), (3_000, "off"), (2_998, "on"), (2_400, "off"), (2_399, "on"), (1_800, "off"), (1_797, "on")];
    home.add("light.all", None, None, &blinks);
    home.add("light.one", None, None, &blinks);
    home.add("light.two", None, None, &[(7_200, "on")]);
    home.add(
        "switch.strip",
        None,
        None,
        &[(7_200, "on"), (3_001, "off"), (2_999, "on"), (2_401, "off"), (1_801, "on")],
    );
    home.add("binary_sensor.door", Some("door"), None, &[(7_200, "off"), (900, "on"), (880, "off")]);
    let made_of = vec![id("light.one"), id("light.two")];
    home.related.insert(id("light.all"), EntityRelations { made_of, ..EntityRelations::default() });
    let told = call(home.furnished(), "diagnose_entity", json!({"entity_id": "light.all"}), now()).await.unwrap();
    assert_eq!(told.origin, Origin::Untrusted, "these names are untrusted");
    let told = told.value;
    assert_eq!(told["root_cause"]["entity_id"], "switch.strip", "{told:#}");
    assert!(told["findings"].to_string().contains("light one, which has the problem"), "{told:#}");
}

#[tokio::test]
async fn a_hub_that_takes_its_devices_with_it_is_named_and_a_full_battery_is_not_blamed() {
    let mut home = SmallHome::default();
    for number in 1..=4 {
        let (device, entity) = (format!("device_{number}"), format!("sensor.value_{number}"));
        home.device(&device, Some("bridge"));
        home.add(&entity, Some("temperature"), Some(&device), &[(90_000, "20.0"), (3_600, "unavailable")]);
    }
    home.device("bridge", None);
    home.add("sensor.charge", Some("battery"), Some("device_1"), &[(900_000, "90"), (3_600, "unavailable")]);
    home.add("sensor.hidden_thing", None, Some("device_1"), &[(90_000, "1")]);
    let user = Dependent { kind: DependentKind::Scene, entity_id: id("scene.cosy"), name: "Cosy".to_owned() };
    home.related.insert(id("sensor.value_1"), EntityRelations { used_by: vec![user], ..EntityRelations::default() });
    let told = call(home.furnished(), "diagnose_entity", json!({"entity_id": "sensor.value_1"}), now()).await.unwrap();
    let told = told.value;
    assert!(told["root_cause"]["what"].as_str().unwrap().contains("3 of 3 other devices"), "{told:#}");
    assert!(told["also"].to_string().contains("was at 90 %"), "{told:#}");
    assert!(told["also"].to_string().contains("not exposed"), "{told:#}");
    assert_eq!(told["impact"][0]["entity_id"], "scene.cosy");
}

#[tokio::test]
async fn an_automation_that_switches_is_found_and_a_quiet_entity_is_left_in_peace() {
    let mut home = SmallHome::default();
    home.add("light.porch", None, None, &[(80_000, "off"), (9_000, "on")]);
    home.add("automation.dusk", None, None, &[(80_000, "on")]);
    home.lines.push(home::LogbookEntry {
        at: ago(9_000),
        entity_id: Some(id("light.porch")),
        name: "Porch".to_owned(),
        message: "turned on".to_owned(),
        cause: Some("automation Dusk".to_owned()),
    });
    let trace = Trace {
        entity_id: Some(id("automation.dusk")),
        run_id: "1".to_owned(),
        at: ago(9_001),
        ended_at: Some(ago(9_000)),
        trigger: None,
        outcome: "finished".to_owned(),
        error: None,
    };
    home.traces.insert(id("automation.dusk"), vec![trace]);
    home.log.push(LogEntry {
        level: LogLevel::Error,
        logger: "homeassistant.components.elsewhere".to_owned(),
        messages: vec!["something about light.cellar".to_owned()],
        exception: String::new(),
        first_at: ago(100),
        last_at: ago(100),
        count: 1,
    });
    let home = home.furnished();
    let told = call(home.clone(), "diagnose_entity", json!({"entity_id": "light.porch"}), now()).await.unwrap();
    assert!(told.value["root_cause"]["what"].as_str().unwrap().contains("by automation Dusk"));
    let told = call(home, "diagnose_entity", json!({"entity_id": "automation.dusk"}), now()).await.unwrap().value;
    assert_eq!(told.get("root_cause"), None, "{told:#}");
    assert!(told["summary"].as_str().unwrap().starts_with("Nothing unusual"), "{told:#}");
}

#[tokio::test]
async fn what_the_token_may_not_read_is_noted_and_the_rest_is_looked_at() {
    let withheld = [
        (HomeError::Forbidden("Said by the home.".to_owned()), "the system log may not be read with this token"),
        (HomeError::Unsupported("Said by the home.".to_owned()), "this home does not offer the system log"),
    ];
    for (error, note) in withheld {
        let mut home = SmallHome::default();
        home.withheld = Some(error);
        home.add("automation.dusk", None, None, &[(80_000, "off")]);
        home.add("sensor.value", Some("temperature"), None, &[(80_000, "20.0"), (3_600, "unavailable")]);
        let home = home.furnished();
        let asked = json!({"entity_id": "automation.dusk"});
        let told = call(home.clone(), "diagnose_entity", asked, now()).await.unwrap().value;
        assert!(told["also"].to_string().contains(note), "{told:#}");
        assert!(told["also"].to_string().contains("the last runs"), "{told:#}");
        assert!(told["root_cause"]["what"].as_str().unwrap().contains("turned off"), "{told:#}");
        let told = call(home.clone(), "analyze_errors", json!({}), now()).await.unwrap().value;
        assert_eq!(told["also"], json!([note]), "{told:#}");
        assert_eq!(told["incidents"][0]["silent"], json!(["sensor.value"]), "{told:#}");
        let refused = call(home, "get_errors", json!({}), now()).await;
        assert!(matches!(refused, Err(ToolFailure::Failed(_))), "it has the home's words in it");
        let mut quiet = SmallHome::default();
        quiet.withheld = Some(HomeError::Forbidden(String::new()));
        let quiet = quiet.furnished();
        let told = call(quiet, "analyze_errors", json!({}), now()).await.unwrap().value;
        assert!(!told["summary"].as_str().unwrap().contains("No errors"), "it is not known: {told:#}");
    }
}

#[test]
fn the_tools_only_look_and_are_told_of_in_few_words() {
    let mut registry = tools::Registry::default();
    add_home_queries(&mut registry, FakeHome::new()).unwrap();
    let names: Vec<String> = registry.entries().map(|entry| entry.declaration.name.clone()).collect();
    assert_eq!(
        names,
        [
            "analyze_errors",
            "diagnose_entity",
            "get_errors",
            "get_history",
            "get_logbook",
            "get_state",
            "search_entities"
        ]
    );
    let mut tokens = 0;
    for entry in registry.entries() {
        let (declaration, schema) = (&entry.declaration, &entry.input_schema);
        let name = &declaration.name;
        assert_eq!((declaration.effect, declaration.safety), (Effect::Pure, Safety::Observes), "{name}");
        assert!(declaration.parallel, "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
        for (field, property) in schema["properties"].as_object().unwrap() {
            assert!(property.get("description").is_some(), "{name}.{field}");
        }
        tokens += tokens::count(&format!("{name}\n{}\n{schema}", declaration.description));
    }
    assert!(tokens < TOLD_TOKENS_MAX, "{tokens} tokens");
}
