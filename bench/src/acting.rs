//! `acting`: a turn with one tool call, compared with its two model calls.
//!
//! The model calls the calculator and answers after its result. Dwell is measured over the
//! WebSocket. For comparison, the model gets the same two requests directly, one after the other.
//! Then many sessions run at once.

use std::{
    fmt,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, future::try_join_all};
use serde::Serialize;
use serde_json::{Value, json};
use testkit::{ModelServer, Reply, Request, RunningServer, ToolCall};

use crate::{
    answers,
    cli::BenchScale,
    conversation::BenchConversation,
    percentile::p50,
    process::ProcessUsage,
    program,
    table::{Table, rounded},
};

const WARM_UP: usize = 10;
const SESSIONS: usize = 32;

/// A turn with one tool call.
#[derive(Debug, Serialize)]
pub(crate) struct ToolCallCosts {
    setting: BenchScale,
    turns: usize,
    /// The two model calls, made directly.
    model_ms: f64,
    dwell_ms: f64,
    ratio: f64,
    turns_per_second: f64,
    cpu_ms_per_turn: f64,
    sessions: usize,
    turns_per_second_of_sessions: f64,
}

pub(crate) async fn run(setting: BenchScale) -> Result<ToolCallCosts> {
    let model = ModelServer::start().await;
    model.respond_with(answer);
    let program = program::release(&model)?;
    let running = program.start().await;
    let mut conversation = BenchConversation::start(&running).await?;
    talk(&mut conversation, 0..WARM_UP).await?;
    let requests: Vec<Value> = model.requests().iter().rev().take(2).rev().map(|it| it.raw().clone()).collect();
    model.forget_requests();

    let turns = setting.pick(50, 500);
    let direct = ask_directly(&model, &requests, turns).await?;
    let before = ProcessUsage::of(running.pid())?;
    let begun = Instant::now();
    let times = talk(&mut conversation, 0..turns).await?;
    let took = begun.elapsed();
    let cpu = ProcessUsage::of(running.pid())?.cpu - before.cpu;
    let of_sessions = at_once(&running, setting.pick(4, 40)).await?;
    let exit = running.stop().await;
    ensure!(exit.success(), "the program failed to stop: {exit}");
    let (model_ms, dwell_ms) = (p50(&direct), p50(&times));
    Ok(ToolCallCosts {
        setting,
        turns,
        model_ms,
        dwell_ms,
        ratio: dwell_ms / model_ms,
        turns_per_second: turns as f64 / took.as_secs_f64(),
        cpu_ms_per_turn: cpu.as_secs_f64() * 1000.0 / turns as f64,
        sessions: SESSIONS,
        turns_per_second_of_sessions: of_sessions,
    })
}

/// First a call of the calculator, then the text after its result.
pub(crate) fn answer(request: &Request) -> Reply {
    let is_answered = request.messages().last().is_some_and(|message| message["role"] == "tool");
    if is_answered {
        answers::text(Duration::ZERO)
    } else {
        Reply::tool_calls([ToolCall::new("call_1", "calculator", json!({ "expression": "17 * 23" }))])
    }
}

async fn talk(conversation: &mut BenchConversation, numbers: std::ops::Range<usize>) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for number in numbers {
        let turn = conversation.say(&answers::message(number)).await?;
        ensure!(turn.status == "completed", "turn {number} has {}", turn.status);
        times.push(turn.total);
    }
    Ok(times)
}

async fn ask_directly(model: &ModelServer, requests: &[Value], turns: usize) -> Result<Vec<Duration>> {
    let client = reqwest::Client::new();
    let url = format!("{}/chat/completions", model.base_url());
    let mut times = Vec::new();
    for _ in 0..turns {
        let begun = Instant::now();
        for request in requests {
            let response = client.post(&url).bearer_auth("sk-test").json(request).send().await?.error_for_status()?;
            let mut body = response.bytes_stream();
            while let Some(bytes) = body.next().await {
                bytes.context("failed to read the model's answer")?;
            }
        }
        times.push(begun.elapsed());
    }
    Ok(times)
}

/// Turns per second of many concurrent sessions.
async fn at_once(running: &RunningServer, turns: usize) -> Result<f64> {
    let mut conversations = Vec::new();
    for _ in 0..SESSIONS {
        conversations.push(BenchConversation::start(running).await?);
    }
    let begun = Instant::now();
    try_join_all(conversations.iter_mut().map(|conversation| talk(conversation, 0..turns))).await?;
    Ok((turns * SESSIONS) as f64 / begun.elapsed().as_secs_f64())
}

impl fmt::Display for ToolCallCosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "A turn with one tool call, {} turns; medians in milliseconds.\n", self.turns)?;
        let table = Table::new(["", "p50 ms", "ratio", "turns/s", "CPU ms per turn"])
            .row([
                "two model calls".to_owned(),
                rounded(self.model_ms),
                "1.00".to_owned(),
                String::new(),
                String::new(),
            ])
            .row([
                "Dwell, one session".to_owned(),
                rounded(self.dwell_ms),
                rounded(self.ratio),
                rounded(self.turns_per_second),
                rounded(self.cpu_ms_per_turn),
            ])
            .row([
                format!("Dwell, {} sessions", self.sessions),
                String::new(),
                String::new(),
                rounded(self.turns_per_second_of_sessions),
                String::new(),
            ]);
        write!(f, "{}", table.to_string().trim_end())
    }
}
