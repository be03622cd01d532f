//! Ollama's own wire: a line of JSON for each piece. Spoken here and not through the library, because that cannot say
//! how long the context may be (without it Ollama forgets the beginning of a long conversation in silence), drops the
//! names of results, and takes an error in the middle for an end.

use std::sync::Arc;

use futures::{Stream, StreamExt};
use serde_json::{Map, Value, json};

use super::{
    Connection, failure,
    ids::Ids,
    linger,
    said::{by_status, in_stream},
    turns::{Turn, turns},
    usage::counted,
};
use crate::{Call, Chunk, Error, Price, Prompt, Stop, Traits};

/// A line that is longer is no piece of an answer.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Starts an answer; nothing is sent before it is polled.
pub(super) fn stream(
    at: Arc<Connection>,
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
        let mut reader = Reader { at: at.clone(), price: traits.price, ids: Ids::default(), rest: Vec::new() };
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
        // The last line may lack its end; half a line is an answer that was cut.
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
    for turn in turns(prompt.messages) {
        match turn {
            Turn::User { text, images } => {
                let mut message = json!({ "role": "user", "content": text });
                if !images.is_empty() {
                    message["images"] = images.into_iter().map(|image| image.data).collect();
                }
                messages.push(message);
            }
            Turn::Assistant { text, calls } => {
                let mut message = json!({ "role": "assistant", "content": text });
                if !calls.is_empty() {
                    let call = |call: Call| json!({ "function": { "name": call.tool, "arguments": call.arguments } });
                    message["tool_calls"] = calls.into_iter().map(call).collect();
                }
                messages.push(message);
            }
            Turn::Results(results) => messages.extend(
                results
                    .into_iter()
                    .map(|result| json!({ "role": "tool", "tool_name": result.tool, "content": result.text })),
            ),
        }
    }
    let mut options = Map::from_iter([("num_ctx".to_owned(), json!(traits.context_tokens_max))]);
    if let Some(max) = prompt.output_tokens_max {
        options.insert("num_predict".to_owned(), json!(max));
    }
    let mut request = json!({ "model": model, "stream": true, "messages": messages, "options": options });
    if !prompt.tools.is_empty() {
        let tool = |tool| {
            let crate::ToolSpec { name, description, input } = tool;
            json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": input },
            })
        };
        request["tools"] = prompt.tools.into_iter().map(tool).collect();
    }
    request
}

struct Reader {
    at: Arc<Connection>,
    price: Option<Price>,
    ids: Ids,
    /// Bytes of a line that is not whole yet.
    rest: Vec<u8>,
}

impl Reader {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.rest.extend_from_slice(bytes);
        if self.rest.len() > LINE_BYTES_MAX && !self.rest.contains(&b'\n') {
            return Err(failure::malformed("a line does not end", &self.at));
        }
        Ok(())
    }

    fn line(&mut self) -> Option<Vec<u8>> {
        let end = self.rest.iter().position(|byte| *byte == b'\n')?;
        Some(self.rest.drain(..=end).collect())
    }

    /// The pieces in a line, and whether it was the last one.
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
        chunks.extend(text("thinking").map(Chunk::Thinking));
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
        Call { id, tool, arguments, signatures: Vec::new() }
    }

    fn end(&self, last: &Value) -> Chunk {
        let (input, output) = (last["prompt_eval_count"].as_u64(), last["eval_count"].as_u64());
        let usage =
            (input.is_some() || output.is_some()).then(|| counted(input.unwrap_or(0), output.unwrap_or(0), self.price));
        let stop = if last["done_reason"] == "length" { Stop::Length } else { Stop::Complete };
        Chunk::End { usage, stop }
    }
}
