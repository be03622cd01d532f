//! What the kill loops over schedules plan, and what they check in the end.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::{Value, json};
use testkit::{RestClient, ToolServer, WebhookReceiver};

use super::{all, receiver::arrived};

/// What schedules that run once do, by their names.
pub(crate) type PlannedActions = BTreeMap<String, &'static str>;

/// What a schedule does, by its name: of one kind of three.
pub(crate) fn action(kind: u64, name: &str) -> (&'static str, Value) {
    match kind {
        0 => ("remind", json!({ "do": "remind", "text": name })),
        1 => ("turn", json!({ "do": "turn", "message": name })),
        _ => ("call", json!({ "do": "call", "tool": "send_letter", "arguments": { "note": name } })),
    }
}

/// Waits until all schedules that run once have run. Returns them by their names.
pub(crate) async fn until_all_ended(rest: &RestClient, made: &PlannedActions) -> BTreeMap<String, Value> {
    for _ in 0..3_000 {
        // Each session remembers its latest only; what is older was checked by its turns and calls.
        let mut found = all(rest).await;
        found.retain(|it| it["when"]["kind"] == "after");
        let is_over = |it: &Value| it["status"] == "ended" && it["last_run"]["outcome"]["status"].is_string();
        if found.iter().all(is_over) {
            let by_name = |it: Value| (it["name"].as_str().unwrap().to_owned(), it);
            let by_name: BTreeMap<String, Value> = found.into_iter().map(by_name).collect();
            assert_eq!(by_name.len(), made.len(), "none was lost");
            for (name, kind) in made {
                let schedule = &by_name[name];
                assert_eq!(
                    (&schedule["runs"], &schedule["missed"]),
                    (&json!(1), &json!(0)),
                    "{kind} {name}: {schedule}"
                );
            }
            return by_name;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("not all schedules have run: {:?}", all(rest).await);
}

/// Each message has begun one turn, and each turn of a schedule is its own. Returns the turns that
/// wait for a person, by the names of their schedules.
pub(crate) async fn check_turns(
    rest: &RestClient,
    ended: &BTreeMap<String, Value>,
    made: &PlannedActions,
) -> BTreeMap<String, Value> {
    let mut turns: BTreeMap<String, usize> = BTreeMap::new();
    let sessions: BTreeSet<&str> = ended.values().map(|schedule| schedule["session_id"].as_str().unwrap()).collect();
    for session in sessions {
        for event in rest.log(session).await {
            if event["type"] == "message.accepted" {
                let schedule = event["data"]["via"]["schedule"].as_str().unwrap().to_owned();
                *turns.entry(schedule).or_default() += 1;
            }
        }
    }
    let begun = made.values().filter(|kind| **kind != "remind").count();
    assert_eq!((turns.len(), turns.values().sum::<usize>()), (begun, begun), "one turn for each run");
    let mut waiting = BTreeMap::new();
    for (name, schedule) in ended {
        let Some(turn) = schedule["last_run"]["outcome"]["turn_id"].as_str() else { continue };
        let turn = completed(rest, turn).await;
        match turn["status"].as_str() {
            Some("completed") => {}
            // A letter that was being sent when the server was killed is in doubt: a person
            // decides.
            Some("waiting") => drop(waiting.insert(name.clone(), turn)),
            _ => panic!("{name}: {turn}"),
        }
    }
    waiting
}

/// The turn at its end. Whose attempts were all cut off waits for a person, who resumes it.
pub(crate) async fn completed(rest: &RestClient, turn: &str) -> Value {
    let ended = rest.ended(turn).await;
    if ended["status"] != "interrupted" {
        return ended;
    }
    rest.post(&format!("/api/v1/turns/{turn}/resume"), json!({})).await.ok();
    rest.ended(turn).await
}

/// How often each letter of these schedules was sent: none twice.
pub(crate) fn letters(tools: &ToolServer, made: &PlannedActions) -> BTreeMap<String, usize> {
    let mut sent: BTreeMap<String, usize> = BTreeMap::new();
    for entry in tools.ledger() {
        let note = entry.arguments["note"].as_str().unwrap().to_owned();
        if made.contains_key(&note) {
            *sent.entry(note).or_default() += 1;
        }
    }
    assert!(sent.values().all(|times| *times == 1), "a letter was sent twice: {sent:?}");
    sent
}

/// What was raised has arrived: one alert for each schedule that runs once, and as many as this
/// with the titles that repeat. A receiver knows repetitions by their ids.
pub(crate) async fn check_alerts(receiver: &WebhookReceiver, made: &PlannedActions, repeated: &BTreeMap<&str, usize>) {
    let planned = made.values().filter(|kind| **kind != "call").count();
    let all = planned + repeated.values().sum::<usize>();
    for _ in 0..3_000 {
        if told(receiver).len() >= all {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (repeating, mut once): (Vec<String>, Vec<String>) =
        told(receiver).into_iter().partition(|title| repeated.contains_key(title.as_str()));
    for (title, count) in repeated {
        assert_eq!(repeating.iter().filter(|told| told == title).count(), *count, "{title}: each run is one alert");
    }
    let count = once.len();
    once.sort_unstable();
    once.dedup();
    assert_eq!((once.len(), count), (planned, planned), "each is one alert");
}

/// The titles of what was told; a turn that waits for a person says so besides.
fn told(receiver: &WebhookReceiver) -> Vec<String> {
    let arrived = arrived(receiver);
    let told = arrived.values().filter(|alert| alert["kind"] != "turn_waiting");
    told.map(|alert| alert["title"].as_str().unwrap().to_owned()).collect()
}
