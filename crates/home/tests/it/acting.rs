//! `call_service`: target resolution, permissions, and verification.

use std::sync::Arc;

use home::{CALL_SERVICE, Permission, add_call_service};
use ports::ToolFailure;
use protocol::Safety;
use serde_json::{Value, json};
use tools::{CallLookup, Registry};

use crate::{
    context,
    fake_home::{FakeBehaviour, FakeHome},
};

fn registry(home: &Arc<FakeHome>, permission: Permission) -> Registry {
    let mut registry = Registry::default();
    add_call_service(&mut registry, home.clone(), permission).unwrap();
    registry
}

async fn call(home: &Arc<FakeHome>, arguments: Value) -> Result<Value, ToolFailure> {
    call_with(home, Permission::default(), arguments).await
}

async fn call_with(home: &Arc<FakeHome>, permission: Permission, arguments: Value) -> Result<Value, ToolFailure> {
    let registry = registry(home, permission);
    let entry = registry.get(CALL_SERVICE).unwrap();
    entry.tool.call(arguments, &context()).await.map(|output| output.value)
}

fn turn_on(ids: &[&str]) -> Value {
    json!({ "domain": "light", "service": "turn_on", "target": { "entity_id": ids } })
}

fn outcomes(called: &Value) -> Vec<&str> {
    called["entities"].as_array().unwrap().iter().map(|touched| touched["outcome"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn what_was_done_is_read_back() {
    let home = FakeHome::new();
    let called = call(&home, turn_on(&["light.kitchen", "light.counter"])).await.unwrap();
    assert_eq!(called["done"], true);
    assert_eq!(outcomes(&called), ["already", "done"], "{called}");
}

#[tokio::test(start_paused = true)]
async fn a_home_that_says_yes_and_does_nothing_is_not_believed() {
    let home = FakeHome::new();
    home.is(FakeBehaviour::Deaf);
    let called = call(&home, turn_on(&["light.kitchen"])).await.unwrap();
    assert_eq!(called["done"], false);
    assert_eq!(outcomes(&called), ["unchanged"]);
    assert_eq!(called["entities"][0]["after"], "off");
}

#[tokio::test]
async fn a_brightness_that_did_not_come_is_no_success() {
    let home = FakeHome::new();
    let bright = json!({
        "domain": "light", "service": "turn_on", "target": { "entity_id": ["light.kitchen"] },
        "data": { "brightness_pct": 40 },
    });
    let called = call(&home, bright).await.unwrap();
    assert_eq!(outcomes(&called), ["done"]);
}

#[tokio::test]
async fn what_moves_is_on_its_way() {
    let home = FakeHome::new();
    let open = json!({ "domain": "cover", "service": "open_cover", "target": { "entity_id": ["cover.garage"] } });
    let called = call(&home, open).await.unwrap();
    assert_eq!(outcomes(&called), ["on_the_way"]);
    assert_eq!(called["done"], true);
}

#[tokio::test]
async fn an_unknown_entity_is_not_done_and_a_near_one_is_named() {
    let home = FakeHome::new();
    let failure = call(&home, turn_on(&["light.kitchn"])).await.unwrap_err();
    let ToolFailure::Invalid(words) = failure else { panic!("{failure:?}") };
    assert!(words.contains("no entity `light.kitchn`") && words.contains("`light.kitchen`"), "{words}");
    assert!(home.calls.lock().unwrap().is_empty(), "the home was not told anything");
}

#[tokio::test]
async fn a_service_of_another_kind_of_thing_is_refused_with_the_right_one() {
    let home = FakeHome::new();
    let failure = call(&home, turn_on(&["switch.kettle"])).await.unwrap_err().to_string();
    assert!(failure.contains("`switch.turn_on`"), "{failure}");
}

#[tokio::test]
async fn what_is_not_exposed_is_left_alone() {
    let home = FakeHome::new();
    let secret = json!({ "domain": "switch", "service": "turn_on", "target": { "entity_id": ["switch.secret"] } });
    let failure = call(&home, secret).await.unwrap_err().to_string();
    assert!(failure.contains("not exposed"), "{failure}");
    let hall = json!({ "domain": "switch", "service": "turn_on", "target": { "area_id": ["hall"] } });
    let failure = call(&home, hall).await.unwrap_err().to_string();
    assert!(failure.contains("nothing there"), "{failure}");
}

#[tokio::test]
async fn an_area_means_all_of_its_kind_in_it() {
    let home = FakeHome::new();
    let area = json!({ "domain": "light", "service": "turn_off", "target": { "area_id": ["kitchen"] } });
    let called = call(&home, area).await.unwrap();
    assert_eq!(called["entities"].as_array().unwrap().len(), 2);
    assert_eq!(home.word("light.counter"), "off");
    let nowhere = json!({ "domain": "light", "service": "turn_off", "target": { "area_id": ["cellar"] } });
    let failure = call(&home, nowhere).await.unwrap_err().to_string();
    assert!(failure.contains("no area `cellar`") && failure.contains("kitchen"), "{failure}");
}

#[tokio::test]
async fn rules_of_the_home_say_what_may_be_touched() {
    let home = FakeHome::new();
    let rules = |text: &[&str]| text.iter().map(|rule| rule.parse().unwrap()).collect::<Vec<_>>();
    let lights = Permission { allow: rules(&["light"]), deny: rules(&["area:bedroom"]), ..Permission::default() };
    assert!(call_with(&home, lights.clone(), turn_on(&["light.kitchen"])).await.is_ok());
    let denied = call_with(&home, lights.clone(), turn_on(&["light.bedroom"])).await.unwrap_err().to_string();
    assert!(denied.contains("`home.deny` has `area:bedroom`"), "{denied}");
    let kettle = json!({ "domain": "switch", "service": "turn_on", "target": { "entity_id": ["switch.kettle"] } });
    let other = call_with(&home, lights, kettle).await.unwrap_err().to_string();
    assert!(other.contains("not allowed by `home.allow`"), "{other}");
    assert!("Light!".parse::<home::PermissionRule>().is_err());
}

#[tokio::test]
async fn locks_and_garage_doors_are_confirmed_and_lights_are_not() {
    let home = FakeHome::new();
    let registry = registry(&home, Permission::default());
    let tool = &registry.get(CALL_SERVICE).unwrap().tool;
    let unlock = json!({ "domain": "lock", "service": "unlock", "target": { "entity_id": ["lock.front"] } });
    assert!(tool.confirm(&unlock).await.unwrap().contains("Front door"));
    let lock = json!({ "domain": "lock", "service": "lock", "target": { "entity_id": ["lock.front"] } });
    assert_eq!(tool.confirm(&lock).await, None, "locking opens nothing");
    let careful = Permission { confirm_locking: true, ..Permission::default() };
    let careful = self::registry(&home, careful);
    assert!(careful.get(CALL_SERVICE).unwrap().tool.confirm(&lock).await.is_some(), "unless that is set");
    let garage = json!({ "domain": "cover", "service": "open_cover", "target": { "area_id": ["hall"] } });
    assert!(tool.confirm(&garage).await.unwrap().contains("Garage door"));
    let blind = json!({ "domain": "cover", "service": "close_cover", "target": { "entity_id": ["cover.blind"] } });
    assert_eq!(tool.confirm(&blind).await, None);
    let round_about =
        json!({ "domain": "homeassistant", "service": "turn_off", "target": { "entity_id": ["lock.front"] } });
    assert!(tool.confirm(&round_about).await.is_some(), "a lock is a lock whatever the service is called");
}

#[tokio::test]
async fn a_group_is_all_that_it_moves() {
    let home = FakeHome::new();
    for (group, member, members) in [
        ("cover.all", "cover.blind", json!(["cover.blind", "cover.garage"])),
        ("light.upstairs", "light.bedroom", json!(["light.bedroom"])),
        // Groups may contain each other.
        ("light.all", "light.kitchen", json!(["light.kitchen", "light.upstairs", "light.all"])),
    ] {
        let mut state = home::EntityState::clone(&home.index.state(&member.parse().unwrap()).unwrap());
        state.entity_id = group.parse().unwrap();
        state.attributes.insert("entity_id".to_owned(), members);
        home.index.update([state]);
    }
    let registry = registry(&home, Permission::default());
    let open = json!({ "domain": "cover", "service": "open_cover", "target": { "entity_id": ["cover.all"] } });
    let confirmed = registry.get(CALL_SERVICE).unwrap().tool.confirm(&open).await.unwrap();
    assert!(confirmed.contains("Garage door"), "{confirmed}");
    let deny = Permission { deny: vec!["light.bedroom".parse().unwrap()], ..Permission::default() };
    let denied = call_with(&home, deny, turn_on(&["light.all"])).await.unwrap_err().to_string();
    assert!(denied.contains("`light.all` with its member `light.bedroom` may not be controlled"), "{denied}");
    assert!(call(&home, turn_on(&["light.all"])).await.is_ok());
}

#[tokio::test]
async fn a_refusal_a_loss_and_an_absence_are_told_apart() {
    let home = FakeHome::new();
    let told = async |temper| {
        home.is(temper);
        call(&home, turn_on(&["light.kitchen"])).await.unwrap_err()
    };
    assert!(
        matches!(told(FakeBehaviour::Forbidden).await, ToolFailure::Failed(words) if words.contains("may only read"))
    );
    assert!(matches!(told(FakeBehaviour::Silent).await, ToolFailure::Unknown(_)));
    assert!(
        matches!(told(FakeBehaviour::Gone).await, ToolFailure::Failed(words) if words.contains("cannot be reached"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_cut_off_is_looked_up() {
    let home = FakeHome::new();
    let registry = registry(&home, Permission::default());
    let tool = &registry.get(CALL_SERVICE).unwrap().tool;
    let looked = tool.look_up(turn_on(&["light.counter"]), &context()).await.unwrap();
    assert!(matches!(looked, CallLookup::Happened(_)), "it is on");
    let looked = tool.look_up(turn_on(&["light.kitchen"]), &context()).await.unwrap();
    assert!(matches!(looked, CallLookup::DidNotHappen), "it is off");
    let toggle = json!({ "domain": "light", "service": "toggle", "target": { "entity_id": ["light.kitchen"] } });
    assert!(matches!(tool.look_up(toggle, &context()).await.unwrap(), CallLookup::Unknown));
}

#[test]
fn a_simulated_home_is_not_the_world_outside() {
    let real = FakeHome::new();
    let simulated = Arc::new(FakeHome { simulated: true, ..Arc::into_inner(FakeHome::new()).unwrap() });
    let safety =
        |home: &Arc<FakeHome>| registry(home, Permission::default()).get(CALL_SERVICE).unwrap().declaration.safety;
    assert_eq!(safety(&real), Safety::Acts);
    assert_eq!(safety(&simulated), Safety::Keeps);
}

#[tokio::test]
async fn targets_that_cannot_be_checked_are_refused_and_codes_too() {
    let home = FakeHome::new();
    for key in ["label_id", "entities"] {
        let hidden = json!({
            "domain": "light", "service": "turn_on", "target": { "entity_id": ["light.kitchen"] },
            "data": { key: ["light.bedroom"] },
        });
        let failure = call(&home, hidden).await.unwrap_err().to_string();
        assert!(failure.contains(&format!("`data.{key}`")) && failure.contains("`target`"), "{failure}");
    }
    let code = json!({
        "domain": "lock", "service": "unlock", "target": { "entity_id": ["lock.front"] }, "data": { "code": "1234" },
    });
    let failure = call(&home, code).await.unwrap_err().to_string();
    assert!(failure.contains("codes must not be part") && !failure.contains("1234"), "{failure}");
    assert!(home.calls.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_service_without_a_target_is_under_the_rules_too() {
    let home = FakeHome::new();
    let rules = |text: &[&str]| text.iter().map(|rule| rule.parse().unwrap()).collect::<Vec<_>>();
    let lights = Permission { allow: rules(&["light"]), ..Permission::default() };
    let notify = json!({ "domain": "notify", "service": "notify", "data": { "message": "hi" } });
    let refused = call_with(&home, lights.clone(), notify.clone()).await.unwrap_err().to_string();
    assert!(refused.contains("`notify`") && refused.contains("home.allow"), "{refused}");
    let no_scripts = Permission { deny: rules(&["script.good_night", "notify"]), ..Permission::default() };
    let refused = call_with(&home, no_scripts.clone(), notify.clone()).await.unwrap_err().to_string();
    assert!(refused.contains("home.deny"), "{refused}");
    let script = json!({ "domain": "script", "service": "good_night" });
    let refused = call_with(&home, no_scripts, script.clone()).await.unwrap_err().to_string();
    assert!(refused.contains("`script.good_night`"), "{refused}");
    assert!(home.calls.lock().unwrap().is_empty());
    assert!(call(&home, notify).await.is_ok());
}

#[tokio::test]
async fn a_lock_behind_a_script_or_a_group_is_a_lock() {
    let home = FakeHome::new();
    let registry = registry(&home, Permission::default());
    let tool = &registry.get(CALL_SERVICE).unwrap().tool;
    let script = |name: &str| json!({ "domain": "script", "service": "turn_on", "target": { "entity_id": [format!("script.{name}")] } });
    assert!(tool.confirm(&script("good_night")).await.unwrap().contains("Front door through Good night"));
    assert_eq!(tool.confirm(&script("reading")).await, None);
    assert!(tool.confirm(&script("opaque")).await.unwrap().contains("actions cannot be read"));
    let by_name = json!({ "domain": "script", "service": "good_night" });
    assert!(tool.confirm(&by_name).await.is_some());
    let group = json!({ "domain": "homeassistant", "service": "turn_on", "target": { "entity_id": ["group.doors"] } });
    assert!(tool.confirm(&group).await.unwrap().contains("Front door"));
    let gate = json!({ "domain": "cover", "service": "open_cover", "target": { "entity_id": ["cover.old_gate"] } });
    assert!(tool.confirm(&gate).await.unwrap().contains("Old gate"), "its class says nothing, its name does");
    let restart = json!({ "domain": "homeassistant", "service": "restart" });
    assert!(tool.confirm(&restart).await.unwrap().contains("can affect anything"));
}

#[tokio::test]
async fn only_what_can_be_seen_is_called_done() {
    let home = FakeHome::new();
    let light = |data: Value| json!({ "domain": "light", "service": "turn_on", "target": { "entity_id": ["light.counter"] }, "data": data });
    let effect = call(&home, light(json!({ "effect": "no such effect" }))).await.unwrap();
    assert_eq!(outcomes(&effect), ["unverified"], "it was on before, and nothing shows the effect");
    let dimmed = call(&home, light(json!({ "brightness_pct": 55 }))).await.unwrap();
    assert_eq!(outcomes(&dimmed), ["done"]);
    let a_little = call(&home, light(json!({ "brightness_pct": 54 }))).await.unwrap();
    assert_eq!(outcomes(&a_little), ["done"], "54 is not 55");
    let again = call(&home, light(json!({ "brightness_pct": 54 }))).await.unwrap();
    assert_eq!(outcomes(&again), ["already"]);
    let range = json!({
        "domain": "climate", "service": "set_temperature", "target": { "entity_id": ["climate.bedroom"] },
        "data": { "target_temp_low": 19, "target_temp_high": 26 },
    });
    let set = call(&home, range.clone()).await.unwrap();
    assert_eq!(outcomes(&set), ["done"]);
    let again = call(&home, range).await.unwrap();
    assert_eq!(outcomes(&again), ["already"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_traces_cannot_be_seen_is_in_doubt() {
    let home = FakeHome::new();
    let registry = registry(&home, Permission::default());
    let tool = &registry.get(CALL_SERVICE).unwrap().tool;
    let effect = json!({
        "domain": "light", "service": "turn_on", "target": { "entity_id": ["light.counter"] }, "data": { "effect": "x" },
    });
    assert!(matches!(tool.look_up(effect, &context()).await.unwrap(), CallLookup::Unknown));
}

#[tokio::test]
async fn a_question_is_put_in_the_words_of_the_user() {
    let home = FakeHome::new();
    let registry = registry(&home, Permission::default());
    let tool = &registry.get(CALL_SERVICE).unwrap().tool;
    let lock =
        |service: &str| json!({ "domain": "lock", "service": service, "target": { "entity_id": ["lock.front"] } });
    for (language, message, service, expected) in [
        ("en", "please unlock the front door", "unlock", Some("Shall I unlock the front door?")),
        ("en-GB", "let me in", "unlock", Some("Shall I unlock the front door?")),
        ("en", "Lock my Front door!", "lock", Some("Shall I lock my Front door?")),
        ("de", "schließ die front door auf", "unlock", Some("Soll ich die front door aufschließen?")),
        ("de-AT", "auf", "unlock", Some("Soll ich “Front door” aufschließen?")),
        ("es", "desbloquea la front door", "unlock", Some("¿Debo desbloquear la front door?")),
        ("fr", "verrouille l'front door", "lock", Some("Dois-je verrouiller l’front door ?")),
        ("it", "apri la front door", "open", Some("Devo aprire la front door?")),
        ("nl", "doe de front door op slot", "lock", Some("Zal ik de front door op slot doen?")),
        ("tlh", "unlock the front door", "unlock", None),
    ] {
        let context = tools::QuestionContext { message, language };
        assert_eq!(tool.question(&lock(service), &context).await.as_deref(), expected, "{language} {message}");
    }
    let context = tools::QuestionContext { message: "open it to 40", language: "en" };
    let half = json!({
        "domain": "cover", "service": "open_cover", "target": { "entity_id": ["cover.garage"] }, "data": { "speed": 1 },
    });
    assert_eq!(tool.question(&half, &context).await, None, "a question that leaves something out is none");
}

#[tokio::test]
async fn targets_are_taken_as_home_assistant_writes_them() {
    for written in [
        json!({ "target": { "entity_id": "light.kitchen" } }),
        json!({ "entity_id": "light.kitchen" }),
        json!({ "data": { "entity_id": "light.kitchen" } }),
        json!({ "data": { "target": { "entity_id": ["light.kitchen"] } } }),
        json!({ "target": null, "entity_id": ["light.kitchen"] }),
        json!({ "target": { "entity_id": "light.kitchen, light.counter" } }),
        json!({ "target": { "entity_id": ["light.kitchen"] }, "data": { "entity_id": "light.counter,light.kitchen" } }),
        json!({ "target": { "area_id": "kitchen" } }),
    ] {
        let home = FakeHome::new();
        let mut arguments = written.clone();
        arguments["domain"] = json!("light");
        arguments["service"] = json!("turn_off");
        let called = call(&home, arguments).await.unwrap();
        let expected =
            if written.to_string().contains("counter") || written.to_string().contains("area") { 2 } else { 1 };
        assert_eq!(called["entities"].as_array().unwrap().len(), expected, "{written}");
    }
    let home = FakeHome::new();
    let deny = Permission { deny: vec!["light.kitchen".parse().unwrap()], ..Permission::default() };
    let hidden = json!({ "domain": "light", "service": "turn_off", "data": { "entity_id": "light.kitchen" } });
    assert!(call_with(&home, deny, hidden).await.unwrap_err().to_string().contains("home.deny"), "no way around rules");
    let wrong = json!({ "domain": "light", "service": "turn_off", "target": { "entity_id": 7 } });
    assert!(call(&home, wrong).await.is_err());
}
