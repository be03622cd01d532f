//! `stream`: a streamed answer, compared with the model called directly.
//!
//! Dwell is measured over the WebSocket, the model with the same request that Dwell sends to it.
//! The two alternate, so that other load on the machine affects both alike, and both clients parse
//! every chunk.

use std::{
    fmt,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use futures::StreamExt;
use serde::Serialize;
use serde_json::Value;
use testkit::ModelServer;

use crate::{
    answers,
    cli::BenchScale,
    conversation::BenchConversation,
    disk::Disk,
    percentile::p50,
    program,
    table::{Table, rounded},
};

/// Turns before the measurement; after them Dwell's requests have their full length.
const WARM_UP: usize = 10;
/// Time per token of a typical fast model.
const PAUSE: Duration = Duration::from_millis(5);

/// The comparison of a streamed answer with the model called directly.
#[derive(Debug, Serialize)]
pub(crate) struct StreamResult {
    setting: BenchScale,
    runs: Vec<StreamComparison>,
}

/// Medians of both, in milliseconds.
#[derive(Debug, Serialize)]
struct StreamComparison {
    pause_ms: u128,
    turns: usize,
    first: MedianPair,
    total: MedianPair,
    /// One disk flush, which a durable answer needs.
    flush_ms: f64,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct MedianPair {
    model_ms: f64,
    dwell_ms: f64,
    ratio: f64,
}

/// The times of the first text and of the end.
#[derive(Default)]
struct StreamTimes {
    first: Vec<Duration>,
    total: Vec<Duration>,
}

pub(crate) async fn run(setting: BenchScale) -> Result<StreamResult> {
    let at_once = compare(Duration::ZERO, setting.pick(50, 200)).await?;
    let paced = compare(PAUSE, setting.pick(5, 50)).await?;
    Ok(StreamResult { setting, runs: vec![at_once, paced] })
}

async fn compare(pause: Duration, turns: usize) -> Result<StreamComparison> {
    let model = ModelServer::start().await;
    let program = program::release(&model)?;
    let running = program.start().await;
    let mut conversation = BenchConversation::start(&running).await?;
    model.respond_with(|_| answers::text(Duration::ZERO));
    for number in 0..WARM_UP {
        conversation.say(&answers::message(number)).await?;
    }
    let request = model.requests().last().context("the model got no request from Dwell")?.raw().clone();
    model.forget_requests();
    model.respond_with(move |_| answers::text(pause));

    let client = reqwest::Client::new();
    let url = format!("{}/chat/completions", model.base_url());
    let (mut direct, mut dwell) = (StreamTimes::default(), StreamTimes::default());
    let (mut disk, mut flushes) = (Disk::open()?, Vec::new());
    // The first call opens the connection.
    ask_directly(&client, &url, &request).await?;
    for number in 0..turns {
        let (first, total) = ask_directly(&client, &url, &request).await?;
        direct.push(first, total);
        let turn = conversation.say(&answers::message(number)).await?;
        ensure!(turn.status == "completed", "turn {number} has {}", turn.status);
        dwell.push(turn.first, turn.total);
        flushes.push(disk.flush()?);
    }
    let exit = running.stop().await;
    ensure!(exit.success(), "the program failed to stop: {exit}");
    Ok(StreamComparison {
        pause_ms: pause.as_millis(),
        turns,
        first: MedianPair::of(&direct.first, &dwell.first),
        total: MedianPair::of(&direct.total, &dwell.total),
        flush_ms: p50(&flushes),
    })
}

/// Calls the model; returns the times of the first text and of the last event.
async fn ask_directly(client: &reqwest::Client, url: &str, request: &Value) -> Result<(Duration, Duration)> {
    let sent_at = Instant::now();
    let response = client.post(url).bearer_auth("sk-test").json(request).send().await?.error_for_status()?;
    let mut body = response.bytes_stream();
    let mut unread = Vec::new();
    let mut first = None;
    while let Some(bytes) = body.next().await {
        unread.extend_from_slice(&bytes?);
        while let Some(end) = unread.windows(2).position(|pair| pair == b"\n\n") {
            let event: Vec<u8> = unread.drain(..end + 2).collect();
            if has_text(&event)? {
                first.get_or_insert_with(|| sent_at.elapsed());
            }
        }
    }
    Ok((first.context("the model sent no text")?, sent_at.elapsed()))
}

fn has_text(event: &[u8]) -> Result<bool> {
    let data = event.strip_prefix(b"data: ").context("failed to read an event of the model")?;
    if data.starts_with(b"[DONE]") {
        return Ok(false);
    }
    let chunk: Value = serde_json::from_slice(data)?;
    Ok(chunk["choices"][0]["delta"]["content"].as_str().is_some_and(|text| !text.is_empty()))
}

impl StreamTimes {
    fn push(&mut self, first: Duration, total: Duration) {
        self.first.push(first);
        self.total.push(total);
    }
}

impl MedianPair {
    fn of(model: &[Duration], dwell: &[Duration]) -> Self {
        let (model_ms, dwell_ms) = (p50(model), p50(dwell));
        Self { model_ms, dwell_ms, ratio: dwell_ms / model_ms }
    }
}

impl fmt::Display for StreamResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "400 bytes in 100 tokens; medians in milliseconds.\n")?;
        let mut table = Table::new(["model", "turns", "until", "direct", "Dwell", "more", "ratio", "one flush"]);
        for StreamComparison { pause_ms, turns, first, total, flush_ms } in &self.runs {
            let model = if *pause_ms == 0 { "at once".to_owned() } else { format!("{pause_ms} ms per token") };
            for (until, pair) in [("first token", first), ("end", total)] {
                table = table.row([
                    model.clone(),
                    turns.to_string(),
                    until.to_owned(),
                    rounded(pair.model_ms),
                    rounded(pair.dwell_ms),
                    rounded(pair.dwell_ms - pair.model_ms),
                    rounded(pair.ratio),
                    rounded(*flush_ms),
                ]);
            }
        }
        write!(f, "{}", table.to_string().trim_end())
    }
}
