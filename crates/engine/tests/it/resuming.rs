//! A turn that a restart interrupted goes on from its last step: what was done is not done again, what was said stands.

use protocol::{OnRestart, Policy, Start, Transition, TurnStatus, Update};

use crate::{
    follower::changes,
    house::{House, resume},
    steps::results,
    test_tools::note,
};

#[tokio::test]
async fn a_finished_call_is_not_run_again_and_the_words_before_it_stand() {
    for tool in ["page", "lamp"] {
        let house = House::new();
        let session = house.start().await;
        let mut follower = house.follow(session).await;
        let turn = house.say(session, "Please see to it that I know.").await;
        let first = house.model.call().await;
        first.say("Let me see.");
        first.use_tools(&[("c1", tool, note("on"))]);
        let second = house.model.call().await;
        second.say("It is");
        follower.until_text(turn, "Let me see.\n\nIt is").await;
        drop(follower);

        let house = house.restart().await;

        let again = house.model.call().await;
        assert_eq!(again.lines(), second.lines());
        let mut follower = house.follow(session).await;
        again.answer("Now you know.");
        follower.until_ended(turn).await;
        assert_eq!(follower.text(turn), "Let me see.\n\nNow you know.");
        let ended = house.turn(turn).await;
        assert_eq!((ended.status, ended.attempts), (TurnStatus::Completed, 2));
        assert_eq!(ended.text, "Let me see.\n\nNow you know.");
        assert_eq!(ended.response.unwrap().message, ended.text);
        assert_eq!(house.workshop.begun().len(), 1, "{tool} ran once");
        let resumed = changes(follower.events(), turn).into_iter().find(|it| it.status == Transition::Resumed).unwrap();
        assert_eq!(resumed.text_offset, Some("Let me see.".len() as u64));
    }
}

#[tokio::test]
async fn a_call_that_changes_nothing_is_run_again() {
    let house = House::new();
    let session = house.start().await;
    house.workshop.hold();
    let turn = house.say(session, "What is on the page?").await;
    house.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    house.workshop.until_begun(1).await;

    let house = house.restart().await;
    house.workshop.release();

    let second = house.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"a cat"}"#);
    second.answer("A cat.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(house.workshop.begun(), ["page a cat", "page a cat"]);
}

#[tokio::test]
async fn of_two_calls_only_the_one_that_was_cut_off_is_run_again() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "Please see to it that I know.").await;
    let first = house.model.call().await;
    first.use_tools(&[("c1", "lamp", note("on"))]);
    let second = house.model.call().await;
    house.workshop.hold();
    second.use_tools(&[("c2", "page", note("a cat"))]);
    house.workshop.until_begun(2).await;

    let house = house.restart().await;
    house.workshop.release();

    house.model.call().await.answer("Now you know.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(house.workshop.begun(), ["lamp on", "page a cat", "page a cat"]);
}

#[tokio::test]
async fn what_all_attempts_took_is_counted() {
    let house = House::new();
    let session = house.start().await;
    let (turn, _second) = house.call(session, "page", "a cat").await;
    let house = house.restart().await;
    house.model.call().await.answer("A cat.");
    let turn = house.ended(turn).await;
    assert_eq!(turn.response.unwrap().usage.unwrap().tokens(), 20);
    assert_eq!(house.view(session).await.stats.input_tokens, 14);
}

#[tokio::test]
async fn what_was_kept_before_belongs_to_the_answer() {
    let house = House::new();
    let session = house.start().await;
    let (turn, _second) = house.call(session, "page", &"many words ".repeat(2_000)).await;
    let house = house.restart().await;
    house.model.call().await.answer("It is long.");
    let turn = house.ended(turn).await;
    let kept = results(&turn)[0].artifact_id.unwrap();
    assert_eq!(turn.response.unwrap().artifacts, [kept]);
}

/// A call that was cut off is run again only if it may still run.
#[tokio::test]
async fn what_policy_has_forbidden_since_is_not_run_again() {
    let house = House::new();
    let policy = Policy { on_restart: OnRestart::Wait, ..Policy::default() };
    let session = house.start_with(Start { policy: Some(policy.clone()), ..Start::default() }).await;
    house.workshop.hold();
    let turn = house.say(session, "What is on the page?").await;
    house.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    house.workshop.until_begun(1).await;

    let house = house.restart().await;
    house.workshop.release();
    let change = Update { policy: Some(Policy { deny: vec!["page".to_owned()], ..policy }), ..Update::default() };
    house.hub.update(&house.ada, &session.into(), change).await.unwrap();
    house.hub.resume_turn(&house.ada, resume(turn)).await.unwrap();

    let told = house.model.call().await;
    assert!(told.asked().contains("denied by this session's policy"), "{}", told.asked());
    told.answer("I may not look.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(house.workshop.begun(), ["page a cat"], "once, before the restart");
}
