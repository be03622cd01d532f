//! The model that answers when there is no other: no key, no network, no weights.
//!
//! [`OfflineModel`] understands no language. It has rules over words and recognises what they
//! cover: greetings, sums, dates, notes, artifacts, the built-in apps, calls of tools by name,
//! questions about the home and about earlier messages, extracts. For these it calls the tools it
//! is offered or quotes what is known, with its date. To everything else it says that this needs a
//! language model, and how to configure one. It is pure: the same prompt gives the same answer, and
//! the time comes with the prompt.
//!
//! A message is parsed into [`ReplyStep`]s ([`reply_plan`]), by one file of rules for each kind of
//! request. All calls are made at once; when their results are there, the message is parsed again
//! and a sentence about the result takes the place of each call ([`reply`]). So no state is kept
//! between the two rounds.

mod sentences;
mod words;

mod reply;
mod reply_plan;
mod stream;
mod tools;

mod apps;
mod arithmetic;
mod artifacts;
mod cities;
mod clock;
mod dates;
mod direct;
mod home;
mod library;
mod notes;
mod units;

mod analyser;
mod courtesy;
mod fallback;
mod recall;
mod summary;

use async_trait::async_trait;
use model::{Call, Chunks, Error, Message, Model, Price, Prompt, ToolRequirement, ToolSpec, Traits, workers};
use protocol::{ModelSettings, Timestamp};
use serde_json::Value;

const CONTEXT_TOKENS_MAX: u64 = 128_000;

/// Answers by rules where there is no language model. It does not pretend to be one.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfflineModel;

impl OfflineModel {
    /// Whether rules understand all of a message and tools alone answer it, so that a language
    /// model could not do better.
    pub fn is_certain(message: &str, tools: &[ToolSpec], now: Timestamp) -> bool {
        let prompt = Prompt {
            system: String::new(),
            messages: Vec::new(),
            tools: tools.to_vec(),
            choice: ToolRequirement::Free,
            known: Vec::new(),
            now,
            output_tokens_max: None,
            settings: ModelSettings::default(),
            response_schema: None,
            is_temporary: false,
        };
        let reading = reply_plan::read(message, &PromptContext { prompt: &prompt, before: &[] });
        let is_call = |step: &ReplyStep| matches!(step, ReplyStep::Call { .. });
        !reading.has_rest && !reading.steps.is_empty() && reading.steps.iter().all(is_call)
    }
}

#[async_trait]
impl Model for OfflineModel {
    fn name(&self) -> &str {
        "offline"
    }

    fn traits(&self) -> Traits {
        Traits { price: Some(Price::flat(0, 0)), understands: false, ..Traits::of_context(CONTEXT_TOKENS_MAX) }
    }

    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error> {
        let bytes = prompt.messages.iter().map(|message| text_of(Some(message)).len()).sum();
        Ok(workers::offload(bytes, || stream::stream(&prompt, answer(&prompt))).await)
    }
}

/// The context of a message.
struct PromptContext<'a> {
    prompt: &'a Prompt,
    /// The conversation before the message.
    before: &'a [Message],
}

/// A step of a reply.
#[derive(Debug, Clone, PartialEq)]
enum ReplyStep {
    /// An answer.
    Say(String),
    /// A call of a tool, whose result is the answer.
    Call { tool: String, arguments: Value },
}

/// A complete answer.
#[derive(Debug, Default, PartialEq)]
struct OfflineAnswer {
    text: String,
    calls: Vec<Call>,
}

fn answer(prompt: &Prompt) -> OfflineAnswer {
    if let Some(answer) = home::answer(prompt) {
        return answer;
    }
    let messages = prompt.messages.as_slice();
    let last_answer = messages.iter().rposition(|message| matches!(message, Message::Assistant { .. }));
    let tail = last_answer.map_or(0, |at| at + 1);
    let asked = messages.iter().rposition(|message| matches!(message, Message::User { .. }));
    let has_results = messages[tail..].iter().any(|message| matches!(message, Message::Result { .. }));
    match asked {
        Some(asked) if asked >= tail => first_round(prompt, tail, asked),
        _ if has_results => second_round(prompt, tail, asked),
        _ => OfflineAnswer { text: fallback::notice(), calls: Vec::new() },
    }
}

fn text_of(message: Option<&Message>) -> &str {
    match message {
        Some(Message::User { text, .. } | Message::Assistant { text, .. } | Message::Result { text, .. }) => text,
        None => "",
    }
}

