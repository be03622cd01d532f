//! One round of a model: the call, retries and fallbacks, and the streaming of its text.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use model::{Chunk, Error, Model, Prompt, Stop};
use observe::Measurement;
use protocol::{Step, StepError, TurnError, Usage};
use session::TurnReport;
use tokio::time::{Instant, sleep};

use super::{
    Halt,
    context::AssembledPrompt,
    model_settings,
    output_redactor::OutputRedactor,
    state::{InFlightRound, TurnState},
    trace,
};
use crate::{counters::TURN, observation};

/// The largest answer; anything longer is a malfunction.
const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes per token, roughly.
const BYTES_PER_TOKEN: u64 = 4;
/// Maximum number of calls in one round; more are a malfunction.
const CALLS_MAX: usize = 64;
/// The token count of a prompt is off by at most one part in this many.
const LEEWAY: u64 = 5;
/// Characters of reasoning that are kept for its summary.
const THOUGHT_CHARS_MAX: usize = 600;

/// The result of a round.
pub(super) struct RoundResult {
    pub(super) calls: Vec<model::Call>,
    pub(super) usage: Usage,
    pub(super) model: String,
    /// Why it ended.
    pub(super) stop: Stop,
    /// Whether it was cut because the budget was exhausted.
    pub(super) is_cut: bool,
}

/// Checks whether an answer is still within its limit. A token has at least one byte, so nothing is
/// counted before that many bytes have arrived.
struct AnswerLimit {
    tokens_left: u64,
    bytes: u64,
    look_at: u64,
}

impl AnswerLimit {
    const fn new(space: u64) -> Self {
        Self { tokens_left: space, bytes: 0, look_at: space }
    }

    /// Reasoning counts too; it is not stored, so its tokens are estimated.
    fn think(&mut self, bytes: usize) {
        self.tokens_left = self.tokens_left.saturating_sub(bytes as u64 / BYTES_PER_TOKEN);
        self.look_at = self.look_at.min(self.bytes + self.tokens_left);
    }

    fn is_over(&mut self, more: usize, said: &str) -> bool {
        self.bytes += more as u64;
        if self.bytes <= self.look_at {
            return false;
        }
        let tokens = model::count(said);
        self.look_at = self.bytes + self.tokens_left.saturating_sub(tokens);
        tokens > self.tokens_left
    }
}

/// Calls the models in order until one answers. A failure before the first text is retried if that
/// can help, then the next model is tried. After it, the published text would be repeated, so the
/// turn fails.
pub(super) async fn ask(
    state: &mut TurnState,
    chain: &[Arc<dyn Model>],
    first: AssembledPrompt,
    for_another: impl Fn(&mut TurnState, &dyn Model) -> AssembledPrompt,
) -> Result<RoundResult, Halt> {
    let mut candidates = chain.iter().peekable();
    let mut first = Some(first);
    let mut last = None;
    while let Some(model) = candidates.next() {
        let mut assembled = first.take().unwrap_or_else(|| for_another(state, model.as_ref()));
        if let Err(error) = model_settings::set(state, model.as_ref(), &mut assembled.prompt) {
            return Err(failed(state, &error, model.name()).into());
        }
        let mut answered = with_retries(state, model.as_ref(), &assembled).await;
        if let Err(error) = &answered
            && error.is_about_tools()
            && !assembled.prompt.tools.is_empty()
            && state.said.is_empty()
        {
            // The model may still answer without tools: it gets none from now on.
            state.services.show_no_tools(model.name());
            let step = step_error(state, error, model.name(), None, None);
            state.step(Step::Error(step)).await;
            let mut assembled = for_another(state, model.as_ref());
            if let Err(error) = model_settings::set(state, model.as_ref(), &mut assembled.prompt) {
                return Err(failed(state, &error, model.name()).into());
            }
            answered = with_retries(state, model.as_ref(), &assembled).await;
            if answered.is_err() {
                // The tools were not the cause after all.
                state.services.show_tools_again(model.name());
            }
        }
        let error = match answered {
            Ok(round) => return Ok(round),
            Err(error) => error,
        };
        let fallback = candidates.peek().filter(|_| error.falls_back() && state.said.is_empty());
        let Some(fallback) = fallback else { return Err(failed(state, &error, model.name()).into()) };
        let step = step_error(state, &error, model.name(), None, Some(fallback.name()));
        state.step(Step::Error(step)).await;
        last = Some(failed(state, &error, model.name()));
    }
    Err(last.unwrap_or_else(no_model).into())
}

