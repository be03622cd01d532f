//! One behaviour per test: what a client may rely on.

use protocol::{
    Budgets, ChatSend, Effect, OnBusy, OnRestart, Policy, SessionStart, Settings, Stage, Tags, TurnError, TurnStatus,
    Update,
};
use session::{
    ATTEMPTS_MAX, Command, CommandOutcome, Effect as Work, QUEUE_MAX, RECENT_TURNS_LEFT, RECENT_TURNS_MAX, Refusal,
    TurnReport,
};

use crate::test_session::{TestSession, session_id, turn};

fn session() -> TestSession {
    TestSession::begin(Settings::default())
}

#[test]
fn a_plain_question_in_the_order_of_the_wire() {
    let mut session = session();
    session.send(1, "hello").unwrap();
    session.report(1, TurnReport::Stage(Stage::Execute, None));
    session.text(1, "Hi ");
    session.text(1, "there");
    session.finish(1, "Hi there");
    assert_eq!(
        session.names(),
        [
            "session.started",
            "message.accepted",
            "turn.stage",
            "turn.stage",
            "chat.token",
            "chat.token",
            "turn.stage",
            "chat.final",
            "turn.status"
        ]
    );
    assert_eq!(session.effects, [Work::Run(turn(1))]);
    assert_eq!(session.state.stats.completed, 1);
    assert_eq!(session.state.stats.input_tokens, 3);
    assert_eq!(session.state.title.as_deref(), Some("hello"));
}

#[test]
fn the_agent_works_on_one_turn_and_the_rest_wait_in_order() {
    let mut session = session();
    session.send(1, "one").unwrap();
    for (n, place) in [(2, 1), (3, 2)] {
        let CommandOutcome::Accepted { position, .. } = session.send(n, "later").unwrap() else { panic!() };
        assert_eq!(position, Some(place));
    }
    session.finish(1, "done");
    assert_eq!(session.state.running().next().unwrap().id, turn(2));
    session.finish(2, "done");
    assert_eq!(session.state.running().next().unwrap().id, turn(3));
    assert_eq!(session.effects, [Work::Run(turn(1)), Work::Run(turn(2)), Work::Run(turn(3))]);
}

#[test]
fn a_full_queue_refuses_by_name_and_drops_nothing() {
    let mut session = session();
    for n in 0..=u8::try_from(QUEUE_MAX).unwrap() {
        session.send(n, "fits").unwrap();
    }
    let before = session.state.clone();
    let refusal = session.send(99, "one too many").unwrap_err();
    assert!(refusal.to_string().contains("\"one too many\" was not accepted"), "{refusal}");
    assert_eq!(session.state, before);
}

#[test]
fn busy_can_mean_refused_or_interrupted() {
    let mut session = session();
    session.send(1, "long").unwrap();
    session.send(2, "waiting").unwrap();
    let send = |on_busy| ChatSend { on_busy, ..ChatSend::text("now") };
    let refusal = session.run(Command::Send { turn_id: turn(3), send: send(OnBusy::Reject) }).unwrap_err();
    assert_eq!(refusal, Refusal::Busy { running: turn(1) });

    session.run(Command::Send { turn_id: turn(4), send: send(OnBusy::Interrupt) }).unwrap();
    assert_eq!(session.status(1), TurnStatus::Cancelled);
    assert_eq!(session.state.running().next().unwrap().id, turn(4), "it comes before those that wait");
    session.finish(4, "done");
    assert_eq!(session.state.running().next().unwrap().id, turn(2));
}

#[test]
fn the_same_key_gives_the_same_turn_and_another_body_a_conflict() {
    let mut session = session();
    let keyed = |message: &str| ChatSend { idempotency_key: Some("k".to_owned()), ..ChatSend::text(message) };
    session.run(Command::Send { turn_id: turn(1), send: keyed("once") }).unwrap();
    session.finish(1, "done");
    let events = session.journal.len();
    let again = session.run(Command::Send { turn_id: turn(2), send: keyed("once") }).unwrap();
    assert!(matches!(again, CommandOutcome::Accepted { turn_id, seq: 2, duplicate: true, .. } if turn_id == turn(1)));
    let clash = session.run(Command::Send { turn_id: turn(3), send: keyed("other") }).unwrap_err();
    assert_eq!(clash, Refusal::KeyConflict { turn_id: turn(1) });
    assert_eq!(session.journal.len(), events);

    session.run(Command::End { reason: None, version: None }).unwrap();
    assert!(
        session.run(Command::Send { turn_id: turn(4), send: keyed("once") }).is_ok(),
        "a repeat is answered for good"
    );
}

