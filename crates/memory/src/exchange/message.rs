//! Reads one message in any of the forms that programs write.
//!
//! `{"type":"human","data":{…}}` is what LangChain's `messages_to_dict` writes,
//! `{"lc":1,"type":"constructor","id":[…], "kwargs":{…}}` what its `dumpd` writes; plain ones have
//! `role` or `type` beside `content`; pairs are `["human", "…"]`.

use std::collections::HashMap;

use protocol::IngestMessage;
use serde_json::{Map, Value};

use super::{
    ExchangeError, ImportFormat, content,
    times::{self, Notices},
};

/// The longest role, in characters.
const ROLE_CHARS_MAX: usize = 40;
/// Fields in which programs write the time of a message.
const MOMENTS: [&str; 6] = ["at", "timestamp", "created_at", "createdAt", "create_time", "time"];

/// A message's kind and data.
struct MessageParts<'v> {
    kind: &'v str,
    data: &'v Map<String, Value>,
}

/// Which dialect a message, or the first of a list, is in; none if it is no message.
pub(super) fn dialect(value: &Value) -> Option<ImportFormat> {
    if let Value::Array(all) = value
        && !is_pair(all)
    {
        return all
            .first()
            .filter(|first| !first.is_array() || first.as_array().is_some_and(|it| is_pair(it)))
            .and_then(dialect);
    }
    if value.is_array() {
        return Some(ImportFormat::LangChain);
    }
    let parts = parts(value)?;
    let is_plain = value.get("role").is_some_and(Value::is_string) && value.get("lc").is_none();
    let is_message = parts.data.contains_key("content") || parts.data.contains_key("tool_calls");
    is_message.then_some(if is_plain { ImportFormat::OpenAi } else { ImportFormat::LangChain })
}

/// The messages of a list, in order.
pub(super) fn all(values: &Value, place: &str, notices: &mut Notices) -> Result<Vec<IngestMessage>, ExchangeError> {
    let Value::Array(values) = values else {
        return Err(ExchangeError::bad(place, "the messages are not a list"));
    };
    let mut called = HashMap::new();
    let mut said = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let place = || format!("{place}, message {}", index + 1);
        match one(value, &mut called, notices) {
            Some(message) if message.content.trim().is_empty() => notices.empty(),
            Some(message) => said.push(message),
            None => {
                let why = "there is no `role` or `type` with a `content` in it";
                return Err(ExchangeError::bad(place(), why));
            }
        }
    }
    Ok(said)
}

fn one(value: &Value, called: &mut HashMap<String, String>, notices: &mut Notices) -> Option<IngestMessage> {
    if let Value::Array(pair) = value {
        let (kind, words) = (pair.first()?.as_str()?, pair.get(1)?);
        return is_pair(pair).then(|| IngestMessage {
            role: role(kind),
            content: content::words(words),
            speaker: None,
            at: None,
        });
    }
    let MessageParts { kind, data } = parts(value)?;
    let text = |key: &str| data.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    // A `ChatMessage` has a role besides its type.
    let role =
        role(if matches!(kind, "chat" | "ChatMessage" | "generic") { text("role").unwrap_or(kind) } else { kind });
    let mut words = data.get("content").map(content::words).unwrap_or_default();
    for (id, name, noted) in calls(data) {
        if let Some(id) = id {
            called.insert(id, name);
        }
        // A part of the content may contain the call already.
        if !words.contains(&noted) {
            words = if words.trim().is_empty() { noted } else { format!("{words}\n{noted}") };
        }
    }
    let answers = text("tool_call_id").and_then(|id| called.get(id).cloned());
    let speaker = text("name").or_else(|| text("speaker")).map(str::to_owned).or(answers);
    Some(IngestMessage { role, content: words, speaker, at: at(data, notices) })
}

fn at(data: &Map<String, Value>, notices: &mut Notices) -> Option<protocol::Timestamp> {
    let beside = ["additional_kwargs", "response_metadata", "metadata"];
    let places = std::iter::once(data).chain(beside.iter().filter_map(|key| data.get(*key)?.as_object()));
    let written = places.flat_map(|place| MOMENTS.iter().filter_map(|key| place.get(*key)));
    written.filter(|value| value.is_string() || value.is_number()).find_map(|value| times::moment(value, notices))
}

fn parts(value: &Value) -> Option<MessageParts<'_>> {
    let object = value.as_object()?;
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    if object.contains_key("lc") && text("type") == Some("constructor") {
        let class = object.get("id")?.as_array()?.last()?.as_str()?;
        let kwargs = object.get("kwargs")?.as_object()?;
        return class.contains("Message").then_some(MessageParts { kind: class, data: kwargs });
    }
    if let (Some(kind), Some(Value::Object(data))) = (text("type"), object.get("data")) {
        return Some(MessageParts { kind, data });
    }
    let kind = text("role").or_else(|| text("type"))?;
    (object.contains_key("content") || object.contains_key("tool_calls")).then_some(MessageParts { kind, data: object })
}

/// The calls of a message: their ids, the tools' names, and their notation.
fn calls(data: &Map<String, Value>) -> Vec<(Option<String>, String, String)> {
    let beside = data.get("additional_kwargs");
    let lists = [data.get("tool_calls"), beside.and_then(|it| it.get("tool_calls"))];
    let list = lists.into_iter().flatten().filter_map(Value::as_array).find(|list| !list.is_empty());
    let single = data.get("function_call").or_else(|| beside.and_then(|it| it.get("function_call")));
    let all = list.into_iter().flatten().chain(single.filter(|_| list.is_none()));
    all.filter_map(|call| {
        let function = call.get("function").unwrap_or(call);
        let name = function.get("name")?.as_str()?;
        let arguments = function.get("args").or_else(|| function.get("arguments"));
        let id = call.get("id").and_then(Value::as_str).map(str::to_owned);
        Some((id, name.to_owned(), content::call(name, arguments)))
    })
    .collect()
}

fn is_pair(pair: &[Value]) -> bool {
    let is_role = |text: &str| ["human", "user", "ai", "assistant", "system"].contains(&text);
    matches!(pair, [Value::String(kind), Value::String(_)] if is_role(kind))
}

/// A role by Dwell's name for it.
fn role(kind: &str) -> String {
    let plain = kind.trim_end_matches("Chunk").trim_end_matches("Message").to_ascii_lowercase();
    match plain.as_str() {
        "human" | "user" => "user".to_owned(),
        "ai" | "assistant" | "model" => "assistant".to_owned(),
        "system" | "developer" => "system".to_owned(),
        "tool" | "function" => "tool".to_owned(),
        "" => "user".to_owned(),
        other => other.chars().filter(|c| !c.is_control()).take(ROLE_CHARS_MAX).collect(),
    }
}
