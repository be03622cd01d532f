//! `cancel`: how long it takes to stop an answer that streams.
//!
//! A first connection receives an answer at 5 ms per token. A second one cancels it, each time at
//! another position, so that the cancel meets the journal's text groups at different moments. Then
//! the first connection sends another message, which would reveal a cancel that left something
//! behind.

use std::{
    fmt,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};
use testkit::Socket;

use crate::{
    answers,
    cli::BenchScale,
    conversation::BenchConversation,
    disk::Disk,
    percentile::LatencySummary,
    program,
    table::{Table, rounded},
};

/// The model's pause before each token of an answer that will be cancelled.
const PAUSE: Duration = Duration::from_millis(5);
/// Answers to messages with this prefix are slow.
const SLOW: &str = "Slowly, please: ";
/// Most tokens before the cancel.
const TOKENS_MAX: usize = 30;

/// How long a cancel takes.
#[derive(Debug, Serialize)]
pub(crate) struct Cancels {
    setting: BenchScale,
    cancels: usize,
    /// From sending the cancel to its answer, in milliseconds.
    answered_ms: LatencySummary,
    /// From sending the cancel to the event on the other connection, in milliseconds.
    told_ms: LatencySummary,
    /// One disk flush, which a durable cancel needs.
    flush_ms: LatencySummary,
    /// Aborted model calls.
    model_calls_aborted: usize,
    next_turns_completed: usize,
}

struct CancelTimes {
    answered: Duration,
    told: Duration,
}

pub(crate) async fn run(setting: BenchScale) -> Result<Cancels> {
    let cancels = setting.pick(20, 100);
    let model = answers::paced(Duration::ZERO).await;
    model.respond_with(|request| {
        answers::text(if request.last_user().starts_with(SLOW) { PAUSE } else { Duration::ZERO })
    });
    let program = program::release(&model)?;
    let running = program.start().await;
    let mut conversation = BenchConversation::start(&running).await?;
    let mut second = running.socket().await;

    let mut disk = Disk::open()?;
    let (mut times, mut flushes) = (Vec::new(), Vec::new());
    let mut next_turns_completed = 0;
    for number in 0..cancels {
        let message = format!("{SLOW}{}", answers::message(number));
        let turn_id = conversation.begin(&message, 1 + number % TOKENS_MAX).await?;
        times.push(cancel(&mut conversation, &mut second, &turn_id).await?);
        flushes.push(disk.flush()?);
        let next = conversation.say(&answers::message(number)).await?;
        next_turns_completed += usize::from(next.status == "completed");
    }
    // The model server notices the last aborted call shortly after the event.
    model.until(|model| model.in_flight() == 0).await;
    let exit = running.stop().await;
    ensure!(exit.success(), "the program failed to stop: {exit}");
    let spread = |of: fn(&CancelTimes) -> Duration| LatencySummary::of(&times.iter().map(of).collect::<Vec<_>>());
    Ok(Cancels {
        setting,
        cancels,
        answered_ms: spread(|times| times.answered),
        told_ms: spread(|times| times.told),
        flush_ms: LatencySummary::of(&flushes),
        model_calls_aborted: model.aborted(),
        next_turns_completed,
    })
}

async fn cancel(conversation: &mut BenchConversation, second: &mut Socket, turn_id: &Value) -> Result<CancelTimes> {
    let asked = json!({ "session_id": conversation.session_id(), "turn_id": turn_id });
    let sent_at = Instant::now();
    let answer = async { (second.ask("agent.cancel", asked).await, sent_at.elapsed()) };
    let news = async { (conversation.ended().await, sent_at.elapsed()) };
    let ((answer, answered), (status, told)) = tokio::join!(answer, news);
    let answer = answer.map_err(|problem| anyhow::anyhow!("failed to cancel: {problem}"))?;
    ensure!(answer["status"] == "cancelled", "the cancel was answered with {answer}");
    let status = status?;
    ensure!(status == "cancelled", "the turn has {status}");
    Ok(CancelTimes { answered, told })
}

impl fmt::Display for Cancels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pause = PAUSE.as_millis();
        writeln!(f, "{} answers at {pause} ms per token, each cancelled from a second connection.\n", self.cancels)?;
        let row = |name: &str, spread: &LatencySummary| {
            [name.to_owned(), rounded(spread.p50), rounded(spread.p99), rounded(spread.max)]
        };
        let table = Table::new(["from sending agent.cancel to", "p50 ms", "p99 ms", "max ms"])
            .row(row("its ok", &self.answered_ms))
            .row(row("turn.status cancelled on the first connection", &self.told_ms))
            .row(row("(one disk flush alone)", &self.flush_ms));
        writeln!(f, "{table}")?;
        writeln!(f, "Aborted model calls: {} of {}.", self.model_calls_aborted, self.cancels)?;
        write!(f, "Next turns completed: {} of {}.", self.next_turns_completed, self.cancels)
    }
}