#[test]
fn the_first_end_wins() {
    let mut session = session();
    session.send(1, "go").unwrap();
    session.run(Command::Cancel { turn_id: Some(turn(1)), reason: Some("enough".to_owned()) }).unwrap();
    assert_eq!(session.effects, [Work::Run(turn(1)), Work::Stop(turn(1))]);
    assert_eq!(session.finish(1, "too late"), CommandOutcome::TooLate);
    assert_eq!(session.text(1, "too late"), CommandOutcome::TooLate);
    let error = TurnError { code: "x".into(), message: "x".into(), recoverable: false, details: None };
    assert_eq!(session.report(1, TurnReport::Failed { error, usage: None }), CommandOutcome::TooLate);
    assert_eq!(session.run(Command::Cancel { turn_id: Some(turn(1)), reason: None }), Ok(CommandOutcome::AlreadyFinal));
    assert_eq!(session.view(1).reason.as_deref(), Some("enough"));
}

#[test]
fn cancelling_lets_the_next_turn_run_and_keeps_the_words_so_far() {
    let mut session = session();
    session.send(1, "tell me").unwrap();
    session.send(2, "next").unwrap();
    session.text(1, "Once upon");
    session.run(Command::Cancel { turn_id: Some(turn(1)), reason: None }).unwrap();
    assert_eq!(session.view(1).text, "Once upon");
    assert_eq!(session.state.running().next().unwrap().id, turn(2));
    let remembered: Vec<_> = session.state.recent().map(|turn| (turn.message.as_str(), turn.answer.as_str())).collect();
    assert_eq!(remembered, [("tell me", "Once upon")]);
}

#[test]
fn cancelling_without_a_turn_cancels_all() {
    let mut session = session();
    for n in 1..=3 {
        session.send(n, "go").unwrap();
    }
    let outcome = session.run(Command::Cancel { turn_id: None, reason: None }).unwrap();
    assert_eq!(outcome, CommandOutcome::Cancelled(vec![turn(1), turn(2), turn(3)]));
    assert!(!session.state.is_moving());
}

#[test]
fn a_restart_resumes_what_ran_at_most_three_attempts() {
    let mut session = session();
    session.send(1, "go").unwrap();
    session.send(2, "then").unwrap();
    for attempt in 2..=ATTEMPTS_MAX {
        session.text(1, "partial");
        session.run(Command::Recover).unwrap();
        assert_eq!(session.state.running().next().unwrap().attempts, attempt);
        assert_eq!(session.view(1).text, "", "the answer starts over");
    }
    session.run(Command::Recover).unwrap();
    assert_eq!(session.status(1), TurnStatus::Interrupted);
    assert_eq!(session.state.running().next().unwrap().id, turn(2), "an interrupted turn blocks no other");

    session.finish(2, "done");
    session.run(Command::Resume { turn_id: turn(1), outcome: None, call_id: None }).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
    assert_eq!(session.finish(1, "at last"), CommandOutcome::Done);
}

#[test]
fn a_cautious_policy_waits_after_a_restart() {
    let policy = Policy { on_restart: OnRestart::Wait, ..Policy::default() };
    let mut session = TestSession::begin(Settings { policy, ..Settings::default() });
    session.send(1, "go").unwrap();
    session.run(Command::Recover).unwrap();
    assert_eq!(session.status(1), TurnStatus::Interrupted);
    session.run(Command::Cancel { turn_id: Some(turn(1)), reason: None }).unwrap();
    assert_eq!(session.status(1), TurnStatus::Cancelled);
}

#[test]
fn resuming_waits_in_line_when_the_agent_is_busy() {
    let policy = Policy { on_restart: OnRestart::Wait, ..Policy::default() };
    let mut session = TestSession::begin(Settings { policy, ..Settings::default() });
    session.send(1, "go").unwrap();
    session.run(Command::Recover).unwrap();
    session.send(2, "meanwhile").unwrap();
    assert_eq!(
        session.run(Command::Resume { turn_id: turn(2), outcome: None, call_id: None }),
        Err(Refusal::NotInterrupted)
    );
    let CommandOutcome::Accepted { position, .. } =
        session.run(Command::Resume { turn_id: turn(1), outcome: None, call_id: None }).unwrap()
    else {
        panic!()
    };
    assert_eq!(position, Some(1));
    session.finish(2, "done");
    assert_eq!(session.view(1).attempts, 2);
    session.finish(1, "done");
    assert_eq!(
        session.run(Command::Resume { turn_id: turn(1), outcome: None, call_id: None }),
        Err(Refusal::AlreadyFinal)
    );
}

