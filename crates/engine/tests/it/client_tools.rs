//! Client tools: what a model sees, how a turn waits, and who may answer.

use std::time::Duration;

use engine::{Error, Options};
use model::ToolRequirement;
use protocol::{
    Body, CallStatus, ChatSend, ClientResult, ClientTool, ClientToolOffer, Code, OnBusy, Origin, Problem, SessionId,
    Step, ToolAnswer, ToolChoice, TurnId, TurnStatus,
};
use serde_json::json;
use session::Refusal;

use crate::{
    harness::{Harness, SECRET, options, owner},
    test_tools::note,
};

fn tool(name: &str) -> ClientTool {
    ClientTool { name: name.to_owned(), description: "Looks.".to_owned(), input_schema: json!({ "type": "object" }) }
}

fn offering(message: &str) -> ChatSend {
    ChatSend { tools: vec![tool("look"), tool("listen")], ..ChatSend::text(message) }
}

fn results(turn_id: TurnId, told: &[(&str, &str)]) -> ToolAnswer {
    let result = |(call_id, content): &(&str, &str)| ClientResult {
        call_id: (*call_id).to_owned(),
        content: (*content).to_owned(),
        is_error: false,
    };
    ToolAnswer { turn_id, results: told.iter().map(result).collect(), offer: None }
}

/// A turn that waits for the result of the client's tool `look`.
async fn waiting(harness: &Harness) -> (SessionId, TurnId) {
    let session = harness.start().await;
    let turn = harness.send(session, offering("What do you see?")).await.unwrap();
    harness.model.call().await.use_tools(&[("c1", "look", note("up"))]);
    assert_eq!(harness.settled(turn).await.status, TurnStatus::Waiting);
    (session, turn)
}

