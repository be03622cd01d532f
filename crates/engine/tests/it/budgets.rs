//! A turn whose budget is exhausted ends with what it has, and says which budget it was.

use protocol::{
    Body, Budgets, CallStatus, ChatSend, ObservationKind, PlannerHints, SessionId, SessionStart, TurnStatus, TurnView,
};

use crate::{
    driven_model::ModelCall,
    harness::Harness,
    steps::{observed, results},
    test_tools::note,
};

async fn session_with(harness: &Harness, budgets: Budgets) -> SessionId {
    harness.start_with(SessionStart { budgets: Some(budgets), ..SessionStart::default() }).await
}

/// The model is called once more, without tools, and answers.
async fn wrapped_up(harness: &Harness, send: ChatSend, session: SessionId, rounds: usize) -> (ModelCall, TurnView) {
    let turn = harness.send(session, send).await.unwrap();
    for round in 0..rounds {
        let id = format!("c{round}");
        harness.model.call().await.use_tools(&[(&id, "page", note("a cat"))]);
    }
    let last = harness.model.call().await;
    last.answer("It is a cat, as far as I know.");
    let turn = harness.ended(turn).await;
    (last, turn)
}

fn check_wrapped_up(last: &ModelCall, turn: &TurnView, reason: &str, in_words: &str) {
    assert!(last.tools().is_empty(), "it is shown no tools: {:?}", last.tools());
    assert!(last.prompt.system.contains(in_words), "{}", last.prompt.system);
    assert!(last.lines().join(" ").contains("a cat"), "it is told what was found: {:?}", last.lines());
    assert_eq!((turn.status, turn.reason.as_deref()), (TurnStatus::Completed, Some(reason)));
    assert_eq!(turn.text, "It is a cat, as far as I know.");
    assert_eq!(observed(turn)[0].kind, ObservationKind::BudgetSpent);
}

fn question() -> ChatSend {
    ChatSend::text("What is on the page?")
}

#[tokio::test]
async fn steps() {
    let harness = Harness::new();
    let session = session_with(&harness, Budgets { max_steps: 2, ..Budgets::default() }).await;
    let (last, turn) = wrapped_up(&harness, question(), session, 2).await;
    check_wrapped_up(&last, &turn, "step_budget", "the step budget");
    assert_eq!(harness.tool_runs.begun().len(), 2);
}

#[tokio::test]
async fn steps_of_the_request() {
    let harness = Harness::new();
    let session = harness.start().await;
    let send = ChatSend { max_steps: Some(1), ..question() };
    let (last, turn) = wrapped_up(&harness, send, session, 1).await;
    check_wrapped_up(&last, &turn, "step_budget", "the step budget");
}

#[tokio::test]
async fn depth_of_the_hints() {
    let harness = Harness::new();
    let session = harness.start().await;
    let hints = PlannerHints { max_depth: Some(1), ..PlannerHints::default() };
    let send = ChatSend { planner_hints: Some(hints), ..question() };
    let (last, turn) = wrapped_up(&harness, send, session, 1).await;
    check_wrapped_up(&last, &turn, "step_budget", "the step budget");
}

#[tokio::test]
async fn tool_calls() {
    let harness = Harness::new();
    let session = session_with(&harness, Budgets { max_tool_calls: 1, ..Budgets::default() }).await;
    let turn = harness.send(session, question()).await.unwrap();
    harness.model.call().await.use_tools(&[("c1", "page", note("a cat")), ("c2", "page", note("a dog"))]);
    let last = harness.model.call().await;
    last.answer("It is a cat, as far as I know.");

    let turn = harness.ended(turn).await;
    check_wrapped_up(&last, &turn, "tool_call_budget", "the tool call budget");
    assert_eq!(harness.tool_runs.begun(), ["page a cat"]);
    let refused = results(&turn).into_iter().find(|result| result.call_id == "c2").unwrap();
    assert_eq!(refused.status, CallStatus::Denied);
}

/// Tokens of the prompt in the first round of this question.
async fn prompt_tokens(harness: &Harness) -> u64 {
    let session = harness.start().await;
    harness.exchange(session, &question().message, "A cat.").await;
    let journal = harness.journal(session).await;
    let used = journal.into_iter().find_map(|event| match event.body {
        Body::MemoryUsed(used) => Some(used.tokens),
        _ => None,
    });
    used.unwrap()
}

#[tokio::test]
async fn tokens() {
    let harness = Harness::new();
    // Enough for the first round and its answer, and no more.
    let max_tokens = prompt_tokens(&harness).await + 256;
    let session = session_with(&harness, Budgets { max_tokens, ..Budgets::default() }).await;
    let (last, turn) = wrapped_up(&harness, question(), session, 1).await;
    check_wrapped_up(&last, &turn, "token_budget", "the token budget");
    assert!(last.prompt.output_tokens_max.unwrap() < max_tokens);
}