#[test]
fn a_retry_is_a_new_turn_and_the_old_words_stand_once() {
    let mut session = session();
    session.send(1, "question").unwrap();
    let error = TurnError { code: "model".into(), message: "broke".into(), recoverable: true, details: None };
    session.report(1, TurnReport::Failed { error, usage: None });
    let request = session.view(1).request;
    let retry = |n, of| Command::Retry {
        turn_id: turn(n),
        of: turn(of),
        request: request.clone(),
        idempotency_key: Some(format!("again {of}")),
    };
    session.run(retry(2, 1)).unwrap();
    let twice = session.run(retry(3, 1)).unwrap();
    assert!(matches!(twice, CommandOutcome::Accepted { turn_id, duplicate: true, .. } if turn_id == turn(2)));
    assert_eq!(session.run(retry(3, 2)), Err(Refusal::TurnOpen));
    session.finish(2, "answer");
    assert_eq!(session.status(1), TurnStatus::Failed);
    assert_eq!(session.view(2).retry_of, Some(turn(1)));
    let asked = |session: &TestSession| session.state.recent().count();
    assert_eq!(asked(&session), 1);
    let another = Command::Retry { turn_id: turn(4), of: turn(1), request: request.clone(), idempotency_key: None };
    session.run(another).unwrap();
    session.finish(4, "another answer");
    assert_eq!(asked(&session), 1, "also when it is tried twice");
}

#[test]
fn a_stale_version_is_refused_and_changes_nothing() {
    let mut session = session();
    let seen = session.state.version;
    session.send(1, "another client was faster").unwrap();
    let update = Update { version: Some(seen), model: Some("m".to_owned()), ..Update::default() };
    let refusal = session.run(Command::Update(update.clone())).unwrap_err();
    assert_eq!(refusal, Refusal::VersionConflict { expected: seen, actual: seen + 1 });
    session.run(Command::Update(Update { version: Some(seen + 1), ..update })).unwrap();
    assert_eq!(session.state.settings.model.as_deref(), Some("m"));
    assert_eq!(session.state.version, seen + 2);
}

#[test]
fn an_ended_session_takes_nothing_and_ends_once() {
    let mut session = session();
    session.send(1, "go").unwrap();
    session.run(Command::End { reason: Some("bye".to_owned()), version: None }).unwrap();
    assert_eq!(session.status(1), TurnStatus::Cancelled);
    assert_eq!(session.send(2, "more"), Err(Refusal::Ended));
    let events = session.journal.len();
    session.run(Command::End { reason: None, version: None }).unwrap();
    assert_eq!(session.journal.len(), events);
}

#[test]
fn reset_forgets_the_context_and_keeps_the_session() {
    let mut session = session();
    session.send(1, "old").unwrap();
    session.finish(1, "old answer");
    session.send(2, "running").unwrap();
    session.run(Command::Reset { reason: None, version: None }).unwrap();
    assert_eq!(session.state.recent().count(), 0);
    assert_eq!(session.status(2), TurnStatus::Cancelled);
    assert!(session.send(3, "new").is_ok());
}

#[test]
fn bad_messages_are_refused_with_what_is_wrong() {
    let cases = [
        (ChatSend::text("  \n"), "empty"),
        (ChatSend::text("x".repeat(256 * 1024 + 1)), "at most 262144"),
        (ChatSend { idempotency_key: Some(String::new()), ..ChatSend::text("x") }, "1 to 200"),
        (ChatSend { time_budget_ms: Some(0), ..ChatSend::text("x") }, "between 1 and"),
        (ChatSend { max_steps: Some(0), ..ChatSend::text("x") }, "at least one step"),
    ];
    for (send, expected) in cases {
        let refusal = session().run(Command::Send { turn_id: turn(1), send }).unwrap_err();
        assert!(refusal.to_string().contains(expected), "{refusal}");
    }
}

