//! What people say about schedules, and what they see over the APIs.

use serde_json::{Value, json};
use testkit::RestClient;

use super::{alert, all, reminder};
use crate::{
    harness::{steps, told},
    program_with_home,
};

async fn said(rest: &RestClient, session: &str, message: &str) -> String {
    let turn = told(rest, session, json!({ "message": message })).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    turn["text"].as_str().unwrap().to_owned()
}

/// Without any language model, in the program as it is installed.
#[tokio::test]
async fn a_person_plans_in_words() {
    let server = program_with_home().start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let words = |message: &'static str| said(&rest, &session, message);

    let planned = words("Remind me in 10 minutes to take the pizza out").await;
    assert!(planned.contains("take the pizza out") && planned.contains("minutes"), "{planned}");
    words("set a timer for 5 minutes").await;
    words("turn off the kitchen light in 1 second").await;
    words("every weekday at 7 tell me the weather at home").await;
    let list = words("what is planned?").await;
    for part in ["take the pizza out", "timer", "tell me the weather at home"] {
        assert!(list.contains(part), "{part}: {list}");
    }
    let paused = words("pause the timer").await;
    assert!(paused.starts_with("Paused"), "{paused}");
    assert!(words("cancel the reminder").await.contains("take the pizza out"));
    assert!(words("cancel the reminder").await.contains("nothing like that"));
    assert!(words("Stelle einen Timer auf 3 Minuten").await.contains("endet"));
    let both = words("cancel all timers").await;
    assert!(both.starts_with("Cancelled"), "{both}");

    // A temporary session will be gone by then: it is planned in the session of schedules.
    let asked = rest.post("/api/v1/ask", json!({ "message": "remind me in 2 hours to water the plants" })).await.ok();
    assert!(asked["text"].as_str().unwrap().contains("water the plants"), "{asked}");
    let plants = all(&rest).await.into_iter().find(|it| it.to_string().contains("water the plants")).unwrap();
    let holder = rest.get(&format!("/api/v1/sessions/{}", plants["session_id"].as_str().unwrap())).await.ok();
    assert_eq!(holder["key"], "schedules", "{holder}");
    let list = rest.post("/api/v1/ask", json!({ "message": "what is planned?" })).await.ok();
    assert!(list["text"].as_str().unwrap().contains("reminder: water the plants"), "{list}");

    // The command was read when it was said, and made once.
    let light = async {
        loop {
            let found = all(&rest).await.into_iter().find(|it| it["name"] == "turn off the kitchen light").unwrap();
            if let Some(turn) = found["last_run"]["outcome"]["turn_id"].as_str() {
                return rest.ended(turn).await;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let turn = light.await;
    assert_eq!(turn["status"], "completed", "{turn}");
    assert!(!turn["text"].as_str().unwrap().starts_with('{'), "it is answered in words: {}", turn["text"]);

    // A question that is planned is answered to a person.
    let weather = all(&rest).await.into_iter().find(|it| it["name"] == "tell me the weather at home").unwrap();
    let path = format!("/api/v1/schedules/{}/do", weather["schedule_id"].as_str().unwrap());
    rest.post(&path, json!({ "do": "run" })).await.ok();
    let answer = alert(&rest, |alert| alert["kind"] == "answer").await;
    assert_eq!(answer["title"], "tell me the weather at home");
}

/// What is said for another time is planned or left alone; nothing happens at once.
#[tokio::test]
async fn a_command_for_another_time_does_nothing_now() {
    let server = program_with_home().start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for (message, plans) in [
        ("turn on the desk lamp at 7", 1),
        ("switch the floor lamp off at half past ten tonight", 1),
        ("close the bedroom blinds in the morning", 1),
        ("set the living room thermostat to 21 at 6", 1),
        ("close the bedroom blinds at sunset", 0),
        ("turn on the desk lamp by 6", 0),
        ("is the floor lamp on at 7", 0),
        // It has a time, and what is to be done then is not understood.
        ("start the desk lamp at 7", 0),
        // A value is no hour.
        ("turn on the desk lamp at 7 percent", 0),
    ] {
        let before = all(&rest).await.len();
        let turn = told(&rest, &session, json!({ "message": message })).await;
        assert_eq!(all(&rest).await.len() - before, plans, "{message}: {turn}");
        let acts = steps(&turn, "tool_call").into_iter().filter(|call| call["tool"] == "call_service").count();
        assert_eq!(acts, usize::from(message.ends_with("percent")), "{message}: {turn}");
    }
}

#[tokio::test]
async fn schedules_are_made_changed_and_taken_back_over_rest_and_websocket() {
    let server = program_with_home().start().await;
    let rest = server.rest();
    let mut socket = server.socket().await;
    socket.ask("alert.follow", json!({})).await.unwrap();

    let body = json!({ "idempotency_key": "k1", "name": "tea", "when": { "kind": "after", "after_ms": 100 },
                       "action": { "do": "remind", "text": "the tea" } });
    let made = rest.post("/api/v1/schedules", body.clone()).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let again = rest.post("/api/v1/schedules", body).await.ok();
    assert_eq!(made.body["schedule_id"], again["schedule_id"], "one key, one schedule");
    let raised = socket.until(|message| message["type"] == "alert.raised").await.pop().unwrap();
    assert_eq!((&raised["data"]["title"], &raised["data"]["kind"]), (&json!("tea"), &json!("reminder")));
    let seen = socket.ask("alert.seen", json!({ "alert_id": raised["data"]["alert_id"] })).await.unwrap();
    assert_eq!(seen["seen"], true);

    let rule = json!({ "kind": "cron", "expression": "0 7 * * 1-5" });
    let preview = json!({ "when": rule, "zone": "Europe/Berlin", "runs": 3 });
    let preview = rest.post("/api/v1/schedules/preview", preview).await.ok();
    assert_eq!(preview["runs"].as_array().unwrap().len(), 3);
    let daily = json!({ "when": rule, "action": { "do": "turn", "message": "Good morning." } });
    let daily = socket.ask("schedule.create", daily).await.unwrap();
    let id = daily["schedule_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/schedules/{id}");
    let step = async |step: &str| socket_step(&rest, &path, step).await;
    assert_eq!(step("pause").await["status"], "paused");
    assert_eq!(step("resume").await["status"], "active");
    let renamed = rest.call(reqwest::Method::PATCH, &path, Some(json!({ "name": "morning" })), &[]).await.ok();
    assert_eq!((&renamed["name"], &renamed["when"]), (&json!("morning"), &rule));
    let open = socket.ask("schedule.list", json!({})).await.unwrap();
    assert_eq!(open["data"].as_array().unwrap().len(), 1);
    let gone = rest.call(reqwest::Method::DELETE, &path, None, &[]).await.ok();
    assert_eq!(gone["status"], "cancelled");

    // Mistakes are named.
    let bad = |when: Value| json!({ "when": when, "action": { "do": "remind", "text": "x" } });
    for (wrong, part) in [
        (bad(json!({ "kind": "cron", "expression": "whenever" })), "cron"),
        (bad(json!({ "kind": "at", "at": "2001-01-01T00:00:00Z" })), "past"),
        (json!({ "zone": "Mars/Base", "when": rule, "action": { "do": "remind", "text": "x" } }), "time zone"),
        (json!({ "when": rule, "action": { "do": "call", "tool": "no_such_tool", "arguments": {} } }), "no_such_tool"),
        (reminder("", 10), "bytes"),
    ] {
        let refused = rest.post("/api/v1/schedules", wrong).await;
        assert_eq!(refused.status, 400, "{}", refused.body);
        assert!(refused.body.to_string().contains(part), "{part}: {}", refused.body);
    }
    assert_eq!(rest.get("/api/v1/schedules/01ARZ3NDEKTSV4RRFFQ69G5FAV").await.status, 404);
}

async fn socket_step(rest: &RestClient, path: &str, step: &str) -> Value {
    rest.post(&format!("{path}/do"), json!({ "do": step })).await.ok()
}
