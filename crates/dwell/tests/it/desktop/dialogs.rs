//! Questions to the user: only the turn that asks waits for the answer, and each question is
//! answered once.

use serde_json::{Value, json};
use testkit::Reply;

use super::{DesktopHarness, acts, buttons};
use crate::harness::steps;

fn choosing() -> Reply {
    acts("ask_user", json!({ "title": "Which colour?", "text": "For the door.", "choices": ["red", "blue"] }))
}

fn filling() -> Reply {
    let fields = json!([
        { "type": "input", "name": "who", "label": "Name" },
        { "type": "select", "name": "size", "options": ["small", "large"] },
        { "type": "checkbox", "name": "gift", "label": "A gift" },
    ]);
    acts("ask_user", json!({ "title": "For whom?", "fields": fields }))
}

/// A turn that asks a question, and the dialog.
async fn asks(harness: &DesktopHarness, question: Reply) -> (Value, Value) {
    let turn = harness.doing("Paint the door for somebody.", [question]).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("dialog")), "{turn}");
    let desktop = harness.desktop().await;
    assert_eq!(desktop["dialogs"].as_array().unwrap().len(), 1, "{desktop}");
    let dialog = desktop["dialogs"][0].clone();
    assert_eq!(dialog["turn_id"], turn["turn_id"]);
    (turn, dialog)
}

/// Answers over REST or over the WebSocket; returns the error if the answer is refused.
async fn answer(harness: &DesktopHarness, over_rest: bool, dialog: &Value, answer: Value) -> Result<(), Value> {
    let id = dialog["dialog_id"].as_str().unwrap();
    if over_rest {
        let said = harness.rest.post(&format!("/api/v1/sessions/{}/dialogs/{id}", harness.session), answer).await;
        return if said.status == 200 { Ok(()) } else { Err(said.body) };
    }
    let kind = if dialog["form"]["fields"].is_array() { "prompt.answer" } else { "dialog.answer" };
    let mut data = json!({ "session_id": harness.session, "dialog_id": id });
    data.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
    harness.server.socket().await.ask(kind, data).await.map(|_| ())
}

