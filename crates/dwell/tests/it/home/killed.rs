//! A kill while a reflex acts: the turn ends, nothing is lost, and nothing is done twice.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Program, RestClient, RunningServer};

use super::{at_home, reflex, shopping};
use crate::{
    harness::steps,
    kill::{SeededRandom, setting},
};

/// Sends a message and kills the server once the call has started; returns the turn and the
/// restarted server.
async fn cut(program: &Program, server: RunningServer, message: &str) -> (String, RunningServer) {
    let rest = server.rest();
    let session = rest.session().await;
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    let turn = rest.send(&session, message).await;
    socket.until(|event| event["type"] == "step" && event["data"]["type"] == "tool_call").await;
    server.kill().await;
    (turn, program.start().await)
}

#[tokio::test]
async fn a_command_that_was_cut_off_goes_on_and_is_looked_up_first() {
    let (program, server) = at_home().await;
    // Dwell waits for an entity that does not react, which leaves time for the kill.
    let (turn, server) = cut(&program, server, "turn on the fountain").await;
    let ended = server.rest().ended(&turn).await;
    assert!(reflex(&ended).starts_with("I told Fountain to turn on, but it did not: still off."), "{ended}");
    assert_eq!(ended["attempts"], 2);
    assert_eq!((steps(&ended, "tool_call").len(), steps(&ended, "tool_result").len()), (1, 1), "{ended}");
}

#[tokio::test]
async fn what_cannot_be_looked_up_is_asked_about() {
    let (program, mut server) = at_home().await;
    for outcome in ["happened", "did_not_happen"] {
        let (turn, next) = cut(&program, server, "toggle the fountain").await;
        server = next;
        let rest = server.rest();
        let waiting = rest.ended(&turn).await;
        assert_eq!(
            (&waiting["status"], &waiting["reason"]),
            (&json!("waiting"), &json!("outcome_unknown")),
            "{waiting}"
        );
        assert_eq!(waiting["question"]["calls"][0]["arguments"]["service"], "toggle");
        rest.post(&format!("/api/v1/turns/{turn}/resume"), json!({ "outcome": outcome })).await.ok();
        let ended = rest.ended(&turn).await;
        assert!(!reflex(&ended).is_empty(), "{ended}");
        assert_eq!(steps(&ended, "tool_result").len(), 1, "{ended}");
    }
}

/// Waits until a turn has ended; a question about an unknown outcome is answered truthfully.
async fn see_through(program: &Program, rest: &RestClient, turn: &str, item: &str) -> Value {
    loop {
        let ended = rest.ended(turn).await;
        match (ended["status"].as_str().unwrap(), ended["reason"].as_str()) {
            ("waiting", Some("outcome_unknown")) => {
                let happened = shopping(program).iter().any(|kept| kept == item);
                let outcome = if happened { "happened" } else { "did_not_happen" };
                rest.post(&format!("/api/v1/turns/{turn}/resume"), json!({ "outcome": outcome })).await.ok();
            }
            ("interrupted", _) => drop(rest.post(&format!("/api/v1/turns/{turn}/resume"), json!({})).await),
            _ => return ended,
        }
    }
}

/// `DWELL_KILLS` sets the number of kills (a fifth of it) and `DWELL_SEED` the moments.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_loop_does_nothing_twice_at_home_and_loses_nothing() {
    const ITEMS: [&str; 8] = ["apples", "bread", "carrots", "dates", "eggs", "flour", "grapes", "honey"];
    let (kills, seed) = (setting("DWELL_KILLS", 25) / 5, setting("DWELL_SEED", 20_261_115));
    let mut random = SeededRandom::new(seed);
    let (program, mut server) = at_home().await;
    let session = server.rest().session().await;
    let path = format!("/api/v1/sessions/{session}/turns");
    let mut accepted = Vec::new();
    for round in 0..kills {
        let item = format!("{} {round}", ITEMS[usize::try_from(round).unwrap() % ITEMS.len()]);
        let word = if round % 2 == 0 { "on" } else { "off" };
        let rest = server.rest();
        accepted.push((rest.send(&session, &format!("add {item} to the shopping list")).await, item));
        let switching = async {
            let body = json!({ "message": format!("turn {word} the floor lamp") });
            let _ = rest.try_call(Method::POST, &path, Some(body), &[]).await;
            std::future::pending::<()>().await;
        };
        let _ = tokio::time::timeout(Duration::from_millis(random.below(120)), switching).await;
        server.kill().await;
        server = program.start().await;
        if round % 3 == 2 {
            // From time to time all turns may finish, so that the queue does not fill up.
            for (turn, item) in &accepted {
                see_through(&program, &server.rest(), turn, item).await;
            }
        }
    }
    let rest = server.rest();
    for (turn, item) in &accepted {
        let ended = see_through(&program, &rest, turn, item).await;
        assert_eq!(ended["status"], "completed", "{ended}");
        assert_eq!(steps(&ended, "tool_result").len(), 1, "{ended}");
        let times = shopping(&program).iter().filter(|kept| *kept == item).count();
        assert_eq!(times, 1, "`{item}` is on the list {times} times: {ended}");
    }
    // A command that was accepted at the moment of a kill may not have been acknowledged to the
    // client. The journal decides.
    let log = rest.log(&session).await;
    let messages = log.iter().filter(|event| event["type"] == "message.accepted");
    let (mut last, mut is_in_order) = (None, true);
    for event in messages.filter(|event| event["data"]["message"].as_str().unwrap().contains("floor lamp")) {
        let ended = see_through(&program, &rest, event["turn_id"].as_str().unwrap(), "").await;
        assert!(reflex(&ended).contains("Floor lamp"), "{ended}");
        last = event["data"]["message"].as_str();
        // A turn that was interrupted in each of its attempts continued only now, after later
        // turns.
        is_in_order &= ended["attempts"].as_u64().unwrap() <= 3;
    }
    if let Some(message) = last.filter(|_| is_in_order) {
        let word = if message.contains(" on ") { "on" } else { "off" };
        assert_eq!(super::state(&rest, "light.floor_lamp").await.as_deref(), Some(word), "{message}");
    }
}
