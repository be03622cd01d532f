//! One round of a model: asked, asked again, or another one in its place, and its words passed on as they come.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use model::{Chunk, Error, Model, Prompt, Stop};
use protocol::{Step, StepError, TurnError, Usage};
use session::Report;
use tokio::time::{Instant, sleep};

use super::{
    Halt,
    context::Assembled,
    model_settings,
    words::Words,
    work::{InFlight, Work},
};
use crate::counters::TURN;

/// The longest answer; whoever says more is not answering.
const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of a token, roughly.
const BYTES_PER_TOKEN: u64 = 4;
/// Calls in one round; whoever asks for more is not planning.
const CALLS_MAX: usize = 64;
/// The count of a prompt is off by one part in so many at most.
const LEEWAY: u64 = 5;
/// Characters of reasoning that are kept for its gist.
const THOUGHT_CHARS_MAX: usize = 600;

/// What a round came to.
pub(super) struct Round {
    pub(super) calls: Vec<model::Call>,
    pub(super) usage: Usage,
    pub(super) model: String,
    /// Why it ended.
    pub(super) stop: Stop,
    /// Whether it was broken off because the budget has no room for more.
    pub(super) is_cut: bool,
}

/// Looks whether an answer still fits into its room. A token has at least a byte, so there is no need to count before
/// that many bytes have come.
struct Fit {
    room: u64,
    bytes: u64,
    look_at: u64,
}

impl Fit {
    const fn new(room: u64) -> Self {
        Self { room, bytes: 0, look_at: room }
    }

    /// Reasoning takes room too; it is not kept, so it is estimated.
    fn think(&mut self, bytes: usize) {
        self.room = self.room.saturating_sub(bytes as u64 / BYTES_PER_TOKEN);
        self.look_at = self.look_at.min(self.bytes + self.room);
    }

    fn is_over(&mut self, more: usize, said: &str) -> bool {
        self.bytes += more as u64;
        if self.bytes <= self.look_at {
            return false;
        }
        let tokens = model::count(said);
        self.look_at = self.bytes + self.room.saturating_sub(tokens);
        tokens > self.room
    }
}

/// Asks the models in order until one answers. A failure before the first word is tried again where that can help, then
/// with the next model; after it, the words that are out would come twice, so the turn fails and says so.
pub(super) async fn ask(
    work: &mut Work,
    chain: &[Arc<dyn Model>],
    first: Assembled,
    for_another: impl Fn(&mut Work, &dyn Model) -> Assembled,
) -> Result<Round, Halt> {
    let mut candidates = chain.iter().peekable();
    let mut first = Some(first);
    let mut last = None;
    while let Some(model) = candidates.next() {
        let mut assembled = first.take().unwrap_or_else(|| for_another(work, model.as_ref()));
        if let Err(error) = model_settings::set(work, model.as_ref(), &mut assembled.prompt) {
            return Err(failed(work, &error, model.name()).into());
        }
        let mut answered = with_retries(work, model.as_ref(), &assembled).await;
        if let Err(error) = &answered
            && error.is_about_tools()
            && !assembled.prompt.tools.is_empty()
            && work.said.is_empty()
        {
            // It may still talk: it is shown no tools from now on.
            work.house.show_no_tools(model.name());
            let step = step_error(work, error, model.name(), None, None);
            work.step(Step::Error(step)).await;
            let mut assembled = for_another(work, model.as_ref());
            if let Err(error) = model_settings::set(work, model.as_ref(), &mut assembled.prompt) {
                return Err(failed(work, &error, model.name()).into());
            }
            answered = with_retries(work, model.as_ref(), &assembled).await;
            if answered.is_err() {
                // It was not about them after all.
                work.house.show_tools_again(model.name());
            }
        }
        let error = match answered {
            Ok(round) => return Ok(round),
            Err(error) => error,
        };
        let fallback = candidates.peek().filter(|_| error.falls_back() && work.said.is_empty());
        let Some(fallback) = fallback else { return Err(failed(work, &error, model.name()).into()) };
        let step = step_error(work, &error, model.name(), None, Some(fallback.name()));
        work.step(Step::Error(step)).await;
        last = Some(failed(work, &error, model.name()));
    }
    Err(last.unwrap_or_else(nobody).into())
}