async fn with_retries(
    state: &mut TurnState,
    model: &dyn Model,
    assembled: &AssembledPrompt,
) -> Result<RoundResult, Error> {
    let waits = state.services.options.model_backoff.clone();
    let mut waits = waits.into_iter();
    let mut was_empty = false;
    loop {
        let begun = Instant::now();
        let span = state.trace.model_call(model, assembled.answer_tokens_max);
        let answered = observe::scope_maybe(span.context(), stream(state, model, assembled)).await;
        state.services.options.observers.measure(|| Measurement::ModelTime {
            provider: observation::provider(model.name()),
            took: begun.elapsed(),
        });
        let error = match answered {
            Ok(round) => {
                state.in_flight = None;
                trace::answered(span, &round);
                state.services.counters.model_answered(TURN, model.name(), round.usage);
                return Ok(round);
            }
            Err(error) => error.sorted(),
        };
        span.fail(error.code());
        // Text and reasoning from before the failure are paid for.
        let spent = state.settle_in_flight();
        state.services.counters.model_failed(TURN, model.name(), error.code(), spent);
        if matches!(error, Error::Empty { .. }) && std::mem::replace(&mut was_empty, true) {
            // One empty answer may be a slip, two are its answer.
            return Err(error);
        }
        tracing::debug!(model = model.name(), error = in_words(state, &error), after = ?begun.elapsed(), "a model failed");
        let wait = waits.next().map(|wait| error.retry_after().unwrap_or(wait));
        let Some(wait) = wait.filter(|wait| {
            // Waiting past the deadline would only delay the error.
            let ends_in_time = Instant::now().checked_add(*wait).is_some_and(|end| end < state.deadline());
            error.is_transient() && state.said.is_empty() && ends_in_time
        }) else {
            return Err(error);
        };
        state.step(Step::Error(step_error(state, &error, model.name(), Some(wait), None))).await;
        sleep(wait).await;
    }
}

async fn stream(state: &mut TurnState, model: &dyn Model, assembled: &AssembledPrompt) -> Result<RoundResult, Error> {
    check_fits(model, assembled.tokens)?;
    let mut words = OutputRedactor::new(&state.services.redactor);
    let mut chunks = model.stream(assembled.prompt.clone()).await?;
    let (mut calls, mut bytes, mut fit) = (Vec::new(), 0, AnswerLimit::new(assembled.answer_tokens_max));
    // Not every provider supports a limit of one call at a time.
    let is_one_at_a_time = assembled.prompt.settings.parallel_tool_calls == Some(false);
    let calls_max = if is_one_at_a_time { 1 } else { CALLS_MAX };
    // A structured answer is published once it matches; what a failed attempt said is dropped.
    let is_held = assembled.prompt.response_schema.is_some();
    state.unsaid.clear();
    state.model = model.name().to_owned();
    state.in_flight = Some(InFlightRound { sent: assembled.tokens, thought_bytes: 0, counted: None });
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            Chunk::Text(delta) => {
                bytes += delta.len();
                let out = words.text(&delta);
                if bytes > ANSWER_BYTES_MAX {
                    return Err(Error::TooLong { bytes_max: ANSWER_BYTES_MAX });
                }
                say(state, out, is_held).await;
                if fit.is_over(delta.len(), state.round_text()) {
                    let usage = counted(assembled, state.round_text());
                    let (model, stop) = (model.name().to_owned(), Stop::Length);
                    return Ok(RoundResult { calls: Vec::new(), usage, model, stop, is_cut: true });
                }
            }
            Chunk::Thinking(delta) => {
                fit.think(delta.len());
                if let Some(in_flight) = &mut state.in_flight {
                    in_flight.thought_bytes += delta.len();
                }
                think(state, words.thinking(&delta)).await;
            }
            Chunk::Call(call) if calls.len() < calls_max => calls.push(call),
            Chunk::Call(_) => {}
            Chunk::End { usage, stop } => {
                let (text, thinking) = words.finish();
                think(state, thinking).await;
                say(state, text, is_held).await;
                if let Some(in_flight) = &mut state.in_flight {
                    in_flight.counted = usage;
                }
                if calls.is_empty() && state.round_text().trim().is_empty() {
                    check_silence(state, model.name(), stop)?;
                }
                let usage = usage.unwrap_or_else(|| counted(assembled, state.round_text()));
                return Ok(RoundResult { calls, usage, model: model.name().to_owned(), stop, is_cut: false });
            }
        }
    }
    Err(Error::Cut { provider: model.name().to_owned() })
}

