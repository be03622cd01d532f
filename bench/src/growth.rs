//! `growth`: the cost of a turn must not depend on the length of the conversation.
//!
//! One session has a thousand turns with the real program. CPU time is counted in ticks of 10 ms,
//! which is several turns, so the costs are means over windows; the first window stands for turn
//! 10, the last one for turn 1,000. Another session warms up the program before: otherwise the
//! first window would include the start-up cost, which could hide growth.

use std::{fmt, time::Duration};

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::{
    answers,
    cli::BenchScale,
    conversation::BenchConversation,
    percentile::p50,
    process::ProcessUsage,
    program,
    table::{Table, grouped, rounded},
};

/// Turns of another session before the first window.
const WARM_UP: usize = 50;
/// The maximum ratio of the last window's cost to the first's.
const RATIO_MAX: f64 = 1.5;

/// The cost of a turn in each part of the conversation.
#[derive(Debug, Serialize)]
pub(crate) struct GrowthResult {
    setting: BenchScale,
    turns: usize,
    windows: Vec<TurnRange>,
    /// The ratio of the last window to the first.
    ratio: TurnCosts,
    ratio_max: f64,
    is_within: bool,
}

/// The mean cost of the turns in a part of the conversation.
#[derive(Debug, Serialize)]
struct TurnRange {
    first_turn: usize,
    last_turn: usize,
    #[serde(flatten)]
    costs: TurnCosts,
}

/// The cost of one turn.
#[derive(Debug, Clone, Copy, Serialize)]
struct TurnCosts {
    cpu_ms: f64,
    written_bytes: f64,
    stored_bytes: f64,
    p50_ms: f64,
}

pub(crate) async fn run(setting: BenchScale) -> Result<GrowthResult> {
    let (turns, window) = setting.pick((200, 50), (1_000, 100));
    let model = answers::paced(Duration::ZERO).await;
    let program = program::release(&model)?;
    let running = program.start().await;
    let mut earlier = BenchConversation::start(&running).await?;
    for turn in 0..WARM_UP {
        talk(&mut earlier, turn).await?;
    }

    let mut conversation = BenchConversation::start(&running).await?;
    let mut windows = Vec::new();
    for first in (1..=turns).step_by(window) {
        let before = ProcessUsage::of(running.pid())?;
        let mut times = Vec::new();
        for turn in first..first + window {
            times.push(talk(&mut conversation, turn).await?);
        }
        let costs = TurnCosts::between(before, ProcessUsage::of(running.pid())?, &times);
        windows.push(TurnRange { first_turn: first, last_turn: first + window - 1, costs });
    }
    let exit = running.stop().await;
    ensure!(exit.success(), "the program failed to stop: {exit}");
    Ok(GrowthResult::new(setting, turns, windows))
}

async fn talk(conversation: &mut BenchConversation, number: usize) -> Result<Duration> {
    let turn = conversation.say(&answers::message(number)).await?;
    ensure!(turn.status == "completed", "turn {number} has {}", turn.status);
    Ok(turn.total)
}

impl TurnCosts {
    fn between(before: ProcessUsage, after: ProcessUsage, times: &[Duration]) -> Self {
        let per_turn = |total: u64| total as f64 / times.len() as f64;
        let cpu_us = u64::try_from((after.cpu - before.cpu).as_micros()).unwrap_or(u64::MAX);
        Self {
            cpu_ms: per_turn(cpu_us) / 1000.0,
            written_bytes: per_turn(after.written - before.written),
            stored_bytes: per_turn(after.stored - before.stored),
            p50_ms: p50(times),
        }
    }

    fn ratio(self, to: Self) -> Self {
        Self {
            cpu_ms: self.cpu_ms / to.cpu_ms,
            written_bytes: self.written_bytes / to.written_bytes,
            stored_bytes: self.stored_bytes / to.stored_bytes,
            p50_ms: self.p50_ms / to.p50_ms,
        }
    }
}

impl GrowthResult {
    fn new(setting: BenchScale, turns: usize, windows: Vec<TurnRange>) -> Self {
        let none = TurnCosts { cpu_ms: 0.0, written_bytes: 0.0, stored_bytes: 0.0, p50_ms: 0.0 };
        let costs = |window: Option<&TurnRange>| window.map_or(none, |window| window.costs);
        let ratio = costs(windows.last()).ratio(costs(windows.first()));
        // Wall-clock time is shown but not checked, since the machine may be shared.
        let is_within = [ratio.cpu_ms, ratio.written_bytes, ratio.stored_bytes].iter().all(|it| *it <= RATIO_MAX);
        Self { setting, turns, windows, ratio, ratio_max: RATIO_MAX, is_within }
    }
}

impl fmt::Display for GrowthResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "One session, {} turns; means per turn over windows of turns.\n", grouped(self.turns as u64))?;
        let mut table = Table::new(["turns", "CPU ms", "bytes written", "bytes to disk", "p50 ms"]);
        for TurnRange { first_turn, last_turn, costs } in &self.windows {
            table = table.row(cells(format!("{first_turn}–{last_turn}"), costs));
        }
        writeln!(f, "{}", table.row(cells("last / first".to_owned(), &self.ratio)))?;
        let verdict = if self.is_within { "is within" } else { "EXCEEDS" };
        write!(f, "The ratio of CPU time and bytes {verdict} {}.", self.ratio_max)
    }
}

fn cells(name: String, costs: &TurnCosts) -> [String; 5] {
    [name, rounded(costs.cpu_ms), rounded(costs.written_bytes), rounded(costs.stored_bytes), rounded(costs.p50_ms)]
}