async fn with_retries(work: &mut Work, model: &dyn Model, assembled: &Assembled) -> Result<Round, Error> {
    let waits = work.house.options.model_backoff.clone();
    let mut waits = waits.into_iter();
    let mut was_empty = false;
    loop {
        let begun = Instant::now();
        let answered = stream(work, model, assembled).await;
        let error = match answered {
            Ok(round) => {
                work.in_flight = None;
                work.house.counters.model_answered(TURN, model.name(), round.usage);
                return Ok(round);
            }
            Err(error) => error.sorted(),
        };
        // Words and thoughts that came before it failed are paid for.
        let spent = work.settle_in_flight();
        work.house.counters.model_failed(TURN, model.name(), spent);
        if matches!(error, Error::Empty { .. }) && std::mem::replace(&mut was_empty, true) {
            // Once is a slip, twice is its answer.
            return Err(error);
        }
        tracing::debug!(model = model.name(), error = in_words(work, &error), after = ?begun.elapsed(), "a model failed");
        let wait = waits.next().map(|wait| error.retry_after().unwrap_or(wait));
        let Some(wait) = wait.filter(|wait| {
            // Waiting past the deadline would only delay the bad news.
            let ends_in_time = Instant::now().checked_add(*wait).is_some_and(|end| end < work.deadline());
            error.is_transient() && work.said.is_empty() && ends_in_time
        }) else {
            return Err(error);
        };
        work.step(Step::Error(step_error(work, &error, model.name(), Some(wait), None))).await;
        sleep(wait).await;
    }
}

async fn stream(work: &mut Work, model: &dyn Model, assembled: &Assembled) -> Result<Round, Error> {
    check_fits(model, assembled.tokens)?;
    let mut words = Words::new(&work.house.redactor);
    let mut chunks = model.stream(assembled.prompt.clone()).await?;
    let (mut calls, mut bytes, mut fit) = (Vec::new(), 0, Fit::new(assembled.room));
    // Not every provider can be told to make one call at a time.
    let is_one_at_a_time = assembled.prompt.settings.parallel_tool_calls == Some(false);
    let calls_max = if is_one_at_a_time { 1 } else { CALLS_MAX };
    work.model = model.name().to_owned();
    work.in_flight = Some(InFlight { sent: assembled.tokens, thought_bytes: 0, counted: None });
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            Chunk::Text(delta) => {
                bytes += delta.len();
                let out = words.text(&delta);
                if bytes > ANSWER_BYTES_MAX {
                    return Err(Error::TooLong { bytes_max: ANSWER_BYTES_MAX });
                }
                say(work, out).await;
                if fit.is_over(delta.len(), &work.said) {
                    let usage = counted(assembled, &work.said);
                    let (model, stop) = (model.name().to_owned(), Stop::Length);
                    return Ok(Round { calls: Vec::new(), usage, model, stop, is_cut: true });
                }
            }
            Chunk::Thinking(delta) => {
                fit.think(delta.len());
                if let Some(in_flight) = &mut work.in_flight {
                    in_flight.thought_bytes += delta.len();
                }
                think(work, words.thinking(&delta)).await;
            }
            Chunk::Call(call) if calls.len() < calls_max => calls.push(call),
            Chunk::Call(_) => {}
            Chunk::End { usage, stop } => {
                let (text, thinking) = words.finish();
                think(work, thinking).await;
                say(work, text).await;
                if let Some(in_flight) = &mut work.in_flight {
                    in_flight.counted = usage;
                }
                if calls.is_empty() && work.said.trim().is_empty() {
                    check_silence(work, model.name(), stop)?;
                }
                let usage = usage.unwrap_or_else(|| counted(assembled, &work.said));
                return Ok(Round { calls, usage, model: model.name().to_owned(), stop, is_cut: false });
            }
        }
    }
    Err(Error::Cut { provider: model.name().to_owned() })
}

