//! Questions to the user: the turn waits for the answer, nobody else does, and each is answered once.

use serde_json::{Value, json};
use testkit::Reply;

use super::{Desk, acts, buttons};
use crate::scene::steps;

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

/// A turn that asks, and its question.
async fn asks(desk: &Desk, question: Reply) -> (Value, Value) {
    let turn = desk.doing("Paint the door for somebody.", [question]).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("dialog")), "{turn}");
    let desktop = desk.desktop().await;
    assert_eq!(desktop["dialogs"].as_array().unwrap().len(), 1, "{desktop}");
    let dialog = desktop["dialogs"][0].clone();
    assert_eq!(dialog["turn_id"], turn["turn_id"]);
    (turn, dialog)
}

/// Answers over REST or over the WebSocket; gives the error where it is refused.
async fn answer(desk: &Desk, over_rest: bool, dialog: &Value, answer: Value) -> Result<(), Value> {
    let id = dialog["dialog_id"].as_str().unwrap();
    if over_rest {
        let said = desk.rest.post(&format!("/api/v1/sessions/{}/dialogs/{id}", desk.session), answer).await;
        return if said.status == 200 { Ok(()) } else { Err(said.body) };
    }
    let kind = if dialog["form"]["fields"].is_array() { "prompt.answer" } else { "dialog.answer" };
    let mut data = json!({ "session_id": desk.session, "dialog_id": id });
    data.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
    desk.server.socket().await.ask(kind, data).await.map(|_| ())
}