/// The answer as the model gets it.
async fn told(harness: &DesktopHarness, turn: &Value) -> Value {
    let turn = harness.ended(turn).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    let result = steps(&turn, "tool_result")[0];
    assert_eq!(result["status"], "ok", "{result}");
    serde_json::from_str(result["content"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn a_choice_lets_the_turn_go_on() {
    for over_rest in [true, false] {
        let harness = DesktopHarness::start().await;
        let mut tab = harness.socket().await;
        let (turn, dialog) = asks(&harness, choosing()).await;
        assert_eq!((&dialog["title"], &dialog["text"]), (&json!("Which colour?"), &json!("For the door.")));
        let choices = json!([{ "value": "red", "label": "red" }, { "value": "blue", "label": "blue" }]);
        assert_eq!(dialog["form"], json!({ "choices": choices }));
        let shown = tab.until(|it| it["data"]["actions"][0]["type"] == "dialog.show").await.pop().unwrap();
        assert_eq!(shown["data"]["actions"][0]["dialog_id"], dialog["dialog_id"]);

        let refused = answer(&harness, over_rest, &dialog, json!({ "choice": "green" })).await.unwrap_err();
        assert_eq!(refused["code"], "invalid_request");
        assert!(refused["message"].as_str().unwrap().contains("choose one of `red`, `blue`"), "{refused}");
        assert_eq!(harness.turn(&turn).await["status"], "waiting", "it still waits");
        answer(&harness, over_rest, &dialog, json!({ "choice": "blue" })).await.unwrap();
        assert_eq!(told(&harness, &turn).await, json!({ "answered": true, "chosen": "blue" }));
        let events = tab.until_end_of(&turn["turn_id"]).await;
        let answered = events.iter().find(|it| it["type"] == "dialog.answered").unwrap();
        assert_eq!(
            (&answered["data"]["answer"], &answered["data"]["by"]),
            (&json!({ "chosen": "blue" }), &json!("owner"))
        );
        let changes: Vec<&Value> =
            events.iter().filter(|it| it["type"] == "turn.status").map(|it| &it["data"]["status"]).collect();
        assert_eq!(changes, ["waiting", "resumed", "completed"]);
        let again = answer(&harness, over_rest, &dialog, json!({ "choice": "red" })).await.unwrap_err();
        assert_eq!(again["code"], "approval_settled", "the first answer counts: {again}");
    }
}

#[tokio::test]
async fn fields_are_filled_in_whole_or_not_at_all() {
    for over_rest in [true, false] {
        let harness = DesktopHarness::start().await;
        let (turn, dialog) = asks(&harness, filling()).await;
        for (values, told) in [
            (json!({ "who": "Ada", "gift": "true" }), "missing: `size`"),
            (json!({ "who": "Ada", "size": "small", "gift": "true", "age": "36" }), "unknown: `age`"),
            (json!({ "who": "Ada", "size": "huge", "gift": "true" }), "the field `size` takes one of `small`, `large`"),
            (json!({ "who": "Ada", "size": "small", "gift": "perhaps" }), "the field `gift` takes one of"),
        ] {
            let refused = answer(&harness, over_rest, &dialog, json!({ "values": values })).await.unwrap_err();
            assert_eq!(refused["code"], "invalid_request");
            assert!(refused["message"].as_str().unwrap().contains(told), "{refused}");
        }
        let values = json!({ "who": "Ada", "size": "small", "gift": "false" });
        answer(&harness, over_rest, &dialog, json!({ "values": values })).await.unwrap();
        assert_eq!(told(&harness, &turn).await, json!({ "answered": true, "filled": values }));
    }
}

#[tokio::test]
async fn a_question_is_answered_in_its_own_way_or_waved_away() {
    for over_rest in [true, false] {
        let harness = DesktopHarness::start().await;
        let (turn, dialog) = asks(&harness, filling()).await;
        let wrong = json!({ "session_id": harness.session, "dialog_id": dialog["dialog_id"], "choice": "red" });
        let refused = harness.server.socket().await.ask("dialog.answer", wrong).await.unwrap_err();
        assert!(refused["message"].as_str().unwrap().contains("filling in its fields"), "{refused}");
        answer(&harness, over_rest, &dialog, json!({})).await.unwrap();
        let answer = told(&harness, &turn).await;
        assert_eq!((&answer["answered"], &answer["why"]), (&json!(false), &json!("the user dismissed the question")));
        assert_eq!(harness.desktop().await["dialogs"], json!([]));
    }
}

#[tokio::test]
async fn silence_becomes_an_answer() {
    let harness = DesktopHarness::start().await;
    let mut tab = harness.socket().await;
    let question = acts("ask_user", json!({ "title": "Which colour?", "choices": ["red", "blue"], "wait_s": 1 }));
    let (turn, dialog) = asks(&harness, question).await;
    let events = tab.until_end_of(&turn["turn_id"]).await;
    let answered = events.iter().find(|it| it["type"] == "dialog.answered").unwrap();
    assert_eq!((&answered["data"]["answer"], &answered["data"]["by"]), (&json!("unanswered"), &json!("expiry")));
    assert_eq!(told(&harness, &turn).await["why"], "the user did not answer in time");
    let late = answer(&harness, true, &dialog, json!({ "choice": "red" })).await.unwrap_err();
    assert_eq!(late["code"], "approval_settled");
}

#[tokio::test]
async fn of_two_who_answer_at_once_one_is_heard() {
    let harness = DesktopHarness::start().await;
    let (turn, dialog) = asks(&harness, choosing()).await;
    let (one, two) = tokio::join!(
        answer(&harness, false, &dialog, json!({ "choice": "red" })),
        answer(&harness, true, &dialog, json!({ "choice": "blue" })),
    );
    let (heard, refused) = if one.is_ok() { ("red", two) } else { ("blue", one) };
    assert_eq!(refused.unwrap_err()["code"], "approval_settled");
    assert_eq!(told(&harness, &turn).await["chosen"], heard);
}

#[tokio::test]
async fn cancelling_the_turn_closes_the_question_in_every_tab() {
    let harness = DesktopHarness::start().await;
    let (mut one, mut two) = (harness.socket().await, harness.socket().await);
    let (turn, dialog) = asks(&harness, choosing()).await;
    harness.cancel(&turn).await;
    for tab in [&mut one, &mut two] {
        let events = tab.until_end_of(&turn["turn_id"]).await;
        let closed = events.iter().find(|it| it["type"] == "dialog.answered").unwrap();
        let expected = json!({ "dialog_id": dialog["dialog_id"], "answer": "unanswered", "by": "turn_end" });
        assert_eq!(closed["data"], expected);
    }
    assert_eq!(harness.desktop().await["dialogs"], json!([]));
    assert_eq!(
        answer(&harness, true, &dialog, json!({ "choice": "red" })).await.unwrap_err()["code"],
        "approval_settled"
    );
    assert_eq!(harness.say("And now?").await["status"], "completed", "the next turn runs");
    assert_eq!(harness.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn what_takes_the_asker_away_takes_its_question_along() {
    let harness = DesktopHarness::start().await;
    let mut socket = harness.server.socket().await;
    harness.open("a", buttons(&["save"])).await;
    for way in ["close", "remove", "reset", "end"] {
        harness.model.push(choosing());
        let turn = match way {
            "close" => harness.tell("a", "Paint the door.").await,
            "remove" => harness.send(json!({ "message": "Paint the door.", "monitor_id": "work" })).await,
            _ => harness.send(json!({ "message": "Paint the door." })).await,
        };
        assert_eq!(harness.ended(&turn).await["reason"], "dialog", "{way}");
        let session = json!({ "session_id": harness.session });
        match way {
            "close" => drop(harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await),
            "remove" => {
                let data = json!({ "session_id": harness.session, "monitor_id": "work" });
                socket.ask("monitor.remove", data).await.unwrap();
            }
            "reset" => drop(socket.ask("session.reset", session).await.unwrap()),
            _ => drop(socket.ask("session.end", session).await.unwrap()),
        }
        assert_eq!(harness.turn(&turn).await["status"], "cancelled", "{way}");
        assert_eq!(harness.desktop().await["dialogs"], json!([]), "{way}");
    }
    let log = harness.rest.log(&harness.session).await;
    let closed: Vec<&Value> =
        log.iter().filter(|it| it["type"] == "dialog.answered").map(|it| &it["data"]["by"]).collect();
    assert_eq!(closed, ["turn_end"; 4]);
}

#[tokio::test]
async fn the_wait_costs_the_turn_none_of_its_time() {
    let harness = DesktopHarness::start().await;
    harness.model.push(choosing());
    let turn = harness.told(json!({ "message": "Paint the door.", "time_budget_ms": 3_000 })).await;
    assert_eq!(turn["reason"], "dialog", "{turn}");
    let dialog = harness.desktop().await["dialogs"][0].clone();
    tokio::time::sleep(std::time::Duration::from_millis(3_500)).await;
    assert_eq!(harness.turn(&turn).await["status"], "waiting", "it has all of its time left");
    answer(&harness, true, &dialog, json!({ "choice": "red" })).await.unwrap();
    assert_eq!(told(&harness, &turn).await["chosen"], "red");
}

#[tokio::test]
async fn a_turn_that_waits_for_the_user_blocks_no_other_turn() {
    let harness = DesktopHarness::start_with(|program| program.with("DWELL_AGENTS_MAX", "1")).await;
    let (turn, dialog) = asks(&harness, choosing()).await;
    let other = harness.rest.session().await;
    let free = harness.rest.send(&other, "Say hello in the other session.").await;
    assert_eq!(harness.rest.ended(&free).await["status"], "completed", "its slot is free meanwhile");
    let beside = json!({ "message": "Say hello beside that.", "on_busy": "fork" });
    assert_eq!(harness.told(beside).await["status"], "completed");
    answer(&harness, true, &dialog, json!({ "choice": "red" })).await.unwrap();
    assert_eq!(told(&harness, &turn).await["chosen"], "red");
}

#[tokio::test]
async fn a_question_outlives_any_number_of_restarts() {
    let mut harness = DesktopHarness::start().await;
    harness.model.push(acts("ask_user", json!({ "title": "Which colour?", "choices": ["red", "blue"] })));
    let turn = harness.told(json!({ "message": "Paint the door in some colour." })).await;
    for _ in 0..5 {
        harness = harness.restart().await;
        let turn = harness.ended(&turn).await;
        assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("dialog")), "{turn}");
    }
    let dialog = harness.desktop().await["dialogs"][0]["dialog_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/sessions/{}/dialogs/{dialog}", harness.session);
    harness.rest.post(&path, json!({ "choice": "blue" })).await.ok();
    assert_eq!(harness.ended(&turn).await["status"], "completed");
}
