//! Forking copies the history up to a turn, without open turns.

use protocol::Settings;
use session::{State, fold_turns, fork};

use crate::test_session::{TestSession, session_id, turn};

#[test]
fn a_fork_shares_the_past_up_to_the_turn() {
    let mut session = TestSession::begin(Settings::default());
    session.send(1, "first").unwrap();
    session.send(2, "second").unwrap();
    session.finish(1, "one");
    session.finish(2, "two");
    let mut fresh = 100..;
    let mut next = || turn(fresh.next().unwrap());
    let copy = fork(&session.journal, turn(1), session_id(2), None, session.now, &mut next).unwrap();

    let state = copy.iter().skip(1).fold(State::begin(&copy[0]).unwrap(), |mut state, event| {
        state.apply(event);
        state
    });
    assert_eq!(state.id, session_id(2));
    assert_eq!(state.forked_from.unwrap().turn_id, turn(1));
    assert!(!state.is_moving(), "the second turn was open then and stays behind");
    let turns = fold_turns(&copy);
    assert_eq!(turns.len(), 1);
    assert_eq!((turns[0].turn_id, turns[0].text.as_str()), (turn(100), "one"));
    assert!(copy.iter().zip(1..).all(|(event, seq)| event.seq == seq));
}

#[test]
fn a_turn_that_has_not_ended_cannot_be_forked_at() {
    let mut session = TestSession::begin(Settings::default());
    session.send(1, "first").unwrap();
    assert_eq!(fork(&session.journal, turn(1), session_id(2), None, session.now, || turn(9)), None);
}