/// What an answer without a word and without a call means. After calls it may be all there is to say; one that was cut before
/// its first word is asked for once more by the turn itself.
fn check_silence(work: &Work, model: &str, stop: Stop) -> Result<(), Error> {
    let provider = model.to_owned();
    match stop {
        Stop::Filtered => Err(Error::Filtered { provider, message: "it gives no reason".to_owned() }),
        Stop::Refused => Err(Error::Declined { provider }),
        Stop::Complete if work.thread.calls().next().is_none() && work.text.trim().is_empty() => {
            Err(Error::Empty { provider, is_cut: false })
        }
        Stop::Complete | Stop::Length => Ok(()),
    }
}

/// Refuses what the model cannot read: some providers would drop its beginning in silence. The count is an estimate for
/// most of them, so there is some leeway.
fn check_fits(model: &dyn Model, tokens: u64) -> Result<(), Error> {
    let tokens_max = model.traits().context_tokens_max;
    if tokens <= tokens_max.saturating_add(tokens_max / LEEWAY) {
        return Ok(());
    }
    let message = format!(
        "it has about {tokens} tokens, and the model takes {tokens_max}; send a shorter message, or choose a model that \
         takes more"
    );
    Err(Error::TooMuchContext { provider: model.name().to_owned(), message })
}

/// What a round took where the provider does not say.
fn counted(assembled: &Assembled, said: &str) -> Usage {
    Usage::of(assembled.tokens, model::count(said))
}

/// Words of a later round begin on a line of their own.
async fn say(work: &mut Work, words: String) {
    if words.is_empty() {
        return;
    }
    let is_new_round =
        work.said.is_empty() && !work.text.is_empty() && !work.text.ends_with('\n') && !work.thread.goes_on();
    let words = if is_new_round { format!("\n\n{words}") } else { words };
    work.say(words).await;
}

async fn think(work: &mut Work, thought: String) {
    if thought.is_empty() {
        return;
    }
    let room = THOUGHT_CHARS_MAX.saturating_sub(work.thought.chars().count());
    work.thought.extend(thought.chars().take(room));
    work.reporter.tell(Report::Thinking(thought)).await;
}

/// The whole answer of a model, for questions of our own, and what it took where the provider says so.
pub(super) async fn whole(model: &dyn Model, prompt: Prompt) -> Result<(String, Option<Usage>), Error> {
    let mut chunks = model.stream(prompt).await?;
    let mut text = String::new();
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            Chunk::Text(delta) if text.len() + delta.len() > ANSWER_BYTES_MAX => {
                return Err(Error::TooLong { bytes_max: ANSWER_BYTES_MAX });
            }
            Chunk::Text(delta) => text.push_str(&delta),
            Chunk::End { usage, .. } => return Ok((text, usage)),
            Chunk::Thinking(_) | Chunk::Call(_) => {}
        }
    }
    Err(Error::Cut { provider: model.name().to_owned() })
}

fn millis(wait: Duration) -> u64 {
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}

/// What a provider says of its failure may quote what it was sent.
fn in_words(work: &Work, error: &Error) -> String {
    work.house.redactor.redact(&error.to_string()).into_owned()
}

/// What ends a turn whose model has failed.
pub(super) fn failed(work: &Work, error: &Error, model: &str) -> TurnError {
    TurnError {
        code: error.code().to_owned(),
        message: in_words(work, error),
        recoverable: error.is_transient(),
        details: Some(serde_json::json!({
            "model": model,
            "provider": error.provider(),
            "status": error.status(),
            "retry_after_ms": error.retry_after().map(millis),
            "timed_out": error.is_timeout().then_some(true),
        })),
    }
}

/// What ends a turn that there is nobody to ask for.
pub(super) fn nobody() -> TurnError {
    TurnError {
        code: "model_unconfigured".to_owned(),
        message: "there is no model to ask".to_owned(),
        recoverable: false,
        details: None,
    }
}

fn step_error(work: &Work, error: &Error, model: &str, wait: Option<Duration>, fallback: Option<&str>) -> StepError {
    StepError {
        code: error.code().to_owned(),
        message: in_words(work, error),
        model: Some(model.to_owned()),
        retry_in_ms: wait.map(millis),
        fallback: fallback.map(str::to_owned),
    }
}
