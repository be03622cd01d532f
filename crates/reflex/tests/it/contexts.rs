//! Context rules of sentences.

use reflex::{ContextMap, IntentContext, SlotOrigin};
use serde_json::json;

use crate::small::{file, home, read};

#[test]
fn names_are_chosen_by_what_the_sentence_requires() {
    let blocks = json!([
        {"sentences": ["open {name}"], "requires_context": {"domain": "lock"}, "response": "lock"},
        {"sentences": ["open {name}"], "requires_context": {"domain": ["light", "fan"]}, "response": "light"},
        {"sentences": ["shut {name}"], "excludes_context": {"domain": ["lock", "light"]}, "response": "shut"},
    ]);
    let grammar = file(blocks, json!({}));
    assert_eq!(read(&grammar, "open front door").unwrap().response.as_deref(), Some("lock"));
    let lamp = read(&grammar, "open lamp").unwrap();
    assert_eq!((lamp.response.as_deref(), &lamp.slots["name"].ids), (Some("light"), &vec!["light.one".to_owned()]));
    assert_eq!(read(&grammar, "shut lamp").unwrap().slots["name"].ids, ["switch.one"]);
    assert_eq!(read(&grammar, "shut front door"), None);
}

#[test]
fn what_is_required_has_to_be_known() {
    let blocks = json!([{"sentences": ["open (it|{name})"], "requires_context": {"domain": null}}]);
    let grammar = file(blocks, json!({}));
    assert!(read(&grammar, "open lamp").is_some());
    assert_eq!(read(&grammar, "open it"), None);
}

#[test]
fn the_area_of_the_one_who_asks_fills_a_slot() {
    let blocks = json!([{"sentences": ["lights on [in {area}]"], "requires_context": {"area": {"slot": true}}}]);
    let grammar = file(blocks, json!({}));
    let here = IntentContext::in_area("Kitchen");
    let slot = |text| grammar.read(&home(), text, &here).unwrap().slots.remove("area").unwrap();
    assert_eq!((slot("lights on").value, slot("lights on").origin), (json!("Kitchen"), SlotOrigin::Context));
    assert_eq!(
        (slot("lights on in living room").value, slot("lights on in living room").origin),
        (json!("Living Room"), SlotOrigin::List)
    );
    assert_eq!(read(&grammar, "lights on"), None);
}

#[test]
fn a_slot_for_the_context_may_have_another_name() {
    let blocks =
        json!([{"sentences": ["go"], "requires_context": {"area": {"value": "Kitchen", "slot": "preferred_area_id"}}}]);
    let grammar = file(blocks, json!({}));
    let understood = grammar.read(&home(), "go", &IntentContext::in_area("Kitchen")).unwrap();
    assert_eq!(understood.slots["preferred_area_id"].value, json!("Kitchen"));
    assert_eq!(grammar.read(&home(), "go", &IntentContext::in_area("Attic")), None);
}

#[test]
fn circumstances_may_come_with_a_text() {
    let blocks = json!([{"sentences": ["go"], "requires_context": {"area": {"slot": true}}}]);
    let context = ContextMap::from([("area".to_owned(), json!({"value": "kitchen_id", "text": "Kitchen"}))]);
    let understood = file(blocks, json!({})).read(&home(), "go", &IntentContext { context }).unwrap();
    assert_eq!(
        (&understood.slots["area"].value, understood.slots["area"].text.as_str()),
        (&json!("kitchen_id"), "Kitchen")
    );
}

#[test]
fn values_of_lists_bring_context() {
    let lists = json!({"lists": {"thing": {"values": [{"in": "door", "out": "d", "context": {"kind": "door"}}, {"in": "wall", "out": "w"}]}}});
    let blocks = json!([{"sentences": ["paint {thing}"], "requires_context": {"kind": {"slot": true}}}]);
    let grammar = file(blocks, lists);
    assert_eq!(read(&grammar, "paint door").unwrap().slots["kind"].value, json!("door"));
    assert_eq!(read(&grammar, "paint wall"), None);
}
