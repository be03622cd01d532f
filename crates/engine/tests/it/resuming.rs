//! A turn that a restart interrupted continues from its last step: nothing is repeated, and its
//! text is kept.

use protocol::{OnRestart, Policy, SessionStart, Transition, TurnStatus, Update};

use crate::{
    harness::{Harness, resume},
    steps::results,
    subscriber::changes,
    test_tools::note,
};

#[tokio::test]
async fn a_finished_call_is_not_run_again_and_the_words_before_it_stand() {
    for tool in ["page", "lamp"] {
        let harness = Harness::new();
        let session = harness.start().await;
        let mut follower = harness.follow(session).await;
        let turn = harness.say(session, "Please see to it that I know.").await;
        let first = harness.model.call().await;
        first.say("Let me see.");
        first.use_tools(&[("c1", tool, note("on"))]);
        let second = harness.model.call().await;
        second.say("It is");
        follower.until_text(turn, "Let me see.\n\nIt is").await;
        drop(follower);

        let harness = harness.restart().await;

        let again = harness.model.call().await;
        assert_eq!(again.lines(), second.lines());
        let mut follower = harness.follow(session).await;
        again.answer("Now you know.");
        follower.until_ended(turn).await;
        assert_eq!(follower.text(turn), "Let me see.\n\nNow you know.");
        let ended = harness.turn(turn).await;
        assert_eq!((ended.status, ended.attempts), (TurnStatus::Completed, 2));
        assert_eq!(ended.text, "Let me see.\n\nNow you know.");
        assert_eq!(ended.response.unwrap().message, ended.text);
        assert_eq!(harness.tool_runs.begun().len(), 1, "{tool} ran once");
        let resumed = changes(follower.events(), turn).into_iter().find(|it| it.status == Transition::Resumed).unwrap();
        assert_eq!(resumed.text_offset, Some("Let me see.".len() as u64));
    }
}

#[tokio::test]
async fn a_call_that_changes_nothing_is_run_again() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "What is on the page?").await;
    harness.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    harness.tool_runs.until_begun(1).await;

    let harness = harness.restart().await;
    harness.tool_runs.release();

    let second = harness.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"a cat"}"#);
    second.answer("A cat.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(harness.tool_runs.begun(), ["page a cat", "page a cat"]);
}

#[tokio::test]
async fn of_two_calls_only_the_one_that_was_cut_off_is_run_again() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Please see to it that I know.").await;
    let first = harness.model.call().await;
    first.use_tools(&[("c1", "lamp", note("on"))]);
    let second = harness.model.call().await;
    harness.tool_runs.hold();
    second.use_tools(&[("c2", "page", note("a cat"))]);
    harness.tool_runs.until_begun(2).await;

    let harness = harness.restart().await;
    harness.tool_runs.release();

    harness.model.call().await.answer("Now you know.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(harness.tool_runs.begun(), ["lamp on", "page a cat", "page a cat"]);
}

#[tokio::test]
async fn what_all_attempts_took_is_counted() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (turn, _second) = harness.call(session, "page", "a cat").await;
    let harness = harness.restart().await;
    harness.model.call().await.answer("A cat.");
    let turn = harness.ended(turn).await;
    assert_eq!(turn.response.unwrap().usage.unwrap().tokens(), 20);
    assert_eq!(harness.view(session).await.stats.input_tokens, 14);
}

#[tokio::test]
async fn what_was_kept_before_belongs_to_the_answer() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (turn, _second) = harness.call(session, "page", &"many words ".repeat(2_000)).await;
    let harness = harness.restart().await;
    harness.model.call().await.answer("It is long.");
    let turn = harness.ended(turn).await;
    let kept = results(&turn)[0].artifact_id.unwrap();
    assert_eq!(turn.response.unwrap().artifacts, [kept]);
}

/// An interrupted call runs again only if policy still allows it.
#[tokio::test]
async fn what_policy_has_forbidden_since_is_not_run_again() {
    let harness = Harness::new();
    let policy = Policy { on_restart: OnRestart::Wait, ..Policy::default() };
    let session = harness.start_with(SessionStart { policy: Some(policy.clone()), ..SessionStart::default() }).await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "What is on the page?").await;
    harness.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    harness.tool_runs.until_begun(1).await;

    let harness = harness.restart().await;
    harness.tool_runs.release();
    let change = Update { policy: Some(Policy { deny: vec!["page".to_owned()], ..policy }), ..Update::default() };
    harness.hub.update(&harness.ada, &session.into(), change).await.unwrap();
    harness.hub.resume_turn(&harness.ada, resume(turn)).await.unwrap();

    let told = harness.model.call().await;
    assert!(told.asked().contains("denied by this session's policy"), "{}", told.asked());
    told.answer("I may not look.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(harness.tool_runs.begun(), ["page a cat"], "once, before the restart");
}
