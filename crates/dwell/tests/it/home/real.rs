//! A real Home Assistant with its demo home. Starting one takes a while, so each release has one
//! test with several parts.

use std::path::Path;

use serde_json::{Value, json};
use testkit::{HomeAssistant, Program, Release, RestClient, RunningServer};

use super::{asked, decide, outcome, reflex, say, service, state, until};
use crate::{harness::steps, program_with_home};

const LAMP: &str = "light.ceiling_lights";
const DOOR: &str = "lock.kitchen_door";

#[tokio::test]
async fn real_home_of_march_2024_is_switched_verified_and_respected() {
    story(Release::March2024).await;
}

#[tokio::test]
async fn real_home_of_april_2025_is_switched_verified_and_respected() {
    story(Release::April2025).await;
}

async fn story(release: Release) {
    let Some(mut home) = HomeAssistant::start_or_skip(release).await else { return };
    // Newer releases hide locks unless they are exposed explicitly.
    let exposed = json!({ "assistants": ["conversation"], "entity_ids": [DOOR], "should_expose": true });
    home.link().await.call("homeassistant/expose_entity", exposed).await.unwrap();
    home_is_untouched_without_actuation(&home).await;
    reader_sees_everything_and_touches_nothing(&home).await;

    let program = dwell(&home, home.token()).with("DWELL_TOOLS_ACTUATION", "true");
    let server = program.start().await;
    let session = server.rest().session().await;
    until(&server.rest(), LAMP, &own(&home, LAMP).await).await;
    commands_switch_the_real_thing(&home, &server, &session).await;
    what_there_is_not_is_not_done(&home, &server).await;
    a_lock_asks(&home, &server).await;
    home_may_go_away_and_come_back(&mut home, &server, &session).await;
    let export = server.rest().log(&session).await;
    server.stop().await;
    assert_not_told(&program, home.token(), &export);
}

/// The program connected to a home with this token, with its log in the data folder.
fn dwell(home: &HomeAssistant, token: &str) -> Program {
    program_with_home().with("HOME_ASSISTANT_URL", &home.url()).with("HOME_ASSISTANT_TOKEN", token).with_log()
}

/// The state of an entity as Home Assistant reports it.
async fn own(home: &HomeAssistant, id: &str) -> String {
    let state = home.rest().get(&format!("/api/states/{id}")).await.ok();
    state["state"].as_str().unwrap().to_owned()
}

/// Calls a service of Home Assistant directly, and waits until Dwell has the new state.
async fn put(home: &HomeAssistant, rest: &RestClient, service: &str, id: &str, wanted: &str) {
    home.rest().post(&format!("/api/services/{service}"), json!({ "entity_id": id })).await.ok();
    until(rest, id, wanted).await;
    assert_eq!(own(home, id).await, wanted);
}

async fn home_is_untouched_without_actuation(home: &HomeAssistant) {
    let program = dwell(home, home.token());
    let server = program.start().await;
    let rest = server.rest();
    put(home, &rest, "light/turn_off", LAMP, "off").await;
    let session = rest.session().await;
    let turn = say(&rest, &session, "turn on the ceiling lights").await;
    let told = reflex(&turn);
    assert!(told.starts_with("I did not do that.") && told.contains("`tools.actuation`"), "{told}");
    assert!(!told.contains("simulated"), "{told}");
    assert_eq!((outcome(&turn).0, own(home, LAMP).await.as_str()), ("denied", "off"));
    let question = say(&rest, &session, "are the ceiling lights on?").await;
    assert!(reflex(&question).starts_with("No"), "looking is not touching: {question}");
}

async fn reader_sees_everything_and_touches_nothing(home: &HomeAssistant) {
    let token = home.make_reader().await;
    let program = dwell(home, &token).with("DWELL_TOOLS_ACTUATION", "true");
    let server = program.start().await;
    let rest = server.rest();
    until(&rest, LAMP, "off").await;
    let session = rest.session().await;
    let turn = say(&rest, &session, "turn on the ceiling lights").await;
    let told = reflex(&turn);
    assert!(told.contains("may only read") && !told.contains("Turned on"), "{told}");
    assert_eq!((outcome(&turn).0, own(home, LAMP).await.as_str()), ("error", "off"));
    let export = rest.log(&session).await;
    server.stop().await;
    assert_not_told(&program, &token, &export);
}

