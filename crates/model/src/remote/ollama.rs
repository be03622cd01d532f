//! Ollama's own API: a line of JSON for each chunk. It does not go through the library, because
//! that cannot set the context length (without it Ollama silently drops the beginning of a long
//! conversation), drops the names of results, and treats an error in the middle as an end.

use std::sync::Arc;

use futures::{Stream, StreamExt};
use protocol::{ModelSettings, ReasoningEffort, Usage};
use serde_json::{Map, Value, json};

use super::{
    ProviderClient,
    error_body::{by_status, in_stream},
    failure,
    ids::CallIds,
    linger,
    reasoning::ReasoningRecord,
    turns::{ChatTurn, turns},
    usage::priced,
};
use crate::{Call, Chunk, Error, Price, Prompt, Stop, Traits};

/// The longest line of an answer.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Starts an answer; nothing is sent before it is polled.
pub(super) fn stream(
    at: Arc<ProviderClient>,
    model: &str,
    traits: Traits,
    prompt: Prompt,
) -> impl Stream<Item = Result<Chunk, Error>> + Send + 'static {
    let body = request(model, traits, prompt);
    async_stream::try_stream! {
        let mut request = at.http.post(format!("{}/api/chat", at.provider.base_url)).json(&body);
        if !at.key().is_empty() {
            request = request.bearer_auth(at.key());
        }
        let answer = request.send().await.map_err(|error| failure::by_network(&error, &at))?;
        let status = answer.status();
        if !status.is_success() {
            let headers = answer.headers().clone();
            let said = answer.text().await.unwrap_or_default();
            Err(by_status(status.as_u16(), &said, &headers, &at))?;
            return;
        }
        let mut bytes = answer.bytes_stream();
        let mut reader = LineReader::new(at.clone(), traits.price);
        while let Some(more) = bytes.next().await {
            reader.take(&more.map_err(|error| failure::by_network(&error, &at))?)?;
            while let Some(line) = reader.line() {
                let (chunks, done) = reader.read(&line)?;
                if done {
                    linger(bytes);
                    for chunk in chunks {
                        yield chunk;
                    }
                    return;
                }
                for chunk in chunks {
                    yield chunk;
                }
            }
        }
        // The last line may lack its newline; an incomplete line means that the answer was cut off.
        let rest = std::mem::take(&mut reader.rest);
        match reader.read(&rest) {
            Ok((chunks, true)) => {
                for chunk in chunks {
                    yield chunk;
                }
            }
            Err(error) if !matches!(error, Error::Malformed { .. }) => Err(error)?,
            _ => Err(Error::Cut { provider: at.name() })?,
        }
    }
}

fn request(model: &str, traits: Traits, prompt: Prompt) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    if !prompt.system.is_empty() {
        messages.push(json!({ "role": "system", "content": prompt.system }));
    }
    let turns = turns(prompt.messages);
    let newest = turns.iter().rposition(|turn| matches!(turn, ChatTurn::User { .. })).unwrap_or(0);
    for (place, turn) in turns.into_iter().enumerate() {
        match turn {
            ChatTurn::User { text, images } => {
                let mut message = json!({ "role": "user", "content": text });
                if !images.is_empty() {
                    message["images"] = images.into_iter().map(|image| image.data).collect();
                }
                messages.push(message);
            }
            ChatTurn::Assistant { text, calls } => {
                let mut message = json!({ "role": "assistant", "content": text });
                let kept = calls.iter().flat_map(|call| &call.signatures).filter(|_| place > newest);
                let thoughts = kept.filter_map(|signature| match ReasoningRecord::read(signature) {
                    ReasoningRecord::Reasoning(text) => Some(text),
                    _ => None,
                });
                let thought = thoughts.collect::<Vec<_>>().concat();
                if !thought.is_empty() {
                    message["thinking"] = json!(thought);
                }
                if !calls.is_empty() {
                    let call = |call: Call| json!({ "function": { "name": call.tool, "arguments": call.arguments } });
                    message["tool_calls"] = calls.into_iter().map(call).collect();
                }
                messages.push(message);
            }
            ChatTurn::Results(results) => messages.extend(
                results
                    .into_iter()
                    .map(|result| json!({ "role": "tool", "tool_name": result.tool, "content": result.text })),
            ),
        }
    }
    let options = options(traits, &prompt.settings, prompt.output_tokens_max);
    let mut request = json!({ "model": model, "stream": true, "messages": messages, "options": options });
    if let Some(effort) = prompt.settings.reasoning_effort {
        request["think"] = think(model, effort);
    }
    if let Some(schema) = &prompt.response_schema {
        request["format"] = if schema.is_any_object() { json!("json") } else { schema.to_value() };
    }
    if !prompt.tools.is_empty() {
        let tool = |tool: &crate::ToolSpec| {
            json!({
                "type": "function",
                "function": { "name": tool.name, "description": tool.description, "parameters": tool.input },
            })
        };
        request["tools"] = prompt.tools.iter().map(tool).collect();
    }
    request
}

