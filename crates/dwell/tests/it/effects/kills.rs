//! A kill at every journaled step of a turn that calls tools with effects, and a restart.
//!
//! Each test kills at a sample of the steps, so that `./test` stays short. `DWELL_KILLS=all` takes
//! all steps, each `DWELL_REPEATS` times with a random delay. `DWELL_SEED` sets the sample and the
//! delays.

use std::{ops::RangeInclusive, time::Duration};

use serde_json::json;
use testkit::RunningServer;

use super::{
    harness::{CallShape, EffectsHarness, TASK, TOOLS, task},
    tally::KillTally,
};
use crate::kill::{SeededRandom, setting};

/// The longest delay between an event and the kill, in microseconds.
const DELAY_MAX: u64 = 6_000;

/// When the program is killed.
#[derive(Clone, Copy, Debug)]
enum KillPoint {
    /// After the event with this number, and that many microseconds later.
    Event(u64, u64),
    /// While the tool server holds a call, before the call takes effect.
    Before(&'static str),
    /// While the tool server holds the answer to a call that has taken effect.
    After(&'static str),
}

/// A session after the kill.
struct KilledSession {
    session: String,
    last_seq: u64,
}

#[allow(clippy::disallowed_methods, reason = "a test is set by its environment")]
fn is_all() -> bool {
    std::env::var("DWELL_KILLS").is_ok_and(|kills| kills == "all")
}

#[allow(clippy::print_stderr, reason = "the seed repeats a failure")]
fn random() -> SeededRandom {
    let seed = setting("DWELL_SEED", 20_261_115);
    eprintln!("DWELL_SEED={seed} DWELL_KILLS={}", if is_all() { "all" } else { "a sample" });
    SeededRandom::new(seed)
}

/// The numbers of the turn's events, measured in a run without a kill.
async fn events_of(shape: CallShape) -> RangeInclusive<u64> {
    let harness = EffectsHarness::set(shape).await;
    let server = harness.program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = rest.send(&session, TASK).await;
    let (turn, answers) = harness.see_through(&rest, &turn).await;
    assert!(answers.is_empty(), "the user is not asked without need");
    harness.check(&rest, &turn, 0).await;
    assert_eq!(harness.tool_server.look_ups().len(), 0, "nor looked up");
    assert_eq!(harness.model.requests().len(), if shape == CallShape::OneRound { 2 } else { 5 });
    1..=u64::try_from(rest.log(&session).await.len()).unwrap()
}

/// Starts a turn, or follows the one that continues, and kills the program at that point.
async fn kill(
    harness: &EffectsHarness,
    server: RunningServer,
    before: Option<KilledSession>,
    moment: KillPoint,
) -> KilledSession {
    let mut socket = server.socket().await;
    let session = match before {
        Some(before) => before.session,
        None => server.rest().session().await,
    };
    match moment {
        KillPoint::Before(tool) => harness.tool_server.hold_before(tool),
        KillPoint::After(tool) => harness.tool_server.hold(tool),
        KillPoint::Event(..) => {}
    }
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    socket.send_text(&task(&session)).await;
    let mut last_seq = 0;
    match moment {
        KillPoint::Event(number, delay) => {
            while last_seq < number {
                let message = socket.next().await;
                assert_ne!(message["type"], "error", "{message}");
                last_seq = message["seq"].as_u64().unwrap_or(last_seq);
                // No more events follow for a turn that has ended or waits.
                let status = message["data"]["status"].as_str().filter(|_| message["type"] == "turn.status");
                if status.is_some_and(|status| ["completed", "waiting"].contains(&status)) {
                    break;
                }
            }
            tokio::time::sleep(Duration::from_micros(delay)).await;
            server.kill().await;
        }
        KillPoint::Before(tool) | KillPoint::After(tool) => {
            harness.tool_server.until(|tool_server| tool_server.waiting(tool) == 1).await;
            server.kill().await;
            // A held call whose caller is gone does not take effect any more.
            harness.tool_server.until(|tool_server| tool_server.waiting(tool) == 0).await;
            harness.tool_server.release(tool);
        }
    }
    KilledSession { session, last_seq }
}

/// The client sends its message again and gets the same turn; the turn runs to its end and
/// everything is checked.
async fn recover(
    harness: &EffectsHarness,
    killed: &KilledSession,
    kills: usize,
    tally: &mut KillTally,
) -> Vec<&'static str> {
    let server = harness.program.start().await;
    let rest = server.rest();
    let body = json!({ "message": TASK, "idempotency_key": "task" });
    let accepted = rest.post(&format!("/api/v1/sessions/{}/turns", killed.session), body).await.ok();
    let (turn, answers) = harness.see_through(&rest, accepted["turn_id"].as_str().unwrap()).await;
    harness.check(&rest, &turn, kills).await;
    tally.count(harness, &rest.log(&killed.session).await, kills, &answers);
    answers
}

/// Kills once at that point; returns the answers that the turn asked for.
async fn kill_at(shape: CallShape, moment: KillPoint, tally: &mut KillTally) -> (EffectsHarness, Vec<&'static str>) {
    let harness = EffectsHarness::set(shape).await;
    let server = harness.program.start().await;
    let killed = kill(&harness, server, None, moment).await;
    let answers = recover(&harness, &killed, 1, tally).await;
    assert!(answers.len() <= 1, "only one call can be in doubt");
    (harness, answers)
}

/// Kills at the events of the turn: at all of them, or at every `nth`.
async fn kill_at_events(shape: CallShape, nth: u64) {
    let (mut random, mut tally) = (random(), KillTally::default());
    let events = events_of(shape).await;
    let offset = random.below(nth);
    let repeats = if is_all() { setting("DWELL_REPEATS", 4) } else { 1 };
    for number in events.filter(|number| is_all() || (number + offset).is_multiple_of(nth)) {
        kill_at(shape, KillPoint::Event(number, 0), &mut tally).await;
        for _ in 1..repeats {
            kill_at(shape, KillPoint::Event(number, random.below(DELAY_MAX)), &mut tally).await;
        }
    }
    tally.print();
}

#[tokio::test]
async fn kill_at_every_event_of_a_turn_with_four_tools() {
    kill_at_events(CallShape::OneRound, 1).await;
}

#[tokio::test]
async fn kill_at_events_of_a_turn_with_four_rounds() {
    kill_at_events(CallShape::FourRounds, 4).await;
}

/// Kills while each of the tools runs, before and after its effect.
async fn kill_while_a_tool_runs(shape: CallShape) {
    let mut tally = KillTally::default();
    for tool in TOOLS {
        for (moment, truth) in [(KillPoint::Before(tool), "did_not_happen"), (KillPoint::After(tool), "happened")] {
            let (harness, answers) = kill_at(shape, moment, &mut tally).await;
            let asked = if tool == "send_letter" { vec![truth] } else { vec![] };
            assert_eq!(answers, asked, "only what must not happen twice and cannot be looked up is asked about");
            let look_ups = usize::from(tool == "book_table");
            assert_eq!(harness.tool_server.look_ups().len(), look_ups, "only what can be looked up is");
            let runs = if matches!(moment, KillPoint::After("look_at_sky" | "set_label")) { 2 } else { 1 };
            assert_eq!(harness.entries(tool).len(), runs);
        }
    }
    tally.print();
}

#[tokio::test]
async fn kill_while_a_tool_of_four_runs() {
    kill_while_a_tool_runs(CallShape::OneRound).await;
}

#[tokio::test]
async fn kill_while_a_tool_of_four_rounds_runs() {
    if is_all() {
        kill_while_a_tool_runs(CallShape::FourRounds).await;
    }
}

/// A turn is started at most three times, so it survives two kills without the user.
#[tokio::test]
async fn kill_again_while_the_turn_recovers() {
    let (mut random, mut tally) = (random(), KillTally::default());
    let events = events_of(CallShape::OneRound).await;
    let last = *events.end();
    let numbers: Vec<u64> = if is_all() { events.collect() } else { (0..5).map(|_| 1 + random.below(last)).collect() };
    for number in numbers {
        for ahead in if is_all() { vec![1, 2, 4, 8] } else { vec![1 + random.below(8)] } {
            let harness = EffectsHarness::set(CallShape::OneRound).await;
            let server = harness.program.start().await;
            let killed = kill(&harness, server, None, KillPoint::Event(number, random.below(DELAY_MAX))).await;
            let again = KillPoint::Event(killed.last_seq + ahead, random.below(DELAY_MAX));
            let server = harness.program.start().await;
            let killed = kill(&harness, server, Some(killed), again).await;
            recover(&harness, &killed, 2, &mut tally).await;
        }
    }
    tally.print();
}

/// The hardest case twice: the program is killed twice while the same call is held.
#[tokio::test]
async fn kill_twice_while_the_same_tool_runs() {
    for tool in TOOLS {
        let harness = EffectsHarness::set(CallShape::OneRound).await;
        let killed = kill(&harness, harness.program.start().await, None, KillPoint::Before(tool)).await;
        let asks = tool == "send_letter";
        // A call that must not run twice is not run again without the user.
        let moment = if asks { KillPoint::Event(u64::MAX, 0) } else { KillPoint::After(tool) };
        let killed = kill(&harness, harness.program.start().await, Some(killed), moment).await;
        let answers = recover(&harness, &killed, 2, &mut KillTally::default()).await;
        assert_eq!(answers.len(), usize::from(asks));
    }
}