async fn commands_switch_the_real_thing(home: &HomeAssistant, server: &RunningServer, session: &str) {
    let rest = server.rest();
    put(home, &rest, "light/turn_off", LAMP, "off").await;
    for (message, answer, word) in [
        ("turn on the ceiling lights", "Turned on Ceiling Lights.", "on"),
        ("and now off again", "Turned off Ceiling Lights.", "off"),
        ("undo that", "Turned on Ceiling Lights.", "on"),
        ("turn on the ceiling lights", "Ceiling Lights is on already.", "on"),
    ] {
        let turn = say(&rest, session, message).await;
        assert_eq!((reflex(&turn), own(home, LAMP).await.as_str()), (answer, word), "{message}: {turn}");
        assert!(outcome(&turn).1.contains(r#""done":true"#), "{turn}");
    }
    let turn = say(&rest, session, "set the ceiling lights to 40 percent").await;
    let read = home.rest().get(&format!("/api/states/{LAMP}")).await.ok();
    assert_eq!(read["attributes"]["brightness"], 102, "{turn}");
    let before = own(home, LAMP).await;
    for question in ["turn off the ceiling lights?", "are the ceiling lights off?", "the ceiling lights off?"] {
        say(&rest, session, question).await;
        assert_eq!(own(home, LAMP).await, before, "{question}");
    }
}

async fn what_there_is_not_is_not_done(home: &HomeAssistant, server: &RunningServer) {
    let rest = server.rest();
    let unknown = service("light.turn_off", &json!({ "entity_id": ["light.ceiling_lamps"] }));
    let turn = say(&rest, &rest.session().await, &unknown).await;
    let (status, told) = outcome(&turn);
    assert!(status == "error" && told.contains("so nothing was done"), "{told}");
    assert!(told.contains("`light.ceiling_lights`"), "a near one is named: {told}");
    let turn = say(&rest, &rest.session().await, "turn on the disco ball").await;
    assert!(!turn["text"].as_str().unwrap().contains("Turned on"), "{turn}");
    // Home Assistant hides helpers from assistants unless they are exposed explicitly.
    let hidden = service("input_boolean.turn_on", &json!({ "entity_id": ["input_boolean.guest_mode"] }));
    let turn = say(&rest, &rest.session().await, &hidden).await;
    assert!(outcome(&turn).1.contains("not exposed"), "{turn}");
    assert_eq!(own(home, "input_boolean.guest_mode").await, "off");
}

async fn a_lock_asks(home: &HomeAssistant, server: &RunningServer) {
    let rest = server.rest();
    put(home, &rest, "lock/lock", DOOR, "locked").await;
    let session = rest.session().await;
    let turn = say(&rest, &session, "unlock the kitchen door").await;
    assert_eq!(asked(&rest, &turn).await["arguments"]["target"], json!({ "entity_id": [DOOR] }));
    assert_eq!(own(home, DOOR).await, "locked");
    let denied = decide(&rest, &turn, "deny").await;
    assert!(reflex(&denied).starts_with("I did not do that."), "{denied}");
    assert_eq!(own(home, DOOR).await, "locked");
    let turn = say(&rest, &session, "unlock the kitchen door").await;
    let allowed = decide(&rest, &turn, "once").await;
    assert!(outcome(&allowed).1.contains(r#""done":true"#), "{allowed}");
    until(&rest, DOOR, "unlocked").await;
    assert_eq!(own(home, DOOR).await, "unlocked");
}

async fn home_may_go_away_and_come_back(home: &mut HomeAssistant, server: &RunningServer, session: &str) {
    let rest = server.rest();
    home.stop().await.unwrap();
    let turn = say(&rest, session, "turn off the ceiling lights").await;
    let told = reflex(&turn);
    assert!(told.contains("cannot be reached") || told.contains("reach"), "{told}");
    assert!(!told.contains("Turned off") && steps(&turn, "tool_result")[0]["status"] == "error", "{turn}");
    home.go_on().await.unwrap();
    put(home, &rest, "light/turn_on", LAMP, "on").await;
    let turn = say(&rest, session, "turn off the ceiling lights").await;
    assert_eq!((reflex(&turn), own(home, LAMP).await.as_str()), ("Turned off Ceiling Lights.", "off"), "{turn}");
    assert_eq!(state(&rest, LAMP).await.as_deref(), Some("off"));
}

/// Checks that the token is in no file of the data folder, including the log, and in no streamed
/// event.
#[track_caller]
fn assert_not_told(program: &Program, token: &str, export: &[Value]) {
    let (head, tail) = token.split_at(token.len() / 2);
    let mut files = Vec::new();
    collect(program.folder(), &mut files);
    assert!(files.iter().any(|(name, bytes)| name.ends_with("log") && !bytes.is_empty()), "there is a log");
    files.push(("the export".to_owned(), serde_json::to_vec(export).unwrap()));
    for (name, bytes) in files {
        for part in [head, tail] {
            let is_there = bytes.windows(part.len()).any(|window| window == part.as_bytes());
            assert!(!is_there, "the token is in {name}");
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
}
