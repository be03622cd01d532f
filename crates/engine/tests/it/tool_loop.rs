//! The model calls tools until it has an answer.

use engine::Delivery;
use protocol::{Body, CallStatus, LiveUpdate, Origin, PageRequest, Step, TurnStatus};
use serde_json::{Value, json};

use crate::{
    harness::Harness,
    steps::{calls, plans, results},
    test_tools::note,
};

#[tokio::test]
async fn a_call_and_its_result_go_back_to_the_model() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (turn, second) = harness.call(session, "page", "a cat").await;
    assert_eq!(second.lines(), ["> Please use the page.", r#"! c1 page {"note":"a cat"}"#, r#"= c1 {"said":"a cat"}"#]);
    second.answer("It is a cat.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Completed, "It is a cat."));
    assert_eq!((turn.stats.rounds, turn.stats.tool_calls), (1, 1));
    assert_eq!(turn.stats.usage.tokens(), 20, "both rounds count");
}

#[tokio::test]
async fn the_next_turn_is_told_of_the_call() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (turn, second) = harness.call(session, "page", "a cat").await;
    second.answer("It is a cat.");
    harness.ended(turn).await;
    harness.say(session, "What colour is it?").await;
    let mut told = second.lines();
    told.extend(["< It is a cat.".to_owned(), "> What colour is it?".to_owned()]);
    assert_eq!(harness.model.call().await.lines(), told);
}

#[tokio::test]
async fn calls_that_only_look_run_together_and_their_results_come_in_order() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "Compare the two pages.").await;
    let first = harness.model.call().await;
    first.use_tools(&[("c1", "page", note("cats")), ("c2", "page", note("dogs"))]);

    harness.tool_runs.until_begun(2).await;
    assert_eq!(harness.model.calls(), 1, "both results come before the next round");
    harness.tool_runs.release();

    let second = harness.model.call().await;
    assert_eq!(second.lines()[3..], [r#"= c1 {"said":"cats"}"#, r#"= c2 {"said":"dogs"}"#]);
    second.answer("Cats are smaller.");
    assert_eq!(harness.ended(turn).await.stats.tool_calls, 2);
}

#[tokio::test]
async fn calls_that_act_run_one_after_the_other() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "Switch on both lamps.").await;
    let first = harness.model.call().await;
    first.use_tools(&[("c1", "lamp", note("left")), ("c2", "lamp", note("right"))]);
    harness.tool_runs.until_begun(1).await;
    harness.store.looked(2).await;
    assert_eq!(harness.tool_runs.begun(), ["lamp left"]);

    harness.tool_runs.release();
    harness.model.call().await.answer("Both are on.");
    harness.ended(turn).await;
    assert_eq!(harness.tool_runs.begun(), ["lamp left", "lamp right"]);
}

#[tokio::test]
async fn a_call_is_in_the_journal_before_it_runs() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    harness.say(session, "Switch on the lamp.").await;
    harness.model.call().await.use_tools(&[("c1", "lamp", note("on"))]);
    harness.tool_runs.until_begun(1).await;
    let journal = harness.journal(session).await;
    let is_intent = |body: &Body| matches!(body, Body::Step(Step::ToolCall(call)) if call.call_id == "c1");
    assert!(journal.iter().any(|event| is_intent(&event.body)), "{journal:?}");
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_answered_with_those_that_do() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (turn, second) = harness.call(session, "lampe", "on").await;
    let told = second.lines().pop().unwrap();
    assert!(told.contains("there is no tool `lampe`; did you mean `lamp`?"), "{told}");
    second.answer("I see.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, results(&turn)[0].status), (TurnStatus::Completed, CallStatus::Error));
    assert_eq!(calls(&turn).len(), 0, "nothing ran");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_answered_with_those_that_would() {
    for (arguments, what) in [
        (json!("{\"note\": "), "not valid JSON"),
        (json!({ "text": "on" }), "unknown field"),
        (json!([1]), "a JSON object"),
        (Value::Null, "note"),
    ] {
        let harness = Harness::new();
        let session = harness.start().await;
        let turn = harness.say(session, "Switch on the lamp.").await;
        harness.model.call().await.use_tools(&[("c1", "lamp", arguments)]);
        let second = harness.model.call().await;
        let told = second.lines().pop().unwrap();
        assert!(told.contains(what) && told.contains("`lamp` needs `note` (string)"), "{told}");
        second.answer("I see.");
        assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
        assert!(harness.tool_runs.begun().is_empty());
    }
}

#[tokio::test]
async fn a_tool_that_fails_or_breaks_down_does_not_end_the_turn() {
    for (how, what) in [("no paper", "broken: no paper"), ("panic", "`broken` crashed")] {
        let harness = Harness::new();
        let session = harness.start().await;
        let (turn, second) = harness.call(session, "broken", how).await;
        let told = second.lines().pop().unwrap();
        assert!(told.contains(what) && !told.contains("as the test wants"), "{told}");
        second.answer("It does not work.");
        let turn = harness.ended(turn).await;
        assert_eq!((turn.status, turn.stats.errors), (TurnStatus::Completed, 1));
    }
}

#[tokio::test]
async fn a_large_result_is_kept_beside_the_conversation() {
    let harness = Harness::new();
    let session = harness.start().await;
    let long = "many words ".repeat(2_000);
    let (turn, second) = harness.call(session, "page", &long).await;
    let told = second.lines().pop().unwrap();
    assert!(told.len() < 8_000 && told.contains("left out"), "{} bytes", told.len());
    second.answer("It is long.");

    let turn = harness.ended(turn).await;
    let id = results(&turn)[0].artifact_id.unwrap();
    assert!(told.contains(&id.to_string()), "the model is told where the whole is");
    let (view, bytes) = harness.hub.artifact(&harness.ada, id).await.unwrap();
    assert_eq!((view.origin, view.turn_id), (Origin::Untrusted, Some(turn.turn_id)));
    assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap()["said"], long.as_str());
    assert_eq!(turn.response.unwrap().artifacts, [id]);
    let listed = harness.hub.artifacts(&harness.ada, &session.into(), &PageRequest::default()).await.unwrap().data;
    assert_eq!(listed, [view]);
}

