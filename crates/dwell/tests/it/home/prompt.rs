//! The home in the prompt: an overview and the entities that the message mentions, once; after that
//! only changes.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, Request, ToolCall};

use super::{kept, outcome, say};
use crate::{
    harness::{last, results, steps, system},
    program_with_home, started_with_home,
};

const MAP: &str = "The user's simulated home has";

/// The last user message of a request, with the notes below it.
fn with_notes(request: &Request) -> String {
    let said = request.messages().iter().rfind(|message| message["role"] == "user").unwrap();
    said["content"].to_string()
}

fn bases(log: &[Value]) -> Vec<&Value> {
    log.iter().filter(|event| event["type"] == "entities.base").map(|event| &event["data"]).collect()
}

/// The home changes that each turn's prompt had beside the list, in order.
fn news(log: &[Value]) -> Vec<&str> {
    let used = log.iter().filter(|event| event["type"] == "memory.used");
    used.map(|event| event["data"]["entities"].as_str().unwrap_or_default()).collect()
}

fn call(arguments: &Value) -> Reply {
    Reply::tool_calls([ToolCall::new("c1", "call_service", arguments)])
}

fn turn_on(id: &str) -> Value {
    json!({ "domain": "light", "service": "turn_on", "target": { "entity_id": [id] } })
}

#[tokio::test]
async fn the_home_is_told_once_and_then_only_what_has_changed() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "turn off the bedside lamp").await;
    say(&rest, &session, "Write me a poem about the bedroom.").await;
    let first = last(&model);
    assert_eq!(system(&first).matches(MAP).count(), 1, "{first:?}");
    assert!(system(&first).contains("- light.bedside_lamp \"Bedside lamp\", Bedroom: off"), "{first:?}");
    assert!(
        !system(&first).contains("light.kitchen_ceiling"),
        "entities that are not mentioned are only counted: {first:?}"
    );
    assert!(!with_notes(&first).contains("In the home"), "{first:?}");

    say(&rest, &session, "turn on the bedside lamp").await;
    say(&rest, &session, "Write me another one about the bedroom.").await;
    let second = last(&model);
    // A summary of the earlier conversation may follow it.
    assert!(system(&second).starts_with(&system(&first)), "the list stays, so that a provider can keep it: {second:?}");
    let notes = with_notes(&second);
    assert!(notes.contains("light.bedside_lamp") && notes.contains("(was off)"), "{notes}");

    let log = rest.log(&session).await;
    assert_eq!(bases(&log).len(), 1);
    assert_eq!(bases(&log)[0]["states"]["light.bedside_lamp"], "off");
    let news = news(&log);
    assert!(news.iter().any(|news| news.contains("light.bedside_lamp") && news.contains("(was off)")), "{news:?}");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_message_that_speaks_of_something_else_brings_only_that() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "Write me a poem about the bedroom.").await;
    say(&rest, &session, "And one about the vacuum called Dusty, please.").await;
    let notes = with_notes(&last(&model));
    assert!(notes.contains("vacuum.dusty") && !notes.contains("light.kitchen_ceiling"), "{notes}");
    assert_eq!(bases(&rest.log(&session).await).len(), 1);
}

#[tokio::test]
async fn a_message_that_has_nothing_to_do_with_the_home_gets_none_of_it() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    for message in ["Recite a limerick about cheese.", "What is the capital of France?", "Good morning!"] {
        let session = rest.session().await;
        say(&rest, &session, message).await;
        let request = last(&model);
        assert!(!system(&request).contains(MAP) && !with_notes(&request).contains("In the home"), "{request:?}");
        assert!(bases(&rest.log(&session).await).is_empty(), "{message}");
    }
}

#[tokio::test]
async fn what_is_not_exposed_is_not_told() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "Write me a poem about the guest wifi and the alarm bypass in the hallway.").await;
    let request = last(&model);
    assert!(system(&request).contains(MAP), "{request:?}");
    assert!(!request.raw()["messages"].to_string().contains("switch.guest_wifi"), "{request:?}");
    assert!(!request.raw()["messages"].to_string().contains("switch.alarm_bypass"), "{request:?}");
}

#[tokio::test]
async fn a_model_may_switch_things_of_the_simulated_home() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "turn off the floor lamp").await;
    model.push(call(&turn_on("light.floor_lamp")));
    model.push(Reply::text("It is lit."));
    let turn = say(&rest, &session, "I would like to read now, make it cosy.").await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("It is lit.")), "{turn}");
    let (status, told) = outcome(&turn);
    assert!(status == "ok" && told.contains(r#""done":true"#) && told.contains(r#""simulated":true"#), "{told}");
    let shown = results(&last(&model)).pop().unwrap();
    assert!(shown.0 == "c1" && shown.1.contains(r#""outcome":"done""#), "{shown:?}");
    let asked = say(&rest, &session, "is the floor lamp on?").await;
    assert!(super::reflex(&asked).starts_with("Yes"), "{asked}");
}

#[tokio::test]
async fn a_model_that_asks_for_a_lock_waits_for_a_person() {
    let (model, program, server) = started_with_home().await;
    let rest = server.rest();
    let before = kept(&program);
    let unlock = json!({ "domain": "lock", "service": "unlock", "target": { "entity_id": ["lock.front_door"] } });
    model.push(call(&unlock));
    let turn = say(&rest, &rest.session().await, "Let the neighbour in, would you?").await;
    assert_eq!(super::asked(&rest, &turn).await["arguments"], unlock);
    model.push(Reply::text("I was not allowed to."));
    let denied = super::decide(&rest, &turn, "deny").await;
    assert_eq!((&denied["text"], outcome(&denied).0), (&json!("I was not allowed to."), "denied"));
    assert_eq!(kept(&program), before);
}

#[tokio::test]
async fn a_model_that_names_something_wrong_is_put_right() {
    let (model, program, server) = started_with_home().await;
    let rest = server.rest();
    let before = kept(&program);
    model.push(call(&turn_on("light.floor_lmp")));
    model.push(call(&turn_on("switch.guest_wifi")));
    model.push(Reply::text("I could not find it."));
    let turn = say(&rest, &rest.session().await, "Make it cosy for reading.").await;
    let told: Vec<&str> =
        steps(&turn, "tool_result").iter().map(|result| result["content"].as_str().unwrap()).collect();
    assert!(told[0].contains("no entity `light.floor_lmp`") && told[0].contains("`light.floor_lamp`"), "{told:?}");
    assert!(steps(&turn, "tool_result").iter().all(|result| result["status"] == "error"), "{turn}");
    assert_eq!(kept(&program), before);
}

#[tokio::test]
async fn a_real_home_is_not_touched_without_the_setting_and_the_model_hears_its_name() {
    let model = ModelServer::start().await;
    // No server listens there, and none is needed: policy refuses the call before it is sent.
    let program = program_with_home().with_model(&model).with("HOME_ASSISTANT_URL", "http://127.0.0.1:9");
    let program = program.with("HOME_ASSISTANT_TOKEN", "a-token-of-nobody");
    let server = program.start().await;
    let rest = server.rest();
    model.push(call(&turn_on("light.floor_lamp")));
    model.push(Reply::text("I may not."));
    let turn = say(&rest, &rest.session().await, "Make it cosy for reading.").await;
    let (status, told) = outcome(&turn);
    assert!(status == "denied" && told.contains("`tools.actuation`"), "{told}");
    assert!(results(&last(&model))[0].1.contains("`tools.actuation`"));
    assert_eq!(turn["text"], "I may not.");
}
