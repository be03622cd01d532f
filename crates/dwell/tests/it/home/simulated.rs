//! Commands and questions to the simulated home without a language model: the answers say what
//! really happened.

use serde_json::json;

use super::{at_home, deeds, kept, outcome, reflex, say, service, shopping, state};
use crate::harness::{session_with, steps};

const SIMULATED: &str = "(This is the simulated home.)";

#[tokio::test]
async fn a_command_switches_what_it_names_and_the_answer_says_what_happened() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "turn off the floor lamp").await;
    for (message, answer, word) in [
        ("Turn on the floor lamp.", "Turned on Floor lamp.", "on"),
        ("turn on the reading lamp", "Floor lamp is on already.", "on"),
        ("Could you turn off the floor lamp?", "Turned off Floor lamp.", "off"),
    ] {
        let turn = say(&rest, &session, message).await;
        assert_eq!(reflex(&turn), format!("{answer} {SIMULATED}"), "{message}");
        assert_eq!(state(&rest, "light.floor_lamp").await.as_deref(), Some(word), "{message}");
        assert_eq!(outcome(&turn).0, "ok");
    }
}

#[tokio::test]
async fn a_room_is_all_of_its_lights() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    for word in ["on", "off"] {
        let turn = say(&rest, &session, &format!("turn {word} the kitchen lights")).await;
        let told = reflex(&turn);
        assert!(
            told.contains("Kitchen ceiling") && told.contains("Counter lights") && told.contains(SIMULATED),
            "{told}"
        );
        for id in ["light.kitchen_ceiling", "light.kitchen_counter"] {
            assert_eq!(state(&rest, id).await.as_deref(), Some(word), "{told}");
        }
    }
}

#[tokio::test]
async fn numbers_are_set_and_lists_are_added_to() {
    let (program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = say(&rest, &session, "set the bedroom temperature to 23 degrees").await;
    assert!(reflex(&turn).contains("Bedroom thermostat"), "{turn}");
    assert_eq!(steps(&turn, "tool_call")[0]["arguments"]["data"], json!({ "temperature": 23 }));
    assert!(outcome(&turn).1.contains(r#""done":true"#), "{turn}");
    assert!(reflex(&say(&rest, &session, "add cheese to the shopping list").await).contains("Shopping list"));
    assert_eq!(shopping(&program).iter().filter(|item| *item == "cheese").count(), 1, "{:?}", shopping(&program));
}

#[tokio::test]
async fn near_enough_before_is_not_already_there() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    for (message, answer) in [
        ("set the ceiling fan to 50%", "Set Ceiling fan to 50 %."),
        ("set the ceiling fan to 75%", "Set Ceiling fan to 75 %."),
        ("set the ceiling fan to 75%", "Ceiling fan is set to 75 % already."),
        ("set the floor lamp to red", "Set Floor lamp to red."),
        ("set the floor lamp to blue", "Set Floor lamp to blue."),
        ("set the floor lamp to blue", "Floor lamp is set to blue already."),
    ] {
        let turn = say(&rest, &session, message).await;
        assert_eq!(reflex(&turn), format!("{answer} {SIMULATED}"), "{message}: {turn}");
    }
    let turn = say(&rest, &session, &service("climate.turn_on", &json!({ "entity_id": ["climate.bedroom"] }))).await;
    assert!(outcome(&turn).1.contains(r#""outcome":"already""#), "it heats: {turn}");
}

#[tokio::test]
async fn the_next_sentence_leans_on_the_one_before() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "turn off the kitchen lights").await;
    say(&rest, &session, "turn off the floor lamp").await;
    let said = async |message: &str| reflex(&say(&rest, &session, message).await).to_owned();
    assert!(said("turn on the floor lamp").await.starts_with("Turned on Floor lamp."));
    assert!(said("and now off again").await.starts_with("Turned off Floor lamp."));
    assert!(said("undo that").await.starts_with("Turned on Floor lamp."));
    assert!(said("and the kitchen too").await.contains("Kitchen ceiling and Counter lights"));
    assert!(said("set the floor lamp to 40 percent").await.contains("Floor lamp"));
    let brighter = say(&rest, &session, "a bit brighter").await;
    assert_eq!(steps(&brighter, "tool_call")[0]["arguments"]["data"], json!({ "brightness_pct": 60 }), "{brighter}");
    assert_eq!(state(&rest, "light.floor_lamp").await.as_deref(), Some("on"));
}

#[tokio::test]
async fn there_is_nothing_to_lean_on_in_another_conversation() {
    let (program, server) = at_home().await;
    let rest = server.rest();
    say(&rest, &rest.session().await, "turn on the floor lamp").await;
    let before = kept(&program);
    for message in ["and now off again", "undo that", "a bit brighter"] {
        let turn = say(&rest, &rest.session().await, message).await;
        assert_ne!(turn["response"]["model"], "reflex", "{turn}");
    }
    assert_eq!(kept(&program), before);
}

#[tokio::test]
async fn a_question_never_acts() {
    let (program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "turn on the floor lamp").await;
    let before = kept(&program);
    for message in [
        "kitchen light?",
        "the floor lamp off?",
        "turn off the floor lamp?",
        "and now off again?",
        "should I turn off the floor lamp?",
        "did you turn off the floor lamp?",
        "why did you turn on the floor lamp?",
        "is the front door unlocked?",
        "are any windows open?",
        "what happens if I say turn off the floor lamp?",
    ] {
        let turn = say(&rest, &session, message).await;
        assert_eq!(turn["status"], "completed", "{message}: {turn}");
        let called = steps(&turn, "tool_call").iter().any(|call| call["tool"] == "call_service");
        assert!(!called && kept(&program) == before, "{message}: {turn}");
    }
}

#[tokio::test]
async fn questions_are_answered_from_what_the_home_says() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "turn on the floor lamp").await;
    let answers = async |message: &str| {
        let turn = say(&rest, &session, message).await;
        assert!(steps(&turn, "tool_call").is_empty(), "{turn}");
        reflex(&turn).to_owned()
    };
    assert!(answers("is the floor lamp on?").await.starts_with("Yes, Floor lamp is on"));
    assert!(answers("is the floor lamp off?").await.starts_with("No, Floor lamp is on"));
    assert!(answers("which lights are on?").await.contains("Floor lamp"));
    let windows = answers("are any windows open?").await;
    assert!(windows.starts_with("No, none.") || windows.starts_with("Yes: "), "{windows}");
    assert!(windows.ends_with(SIMULATED), "{windows}");
    assert!(answers("what is the temperature in the living room?").await.contains("°C"));
}

