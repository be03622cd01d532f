//! Sessions that are idle for too long.

use std::time::Duration;

use protocol::{Body, OnRestart, Policy, SessionStatus, Settings, TurnStatus, Update};
use serde_json::json;
use session::{Command, CommandOutcome, Effect, Refusal};

use crate::test_session::{TestSession, turn};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A session with one answered turn, a week later.
fn idle() -> TestSession {
    let mut session = TestSession::begin(Settings::default());
    session.send(1, "Is the gate shut?").unwrap();
    session.finish(1, "Yes.");
    session.now = session.now.plus(7 * DAY);
    session
}

fn expire(session: &mut TestSession) -> CommandOutcome {
    let before = session.now;
    session.run(Command::ExpireIdle { before }).unwrap()
}

fn prefer(session: &mut TestSession, preference: &str, value: serde_json::Value) -> Result<CommandOutcome, Refusal> {
    let preferences = [(preference.to_owned(), value)].into();
    session.run(Command::Update(Update { preferences, ..Update::default() }))
}

#[test]
fn an_idle_session_expires_once_and_keeps_the_time_of_its_last_activity() {
    let mut session = idle();
    let (active_at, version) = (session.state.updated_at, session.state.version);
    assert_eq!(expire(&mut session), CommandOutcome::Done);
    assert_eq!(session.state.status, SessionStatus::Expired);
    assert_eq!((session.state.updated_at, session.state.ended_at), (active_at, Some(session.now)));
    assert_eq!(session.state.version, version + 1);
    assert_eq!(session.send(2, "And now?"), Err(Refusal::Expired));
    let head = session.state.head;
    session.now = session.now.plus(DAY);
    assert_eq!(expire(&mut session), CommandOutcome::TooLate);
    session.run(Command::End { reason: None, version: None }).unwrap();
    assert_eq!(session.state.head, head, "it does not end a second time");
}

#[test]
fn what_has_happened_meanwhile_keeps_it() {
    let mut session = idle();
    let before = session.state.updated_at;
    assert_eq!(session.run(Command::ExpireIdle { before }), Ok(CommandOutcome::TooLate), "then something happened");
    session.send(2, "Are you there?").unwrap();
    session.now = session.now.plus(7 * DAY);
    assert_eq!(expire(&mut session), CommandOutcome::TooLate, "a turn is at work");
    assert_eq!(session.state.status, SessionStatus::Active);
}

#[test]
fn a_session_that_is_to_be_kept_is_kept() {
    let mut session = idle();
    prefer(&mut session, Settings::KEEP, json!(true)).unwrap();
    session.now = session.now.plus(7 * DAY);
    assert_eq!(expire(&mut session), CommandOutcome::TooLate);
    prefer(&mut session, Settings::KEEP, json!("true")).unwrap();
    session.now = session.now.plus(7 * DAY);
    assert_eq!(expire(&mut session), CommandOutcome::Done, "a word is no yes");
    prefer(&mut session, Settings::KEEP, json!(true)).unwrap();
    assert!(session.state.settings.is_kept(), "an expired session can still be kept");
    let model = Update { model: Some("m2".to_owned()), ..Update::default() };
    assert_eq!(session.run(Command::Update(model)), Err(Refusal::Expired));
}

#[test]
fn a_session_that_was_ended_expires_too() {
    let mut session = idle();
    session.run(Command::End { reason: None, version: None }).unwrap();
    session.now = session.now.plus(7 * DAY);
    assert_eq!(expire(&mut session), CommandOutcome::Done);
    assert_eq!(session.state.status, SessionStatus::Expired);
}

#[test]
fn a_turn_that_waits_for_a_person_is_ended_first() {
    let policy = Policy { on_restart: OnRestart::Wait, ..Policy::default() };
    let mut session = TestSession::begin(Settings { policy, ..Settings::default() });
    session.send(1, "Is the gate shut?").unwrap();
    session.run(Command::Recover).unwrap();
    assert_eq!(session.state.open_turn(turn(1)).unwrap().status, TurnStatus::Interrupted);
    session.now = session.now.plus(7 * DAY);
    assert_eq!(expire(&mut session), CommandOutcome::Done);
    assert!(session.state.open_turns().next().is_none());
    assert!(!session.effects.contains(&Effect::Stop(turn(1))), "nothing runs that would have to be stopped");
    assert!(matches!(&session.journal.last().unwrap().body, Body::SessionEnded(ended) if ended.expired));
}
