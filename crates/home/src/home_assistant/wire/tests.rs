use serde_json::{json, value::RawValue};

use super::*;
use crate::port::{EntityId, EntityState};

fn raw(value: serde_json::Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(&value).unwrap()
}

fn news(event: serde_json::Value, before: &[EntityState]) -> Vec<EntityUpdate> {
    let event = raw(event);
    let known = |id: &EntityId| before.iter().find(|state| state.entity_id == *id).cloned();
    EntitiesEvent::read(&event).unwrap().updates(known)
}

fn stands(event: serde_json::Value, before: &[EntityState]) -> EntityState {
    match news(event, before).as_slice() {
        [EntityUpdate::Current(state)] => state.clone(),
        other => panic!("{other:?}"),
    }
}

fn lamp() -> EntityState {
    let told = json!({"a": {"light.lamp": {
        "s": "on", "a": {"brightness": 180, "friendly_name": "Lamp"}, "c": "01CONTEXT", "lc": 1000.25, "lu": 1003.5,
    }}});
    stands(told, &[])
}

#[test]
fn a_state_is_told_in_full_first() {
    let state = lamp();
    assert_eq!((state.state.as_str(), state.number("brightness")), ("on", Some(180.0)));
    assert_eq!((state.changed_at.as_millis(), state.updated_at.as_millis()), (1_000_250, 1_003_500));
    let told_once = stands(json!({"a": {"sun.sun": {"s": "up", "a": {}, "c": {"id": "x"}, "lc": 7.0}}}), &[]);
    assert_eq!(told_once.updated_at, told_once.changed_at, "left out where it is the same");
}

#[test]
fn a_difference_adds_replaces_and_removes() {
    let difference = json!({"c": {"light.lamp": {
        "+": {"s": "off", "lc": 1010.0, "c": {"id": "y", "user_id": null}, "a": {"effect": "none"}},
        "-": {"a": ["brightness"]},
    }}});
    let state = stands(difference, &[lamp()]);
    assert_eq!(state.state, "off");
    assert_eq!((state.text("effect"), state.text("friendly_name")), (Some("none"), Some("Lamp")));
    assert!(!state.attributes.contains_key("brightness"));
    assert_eq!(state.changed_at, state.updated_at);
    let only_attributes = json!({"c": {"light.lamp": {"+": {"lu": 1020.0, "a": {"brightness": 10}}}}});
    let state = stands(only_attributes, &[lamp()]);
    assert_eq!((state.state.as_str(), state.changed_at.as_millis()), ("on", 1_000_250), "the word is as old as it was");
    assert_eq!(state.updated_at.as_millis(), 1_020_000);
}

#[test]
fn what_is_gone_or_unfounded_is_told_apart() {
    let lamp: EntityId = "light.lamp".parse().unwrap();
    assert_eq!(news(json!({"r": ["light.lamp", "Not An Id"]}), &[]), [EntityUpdate::Removed(lamp.clone())]);
    assert_eq!(news(json!({"c": {"light.lamp": {"+": {"s": "on"}}}}), &[]), [EntityUpdate::MissingBase(lamp)]);
}

#[test]
fn a_state_that_cannot_be_read_does_not_cost_the_others() {
    let event = json!({"a": {"light.a": {"s": "on", "a": null}, "No Id": {"s": "on"}, "light.b": 7}, "of_tomorrow": 1});
    assert_eq!(stands(event, &[]).entity_id.as_str(), "light.a");
}

#[test]
fn one_message_or_several_in_one_text() {
    let one = r#"{"id":3,"type":"result","success":true,"result":null}"#;
    assert!(matches!(envelopes(one).unwrap().as_slice(), [(Envelope { id: 3, result: None, .. }, _)]));
    let two = format!(r#"[{one},{{"type":"event","event":{{"a":{{}}}},"id":3}}]"#);
    assert!(matches!(envelopes(&two).unwrap().as_slice(), [_, (Envelope { kind: "event", event: Some(_), .. }, _)]));
    let refused = r#"{"id":4,"type":"result","success":false,"error":{"code":"not_found","message":"No.","translation_key":null}}"#;
    let refused = envelopes(refused).unwrap();
    assert_eq!(refused[0].0.error.as_ref().unwrap().code, "not_found");
    assert!(envelopes("<html>").is_err());
}

#[test]
fn lists_of_both_versions_are_read() {
    let of_2024 = json!({"entity_id": "light.a", "name": null, "original_name": "A", "has_entity_name": true,
        "options": {"conversation": {"should_expose": true}}, "labels": [], "unique_id": 7});
    let of_2025 = json!({"entity_id": "light.b", "categories": {}, "config_subentry_id": null, "created_at": 1.5,
        "options": {}, "hidden_by": "user"});
    let entries: Vec<EntityEntry> = each(&raw(json!([of_2024, of_2025, {"entity_id": "not one"}, null, 3])));
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].options.conversation.should_expose, Some(true));
    assert_eq!(entries[1].hidden_by.as_deref(), Some("user"));
    let details =
        raw(json!({"light.a": {"aliases": ["Lamp", null]}, "light.gone": null, "light.b": {"aliases": null}}));
    let details = each_named::<EntityDetails>(&details);
    assert_eq!((details.len(), details["light.a"].aliases.as_slice()), (2, ["Lamp".to_owned()].as_slice()));
    let areas: Vec<AreaEntry> = each(&raw(json!([
        {"area_id": "kitchen", "name": "Kitchen", "aliases": [], "icon": null, "picture": null},
        {"area_id": "attic", "name": "Attic", "floor_id": "up", "temperature_entity_id": null, "labels": []},
    ])));
    assert_eq!((areas[0].floor_id.as_deref(), areas[1].floor_id.as_deref()), (None, Some("up")));
}

#[test]
fn fields_in_sections_are_fields() {
    let row: ServiceRow = serde_json::from_value(json!({
        "fields": {"transition": {"selector": {}}, "advanced_fields": {"collapsed": true, "fields": {"flash": {}}}},
        "response": {"optional": true},
    }))
    .unwrap();
    let mut names = row.field_names();
    names.sort();
    assert_eq!(names, ["flash", "transition"]);
    assert!(row.response.unwrap().optional);
}

#[test]
fn commands_are_written_as_home_assistant_reads_them() {
    let call = crate::port::ServiceCall {
        domain: "light".to_owned(),
        service: "turn_on".to_owned(),
        entities: vec!["light.lamp".parse().unwrap()],
        data: json!({"brightness_pct": 40}).as_object().cloned().unwrap(),
        wants_response: false,
    };
    let command = HassCommand::call(&call, false);
    let sent = serde_json::to_value(OutgoingMessage { id: 9, command: &command }).unwrap();
    let expected = json!({"id": 9, "type": "call_service", "domain": "light", "service": "turn_on",
        "service_data": {"brightness_pct": 40}, "target": {"entity_id": ["light.lamp"]}});
    assert_eq!(sent, expected);
    assert!(command.acts());
    let all = HassCommand::SubscribeEntities { entity_ids: Vec::new() };
    assert_eq!(serde_json::to_value(&all).unwrap(), json!({"type": "subscribe_entities"}));
}