/// Also if a model ignores the limit on its answer.
#[tokio::test]
async fn tokens_in_the_middle_of_an_answer() {
    let harness = Harness::new();
    let max_tokens = prompt_tokens(&harness).await + 300;
    let session = session_with(&harness, Budgets { max_tokens, ..Budgets::default() }).await;
    let turn = harness.send(session, question()).await.unwrap();
    let call = harness.model.call().await;
    for _ in 0..1_000 {
        call.say("A cat and another cat. ");
    }
    call.dropped().await;
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.reason.as_deref()), (TurnStatus::Completed, Some("token_budget")));
    assert!(
        "A cat and another cat. ".repeat(1_000).starts_with(&turn.text) && turn.text.len() < 4_000,
        "{}",
        turn.text
    );
}

#[tokio::test]
async fn tokens_that_are_not_even_enough_to_ask() {
    let harness = Harness::new();
    let session = session_with(&harness, Budgets { max_tokens: 50, ..Budgets::default() }).await;
    let turn = harness.send(session, question()).await.unwrap();
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.reason.as_deref()), (TurnStatus::Completed, Some("token_budget")));
    assert_eq!(turn.text, "I had to stop here: the token budget ran out.");
    assert_eq!(harness.model.calls(), 0);
}

#[tokio::test]
async fn time() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.send(session, ChatSend { time_budget_ms: Some(1_000), ..question() }).await.unwrap();
    harness.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    let hanging = harness.model.call().await;
    hanging.dropped().await;

    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.reason.as_deref()), (TurnStatus::Expired, Some("time_budget")));
    assert!(turn.text.contains("the time ran out") && turn.text.contains("a cat"), "{}", turn.text);
    assert_eq!(turn.response.unwrap().message, turn.text);
}

#[tokio::test]
async fn time_while_a_tool_runs() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.send(session, ChatSend { time_budget_ms: Some(1_500), ..question() }).await.unwrap();
    harness.model.call().await.use_tools(&[("c1", "lamp", note("on"))]);
    let turn = harness.ended(turn).await;
    assert_eq!(turn.status, TurnStatus::Expired);
    let result = results(&turn)[0];
    assert_eq!(result.status, CallStatus::Cancelled, "no call is left without a result");
    assert!(result.content.contains("may have taken effect"), "{}", result.content);
}

/// If the last model call fails, the partial results are the answer.
#[tokio::test]
async fn what_was_found_is_given_also_when_the_model_fails_at_the_end() {
    let harness = Harness::new();
    let session = session_with(&harness, Budgets { max_steps: 1, ..Budgets::default() }).await;
    let turn = harness.send(session, question()).await.unwrap();
    harness.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    let refusal = model::Error::Refused { provider: "driven".to_owned(), status: 400, message: "no".to_owned() };
    harness.model.call().await.refuse(refusal);
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.reason.as_deref()), (TurnStatus::Completed, Some("step_budget")));
    assert!(turn.text.contains("a cat"), "{}", turn.text);
}

#[tokio::test]
async fn tools_to_be_avoided_are_not_shown_and_the_preferred_come_first() {
    let harness = Harness::new();
    let session = harness.start().await;
    let hints = PlannerHints {
        avoid_tools: vec!["lamp".to_owned()],
        prefer_tools: vec!["page".to_owned()],
        ..PlannerHints::default()
    };
    harness.send(session, ChatSend { planner_hints: Some(hints), ..question() }).await.unwrap();
    let call = harness.model.call().await;
    assert_eq!(call.tools()[0], "page");
    assert!(call.tools().contains(&"calculator") && !call.tools().contains(&"lamp"), "{:?}", call.tools());
}

#[tokio::test]
async fn without_tools_none_is_shown_and_none_runs() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.send(session, ChatSend { allow_tools: false, ..question() }).await.unwrap();
    let first = harness.model.call().await;
    assert!(first.tools().is_empty());
    first.use_tools(&[("c1", "page", note("a cat"))]);
    let second = harness.model.call().await;
    let told = second.lines().join(" ");
    assert!(told.contains("`page` is not available in this turn. There are none."), "{told}");
    second.answer("I cannot look.");
    assert_eq!(harness.ended(turn).await.text, "I cannot look.");
    assert!(harness.tool_runs.begun().is_empty());
}

#[tokio::test]
async fn a_call_that_the_plan_makes_is_no_step_of_the_model() {
    let harness = Harness::new();
    let session = harness.start().await;
    let send = ChatSend { max_steps: Some(1), ..ChatSend::text("My name is Ada.") };
    let turn = harness.send(session, send).await.unwrap();
    harness.model.call().await.answer("Hello, Ada.");
    assert_eq!(harness.ended(turn).await.reason, None);
}