/// What the model is told of the answer.
async fn told(desk: &Desk, turn: &Value) -> Value {
    let turn = desk.ended(turn).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    let result = steps(&turn, "tool_result")[0];
    assert_eq!(result["status"], "ok", "{result}");
    serde_json::from_str(result["content"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn a_choice_lets_the_turn_go_on() {
    for over_rest in [true, false] {
        let desk = Desk::start().await;
        let mut tab = desk.socket().await;
        let (turn, dialog) = asks(&desk, choosing()).await;
        assert_eq!((&dialog["title"], &dialog["text"]), (&json!("Which colour?"), &json!("For the door.")));
        let choices = json!([{ "value": "red", "label": "red" }, { "value": "blue", "label": "blue" }]);
        assert_eq!(dialog["form"], json!({ "choices": choices }));
        let shown = tab.until(|it| it["data"]["actions"][0]["type"] == "dialog.show").await.pop().unwrap();
        assert_eq!(shown["data"]["actions"][0]["dialog_id"], dialog["dialog_id"]);

        let refused = answer(&desk, over_rest, &dialog, json!({ "choice": "green" })).await.unwrap_err();
        assert_eq!(refused["code"], "invalid_request");
        assert!(refused["message"].as_str().unwrap().contains("choose one of `red`, `blue`"), "{refused}");
        assert_eq!(desk.turn(&turn).await["status"], "waiting", "it still waits");
        answer(&desk, over_rest, &dialog, json!({ "choice": "blue" })).await.unwrap();
        assert_eq!(told(&desk, &turn).await, json!({ "answered": true, "chosen": "blue" }));
        let events = tab.until_end_of(&turn["turn_id"]).await;
        let answered = events.iter().find(|it| it["type"] == "dialog.answered").unwrap();
        assert_eq!(
            (&answered["data"]["answer"], &answered["data"]["by"]),
            (&json!({ "chosen": "blue" }), &json!("owner"))
        );
        let changes: Vec<&Value> =
            events.iter().filter(|it| it["type"] == "turn.status").map(|it| &it["data"]["status"]).collect();
        assert_eq!(changes, ["waiting", "resumed", "completed"]);
        let again = answer(&desk, over_rest, &dialog, json!({ "choice": "red" })).await.unwrap_err();
        assert_eq!(again["code"], "approval_settled", "the first answer counts: {again}");
    }
}

#[tokio::test]
async fn fields_are_filled_in_whole_or_not_at_all() {
    for over_rest in [true, false] {
        let desk = Desk::start().await;
        let (turn, dialog) = asks(&desk, filling()).await;
        for (values, told) in [
            (json!({ "who": "Ada", "gift": "true" }), "missing: `size`"),
            (json!({ "who": "Ada", "size": "small", "gift": "true", "age": "36" }), "unknown: `age`"),
            (json!({ "who": "Ada", "size": "huge", "gift": "true" }), "the field `size` takes one of `small`, `large`"),
            (json!({ "who": "Ada", "size": "small", "gift": "perhaps" }), "the field `gift` takes one of"),
        ] {
            let refused = answer(&desk, over_rest, &dialog, json!({ "values": values })).await.unwrap_err();
            assert_eq!(refused["code"], "invalid_request");
            assert!(refused["message"].as_str().unwrap().contains(told), "{refused}");
        }
        let values = json!({ "who": "Ada", "size": "small", "gift": "false" });
        answer(&desk, over_rest, &dialog, json!({ "values": values })).await.unwrap();
        assert_eq!(told(&desk, &turn).await, json!({ "answered": true, "filled": values }));
    }
}

#[tokio::test]
async fn a_question_is_answered_in_its_own_way_or_waved_away() {
    for over_rest in [true, false] {
        let desk = Desk::start().await;
        let (turn, dialog) = asks(&desk, filling()).await;
        let wrong = json!({ "session_id": desk.session, "dialog_id": dialog["dialog_id"], "choice": "red" });
        let refused = desk.server.socket().await.ask("dialog.answer", wrong).await.unwrap_err();
        assert!(refused["message"].as_str().unwrap().contains("filling in its fields"), "{refused}");
        answer(&desk, over_rest, &dialog, json!({})).await.unwrap();
        let answer = told(&desk, &turn).await;
        assert_eq!((&answer["answered"], &answer["why"]), (&json!(false), &json!("the user does not want to answer")));
        assert_eq!(desk.desktop().await["dialogs"], json!([]));
    }
}

#[tokio::test]
async fn silence_becomes_an_answer() {
    let desk = Desk::start().await;
    let mut tab = desk.socket().await;
    let question = acts("ask_user", json!({ "title": "Which colour?", "choices": ["red", "blue"], "wait_s": 1 }));
    let (turn, dialog) = asks(&desk, question).await;
    let events = tab.until_end_of(&turn["turn_id"]).await;
    let answered = events.iter().find(|it| it["type"] == "dialog.answered").unwrap();
    assert_eq!((&answered["data"]["answer"], &answered["data"]["by"]), (&json!("unanswered"), &json!("expiry")));
    assert_eq!(told(&desk, &turn).await["why"], "nobody answered in time");
    let late = answer(&desk, true, &dialog, json!({ "choice": "red" })).await.unwrap_err();
    assert_eq!(late["code"], "approval_settled");
}

#[tokio::test]
async fn of_two_who_answer_at_once_one_is_heard() {
    let desk = Desk::start().await;
    let (turn, dialog) = asks(&desk, choosing()).await;
    let (one, two) = tokio::join!(
        answer(&desk, false, &dialog, json!({ "choice": "red" })),
        answer(&desk, true, &dialog, json!({ "choice": "blue" })),
    );
    let (heard, refused) = if one.is_ok() { ("red", two) } else { ("blue", one) };
    assert_eq!(refused.unwrap_err()["code"], "approval_settled");
    assert_eq!(told(&desk, &turn).await["chosen"], heard);
}

#[tokio::test]
async fn cancelling_the_turn_closes_the_question_in_every_tab() {
    let desk = Desk::start().await;
    let (mut one, mut two) = (desk.socket().await, desk.socket().await);
    let (turn, dialog) = asks(&desk, choosing()).await;
    desk.cancel(&turn).await;
    for tab in [&mut one, &mut two] {
        let events = tab.until_end_of(&turn["turn_id"]).await;
        let closed = events.iter().find(|it| it["type"] == "dialog.answered").unwrap();
        let expected = json!({ "dialog_id": dialog["dialog_id"], "answer": "unanswered", "by": "turn_end" });
        assert_eq!(closed["data"], expected);
    }
    assert_eq!(desk.desktop().await["dialogs"], json!([]));
    assert_eq!(answer(&desk, true, &dialog, json!({ "choice": "red" })).await.unwrap_err()["code"], "approval_settled");
    assert_eq!(desk.say("And now?").await["status"], "completed", "the next turn runs");
    assert_eq!(desk.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn what_takes_the_asker_away_takes_its_question_along() {
    let desk = Desk::start().await;
    let mut socket = desk.server.socket().await;
    desk.open("a", buttons(&["save"])).await;
    for way in ["close", "remove", "reset", "end"] {
        desk.model.push(choosing());
        let turn = match way {
            "close" => desk.tell("a", "Paint the door.").await,
            "remove" => desk.send(json!({ "message": "Paint the door.", "monitor_id": "work" })).await,
            _ => desk.send(json!({ "message": "Paint the door." })).await,
        };
        assert_eq!(desk.ended(&turn).await["reason"], "dialog", "{way}");
        let session = json!({ "session_id": desk.session });
        match way {
            "close" => drop(desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await),
            "remove" => {
                let data = json!({ "session_id": desk.session, "monitor_id": "work" });
                socket.ask("monitor.remove", data).await.unwrap();
            }
            "reset" => drop(socket.ask("session.reset", session).await.unwrap()),
            _ => drop(socket.ask("session.end", session).await.unwrap()),
        }
        assert_eq!(desk.turn(&turn).await["status"], "cancelled", "{way}");
        assert_eq!(desk.desktop().await["dialogs"], json!([]), "{way}");
    }
    let log = desk.rest.log(&desk.session).await;
    let closed: Vec<&Value> =
        log.iter().filter(|it| it["type"] == "dialog.answered").map(|it| &it["data"]["by"]).collect();
    assert_eq!(closed, ["turn_end"; 4]);
}

#[tokio::test]
async fn the_wait_costs_the_turn_none_of_its_time() {
    let desk = Desk::start().await;
    desk.model.push(choosing());
    let turn = desk.told(json!({ "message": "Paint the door.", "time_budget_ms": 3_000 })).await;
    assert_eq!(turn["reason"], "dialog", "{turn}");
    let dialog = desk.desktop().await["dialogs"][0].clone();
    tokio::time::sleep(std::time::Duration::from_millis(3_500)).await;
    assert_eq!(desk.turn(&turn).await["status"], "waiting", "it has all of its time left");
    answer(&desk, true, &dialog, json!({ "choice": "red" })).await.unwrap();
    assert_eq!(told(&desk, &turn).await["chosen"], "red");
}

#[tokio::test]
async fn whoever_waits_for_the_user_is_in_nobodys_way() {
    let desk = Desk::start_with(|program| program.with("DWELL_AGENTS_MAX", "1")).await;
    let (turn, dialog) = asks(&desk, choosing()).await;
    let other = desk.rest.session().await;
    let free = desk.rest.send(&other, "Say hello in the other session.").await;
    assert_eq!(desk.rest.ended(&free).await["status"], "completed", "its place is free meanwhile");
    let beside = json!({ "message": "Say hello beside that.", "on_busy": "fork" });
    assert_eq!(desk.told(beside).await["status"], "completed");
    answer(&desk, true, &dialog, json!({ "choice": "red" })).await.unwrap();
    assert_eq!(told(&desk, &turn).await["chosen"], "red");
}

#[tokio::test]
async fn a_question_outlives_any_number_of_restarts() {
    let mut desk = Desk::start().await;
    desk.model.push(acts("ask_user", json!({ "title": "Which colour?", "choices": ["red", "blue"] })));
    let turn = desk.told(json!({ "message": "Paint the door in some colour." })).await;
    for _ in 0..5 {
        desk = desk.restart().await;
        let turn = desk.ended(&turn).await;
        assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("dialog")), "{turn}");
    }
    let dialog = desk.desktop().await["dialogs"][0]["dialog_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/sessions/{}/dialogs/{dialog}", desk.session);
    desk.rest.post(&path, json!({ "choice": "blue" })).await.ok();
    assert_eq!(desk.ended(&turn).await["status"], "completed");
}
