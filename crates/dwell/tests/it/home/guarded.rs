//! Denied entities are never changed, and calls that need confirmation wait for the user.

use serde_json::{Value, json};

use super::{asked, at_home, decide, deeds, kept, outcome, reflex, say, service, state, until};
use crate::{
    harness::{session_with, steps},
    program_with_home,
};

#[tokio::test]
async fn a_lock_waits_for_a_person() {
    let (program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let locked = say(&rest, &session, "lock the front door").await;
    assert_eq!(locked["status"], "completed", "locking opens nothing, so it needs no confirmation: {locked}");
    until(&rest, "lock.front_door", "locked").await;
    let before = deeds(&program, "lock.front_door");

    let turn = say(&rest, &session, "unlock the front door").await;
    let question = asked(&rest, &turn).await;
    let wanted = json!({ "domain": "lock", "service": "unlock", "target": { "entity_id": ["lock.front_door"] } });
    assert_eq!((&question["tool"], &question["arguments"]), (&json!("call_service"), &wanted));
    assert!(question["reason"].as_str().unwrap().contains("lock.unlock on Front door"), "{question}");
    assert_eq!(question["question"], "Shall I unlock the front door?");
    assert_eq!(deeds(&program, "lock.front_door"), before, "nothing happens before the answer");
    let denied = decide(&rest, &turn, "deny").await;
    assert!(reflex(&denied).starts_with("I did not do that."), "{denied}");
    assert_eq!(outcome(&denied).0, "denied");
    assert_eq!(state(&rest, "lock.front_door").await.as_deref(), Some("locked"));
    assert_eq!(deeds(&program, "lock.front_door"), before);

    let turn = say(&rest, &session, "unlock the front door").await;
    let allowed = decide(&rest, &turn, "once").await;
    let told = reflex(&allowed);
    assert!(told.contains("Front door is unlocking") || told.contains("Unlocked Front door"), "{told}");
    until(&rest, "lock.front_door", "unlocked").await;
}

#[tokio::test]
async fn garage_doors_valves_and_alarms_wait_as_well_for_every_caller() {
    let (program, server) = at_home().await;
    let rest = server.rest();
    let before = kept(&program);
    let disarm = service("alarm_control_panel.alarm_disarm", &json!({ "entity_id": ["alarm_control_panel.house"] }));
    let unlock = service("lock.unlock", &json!({ "area_id": ["hallway"] }));
    let garage = service("homeassistant.turn_on", &json!({ "entity_id": ["cover.garage_door"] }));
    for message in ["open the garage door", "open the irrigation", &disarm, &unlock, &garage] {
        let turn = say(&rest, &rest.session().await, message).await;
        let question = asked(&rest, &turn).await;
        assert!(question["reason"].as_str().unwrap().contains("confirmed each time"), "{message}: {question}");
        let denied = decide(&rest, &turn, "deny").await;
        assert_eq!((&denied["status"], outcome(&denied).0), (&json!("completed"), "denied"), "{message}: {denied}");
    }
    assert_eq!(kept(&program), before);
}

#[tokio::test]
async fn the_operator_says_what_else_is_sensitive_and_what_is_not() {
    let program = program_with_home()
        .with("DWELL_HOME_SENSITIVE", "light.floor_lamp,service:climate.set_temperature")
        .with("DWELL_HOME_NOT_SENSITIVE", "class:garage,valve");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let before = deeds(&program, "light.floor_lamp");
    for message in ["turn on the floor lamp", "set the bedroom temperature to 19 degrees"] {
        let turn = say(&rest, &session, message).await;
        let question = asked(&rest, &turn).await;
        let reason = question["reason"].as_str().unwrap();
        assert!(reason.contains("home.sensitive") && reason.contains("confirmed each time"), "{message}: {question}");
        decide(&rest, &turn, "deny").await;
    }
    assert_eq!(deeds(&program, "light.floor_lamp"), before);
    // With a slip, nothing is guessed about it, while other lamps are as before.
    let slipped = say(&rest, &session, "trun on the floor lamp").await;
    assert!(steps(&slipped, "tool_result").is_empty(), "{slipped}");
    let other = say(&rest, &session, "trun on the desk lamp").await;
    assert!(reflex(&other).contains("Desk lamp"), "{other}");

    for message in ["open the garage door", "open the irrigation"] {
        let turn = say(&rest, &session, message).await;
        assert_eq!(turn["status"], "completed", "{message}: {turn}");
        reflex(&turn);
    }
    let lock = say(&rest, &session, "unlock the front door").await;
    asked(&rest, &lock).await;
}

#[tokio::test]
async fn words_that_lean_on_a_lock_wait_as_well() {
    let (program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    // At night the door is locked already, and a command that changes nothing cannot be undone.
    if state(&rest, "lock.back_door").await.as_deref() == Some("locked") {
        let turn = say(&rest, &session, "unlock the back door").await;
        decide(&rest, &turn, "once").await;
        until(&rest, "lock.back_door", "unlocked").await;
    }
    say(&rest, &session, "lock the back door").await;
    until(&rest, "lock.back_door", "locked").await;
    let before = kept(&program);
    let turn = say(&rest, &session, "undo that").await;
    assert_eq!(asked(&rest, &turn).await["arguments"]["service"], "unlock");
    assert_eq!(kept(&program), before);
}

#[tokio::test]
async fn what_is_not_exposed_is_left_alone() {
    let (program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let before = kept(&program);
    let named = say(&rest, &session, &service("switch.turn_on", &json!({ "entity_id": ["switch.guest_wifi"] }))).await;
    let (status, told) = outcome(&named);
    assert!(status == "error" && told.contains("`switch.guest_wifi` is not exposed"), "{told}");
    assert!(named["text"].as_str().unwrap().contains("not exposed"), "and the answer says so: {named}");
    // All switches of that area are hidden.
    let area = say(&rest, &session, &service("switch.turn_on", &json!({ "area_id": ["hallway"] }))).await;
    assert_eq!(outcome(&area).0, "error", "{area}");
    assert_eq!(kept(&program), before);
    assert_eq!(state(&rest, "switch.guest_wifi").await, None, "its state is not reported either");
}

#[tokio::test]
async fn an_entity_that_does_not_exist_is_not_done_and_a_near_one_is_named() {
    let (program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let before = kept(&program);
    for (name, target, part) in [
        ("light.turn_on", json!({ "entity_id": ["light.floor_lmp"] }), "`light.floor_lamp`"),
        ("light.turn_on", json!({ "entity_id": ["light.floor_lamp", "light.nowhere"] }), "`light.nowhere`"),
        ("light.turn_on", json!({ "area_id": ["cellar"] }), "there is no area `cellar`"),
        ("light.turn_on", json!({ "entity_id": ["switch.dishwasher"] }), "`switch.turn_on`"),
        ("light.turn_on", json!({}), "needs a target"),
        ("light.levitate", json!({ "entity_id": ["light.floor_lamp"] }), "there is no service `light.levitate`"),
    ] {
        let turn = say(&rest, &session, &service(name, &target)).await;
        let (status, told) = outcome(&turn);
        assert!(status == "error" && told.contains(part), "{name} {target}: {told}");
        assert!(turn["text"].as_str().unwrap().contains(part), "{turn}");
    }
    assert_eq!(kept(&program), before, "not even the one of two that exists");
}

#[tokio::test]
async fn only_what_is_allowed_may_be_touched() {
    let program = program_with_home().with("DWELL_HOME_ALLOW", "fan,light.floor_lamp,area:bedroom");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for message in ["turn on the ceiling fan", "turn on the floor lamp", "turn on the bedside lamp"] {
        assert_eq!(outcome(&say(&rest, &session, message).await).0, "ok", "{message}");
    }
    let before = kept(&program);
    for message in ["turn off the dishwasher", "turn on the kitchen lights"] {
        let turn = say(&rest, &session, message).await;
        assert!(reflex(&turn).contains("`home.allow`"), "{turn}");
        assert_eq!(outcome(&turn).0, "error");
    }
    assert_eq!(kept(&program), before);
}

#[tokio::test]
async fn what_is_denied_may_not_be_touched_whatever_else_allows_it() {
    let program = program_with_home()
        .with("DWELL_HOME_ALLOW", "light,switch")
        .with("DWELL_HOME_DENY", "area:kitchen,light.floor_lamp");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let before = kept(&program);
    for (message, rule) in [
        ("turn on the kitchen lights", "area:kitchen"),
        ("turn off the dishwasher", "area:kitchen"),
        ("turn on the floor lamp", "light.floor_lamp"),
    ] {
        let told = reflex(&say(&rest, &session, message).await).to_owned();
        assert!(told.contains(&format!("`home.deny` has `{rule}`")), "{message}: {told}");
    }
    assert_eq!(kept(&program), before);
    // Of several targets, the allowed ones are changed.
    let all = say(&rest, &session, &service("light.turn_off", &json!({ "floor_id": ["ground"] }))).await;
    let (status, told) = outcome(&all);
    assert!(status == "ok" && told.contains("light.hallway") && !told.contains("light.kitchen_ceiling"), "{told}");
    assert!(!told.contains("light.floor_lamp"), "{told}");
}

#[tokio::test]
async fn a_group_is_no_way_around_a_denial() {
    let program = program_with_home().with("DWELL_HOME_DENY", "light.floor_lamp");
    let server = program.start().await;
    let rest = server.rest();
    let group = service("light.turn_on", &json!({ "entity_id": ["light.living_room_lights"] }));
    for message in ["turn on all the lights in the living room", "turn on the living room lights", &group] {
        let turn = say(&rest, &rest.session().await, message).await;
        assert_eq!(deeds(&program, "light.floor_lamp"), 0, "{turn}");
    }
}

#[tokio::test]
async fn the_policies_of_tools_and_sessions_know_services() {
    let program = program_with_home()
        .with("DWELL_TOOLS_CONFIRM", "call_service:light.turn_off")
        .with("DWELL_TOOLS_DENY", "call_service:fan.*");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    assert_eq!(outcome(&say(&rest, &session, "turn on the floor lamp").await).0, "ok");
    let turn = say(&rest, &session, "turn off the floor lamp").await;
    assert_eq!(asked(&rest, &turn).await["arguments"]["service"], "turn_off");
    decide(&rest, &turn, "deny").await;
    let fan = say(&rest, &session, "turn on the ceiling fan").await;
    assert!(reflex(&fan).starts_with("I did not do that.") && outcome(&fan).0 == "denied", "{fan}");

    let strict = session_with(&rest, json!({ "policy": { "deny": ["call_service"] } })).await;
    let before = kept(&program);
    let turn = say(&rest, &strict, "turn on the floor lamp").await;
    assert!(reflex(&turn).contains("policy"), "{turn}");
    assert_eq!(kept(&program), before);
    let question = say(&rest, &strict, "is the floor lamp on?").await;
    assert!(reflex(&question).starts_with("Yes"), "looking is not touching: {question}");
}

#[tokio::test]
async fn a_question_about_a_lock_outlives_a_kill() {
    let (program, server) = at_home().await;
    let session = server.rest().session().await;
    let turn = say(&server.rest(), &session, "open the irrigation").await;
    assert_eq!(turn["status"], "waiting");
    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    let turn = rest.ended(turn["turn_id"].as_str().unwrap()).await;
    assert_eq!(deeds(&program, "valve.irrigation"), 0);
    let allowed = decide(&rest, &turn, "once").await;
    assert!(reflex(&allowed).contains("Irrigation"), "{allowed}");
    assert_eq!((steps(&allowed, "tool_call").len(), deeds(&program, "valve.irrigation")), (1, 1));
    until(&rest, "valve.irrigation", "open").await;
    assert_eq!(rest.get("/api/v1/approvals").await.ok()["data"], Value::Array(Vec::new()));
}

#[tokio::test]
async fn a_session_that_may_not_act_does_not_act_in_the_simulated_home_either() {
    let (program, server) = at_home().await;
    let rest = server.rest();
    let strict = session_with(&rest, json!({ "policy": { "actuation": false } })).await;
    let before = kept(&program);
    let lamp = service("light.turn_on", &json!({ "entity_id": "light.floor_lamp" }));
    for (message, why) in [("turn on the floor lamp", "actuation is off"), (&*lamp, "no tool named `call_service`")] {
        let turn = say(&rest, &strict, message).await;
        assert!(turn["text"].as_str().unwrap().contains(why), "{turn}");
    }
    assert_eq!(kept(&program), before);
    let question = say(&rest, &strict, "is the floor lamp on?").await;
    assert!(reflex(&question).contains("loor lamp"), "looking is not touching: {question}");
    let free = say(&rest, &rest.session().await, "turn on the floor lamp").await;
    assert_eq!(outcome(&free).0, "ok", "other sessions act: {free}");
}