#[tokio::test]
async fn words_before_and_after_a_call_are_one_answer() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "What is on the page?").await;
    let first = harness.model.call().await;
    first.say("Let me look.");
    first.use_tools(&[("c1", "page", note("a cat"))]);
    let second = harness.model.call().await;
    assert_eq!(second.lines()[1], "< Let me look.");
    second.answer("It is a cat.");

    follower.until_ended(turn).await;
    assert_eq!(follower.text(turn), "Let me look.\n\nIt is a cat.");
    let turn = harness.turn(turn).await;
    assert_eq!(turn.response.unwrap().message, "Let me look.\n\nIt is a cat.");
    harness.say(session, "Thank you very much.").await;
    let told = harness.model.call().await.lines();
    assert_eq!(told[4], "< It is a cat.", "the next turn is told it once: {told:?}");
}

#[tokio::test]
async fn calls_that_share_an_id_get_one_each() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Compare the pages.").await;
    let first = harness.model.call().await;
    first.use_tools(&[("c", "page", note("one")), ("c", "page", note("two")), ("", "page", note("three"))]);
    let second = harness.model.call().await;
    second.use_tools(&[("call_2_1", "page", note("four")), ("c", "page", note("five"))]);
    harness.model.call().await.answer("They are alike.");

    let turn = harness.ended(turn).await;
    let planned = plans(&turn).into_iter().flat_map(|plan| &plan.calls);
    let mut ids: Vec<&str> = planned.map(|call| call.call_id.as_str()).collect();
    let said: Vec<&str> = results(&turn).iter().map(|result| result.content.as_str()).collect();
    let expected = ["one", "two", "three", "four", "five"].map(|said| format!(r#"{{"said":"{said}"}}"#));
    assert_eq!(said, expected);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 5, "{ids:?}");
}

#[tokio::test]
async fn a_tool_says_how_far_it_is() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let (turn, second) = harness.call(session, "lamp", "on").await;
    let progress = loop {
        if let Delivery::Live(LiveUpdate::Progress(progress)) = follower.next().await {
            break progress;
        }
    };
    assert_eq!((progress.turn_id, progress.data.call_id.as_str()), (turn, "c1"));
    assert_eq!((progress.data.tool.as_str(), progress.data.message.as_str()), ("lamp", "switching"));
    second.answer("It is on.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn reasoning_is_told_apart_from_the_answer() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Why is the sky blue?").await;
    let call = harness.model.call().await;
    call.think("Let me think. ");
    call.think("Air scatters light.");
    call.answer("Because of the air.");
    follower.until_ended(turn).await;
    assert_eq!(follower.text(turn), "Because of the air.");
    let thoughts = follower.events().iter().filter_map(|event| match &event.body {
        Body::Thinking(range) => Some(range.delta.as_str()),
        _ => None,
    });
    assert_eq!(thoughts.collect::<String>(), "Let me think. Air scatters light.");
    let response = harness.turn(turn).await.response.unwrap();
    assert_eq!(response.reasoning_summary.as_deref(), Some("Let me think. Air scatters light."));
}
