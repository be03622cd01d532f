//! Sessions that are idle for too long.

use std::time::Duration;

use protocol::{Body, OnRestart, Policy, SessionStatus, Settings, TurnStatus, Update};
use serde_json::json;
use session::{Command, Effect, Outcome, Refusal};

use crate::life::{Life, turn};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A session with one answered turn, a week later.
fn idle() -> Life {
    let mut life = Life::begin(Settings::default());
    life.send(1, "Is the gate shut?").unwrap();
    life.finish(1, "Yes.");
    life.now = life.now.plus(7 * DAY);
    life
}

fn expire(life: &mut Life) -> Outcome {
    let before = life.now;
    life.run(Command::ExpireIdle { before }).unwrap()
}

fn prefer(life: &mut Life, preference: &str, value: serde_json::Value) -> Result<Outcome, Refusal> {
    let preferences = [(preference.to_owned(), value)].into();
    life.run(Command::Update(Update { preferences, ..Update::default() }))
}

#[test]
fn an_idle_session_expires_once_and_keeps_the_time_of_its_last_activity() {
    let mut life = idle();
    let (active_at, version) = (life.state.updated_at, life.state.version);
    assert_eq!(expire(&mut life), Outcome::Done);
    assert_eq!(life.state.status, SessionStatus::Expired);
    assert_eq!((life.state.updated_at, life.state.ended_at), (active_at, Some(life.now)));
    assert_eq!(life.state.version, version + 1);
    assert_eq!(life.send(2, "And now?"), Err(Refusal::Expired));
    let head = life.state.head;
    life.now = life.now.plus(DAY);
    assert_eq!(expire(&mut life), Outcome::TooLate);
    life.run(Command::End { reason: None, version: None }).unwrap();
    assert_eq!(life.state.head, head, "it does not end a second time");
}

#[test]
fn what_has_happened_meanwhile_keeps_it() {
    let mut life = idle();
    let before = life.state.updated_at;
    assert_eq!(life.run(Command::ExpireIdle { before }), Ok(Outcome::TooLate), "then something happened");
    life.send(2, "Are you there?").unwrap();
    life.now = life.now.plus(7 * DAY);
    assert_eq!(expire(&mut life), Outcome::TooLate, "a turn is at work");
    assert_eq!(life.state.status, SessionStatus::Active);
}

#[test]
fn a_session_that_is_to_be_kept_is_kept() {
    let mut life = idle();
    prefer(&mut life, Settings::KEEP, json!(true)).unwrap();
    life.now = life.now.plus(7 * DAY);
    assert_eq!(expire(&mut life), Outcome::TooLate);
    prefer(&mut life, Settings::KEEP, json!("true")).unwrap();
    life.now = life.now.plus(7 * DAY);
    assert_eq!(expire(&mut life), Outcome::Done, "a word is no yes");
    prefer(&mut life, Settings::KEEP, json!(true)).unwrap();
    assert!(life.state.settings.is_kept(), "an expired session can still be kept");
    let model = Update { model: Some("m2".to_owned()), ..Update::default() };
    assert_eq!(life.run(Command::Update(model)), Err(Refusal::Expired));
}

#[test]
fn a_session_that_was_ended_expires_too() {
    let mut life = idle();
    life.run(Command::End { reason: None, version: None }).unwrap();
    life.now = life.now.plus(7 * DAY);
    assert_eq!(expire(&mut life), Outcome::Done);
    assert_eq!(life.state.status, SessionStatus::Expired);
}

#[test]
fn a_turn_that_waits_for_a_person_is_ended_first() {
    let policy = Policy { on_restart: OnRestart::Wait, ..Policy::default() };
    let mut life = Life::begin(Settings { policy, ..Settings::default() });
    life.send(1, "Is the gate shut?").unwrap();
    life.run(Command::Recover).unwrap();
    assert_eq!(life.state.open_turn(turn(1)).unwrap().status, TurnStatus::Interrupted);
    life.now = life.now.plus(7 * DAY);
    assert_eq!(expire(&mut life), Outcome::Done);
    assert!(life.state.open_turns().next().is_none());
    assert!(!life.effects.contains(&Effect::Stop(turn(1))), "nothing runs that would have to be stopped");
    assert!(matches!(&life.journal.last().unwrap().body, Body::SessionEnded(ended) if ended.expired));
}