/// Parses the message. If it needs calls, the text waits for their results.
fn first_round(prompt: &Prompt, tail: usize, asked: usize) -> OfflineAnswer {
    let scene = PromptContext { prompt, before: &prompt.messages[..asked] };
    let reading = reply_plan::read(text_of(prompt.messages.get(asked)), &scene);
    // Results that came before the message are not reported yet.
    let mut lines = results(prompt, tail).into_iter().map(|(_, line)| line).collect::<Vec<_>>();
    let mut calls = Vec::new();
    let mut says = Vec::new();
    for step in reading.steps {
        match step {
            ReplyStep::Say(text) => says.push(text),
            ReplyStep::Call { tool, arguments } => {
                // Unique in the conversation, not only in the answer: the number of messages is
                // part of the id.
                let id = format!("offline-{}-{}", prompt.messages.len(), calls.len() + 1);
                calls.push(Call { id, tool, arguments, signatures: Vec::new() });
            }
        }
    }
    let knows_nothing = if says.is_empty() { reading.has_rest } else { says == [fallback::nothing_known()] };
    if calls.is_empty()
        && lines.is_empty()
        && let Some(why) = home::out_of_reach(prompt.messages.get(asked))
    {
        // What was said about it earlier stands behind the reason: the home is asked first.
        let known = if knows_nothing { Vec::new() } else { says };
        let text = std::iter::once(why).chain(known).collect::<Vec<_>>().join("\n");
        return OfflineAnswer { text, calls };
    }
    if calls.is_empty()
        && lines.is_empty()
        && knows_nothing
        && let Some(call) = library::look(prompt, text_of(prompt.messages.get(asked)))
    {
        calls.push(call);
    }
    if calls.is_empty() {
        lines.append(&mut says);
        finish(&mut lines, reading.has_rest, prompt);
    }
    OfflineAnswer { text: lines.join("\n"), calls }
}

/// Reports the results of the calls, each in the place of its request.
fn second_round(prompt: &Prompt, tail: usize, asked: Option<usize>) -> OfflineAnswer {
    let mut results = results(prompt, tail);
    let asked = asked.unwrap_or(0);
    let scene = PromptContext { prompt, before: &prompt.messages[..asked] };
    let reading = reply_plan::read(text_of(prompt.messages.get(asked)), &scene);
    let calls_of_reading = reading.steps.iter().filter_map(|step| match step {
        ReplyStep::Call { tool, arguments } => Some((tool, arguments)),
        ReplyStep::Say(_) => None,
    });
    let is_ours = calls_of_reading.eq(calls_before(prompt, tail).iter().map(|call| (&call.tool, &call.arguments)));
    let mut lines = Vec::new();
    if is_ours && results.len() == calls_before(prompt, tail).len() {
        let mut calls = calls_before(prompt, tail).iter();
        for step in &reading.steps {
            let said = match step {
                ReplyStep::Say(text) => Some(text.clone()),
                ReplyStep::Call { .. } => calls.next().and_then(|call| {
                    let at = results.iter().position(|(id, _)| *id == call.id)?;
                    Some(results.remove(at).1)
                }),
            };
            lines.extend(said);
        }
    }
    // Results of another model's calls, made before it failed, are reported as they came.
    lines.extend(results.into_iter().map(|(_, line)| line));
    if library::found_nothing(calls_before(prompt, tail), &lines) {
        let was_asked = reading.steps.contains(&ReplyStep::Say(fallback::nothing_known()));
        lines = vec![if was_asked { fallback::nothing_known() } else { fallback::notice() }];
    }
    let has_calls = !calls_before(prompt, tail).is_empty();
    finish(&mut lines, is_ours && has_calls && reading.has_rest, prompt);
    OfflineAnswer { text: lines.join("\n"), calls: Vec::new() }
}

fn calls_before(prompt: &Prompt, tail: usize) -> &[Call] {
    match tail.checked_sub(1).and_then(|at| prompt.messages.get(at)) {
        Some(Message::Assistant { calls, .. }) => calls,
        _ => &[],
    }
}

/// The results since the last answer: the call's id and a sentence about it.
fn results(prompt: &Prompt, tail: usize) -> Vec<(&str, String)> {
    let calls = calls_before(prompt, tail);
    let results = prompt.messages[tail..].iter().filter_map(|message| match message {
        Message::Result { call_id, tool, text } => Some((call_id, tool, text)),
        _ => None,
    });
    results
        .map(|(call_id, tool, text)| {
            let arguments = calls.iter().find(|call| call.id == *call_id).map_or(&Value::Null, |call| &call.arguments);
            (call_id.as_str(), reply::sentence(tool, arguments, text, prompt.is_temporary))
        })
        .collect()
}

/// Adds that nothing, or not everything, was recognised.
fn finish(lines: &mut Vec<String>, has_rest: bool, prompt: &Prompt) {
    if lines.is_empty() {
        lines.push(notes::noted(prompt).unwrap_or_else(fallback::notice));
    } else if has_rest && !lines.iter().any(|line| line.contains(fallback::NEEDS_MODEL)) {
        lines.push(fallback::rest());
    }
}