#[tokio::test]
async fn the_model_is_shown_both_and_the_turn_waits_without_a_place() {
    let harness = Harness::with(Options { agents_max: 1, ..options() });
    let session = harness.start().await;
    let turn = harness.send(session, offering("What do you see?")).await.unwrap();
    let first = harness.model.call().await;
    assert!(first.tools().contains(&"page") && first.tools().contains(&"look"), "{:?}", first.tools());
    first.use_tools(&[("c1", "look", note("up")), ("c2", "page", note("a cat")), ("c3", "listen", note("left"))]);
    let waiting = harness.settled(turn).await;
    let ids: Vec<&str> = waiting.calls_waiting.iter().map(|call| call.call_id.as_str()).collect();
    assert_eq!((ids, harness.tool_runs.begun()), (vec!["c1", "c3"], vec!["page a cat".to_owned()]));

    let other = harness.start().await;
    let meanwhile = harness.say(other, "Hello there.").await;
    harness.model.call().await.answer("Hello.");
    assert_eq!(harness.ended(meanwhile).await.status, TurnStatus::Completed, "there is a place for others");

    harness.hub.answer_calls(&harness.ada, results(turn, &[("c3", "birds"), ("c1", "clouds")])).await.unwrap();
    let second = harness.model.call().await;
    assert_eq!(second.lines()[4..], ["= c1 clouds", r#"= c2 {"said":"a cat"}"#, "= c3 birds"]);
    second.answer("Clouds, and birds.");
    assert_eq!(harness.ended(turn).await.text, "Clouds, and birds.");
}

#[tokio::test]
async fn a_turn_of_another_owner_is_not_found() {
    let harness = Harness::new();
    let (_, turn) = waiting(&harness).await;
    let told = harness.hub.answer_calls(&owner("eve"), results(turn, &[("c1", "lies")])).await;
    assert_eq!(told, Err(Error::NoTurn));
    assert_eq!(Problem::from(Error::NoTurn).code, Code::NotFound);
    assert_eq!(harness.turn(turn).await.calls_waiting.len(), 1);
}

#[tokio::test]
async fn a_restart_between_the_call_and_its_result_changes_nothing() {
    let harness = Harness::new();
    let (session, turn) = waiting(&harness).await;
    let harness = harness.restart().await;
    let kept = harness.settled(turn).await;
    assert_eq!((kept.reason.as_deref(), kept.calls_waiting.len()), (Some("client_tools"), 1));
    harness.hub.answer_calls(&harness.ada, results(turn, &[("c1", "clouds")])).await.unwrap();
    let second = harness.model.call().await;
    assert_eq!(second.lines()[2..], ["= c1 clouds"]);
    second.answer("Clouds.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(harness.model.calls(), 1, "nothing was asked anew");
    let again = harness.hub.answer_calls(&harness.ada, results(turn, &[("c1", "rain")])).await.unwrap();
    assert!(again.duplicate, "also once it has ended");
    let told = harness.journal(session).await;
    let told = told.iter().filter(|event| matches!(event.body, Body::Step(Step::ToolResult(_))));
    assert_eq!(told.count(), 1);
}

#[tokio::test]
async fn a_client_result_is_untrusted_redacted_and_shortened() {
    let harness = Harness::new();
    let (_, turn) = waiting(&harness).await;
    let long = format!("{SECRET} {}", "x".repeat(200_000));
    harness.hub.answer_calls(&harness.ada, results(turn, &[("c1", &long)])).await.unwrap();
    harness.model.call().await.answer("Much.");
    let ended = harness.ended(turn).await;
    let told = ended.steps.iter().find_map(|step| match step {
        Step::ToolResult(result) => Some(result),
        _ => None,
    });
    let told = told.unwrap();
    assert!(!told.content.contains(SECRET) && told.content.len() < 100_000, "{}", told.content.len());
    assert_eq!((told.origin, told.status, told.tool.as_str()), (Origin::Untrusted, CallStatus::Ok, "look"));
    assert!(told.artifact_id.is_some(), "the whole of it is kept");
}

#[tokio::test]
async fn who_is_waited_for_in_vain_is_told_so_and_comes_too_late() {
    let harness = Harness::with(Options { client_wait: Duration::from_millis(30), ..options() });
    let (_, turn) = waiting(&harness).await;
    let mut ended = harness.turn(turn).await;
    while ended.status == TurnStatus::Waiting {
        tokio::time::sleep(Duration::from_millis(5)).await;
        ended = harness.turn(turn).await;
    }
    assert_eq!(ended.status, TurnStatus::Expired);
    assert_eq!(ended.reason.as_deref(), Some("the client did not send the results of `look` in time"));
    let late = harness.hub.answer_calls(&harness.ada, results(turn, &[("c1", "clouds")])).await;
    assert_eq!(late, Err(Error::Refused(Refusal::AlreadyFinal)));
}

#[tokio::test]
async fn a_message_in_between_is_told_after_the_results() {
    let harness = Harness::new();
    let (session, turn) = waiting(&harness).await;
    let steering = ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text("In one word, please.") };
    assert_eq!(harness.send(session, steering).await.unwrap(), turn);
    assert_eq!(harness.turn(turn).await.status, TurnStatus::Waiting);
    harness.hub.answer_calls(&harness.ada, results(turn, &[("c1", "clouds")])).await.unwrap();
    let second = harness.model.call().await;
    assert_eq!(second.lines()[2..], ["= c1 clouds", "> In one word, please."]);
    second.answer("Clouds.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn cancelling_what_waits_closes_its_calls() {
    let harness = Harness::new();
    let (session, turn) = waiting(&harness).await;
    harness.hub.cancel_turn(&harness.ada, turn, None).await.unwrap();
    assert_eq!(harness.turn(turn).await.status, TurnStatus::Cancelled);
    harness.say(session, "Hello again.").await;
    let told = harness.model.call().await.lines();
    assert!(told.iter().any(|line| line.starts_with("= c1 The call was handed to the client")), "{told:?}");
}

#[tokio::test]
async fn what_is_offered_can_change_with_an_answer() {
    let harness = Harness::new();
    let (_, turn) = waiting(&harness).await;
    let offer = ClientToolOffer { tools: vec![tool("smell")], ..ClientToolOffer::default() };
    let answer = ToolAnswer { offer: Some(offer), ..results(turn, &[("c1", "clouds")]) };
    harness.hub.answer_calls(&harness.ada, answer).await.unwrap();
    let second = harness.model.call().await;
    assert!(second.tools().contains(&"smell") && !second.tools().contains(&"look"), "{:?}", second.tools());
    second.answer("Clouds.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn a_choice_is_passed_on_until_another_is_made() {
    let harness = Harness::new();
    let session = harness.start().await;
    let forced = ChatSend { tool_choice: ToolChoice::Required, ..offering("What do you see?") };
    let turn = harness.send(session, forced).await.unwrap();
    let first = harness.model.call().await;
    assert_eq!((&first.prompt.choice, first.tools()), (&ToolRequirement::Some, vec!["look", "listen"]));
    first.use_tools(&[("c1", "look", note("up"))]);
    harness.settled(turn).await;
    let auto = ToolAnswer { offer: Some(offering("").offer()), ..results(turn, &[("c1", "clouds")]) };
    harness.hub.answer_calls(&harness.ada, auto).await.unwrap();
    let second = harness.model.call().await;
    assert_eq!(second.prompt.choice, ToolRequirement::Free);
    assert!(second.tools().contains(&"page"));
    second.answer("Clouds.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn what_the_server_denies_is_not_shown_and_names_of_what_acts_are_not_taken() {
    let harness = Harness::new();
    let session = harness.start_with(protocol::SessionStart {
        policy: Some(protocol::Policy { deny: vec!["look".to_owned()], ..protocol::Policy::default() }),
        ..protocol::SessionStart::default()
    });
    let session = session.await;
    let turn = harness.send(session, offering("What do you see?")).await.unwrap();
    let first = harness.model.call().await;
    assert!(first.tools().contains(&"listen") && !first.tools().contains(&"look"), "{:?}", first.tools());
    first.use_tools(&[("c1", "look", note("up"))]);
    let second = harness.model.call().await;
    assert!(second.lines()[2].starts_with("= c1 there is no tool"), "{:?}", second.lines());
    second.answer("Nothing.");
    harness.ended(turn).await;

    let taken = ChatSend { tools: vec![tool("lamp")], ..ChatSend::text("Light it.") };
    let refused = harness.send(session, taken).await;
    assert!(matches!(&refused, Err(Error::Invalid(why)) if why.contains("`lamp`")), "{refused:?}");
}
