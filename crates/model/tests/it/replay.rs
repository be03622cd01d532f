//! Replays a recorded exchange: the expected request, the provider's response, and the expected
//! outcome.

use futures::StreamExt;
use model::{Chunk, Error, Model, Prompt, Stop};
use serde_json::Value;

use crate::{
    prompts,
    server::{RecordedRequest, ResponseEnding, ScriptedResponse, Server},
};

/// A recorded exchange.
pub struct RecordedExchange {
    prompt: String,
    line: String,
    headers: Vec<String>,
    body: Value,
    response: ScriptedResponse,
    expected: String,
}

impl RecordedExchange {
    /// Parses one: a `prompt:` line, then the request after `>>>`, the response after `<<<`, and
    /// the outcome after `===`.
    pub fn parse(text: &str) -> Self {
        let (notes, rest) = text.split_once("\n>>> ").expect("a request after >>>");
        let (request, rest) = rest.split_once("\n<<< ").expect("a response after <<<");
        let (response, expected) = rest.split_once("\n===\n").expect("the outcome after ===");
        let prompt = notes.lines().find_map(|line| line.strip_prefix("prompt: ")).expect("the name of a prompt");
        let (line, headers, body) = message(request);
        let (status, response_headers, response_body) = message(response);
        let (mut headers_sent, mut ending, mut end) = (Vec::new(), ResponseEnding::Clean, "\n\n");
        for header in response_headers {
            match header.as_str() {
                "x-ending: broken" => (ending, end) = (ResponseEnding::Broken, ""),
                "x-trim: end" => end = "",
                _ => headers_sent.push(header),
            }
        }
        let body_sent = format!("{}{end}", response_body.trim_end());
        Self {
            prompt: prompt.to_owned(),
            line,
            headers,
            body: serde_json::from_str(&body).expect("the request's JSON"),
            response: ScriptedResponse { status, headers: headers_sent, body: body_sent, ending },
            expected: expected.trim().to_owned(),
        }
    }

    /// Replays it and describes the difference.
    pub async fn play(self, model: impl FnOnce(&Server) -> std::sync::Arc<dyn Model>) -> Result<(), String> {
        let server = Server::start(self.response).await;
        let model = model(&server);
        let outcome = outcome(&*model, prompts::by_name(&self.prompt)).await;
        let heard = server.heard();
        let [request] = &heard[..] else { return Err(format!("one request is expected: {heard:?}")) };
        check_request(request, &self.line, &self.headers, &self.body)?;
        if outcome == self.expected {
            return Ok(());
        }
        Err(format!("expected:\n{}\n\ngot:\n{outcome}", self.expected))
    }
}

fn message(text: &str) -> (String, Vec<String>, String) {
    let (head, body) = text.split_once("\n\n").expect("an empty line after the headers");
    let mut lines = head.lines().map(str::to_owned);
    (lines.next().unwrap(), lines.collect(), body.to_owned())
}

fn check_request(heard: &RecordedRequest, line: &str, headers: &[String], body: &Value) -> Result<(), String> {
    if heard.line != line {
        return Err(format!("expected {line}, got {}", heard.line));
    }
    for header in headers {
        let (name, value) = header.split_once(": ").expect("a header");
        let got = heard.headers.get(name).map(String::as_str);
        if got != (Some(value)).filter(|value| *value != "<absent>") {
            return Err(format!("header {name}: expected {value}, got {got:?}"));
        }
    }
    contains(&heard.body, body, "body").map_err(|error| format!("{error}\nin {}", heard.body))
}

/// Objects may have more than is expected, lists and the rest may not.
fn contains(got: &Value, expected: &Value, path: &str) -> Result<(), String> {
    match (got, expected) {
        (_, Value::Object(fields)) => fields.iter().try_for_each(|(name, value)| {
            let path = format!("{path}.{name}");
            match got.get(name) {
                None if value == "<absent>" => Ok(()),
                None => Err(format!("{path} is missing")),
                Some(got) => contains(got, value, &path),
            }
        }),
        (Value::Array(got), Value::Array(expected)) if got.len() == expected.len() => {
            let pairs = got.iter().zip(expected).enumerate();
            pairs
                .into_iter()
                .try_for_each(|(index, (got, expected))| contains(got, expected, &format!("{path}[{index}]")))
        }
        _ if got == expected => Ok(()),
        _ => Err(format!("{path}: expected {expected}, got {got}")),
    }
}

/// The outcome, a line for each chunk; consecutive texts are joined.
pub async fn outcome(model: &dyn Model, prompt: Prompt) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut pending = (String::new(), String::new());
    let mut flush = |lines: &mut Vec<String>, kind: &str, text: &str| {
        if kind != pending.0 {
            let (kind, text) = std::mem::take(&mut pending);
            if !kind.is_empty() {
                lines.push(format!("{kind} {}", Value::String(text)));
            }
        }
        pending.0 = kind.to_owned();
        pending.1.push_str(text);
    };
    match model.stream(prompt).await {
        Err(error) => lines.push(format!("refused {}", line_of(&error))),
        Ok(mut chunks) => {
            while let Some(chunk) = chunks.next().await {
                match chunk {
                    Ok(Chunk::Thinking(text)) => flush(&mut lines, "thinking", &text),
                    Ok(Chunk::Text(text)) => flush(&mut lines, "text", &text),
                    other => {
                        flush(&mut lines, "", "");
                        lines.extend(other.map_or_else(|error| vec![format!("error {}", line_of(&error))], rest));
                    }
                }
            }
        }
    }
    lines.join("\n")
}

fn rest(chunk: Chunk) -> Vec<String> {
    match chunk {
        Chunk::Call(call) => {
            let signed = call.signatures.iter().map(|signature| format!("  signed {signature}"));
            std::iter::once(format!("call {} {} {}", call.id, call.tool, call.arguments)).chain(signed).collect()
        }
        Chunk::End { usage, stop } => {
            let stop = match stop {
                Stop::Complete => "complete",
                Stop::Length => "length",
                Stop::Filtered => "filtered",
                Stop::Refused => "refused",
            };
            let usage = usage.map_or("uncounted".to_owned(), |usage| {
                let cost = usage.cost_micros.map_or("free".to_owned(), |cost| format!("{cost} micros"));
                let cached = match (usage.cached_tokens, usage.cache_write_tokens) {
                    (0, 0) => String::new(),
                    (cached, written) => format!(" ({cached} cached, {written} written)"),
                };
                format!("{} in{cached}, {} out, {cost}", usage.input_tokens, usage.output_tokens)
            });
            vec![format!("end {stop}: {usage}")]
        }
        Chunk::Text(_) | Chunk::Thinking(_) => unreachable!("handled by the caller"),
    }
}

fn line_of(error: &Error) -> String {
    let wait = error.retry_after().map_or(String::new(), |wait| format!(" (after {} ms)", wait.as_millis()));
    format!("{}{wait}: {error}", error.code())
}