/// How to treat an answer without text and calls. After calls it may be complete; one that was cut
/// before its first text is requested once more by the turn itself.
fn check_silence(state: &TurnState, model: &str, stop: Stop) -> Result<(), Error> {
    let provider = model.to_owned();
    match stop {
        Stop::Filtered => Err(Error::Filtered { provider, message: "it gives no reason".to_owned() }),
        Stop::Refused => Err(Error::Declined { provider }),
        Stop::Complete if state.thread.calls().next().is_none() && state.text.trim().is_empty() => {
            Err(Error::Empty { provider, is_cut: false })
        }
        Stop::Complete | Stop::Length => Ok(()),
    }
}

/// Refuses a prompt that exceeds the model's context window: some providers would silently drop its
/// beginning. The count is an estimate for most of them, so there is some tolerance.
fn check_fits(model: &dyn Model, tokens: u64) -> Result<(), Error> {
    let tokens_max = model.traits().context_tokens_max;
    if tokens <= tokens_max.saturating_add(tokens_max / LEEWAY) {
        return Ok(());
    }
    let message = format!(
        "it has about {tokens} tokens, but the model accepts {tokens_max}; send a shorter message, or choose a model \
         with a larger context window"
    );
    Err(Error::TooMuchContext { provider: model.name().to_owned(), message })
}

/// The usage of a round if the provider reports none.
fn counted(assembled: &AssembledPrompt, said: &str) -> Usage {
    Usage::of(assembled.tokens, model::count(said))
}

/// The text of a later round starts on a new line.
async fn say(state: &mut TurnState, words: String, is_held: bool) {
    if words.is_empty() {
        return;
    }
    if is_held {
        state.unsaid.push_str(&words);
        return;
    }
    let is_new_round =
        state.said.is_empty() && !state.text.is_empty() && !state.text.ends_with('\n') && !state.thread.goes_on();
    let words = if is_new_round { format!("\n\n{words}") } else { words };
    state.say(words).await;
}

async fn think(state: &mut TurnState, thought: String) {
    if thought.is_empty() {
        return;
    }
    let space = THOUGHT_CHARS_MAX.saturating_sub(state.thought.chars().count());
    state.thought.extend(thought.chars().take(space));
    state.reporter.tell(TurnReport::Thinking(thought)).await;
}

/// The complete answer of a model to an internal prompt, with its usage if the provider reports it.
pub(super) async fn ask_whole(model: &dyn Model, prompt: Prompt) -> Result<(String, Option<Usage>), Error> {
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

/// A provider's error message may quote the request, so it is redacted.
fn in_words(state: &TurnState, error: &Error) -> String {
    state.services.redactor.redact(&error.to_string()).into_owned()
}

/// The error of a turn whose model has failed.
pub(super) fn failed(state: &TurnState, error: &Error, model: &str) -> TurnError {
    TurnError {
        code: error.code().to_owned(),
        message: in_words(state, error),
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

/// The error of a turn without a model to call.
pub(super) fn no_model() -> TurnError {
    TurnError {
        code: "model_unconfigured".to_owned(),
        message: "there is no model to ask".to_owned(),
        recoverable: false,
        details: None,
    }
}

fn step_error(
    state: &TurnState,
    error: &Error,
    model: &str,
    wait: Option<Duration>,
    fallback: Option<&str>,
) -> StepError {
    StepError {
        code: error.code().to_owned(),
        message: in_words(state, error),
        model: Some(model.to_owned()),
        retry_in_ms: wait.map(millis),
        fallback: fallback.map(str::to_owned),
    }
}