/// The model options. Without a context length Ollama silently drops the beginning of a long
/// conversation.
fn options(traits: Traits, settings: &ModelSettings, output_max: Option<u64>) -> Map<String, Value> {
    let stop = settings.stop.as_ref().filter(|stops| !stops.is_empty());
    let set = [
        ("num_ctx", Some(json!(traits.context_tokens_max))),
        ("num_predict", output_max.map(|max| json!(max))),
        ("temperature", settings.temperature.map(|value| json!(value))),
        ("top_p", settings.top_p.map(|value| json!(value))),
        ("seed", settings.seed.map(|seed| json!(seed))),
        ("stop", stop.map(|stops| json!(stops))),
    ];
    set.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The `think` setting: one family takes an effort, all others only on or off.
fn think(model: &str, effort: ReasoningEffort) -> Value {
    match effort {
        ReasoningEffort::None => json!(false),
        _ if !model.to_lowercase().contains("gpt-oss") => json!(true),
        ReasoningEffort::Medium | ReasoningEffort::High => json!(effort.as_str()),
        ReasoningEffort::Minimal | ReasoningEffort::Low => json!("low"),
    }
}

struct LineReader {
    at: Arc<ProviderClient>,
    price: Option<Price>,
    ids: CallIds,
    /// Bytes of an incomplete line.
    rest: Vec<u8>,
    /// The model's reasoning so far, which is sent back with the calls that follow.
    thought: String,
}

impl LineReader {
    fn new(at: Arc<ProviderClient>, price: Option<Price>) -> Self {
        Self { at, price, ids: CallIds::default(), rest: Vec::new(), thought: String::new() }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.rest.extend_from_slice(bytes);
        if self.rest.len() > LINE_BYTES_MAX && !self.rest.contains(&b'\n') {
            return Err(failure::malformed("a line is too long", &self.at));
        }
        Ok(())
    }

    fn line(&mut self) -> Option<Vec<u8>> {
        let end = self.rest.iter().position(|byte| *byte == b'\n')?;
        Some(self.rest.drain(..=end).collect())
    }

    /// The chunks in a line, and whether it was the last one.
    fn read(&mut self, line: &[u8]) -> Result<(Vec<Chunk>, bool), Error> {
        if line.trim_ascii().is_empty() {
            return Ok((Vec::new(), false));
        }
        let json: Value =
            serde_json::from_slice(line).map_err(|error| failure::malformed(&error.to_string(), &self.at))?;
        if json.get("error").is_some_and(|error| !error.is_null()) {
            return Err(in_stream(json, &self.at));
        }
        let mut chunks: Vec<Chunk> = Vec::new();
        let message = &json["message"];
        let text = |field: &str| message[field].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let thought = text("thinking");
        self.thought.push_str(thought.as_deref().unwrap_or_default());
        chunks.extend(thought.map(Chunk::Thinking));
        chunks.extend(text("content").map(Chunk::Text));
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            chunks.push(Chunk::Call(self.call(call)));
        }
        let done = json["done"] == true;
        if done {
            chunks.push(self.end(&json));
        }
        Ok((chunks, done))
    }

    fn call(&mut self, call: &Value) -> Call {
        let function = &call["function"];
        let arguments = match &function["arguments"] {
            Value::Null => json!({}),
            Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
            other => other.clone(),
        };
        let id = self.ids.of_call(call["id"].as_str().unwrap_or_default());
        let tool = function["name"].as_str().unwrap_or_default().to_owned();
        let signatures = ReasoningRecord::reasoning(&std::mem::take(&mut self.thought)).into_iter().collect();
        Call { id, tool, arguments, signatures }
    }

    fn end(&self, last: &Value) -> Chunk {
        let (input, output) = (last["prompt_eval_count"].as_u64(), last["eval_count"].as_u64());
        let count = Usage::of(input.unwrap_or(0), output.unwrap_or(0));
        let usage = (input.is_some() || output.is_some()).then(|| priced(count, self.price));
        let stop = if last["done_reason"] == "length" { Stop::Length } else { Stop::Complete };
        Chunk::End { usage, stop }
    }
}
