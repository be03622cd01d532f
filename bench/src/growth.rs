//! `growth`: the cost of a turn must not depend on the length of the conversation.
//!
//! One session talks to the real program for a thousand turns. CPU time comes in ticks of 10 ms, which is several
//! turns, so the costs are means over windows; the first window stands for turn 10, the last one for turn 1,000.
//! Another session talks before the first window: without that, the first window would also pay for starting up,
//! and growth could hide behind it.

use std::{fmt, time::Duration};

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::{
    answers,
    cli::Setting,
    conversation::Conversation,
    percentile::p50,
    process::Usage,
    program,
    table::{Table, grouped, rounded},
};

/// Turns of another session before the first window.
const WARM_UP: usize = 50;
/// The last window may cost this many times the first.
const RATIO_MAX: f64 = 1.5;

/// What a turn costs in each part of the conversation.
#[derive(Debug, Serialize)]
pub(crate) struct Growth {
    setting: Setting,
    turns: usize,
    windows: Vec<Window>,
    /// Last to first.
    ratio: Costs,
    ratio_max: f64,
    is_within: bool,
}

/// The mean costs of the turns in a part of the conversation.
#[derive(Debug, Serialize)]
struct Window {
    first_turn: usize,
    last_turn: usize,
    #[serde(flatten)]
    costs: Costs,
}

/// What one turn costs.
#[derive(Debug, Clone, Copy, Serialize)]
struct Costs {
    cpu_ms: f64,
    written_bytes: f64,
    stored_bytes: f64,
    p50_ms: f64,
}

pub(crate) async fn run(setting: Setting) -> Result<Growth> {
    let (turns, window) = setting.pick((200, 50), (1_000, 100));
    let model = answers::paced(Duration::ZERO).await;
    let program = program::release(&model)?;
    let running = program.start().await;
    let mut earlier = Conversation::start(&running).await?;
    for turn in 0..WARM_UP {
        talk(&mut earlier, turn).await?;
    }

    let mut conversation = Conversation::start(&running).await?;
    let mut windows = Vec::new();
    for first in (1..=turns).step_by(window) {
        let before = Usage::of(running.pid())?;
        let mut times = Vec::new();
        for turn in first..first + window {
            times.push(talk(&mut conversation, turn).await?);
        }
        let costs = Costs::between(before, Usage::of(running.pid())?, &times);
        windows.push(Window { first_turn: first, last_turn: first + window - 1, costs });
    }
    let exit = running.stop().await;
    ensure!(exit.success(), "the program failed to stop: {exit}");
    Ok(Growth::new(setting, turns, windows))
}

async fn talk(conversation: &mut Conversation, number: usize) -> Result<Duration> {
    let turn = conversation.say(&answers::message(number)).await?;
    ensure!(turn.status == "completed", "turn {number} has {}", turn.status);
    Ok(turn.total)
}

impl Costs {
    fn between(before: Usage, after: Usage, times: &[Duration]) -> Self {
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

impl Growth {
    fn new(setting: Setting, turns: usize, windows: Vec<Window>) -> Self {
        let none = Costs { cpu_ms: 0.0, written_bytes: 0.0, stored_bytes: 0.0, p50_ms: 0.0 };
        let costs = |window: Option<&Window>| window.map_or(none, |window| window.costs);
        let ratio = costs(windows.last()).ratio(costs(windows.first()));
        // The wall clock is shown but not judged: others use this machine too.
        let is_within = [ratio.cpu_ms, ratio.written_bytes, ratio.stored_bytes].iter().all(|it| *it <= RATIO_MAX);
        Self { setting, turns, windows, ratio, ratio_max: RATIO_MAX, is_within }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "One session, {} turns; means per turn over windows of turns.\n", grouped(self.turns as u64))?;
        let mut table = Table::new(["turns", "CPU ms", "bytes written", "bytes to disk", "p50 ms"]);
        for Window { first_turn, last_turn, costs } in &self.windows {
            table = table.row(cells(format!("{first_turn}–{last_turn}"), costs));
        }
        writeln!(f, "{}", table.row(cells("last / first".to_owned(), &self.ratio)))?;
        let verdict = if self.is_within { "is within" } else { "EXCEEDS" };
        write!(f, "The ratio of CPU time and bytes {verdict} {}.", self.ratio_max)
    }
}

fn cells(name: String, costs: &Costs) -> [String; 5] {
    [name, rounded(costs.cpu_ms), rounded(costs.written_bytes), rounded(costs.stored_bytes), rounded(costs.p50_ms)]
}
