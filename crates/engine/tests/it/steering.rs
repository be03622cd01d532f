//! A message that arrives while the agent is busy steers, forks or interrupts.

use protocol::{AgentId, Body, CancelOutcome, ChatSend, Event, Interrupt, OnBusy, SessionId, TurnId, TurnStatus};

use crate::{harness::Harness, steps::plans, test_tools::note};

fn steering(message: &str) -> ChatSend {
    ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text(message) }
}

fn forking(message: &str) -> ChatSend {
    ChatSend { on_busy: OnBusy::Fork, ..ChatSend::text(message) }
}

fn finals(events: &[Event]) -> usize {
    events.iter().filter(|event| matches!(event.body, Body::Final(_))).count()
}

#[tokio::test]
async fn a_message_while_a_tool_runs_is_told_in_the_next_round() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "What is on the page?").await;
    harness.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    harness.tool_runs.until_begun(1).await;

    let steered = harness.send(session, steering("Answer in one word, please.")).await.unwrap();
    assert_eq!(steered, turn);
    harness.tool_runs.release();

    let second = harness.model.call().await;
    let told = second.lines();
    assert_eq!(told[2..], [r#"= c1 {"said":"a cat"}"#, "> Answer in one word, please."]);
    second.answer("Cat.");
    assert_eq!(harness.ended(turn).await.text, "Cat.");
    assert_eq!(harness.view(session).await.stats.turns, 1);
}

#[tokio::test]
async fn a_message_while_the_answer_streams_is_answered_in_the_same_turn() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Tell me about cats.").await;
    let first = harness.model.call().await;
    first.say("They purr");
    follower.until_text(turn, "They purr").await;

    harness.send(session, steering("And about dogs.")).await.unwrap();
    first.answer(".");

    let second = harness.model.call().await;
    assert_eq!(second.lines(), ["> Tell me about cats.", "< They purr.", "> And about dogs."]);
    second.answer("They bark.");
    follower.until_ended(turn).await;
    assert_eq!(follower.text(turn), "They purr.\n\nThey bark.");
    let ended = harness.turn(turn).await;
    assert_eq!((ended.status, ended.text.as_str()), (TurnStatus::Completed, "They purr.\n\nThey bark."));
    assert_eq!((plans(&ended).len(), ended.stats.usage.tokens()), (1, 20));
    assert_eq!(finals(follower.events()), 1, "one turn, one answer");
    harness.say(session, "Thank you very much.").await;
    let told = harness.model.call().await.lines();
    assert_eq!(told[..3], ["> Tell me about cats.", "< They purr.", "> And about dogs."]);
    assert!(told[3].starts_with("< ") && told[3].ends_with("They bark."), "{told:?}");
}

#[tokio::test]
async fn a_message_that_comes_while_a_call_is_planned_comes_after_its_result() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "What is on the page?").await;
    let first = harness.model.call().await;
    harness.send(session, steering("Answer in one word, please.")).await.unwrap();
    first.use_tools(&[("c1", "page", note("a cat"))]);
    let second = harness.model.call().await;
    assert_eq!(second.lines()[2..], [r#"= c1 {"said":"a cat"}"#, "> Answer in one word, please."]);
    second.answer("Cat.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn a_message_that_steers_is_not_lost_by_a_restart() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Tell me about cats.").await;
    let _first = harness.model.call().await;
    harness.send(session, steering("And about dogs.")).await.unwrap();
    let harness = harness.restart().await;
    let again = harness.model.call().await;
    assert_eq!(again.lines(), ["> Tell me about cats.", "> And about dogs."]);
    again.answer("They purr, and they bark.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_message_that_steers_counts_once() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Tell me about cats.").await;
    let first = harness.model.call().await;
    let send = ChatSend { idempotency_key: Some("once".to_owned()), ..steering("And about dogs.") };
    let (once, again) = (harness.send(session, send.clone()).await.unwrap(), harness.send(session, send.clone()).await);
    assert_eq!((once, again), (turn, Ok(turn)));
    first.answer("They purr.");
    let second = harness.model.call().await;
    assert_eq!(second.lines().iter().filter(|line| line.contains("dogs")).count(), 1);
    second.answer("They bark.");
    harness.ended(turn).await;
    let later = harness.hub.send(&harness.ada, &session.into(), send).await.unwrap();
    assert!(later.duplicate && later.turn_id == turn, "also after the turn has ended");
}

#[tokio::test]
async fn steering_when_nothing_runs_is_a_turn_like_any_other() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.send(session, steering("Tell me about cats.")).await.unwrap();
    harness.model.call().await.answer("They purr.");
    assert_eq!(harness.ended(turn).await.text, "They purr.");
}

async fn fork(harness: &Harness, session: SessionId, message: &str) -> (TurnId, AgentId) {
    let accepted = harness.hub.send(&harness.ada, &session.into(), forking(message)).await.unwrap();
    (accepted.turn_id, accepted.agent_id)
}

