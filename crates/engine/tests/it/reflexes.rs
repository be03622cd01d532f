//! Turns without a model, and the context of the home in prompts.

use protocol::{
    Body, CallStatus, ChatSend, Citation, OnBusy, Policy, SessionEnd, SessionId, SessionStart, Stage, TurnStatus,
};

use crate::{harness::Harness, steps::results};

async fn answered(harness: &Harness, session: SessionId, message: &str) -> String {
    let turn = harness.say(session, message).await;
    harness.ended(turn).await.response.unwrap().message
}

#[tokio::test]
async fn a_reflex_is_a_turn_like_any_other_with_no_model_in_it() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "!lamp on").await;
    let turn = harness.ended(turn).await;
    let response = turn.response.clone().unwrap();
    assert_eq!((response.message.as_str(), response.model.as_str()), (r#"did {"said":"switched on"}"#, "reflex"));
    assert_eq!(results(&turn)[0].status, CallStatus::Ok);
    let stages: Vec<(Stage, String)> = harness
        .journal(session)
        .await
        .into_iter()
        .filter_map(|event| match event.body {
            Body::TurnStage(entered) => Some((entered.stage, entered.detail.unwrap_or_default().to_string())),
            _ => None,
        })
        .collect();
    let names: Vec<Stage> = stages.iter().map(|(stage, _)| *stage).collect();
    assert_eq!(names, [Stage::Receive, Stage::Understand, Stage::Plan, Stage::Execute, Stage::Complete]);
    assert!(stages[1].1.contains(r#""by":"reflex""#) && stages[1].1.contains(r#""intent":"lamp""#), "{}", stages[1].1);
    assert!(stages[2].1.contains(r#""way":"reflex""#), "{}", stages[2].1);
    assert_eq!(harness.model.calls(), 0, "no model was called");
    assert_eq!(harness.hub.stats().ways.get("reflex"), Some(&1));
}

#[tokio::test]
async fn what_needs_no_call_is_answered_at_once() {
    let harness = Harness::new();
    let session = harness.start().await;
    assert_eq!(answered(&harness, session, "!hello").await, "hello to you");
}

#[tokio::test]
async fn the_next_sentence_may_lean_on_it() {
    let harness = Harness::new();
    let session = harness.start().await;
    answered(&harness, session, "!lamp on").await;
    answered(&harness, session, "!again").await;
    assert_eq!(harness.tool_runs.begun(), ["lamp on", "lamp on"]);
}

#[tokio::test]
async fn the_next_turns_model_knows_what_was_done() {
    let harness = Harness::new();
    let session = harness.start().await;
    answered(&harness, session, "!lamp on").await;
    let turn = harness.say(session, "What did you just do?").await;
    let call = harness.model.call().await;
    let told = call.lines().join("\n");
    assert!(told.contains("!lamp on") && told.contains("switched on"), "{told}");
    call.answer("I switched the lamp on.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn policy_holds_for_reflexes_and_says_why() {
    let harness = Harness::new();
    let policy = Policy { deny: vec!["lamp".to_owned()], ..Policy::default() };
    let session = harness.start_with(SessionStart { policy: Some(policy), ..SessionStart::default() }).await;
    let told = answered(&harness, session, "!lamp on").await;
    assert!(told.starts_with("Denied") && told.contains("this session's policy"), "{told}");
    assert!(harness.tool_runs.begun().is_empty());
}

#[tokio::test]
async fn who_allows_no_tools_gets_no_reflex() {
    let harness = Harness::new();
    let session = harness.start().await;
    let send = ChatSend { allow_tools: false, ..ChatSend::text("!lamp on") };
    let turn = harness.send(session, send).await.unwrap();
    harness.model.call().await.answer("I may not.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert!(harness.tool_runs.begun().is_empty());
}

#[tokio::test]
async fn a_reflex_that_was_cut_off_goes_on_and_does_nothing_twice() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "!letter home").await;
    harness.tool_runs.until_begun(1).await;
    let harness = harness.restart().await;
    harness.tool_runs.release();
    let turn = harness.ended(turn).await;
    assert!(turn.response.unwrap().message.contains("posted home"));
    let done = harness.tool_runs.begun().len();
    assert!(done <= 2, "it was looked up before it was run again");
    assert_eq!(harness.model.calls(), 0, "it goes on the way it began");
}

#[tokio::test]
async fn what_is_around_is_told_once_and_then_only_what_has_changed() {
    let harness = Harness::new();
    "off".clone_into(&mut harness.home_context.lamp.lock().unwrap());
    let session = harness.start().await;
    let turn = harness.say(session, "What about the lantern?").await;
    let first = harness.model.call().await;
    assert!(first.prompt.system.contains("There is a lantern. It was off."), "{}", first.prompt.system);
    first.answer("It is off.");
    harness.ended(turn).await;
    "on".clone_into(&mut harness.home_context.lamp.lock().unwrap());
    let turn = harness.say(session, "And now, please?").await;
    let second = harness.model.call().await;
    assert!(second.prompt.system.contains("It was off."), "the list stays as it was: {}", second.prompt.system);
    assert!(second.notes().iter().any(|(_, note)| note.contains("The lantern is on.")), "{:?}", second.notes());
    second.answer("It is on.");
    harness.ended(turn).await;
    let journal = harness.journal(session).await;
    let bases = journal.iter().filter(|event| matches!(event.body, Body::EntityBase(_))).count();
    assert_eq!(bases, 1);
    let told = journal.iter().filter_map(|event| match &event.body {
        Body::MemoryUsed(used) => Some(used.entities.as_str()),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), ["", "The lantern is on."]);
}

#[tokio::test]
async fn the_list_outlives_a_restart_and_ends_with_a_new_beginning() {
    let harness = Harness::new();
    "off".clone_into(&mut harness.home_context.lamp.lock().unwrap());
    let session = harness.start().await;
    harness.exchange(session, "What about the lantern?", "It is off.").await;
    let harness = harness.restart().await;
    "on".clone_into(&mut harness.home_context.lamp.lock().unwrap());
    let turn = harness.say(session, "And now, please?").await;
    let call = harness.model.call().await;
    assert!(call.prompt.system.contains("It was off."), "{}", call.prompt.system);
    call.answer("It is on.");
    harness.ended(turn).await;
    harness.hub.reset(&harness.ada, SessionEnd { session: session.into(), reason: None, version: None }).await.unwrap();
    let turn = harness.say(session, "Tell me something.").await;
    let call = harness.model.call().await;
    assert!(!call.prompt.system.contains("lantern"), "{}", call.prompt.system);
    call.answer("Something.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn an_answer_cites_the_sources_it_names() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Please use the archive and tell me.").await;
    harness.model.call().await.use_tools(&[("c1", "archive", crate::test_tools::note("x"))]);
    harness.model.call().await.answer("It rained [book:2], and later [book:9] it did not. [book:1]");
    let citations = harness.ended(turn).await.response.unwrap().citations;
    let cite = |source: &str, title: &str| Citation::of(title, source);
    assert_eq!(citations, [cite("book:2", "Second book"), cite("book:1", "First book")], "what is no source is none");
}

#[tokio::test]
async fn a_message_while_a_reflex_acts_is_answered_by_a_model_with_all_its_tools() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "!lamp on").await;
    harness.tool_runs.until_begun(1).await;
    let steering = ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text("And read the page to me.") };
    assert_eq!(harness.send(session, steering).await.unwrap(), turn);
    harness.tool_runs.release();
    let call = harness.model.call().await;
    let told = call.lines().join("\n");
    assert!(told.contains("switched on") && told.contains("> And read the page to me."), "{told}");
    assert!(["lamp", "page"].iter().all(|tool| call.tools().contains(tool)), "{:?}", call.tools());
    call.answer("It says hello.");
    assert!(harness.ended(turn).await.text.ends_with("It says hello."));
}
