//! Reads messages in the formats of other programs. In every format, a message may have any of the
//! supported forms.

use std::collections::BTreeMap;

use protocol::{ExportFormat, Timestamp, Usage};
use serde_json::Value;

use super::{AnsweredCall, Conversation, ImportError, Message, MessageCall, MessageMeta, Role, content};

/// Reads a conversation.
pub fn read(format: ExportFormat, written: Value) -> Result<Conversation, ImportError> {
    let state = match written {
        Value::Array(messages) => return Ok(Conversation { messages: all(messages)?, ..Conversation::default() }),
        Value::Object(state) => Value::Object(state),
        _ => return Err(nothing(format)),
    };
    // The state of a checkpointer has its channels under `values`.
    let holder = if state["messages"].is_array() { &state } else { &state["values"] };
    let Value::Array(messages) = holder["messages"].clone() else { return Err(nothing(format)) };
    let values = match &state["values"] {
        Value::Object(values) if format == ExportFormat::Langgraph => values
            .iter()
            .filter(|(key, _)| *key != "messages")
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        _ => BTreeMap::new(),
    };
    Ok(Conversation { messages: all(messages)?, values, ..Conversation::default() })
}

fn nothing(format: ExportFormat) -> ImportError {
    ImportError::NoMessages(match format {
        ExportFormat::Langgraph => "a state is an object with a list `messages`".to_owned(),
        _ => "a conversation is a list of messages, or an object with a list `messages`".to_owned(),
    })
}

fn all(messages: Vec<Value>) -> Result<Vec<Message>, ImportError> {
    let read = |(index, message): (usize, Value)| one(&message).map_err(|why| ImportError::at(index, why));
    messages.into_iter().enumerate().map(read).collect()
}

fn one(written: &Value) -> Result<Message, String> {
    if !written.is_object() {
        return Err("a message is an object".to_owned());
    }
    let (name, fields) = unwrapped(written)?;
    let role = match name.as_str() {
        "user" | "human" | "HumanMessage" | "HumanMessageChunk" => Role::User,
        "assistant" | "ai" | "AIMessage" | "AIMessageChunk" => Role::Assistant,
        "system" | "developer" | "SystemMessage" | "SystemMessageChunk" => Role::System,
        "tool" | "ToolMessage" | "ToolMessageChunk" => Role::Tool,
        other => return Err(format!("`{}` is not a role: use user, assistant, system or tool", short(other))),
    };
    let (text, images) = content::read(&fields["content"])?;
    let answers = if role == Role::Tool { Some(answered(fields)?) } else { None };
    let calls = if role == Role::Assistant { calls(fields)? } else { Vec::new() };
    let images = if role == Role::User { images } else { Vec::new() };
    Ok(Message { role, text, images, calls, answers, about: about(fields)? })
}

/// The role and the fields of a message: its own, those under `data`, or those of a constructor.
fn unwrapped(written: &Value) -> Result<(String, &Value), String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if written["lc"].is_number() && written["kwargs"].is_object() {
        let name = written["id"].as_array().and_then(|path| path.last()).and_then(text);
        return Ok((name.ok_or("a constructor has an `id`")?, &written["kwargs"]));
    }
    let name = text(&written["role"]).or_else(|| text(&written["type"])).ok_or("a message has a `role` or a `type`")?;
    Ok((name, if written["data"].is_object() { &written["data"] } else { written }))
}

fn answered(fields: &Value) -> Result<AnsweredCall, String> {
    let call_id = fields["tool_call_id"].as_str().filter(|id| !id.is_empty());
    Ok(AnsweredCall {
        call_id: call_id.ok_or("a tool's message has a `tool_call_id`")?.to_owned(),
        tool: fields["name"].as_str().map(str::to_owned),
        is_error: fields["status"] == "error",
    })
}

fn calls(fields: &Value) -> Result<Vec<MessageCall>, String> {
    let own = fields["tool_calls"].as_array().filter(|calls| !calls.is_empty());
    let calls = own.or_else(|| fields["additional_kwargs"]["tool_calls"].as_array());
    let mut read: Vec<MessageCall> = Vec::new();
    for call in calls.into_iter().flatten() {
        let called = called(call)?;
        if read.iter().any(|other| other.id == called.id) {
            return Err(format!("two of its calls have the id `{}`", short(&called.id)));
        }
        read.push(called);
    }
    Ok(read)
}

fn called(call: &Value) -> Result<MessageCall, String> {
    let function = if call["function"].is_object() { &call["function"] } else { call };
    let id = call["id"].as_str().filter(|id| !id.is_empty()).ok_or("a call has an `id`")?;
    let tool = function["name"].as_str().filter(|name| !name.is_empty()).ok_or("a call has the `name` of a tool")?;
    let arguments = match (&function["args"], &function["arguments"]) {
        (Value::Null, Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())),
        (Value::Null, Value::Null) => serde_json::json!({}),
        (Value::Null, other) | (other, _) => other.clone(),
    };
    Ok(MessageCall { id: id.to_owned(), tool: tool.to_owned(), arguments })
}

fn about(fields: &Value) -> Result<MessageMeta, String> {
    let kept = &fields["additional_kwargs"]["dwell"];
    let own = if kept.is_object() { kept } else { &fields["metadata"]["dwell"] };
    let metadata = &fields["response_metadata"];
    let model = metadata["model_name"].as_str().or_else(|| metadata["model"].as_str());
    let counted = if own["usage"].is_object() { &own["usage"] } else { &fields["usage_metadata"] };
    let times = [&own["at"], &fields["created_at"], &fields["timestamp"], &fields["additional_kwargs"]["timestamp"]];
    let at = times.into_iter().find(|time| !time.is_null()).map(moment).transpose()?;
    Ok(MessageMeta {
        at,
        turn_id: None,
        model: model.map(short),
        usage: serde_json::from_value::<Usage>(counted.clone()).ok().map(|usage| with_cache(usage, counted)),
    })
}

/// Adds the tokens from the provider's cache, which LangChain counts under a name of its own.
fn with_cache(usage: Usage, counted: &Value) -> Usage {
    let detail = |name: &str| counted["input_token_details"][name].as_u64();
    Usage {
        cached_tokens: detail("cache_read").unwrap_or(usage.cached_tokens),
        cache_write_tokens: detail("cache_creation").unwrap_or(usage.cache_write_tokens),
        ..usage
    }
}

/// A time as text, or in seconds since 1970.
fn moment(value: &Value) -> Result<Timestamp, String> {
    let wrong = || format!("`{}` is not a time: use RFC 3339 or seconds since 1970", short(&value.to_string()));
    match value {
        Value::String(text) => text.parse().map_err(|_| wrong()),
        Value::Number(seconds) => {
            let seconds = seconds.as_f64().filter(|seconds| seconds.abs() < 1e12).ok_or_else(wrong)?;
            #[allow(clippy::cast_possible_truncation, reason = "bounded just above")]
            Ok(Timestamp::from_millis((seconds * 1000.0).round() as i64))
        }
        _ => Err(wrong()),
    }
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}
