//! A kill at every journaled step of a turn that acts on the world, and a restart.
//!
//! Every test kills at a sample of the moments that fits into `./test`; `DWELL_KILLS=all` takes all of them, and each
//! `DWELL_REPEATS` times, with a moment's delay. `DWELL_SEED` chooses the sample and the delays.

use std::{ops::RangeInclusive, time::Duration};

use serde_json::json;
use testkit::Running;

use super::{
    stage::{Shape, Stage, TASK, TOOLS, task},
    tally::Tally,
};
use crate::kill::{Moments, setting};

/// The longest delay between what is seen and the kill, in microseconds.
const DELAY_MAX: u64 = 6_000;

/// When the program is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// When this event is seen, and so many microseconds later.
    Event(u64, u64),
    /// While a call is withheld by the world, before it takes effect.
    Before(&'static str),
    /// While the answer to a call is withheld, which has taken effect.
    After(&'static str),
}

/// What became of a session.
struct Killed {
    session: String,
    last_seq: u64,
}

#[allow(clippy::disallowed_methods, reason = "a test is set by its environment")]
fn is_all() -> bool {
    std::env::var("DWELL_KILLS").is_ok_and(|kills| kills == "all")
}

#[allow(clippy::print_stderr, reason = "the seed repeats a failure")]
fn moments() -> Moments {
    let seed = setting("DWELL_SEED", 20_261_115);
    eprintln!("DWELL_SEED={seed} DWELL_KILLS={}", if is_all() { "all" } else { "a sample" });
    Moments::new(seed)
}

/// The numbers of the turn's events, learnt from a turn that nobody kills.
async fn events_of(shape: Shape) -> RangeInclusive<u64> {
    let stage = Stage::set(shape).await;
    let server = stage.program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = rest.send(&session, TASK).await;
    let (turn, answers) = stage.see_through(&rest, &turn).await;
    assert!(answers.is_empty(), "nobody is asked without need");
    stage.check(&rest, &turn, 0).await;
    assert_eq!(stage.world.look_ups().len(), 0, "nor looked up");
    assert_eq!(stage.model.requests().len(), if shape == Shape::OneRound { 2 } else { 5 });
    1..=u64::try_from(rest.log(&session).await.len()).unwrap()
}

/// Sets a turn going, or follows the one that goes on, and kills the program at that moment.
async fn kill(stage: &Stage, server: Running, before: Option<Killed>, moment: Moment) -> Killed {
    let mut socket = server.socket().await;
    let session = match before {
        Some(before) => before.session,
        None => server.rest().session().await,
    };
    match moment {
        Moment::Before(tool) => stage.world.hold_before(tool),
        Moment::After(tool) => stage.world.hold(tool),
        Moment::Event(..) => {}
    }
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    socket.send_text(&task(&session)).await;
    let mut last_seq = 0;
    match moment {
        Moment::Event(number, delay) => {
            while last_seq < number {
                let message = socket.next().await;
                assert_ne!(message["type"], "error", "{message}");
                last_seq = message["seq"].as_u64().unwrap_or(last_seq);
                // A turn that has ended, or waits, has no more events to come.
                let status = message["data"]["status"].as_str().filter(|_| message["type"] == "turn.status");
                if status.is_some_and(|status| ["completed", "waiting"].contains(&status)) {
                    break;
                }
            }
            tokio::time::sleep(Duration::from_micros(delay)).await;
            server.kill().await;
        }
        Moment::Before(tool) | Moment::After(tool) => {
            stage.world.until(|world| world.waiting(tool) == 1).await;
            server.kill().await;
            // What is withheld from somebody who is gone does not happen any more.
            stage.world.until(|world| world.waiting(tool) == 0).await;
            stage.world.release(tool);
        }
    }
    Killed { session, last_seq }
}

/// The client that was cut off sends again, and gets its turn; it is seen to its end and everything checked.
async fn recover(stage: &Stage, killed: &Killed, kills: usize, tally: &mut Tally) -> Vec<&'static str> {
    let server = stage.program.start().await;
    let rest = server.rest();
    let body = json!({ "message": TASK, "idempotency_key": "task" });
    let accepted = rest.post(&format!("/api/v1/sessions/{}/turns", killed.session), body).await.ok();
    let (turn, answers) = stage.see_through(&rest, accepted["turn_id"].as_str().unwrap()).await;
    stage.check(&rest, &turn, kills).await;
    tally.count(stage, &rest.log(&killed.session).await, kills, &answers);
    answers
}