#[tokio::test]
async fn what_is_unclear_is_asked_back_about_and_the_answer_completes_it() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "turn off the kitchen lights").await;
    let fresh = rest.session().await;
    let turn = say(&rest, &fresh, "turn on the lights").await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("completed"), &json!("clarification_needed")), "{turn}");
    assert!(turn["text"].as_str().unwrap().starts_with("Where?"), "{turn}");
    assert!(steps(&turn, "tool_call").is_empty(), "{turn}");
    let turn = say(&rest, &fresh, "in the kitchen").await;
    assert!(reflex(&turn).starts_with("Turned on Kitchen ceiling and Counter lights."), "{turn}");
    assert_eq!(state(&rest, "light.kitchen_counter").await.as_deref(), Some("on"));
}

#[tokio::test]
async fn where_the_speaker_is_need_not_be_said() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "preferences": { "area": "Kitchen" } })).await;
    let turn = say(&rest, &session, "turn off the lights").await;
    let ids = &steps(&turn, "tool_call")[0]["arguments"]["target"]["entity_id"];
    assert_eq!(ids, &json!(["light.kitchen_ceiling", "light.kitchen_counter"]), "{turn}");
}

#[tokio::test]
async fn what_does_not_react_is_not_done() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = say(&rest, &session, "turn on the fountain").await;
    assert_eq!(reflex(&turn), format!("I told Fountain to turn on, but it did not: still off. {SIMULATED}"));
    let (status, told) = outcome(&turn);
    assert!(status == "ok" && told.contains(r#""done":false"#) && told.contains(r#""outcome":"unchanged""#), "{told}");
    let by_model = say(&rest, &session, &service("switch.turn_on", &json!({ "entity_id": ["switch.fountain"] }))).await;
    assert!(outcome(&by_model).1.contains(r#""done":false"#), "{by_model}");
}

#[tokio::test]
async fn what_there_is_not_is_not_done() {
    let (program, server) = at_home().await;
    let rest = server.rest();
    let before = kept(&program);
    for message in ["turn on the disco ball", "turn on the guest wifi", "unlock the spaceship"] {
        let turn = say(&rest, &rest.session().await, message).await;
        assert_eq!(turn["status"], "completed", "{turn}");
        let text = turn["text"].as_str().unwrap();
        assert!(!text.contains("Turned on") && !text.contains("Unlocked"), "{text}");
    }
    assert_eq!(kept(&program), before);
}

#[tokio::test]
async fn the_terminal_says_what_happened_too() {
    let (program, _server) = at_home().await;
    for (message, answer) in [
        ("turn off the ceiling fan", "Ceiling fan is off already."),
        ("turn on the ceiling fan", "Turned on Ceiling fan."),
    ] {
        let asked = program.run(&["ask", message]).await;
        assert_eq!(
            (asked.code(), asked.stdout.trim()),
            (0, format!("{answer} {SIMULATED}").as_str()),
            "{}",
            asked.stderr
        );
    }
    assert_eq!(deeds(&program, "fan.living_room"), 2);
}
