//! Answers that reach the length limit: Dwell lets the model continue once, and the result reads as
//! one answer.

use serde_json::json;
use testkit::{Reply, ToolCall};

use crate::{
    harness::{last, session_with, steps, told},
    program, started,
};

/// The prompt that asks the model to continue a cut answer.
const GO_ON: &str = "[Your last answer was cut off";

#[tokio::test]
async fn it_goes_on_where_it_stopped_and_later_turns_are_told_one_answer() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::text("One, two, th").finishing("length").usage(100, 10));
    model.push(Reply::text("ree, four.").usage(120, 5));
    let turn = told(&rest, &session, json!({ "message": "Count to four, please." })).await;
    assert_eq!(
        (&turn["text"], &turn["response"]["stop_reason"]),
        (&json!("One, two, three, four."), &json!("complete"))
    );
    assert_eq!(
        (&turn["stats"]["usage"]["input_tokens"], &turn["stats"]["usage"]["output_tokens"]),
        (&json!(220), &json!(15))
    );
    let said = last(&model).said();
    assert_eq!((said[0].as_str(), said[1].as_str()), ("Count to four, please.", "One, two, th"));
    assert!(said[2].starts_with(GO_ON), "{said:?}");

    told(&rest, &session, json!({ "message": "And back?" })).await;
    assert_eq!(last(&model).said(), ["Count to four, please.", "One, two, three, four.", "And back?"]);
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_call_that_was_cut_is_not_made_and_asked_for_again() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let half = ToolCall::new("c1", "pin", r#"{"text": "milk, br"#);
    let whole = ToolCall::new("c2", "pin", json!({ "text": "milk, bread" }));
    model.push(Reply::tool_calls([half]).finishing("length"));
    model.push(Reply::tool_calls([whole]));
    model.push(Reply::text("Noted."));
    let turn = told(&rest, &session, json!({ "message": "Pin my shopping list: milk and bread." })).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("Noted.")), "{turn}");
    let called: Vec<_> = steps(&turn, "tool_call").iter().map(|call| call["call_id"].clone()).collect();
    assert_eq!(called, [json!("c2")]);
}

#[tokio::test]
async fn budgets_are_kept_and_the_user_may_let_it_go_on() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "max_steps": 1 } })).await;
    model.push(Reply::text("One, two, th").finishing("length"));
    let turn = told(&rest, &session, json!({ "message": "Count to four, please." })).await;
    assert_eq!((&turn["text"], &turn["response"]["stop_reason"]), (&json!("One, two, th"), &json!("length")));
    assert_eq!(model.requests().len(), 1);
    // Without the cut answer before it, this message would start media playback in the home.
    let turn = told(&rest, &session, json!({ "message": "Please continue." })).await;
    assert_eq!(turn["response"]["model"], "openai/gpt-4.1-mini", "{turn}");
    let told = &last(&model).said()[1];
    assert!(told.starts_with("One, two, th [Cut off here: "), "{told}");
}

#[tokio::test]
async fn a_client_that_sets_the_length_gets_no_more_than_that() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::text("One, two, th").finishing("length"));
    let settings = json!({ "max_output_tokens": 4 });
    let turn = told(&rest, &session, json!({ "message": "Count to four, please.", "model_settings": settings })).await;
    assert_eq!((&turn["text"], &turn["response"]["stop_reason"]), (&json!("One, two, th"), &json!("length")));
    assert_eq!(model.requests().len(), 1, "it is not continued");
}

/// The text before the cut is a finished round: a restart neither repeats nor loses a word.
#[tokio::test]
async fn a_restart_in_between_neither_doubles_nor_loses_words() {
    let model = testkit::ModelServer::start().await;
    let program = program().with_model(&model);
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::text("One, two, th").finishing("length"));
    model.push(Reply::text("ree, four.").stall_after(1));
    let turn_id = rest.send(&session, "Count to four, please.").await;
    model.until(|model| model.requests().len() == 2).await;
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    socket.until(|event| event["data"]["delta"].as_str().is_some_and(|delta| delta.contains("ree,"))).await;
    drop(socket);
    server.kill().await;
    model.push(Reply::text("ree, four."));
    let server = program.start().await;
    let turn = server.rest().ended(&turn_id).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("One, two, three, four.")), "{turn}");
    let said = last(&model).said();
    assert!(said[1] == "One, two, th" && said[2].starts_with(GO_ON), "{said:?}");
}