#[tokio::test]
async fn a_fork_is_answered_beside_the_running_turn() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let main = harness.say(session, "Tell me a long story.").await;
    let main_call = harness.model.call().await;
    main_call.say("Once ");
    let (beside, agent) = fork(&harness, session, "What is on the page?").await;
    assert_eq!(agent, AgentId::ephemeral(beside, &protocol::MonitorId::primary()));
    let beside_call = harness.model.call().await;
    assert_eq!(beside_call.asked(), "What is on the page?");

    for (one, other) in [("upon ", "It "), ("a ", "is "), ("time.", "a cat.")] {
        main_call.say(one);
        beside_call.say(other);
    }
    beside_call.end();
    follower.until_ended(beside).await;
    assert!(main_call.is_open(), "the main agent goes on");
    main_call.end();
    follower.until_ended(main).await;

    assert_eq!(follower.text(main), "Once upon a time.");
    assert_eq!(follower.text(beside), "It is a cat.");
    assert_eq!(follower.events(), harness.journal(session).await);
    let agents = |turn| follower.events().iter().filter(move |it| it.turn_id == Some(turn)).map(|it| &it.agent_id);
    assert!(agents(main).all(|it| *it == Some(AgentId::main())));
    assert!(agents(beside).all(|it| *it == Some(AgentId::ephemeral(beside, &protocol::MonitorId::primary()))));
}

#[tokio::test]
async fn a_fork_goes_on_after_a_restart() {
    let harness = Harness::new();
    let session = harness.start().await;
    let main = harness.say(session, "Tell me a long story.").await;
    let (beside, agent) = fork(&harness, session, "What is on the page?").await;
    let harness = harness.restart().await;
    harness.model.answer_everything();
    assert_eq!(harness.ended(main).await.status, TurnStatus::Completed);
    let beside = harness.ended(beside).await;
    assert_eq!((beside.status, beside.agent_id), (TurnStatus::Completed, agent));
}

#[tokio::test]
async fn one_agent_can_be_interrupted_without_the_other() {
    let harness = Harness::new();
    let session = harness.start().await;
    let main = harness.say(session, "Tell me a long story.").await;
    let main_call = harness.model.call().await;
    let (beside, _) = fork(&harness, session, "What is on the page?").await;
    let beside_call = harness.model.call().await;
    let queued = harness.say(session, "And a short one.").await;

    let asked = Interrupt { session: session.into(), agent_id: Some(AgentId::main()) };
    let interrupted = harness.hub.interrupt(&harness.ada, asked).await.unwrap();

    assert_eq!((interrupted.status, interrupted.turn_ids), (CancelOutcome::Cancelled, vec![main]));
    main_call.dropped().await;
    assert!(beside_call.is_open());
    let next = harness.model.call().await;
    assert_eq!(next.asked(), "And a short one.");
    next.answer("The end.");
    assert_eq!(harness.ended(queued).await.status, TurnStatus::Completed);
    beside_call.answer("A cat.");
    assert_eq!(harness.ended(beside).await.status, TurnStatus::Completed);
    let main = harness.turn(main).await;
    assert_eq!((main.status, main.reason.as_deref()), (TurnStatus::Cancelled, Some("interrupted")));
}

#[tokio::test]
async fn all_agents_can_be_interrupted_at_once() {
    let harness = Harness::new();
    let session = harness.start().await;
    let main = harness.say(session, "Tell me a long story.").await;
    let (beside, _) = fork(&harness, session, "What is on the page?").await;
    let asked = Interrupt { session: session.into(), agent_id: None };
    let mut stopped = harness.hub.interrupt(&harness.ada, asked.clone()).await.unwrap().turn_ids;
    stopped.sort();
    assert_eq!(stopped, [main, beside]);
    assert_eq!(harness.hub.interrupt(&harness.ada, asked).await.unwrap().status, CancelOutcome::NotFound);
}

#[tokio::test]
async fn a_message_that_interrupts_closes_the_call_that_ran() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    harness.say(session, "Please see to the lamp.").await;
    harness.model.call().await.use_tools(&[("c1", "lamp", note("on"))]);
    harness.tool_runs.until_begun(1).await;
    let send = ChatSend { on_busy: OnBusy::Interrupt, ..ChatSend::text("Leave the lamp alone.") };
    let turn = harness.send(session, send).await.unwrap();
    let call = harness.model.call().await;
    let told = call.lines();
    assert!(told[2].starts_with("= c1 ") && told[2].contains("may have taken effect"), "{told:?}");
    assert_eq!(told[3..], ["< [No answer: the turn was cancelled.]", "> Leave the lamp alone."]);
    call.answer("All right.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_message_during_the_last_answer_of_a_spent_budget_is_answered_too() {
    let harness = Harness::new();
    let session = harness.start().await;
    let send = ChatSend { max_steps: Some(1), ..ChatSend::text("What is on the page?") };
    let turn = harness.send(session, send).await.unwrap();
    harness.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    let last = harness.model.call().await;
    harness.send(session, steering("And the dog?")).await.unwrap();
    last.answer("A cat.");
    let again = harness.model.call().await;
    assert_eq!(again.asked(), "And the dog?");
    again.answer("No dog.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.text.as_str(), turn.reason.as_deref()), ("A cat.\n\nNo dog.", Some("step_budget")));
}

#[tokio::test]
async fn sending_a_fork_again_names_the_same_agent_also_when_it_has_ended() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.say(session, "Tell me a long story.").await;
    let _story = harness.model.call().await;
    let send = ChatSend { idempotency_key: Some("k".to_owned()), ..forking("What is it?") };
    let first = harness.hub.send(&harness.ada, &session.into(), send.clone()).await.unwrap();
    harness.model.call().await.answer("A cat.");
    harness.ended(first.turn_id).await;
    let again = harness.hub.send(&harness.ada, &session.into(), send).await.unwrap();
    assert_eq!((again.turn_id, again.agent_id), (first.turn_id, first.agent_id));
}