#[test]
fn budgets_that_no_turn_could_keep_are_refused() {
    for budgets in [
        Budgets { max_duration_ms: 0, ..Budgets::default() },
        Budgets { max_duration_ms: u64::MAX, ..Budgets::default() },
        Budgets { max_steps: 0, ..Budgets::default() },
    ] {
        let update = Update { budgets: Some(budgets.clone()), ..Update::default() };
        assert!(session().run(Command::Update(update)).is_err(), "{budgets:?}");
        let asked = SessionStart { budgets: Some(budgets.clone()), ..SessionStart::default() };
        let (owner, now) = ("ada".parse().unwrap(), session().now);
        assert!(session::start(session_id(1), owner, asked, now).is_err(), "{budgets:?}");
    }
}

#[test]
fn steps_and_budgets_are_counted() {
    let mut session = TestSession::begin(Settings {
        budgets: Budgets { max_duration_ms: 500, ..Budgets::default() },
        ..Settings::default()
    });
    session
        .run(Command::Send { turn_id: turn(1), send: ChatSend { time_budget_ms: Some(9_000), ..ChatSend::text("go") } })
        .unwrap();
    assert_eq!(session.state.running().next().unwrap().time_budget_ms(500), 500, "the session's budget is the ceiling");
    session.plan(1, &[("a", "clock")]);
    session.begin_call(1, "a", "clock", Effect::Pure);
    session.report(1, TurnReport::Expired { reason: "time_budget".to_owned(), found: None, usage: None });
    assert_eq!(session.status(1), TurnStatus::Expired);
    assert_eq!((session.state.stats.steps, session.state.stats.tool_calls, session.state.stats.failed), (3, 1, 1));
}

#[test]
fn the_context_stays_small_however_long_the_session() {
    let mut session = session();
    for n in 0..50 {
        session.send(n, "question").unwrap();
        session.finish(n, "answer");
    }
    let count = session.state.recent().count();
    assert!((RECENT_TURNS_LEFT..=RECENT_TURNS_MAX).contains(&count), "{count}");
    assert_eq!(session.state.open_turns().count(), 0);
}

#[test]
fn the_first_turn_at_hand_stays_the_same_for_several_turns() {
    let mut session = session();
    let mut firsts = Vec::new();
    for n in 0..60 {
        session.send(n, "question").unwrap();
        session.finish(n, "answer");
        firsts.push(session.state.recent().next().unwrap().turn_id);
    }
    firsts.dedup();
    assert!(firsts.len() <= 1 + 60 / (RECENT_TURNS_MAX - RECENT_TURNS_LEFT), "{}", firsts.len());
    assert_eq!(session.state.recent().last().unwrap().turn_id, turn(59));
}

#[test]
fn what_is_ephemeral_goes_first_and_what_is_important_last() {
    let mut session = session();
    for n in 0..60 {
        let tag = match n {
            3 => "important",
            n if n % 2 == 0 => "ephemeral",
            _ => "plain",
        };
        let send = ChatSend { tags: Tags::from([tag.parse().unwrap()]), ..ChatSend::text(tag) };
        session.run(Command::Send { turn_id: turn(n), send }).unwrap();
        session.finish(n, "answer");
    }
    let kept: Vec<&str> = session.state.recent().map(|turn| turn.message.as_str()).collect();
    assert_eq!(kept[0], "important", "{kept:?}");
    assert!(kept.iter().filter(|kept| **kept == "plain").count() > 2 * kept.len() / 3, "{kept:?}");
    let ids: Vec<_> = session.state.recent().map(|turn| turn.turn_id).collect();
    assert!(ids.is_sorted() && ids.last() == Some(&turn(59)), "{ids:?}");
}

#[test]
fn too_many_tags_and_too_small_a_context_are_refused() {
    let mut session = session();
    let tags: Tags = (0..9).map(|n| format!("t{n}").parse().unwrap()).collect();
    for send in [
        ChatSend { tags: tags.clone(), ..ChatSend::text("go") },
        ChatSend { context_tags: tags.clone(), ..ChatSend::text("go") },
    ] {
        assert_eq!(session.run(Command::Send { turn_id: turn(1), send }), Err(Refusal::TooManyTags));
    }
    let budgets = Some(Budgets { context_tokens: Some(255), ..Budgets::default() });
    let change = Update { budgets, ..Update::default() };
    assert_eq!(session.run(Command::Update(change)), Err(Refusal::ContextTooSmall));
}