/// Kills once at that moment; gives the answers that were needed.
async fn kill_at(shape: Shape, moment: Moment, tally: &mut Tally) -> (Stage, Vec<&'static str>) {
    let stage = Stage::set(shape).await;
    let server = stage.program.start().await;
    let killed = kill(&stage, server, None, moment).await;
    let answers = recover(&stage, &killed, 1, tally).await;
    assert!(answers.len() <= 1, "only one call can be in doubt");
    (stage, answers)
}

/// Kills at events of the range, of which a sample is every `nth`.
async fn kill_at_events(shape: Shape, nth: u64) {
    let (mut moments, mut tally) = (moments(), Tally::default());
    let events = events_of(shape).await;
    let offset = moments.below(nth);
    let repeats = if is_all() { setting("DWELL_REPEATS", 4) } else { 1 };
    for number in events.filter(|number| is_all() || (number + offset).is_multiple_of(nth)) {
        kill_at(shape, Moment::Event(number, 0), &mut tally).await;
        for _ in 1..repeats {
            kill_at(shape, Moment::Event(number, moments.below(DELAY_MAX)), &mut tally).await;
        }
    }
    tally.print();
}

#[tokio::test]
async fn kill_at_every_event_of_a_turn_with_four_tools() {
    kill_at_events(Shape::OneRound, 1).await;
}

#[tokio::test]
async fn kill_at_events_of_a_turn_with_four_rounds() {
    kill_at_events(Shape::FourRounds, 4).await;
}

/// Whatever the tool, and whichever side of its effect the kill falls on.
async fn kill_while_a_tool_runs(shape: Shape) {
    let mut tally = Tally::default();
    for tool in TOOLS {
        for (moment, truth) in [(Moment::Before(tool), "did_not_happen"), (Moment::After(tool), "happened")] {
            let (stage, answers) = kill_at(shape, moment, &mut tally).await;
            let asked = if tool == "send_letter" { vec![truth] } else { vec![] };
            assert_eq!(answers, asked, "only what must not happen twice and cannot be looked up is asked about");
            let look_ups = usize::from(tool == "book_table");
            assert_eq!(stage.world.look_ups().len(), look_ups, "only what can be looked up is");
            let runs = if matches!(moment, Moment::After("look_at_sky" | "set_label")) { 2 } else { 1 };
            assert_eq!(stage.entries(tool).len(), runs);
        }
    }
    tally.print();
}

#[tokio::test]
async fn kill_while_a_tool_of_four_runs() {
    kill_while_a_tool_runs(Shape::OneRound).await;
}

#[tokio::test]
async fn kill_while_a_tool_of_four_rounds_runs() {
    if is_all() {
        kill_while_a_tool_runs(Shape::FourRounds).await;
    }
}

/// A turn is begun three times at most, so two kills are the most that it survives by itself.
#[tokio::test]
async fn kill_again_while_the_turn_recovers() {
    let (mut moments, mut tally) = (moments(), Tally::default());
    let events = events_of(Shape::OneRound).await;
    let last = *events.end();
    let numbers: Vec<u64> = if is_all() { events.collect() } else { (0..5).map(|_| 1 + moments.below(last)).collect() };
    for number in numbers {
        for ahead in if is_all() { vec![1, 2, 4, 8] } else { vec![1 + moments.below(8)] } {
            let stage = Stage::set(Shape::OneRound).await;
            let server = stage.program.start().await;
            let killed = kill(&stage, server, None, Moment::Event(number, moments.below(DELAY_MAX))).await;
            let again = Moment::Event(killed.last_seq + ahead, moments.below(DELAY_MAX));
            let server = stage.program.start().await;
            let killed = kill(&stage, server, Some(killed), again).await;
            recover(&stage, &killed, 2, &mut tally).await;
        }
    }
    tally.print();
}

/// The worst place twice: the answer to the same call is withheld, and the program killed, two times over.
#[tokio::test]
async fn kill_twice_while_the_same_tool_runs() {
    for tool in TOOLS {
        let stage = Stage::set(Shape::OneRound).await;
        let killed = kill(&stage, stage.program.start().await, None, Moment::Before(tool)).await;
        let asks = tool == "send_letter";
        // One that must not happen twice is not run again by itself.
        let moment = if asks { Moment::Event(u64::MAX, 0) } else { Moment::After(tool) };
        let killed = kill(&stage, stage.program.start().await, Some(killed), moment).await;
        let answers = recover(&stage, &killed, 2, &mut Tally::default()).await;
        assert_eq!(answers.len(), usize::from(asks));
    }
}
