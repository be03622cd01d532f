//! `acting`: a turn with one tool call beside the two calls of the model that it is made of.
//!
//! The model asks for the calculator and answers after its result. Dwell is asked over the WebSocket; the model is asked
//! directly with the two requests that Dwell makes of it, one after the other. Then many sessions at once.

use std::{
    fmt,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, future::try_join_all};
use serde::Serialize;
use serde_json::{Value, json};
use testkit::{ModelServer, Reply, Request, Running, ToolCall};

use crate::{
    answers,
    cli::Setting,
    conversation::Conversation,
    percentile::p50,
    process::Usage,
    program,
    table::{Table, rounded},
};

const WARM_UP: usize = 10;
const SESSIONS: usize = 32;

/// A turn with one tool call.
#[derive(Debug, Serialize)]
pub(crate) struct Acting {
    setting: Setting,
    turns: usize,
    /// The two calls of the model, made directly.
    model_ms: f64,
    dwell_ms: f64,
    ratio: f64,
    turns_per_second: f64,
    cpu_ms_per_turn: f64,
    sessions: usize,
    turns_per_second_of_sessions: f64,
}

pub(crate) async fn run(setting: Setting) -> Result<Acting> {
    let model = ModelServer::start().await;
    model.respond_with(answer);
    let program = program::release(&model)?;
    let running = program.start().await;
    let mut conversation = Conversation::start(&running).await?;
    talk(&mut conversation, 0..WARM_UP).await?;
    let requests: Vec<Value> = model.requests().iter().rev().take(2).rev().map(|it| it.raw().clone()).collect();
    model.forget_requests();

    let turns = setting.pick(50, 500);
    let direct = ask_directly(&model, &requests, turns).await?;
    let before = Usage::of(running.pid())?;
    let begun = Instant::now();
    let times = talk(&mut conversation, 0..turns).await?;
    let took = begun.elapsed();
    let cpu = Usage::of(running.pid())?.cpu - before.cpu;
    let of_sessions = at_once(&running, setting.pick(4, 40)).await?;
    let exit = running.stop().await;
    ensure!(exit.success(), "the program failed to stop: {exit}");
    let (model_ms, dwell_ms) = (p50(&direct), p50(&times));
    Ok(Acting {
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

/// A call of the calculator first, the text after its result.
pub(crate) fn answer(request: &Request) -> Reply {
    let is_answered = request.messages().last().is_some_and(|message| message["role"] == "tool");
    if is_answered {
        answers::text(Duration::ZERO)
    } else {
        Reply::tool_calls([ToolCall::new("call_1", "calculator", json!({ "expression": "17 * 23" }))])
    }
}

async fn talk(conversation: &mut Conversation, numbers: std::ops::Range<usize>) -> Result<Vec<Duration>> {
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

/// Turns per second of many sessions that talk at once.
async fn at_once(running: &Running, turns: usize) -> Result<f64> {
    let mut conversations = Vec::new();
    for _ in 0..SESSIONS {
        conversations.push(Conversation::start(running).await?);
    }
    let begun = Instant::now();
    try_join_all(conversations.iter_mut().map(|conversation| talk(conversation, 0..turns))).await?;
    Ok((turns * SESSIONS) as f64 / begun.elapsed().as_secs_f64())
}

impl fmt::Display for Acting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "A turn with one tool call, {} turns; medians in milliseconds.\n", self.turns)?;
        let table = Table::new(["", "p50 ms", "ratio", "turns/s", "CPU ms per turn"])
            .row([
                "two calls of the model".to_owned(),
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
