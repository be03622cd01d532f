//! Writes messages in the formats of other programs.

use protocol::{ExportFormat, Usage};
use serde_json::{Map, Value, json};

use super::{Conversation, Message, MessageCall, MessageMeta, Role, content};

/// The conversation in another program's format. `None` for the journal format, which consists of
/// events rather than messages.
pub fn write(format: ExportFormat, conversation: &Conversation) -> Option<Value> {
    let messages = conversation.messages.iter();
    match format {
        ExportFormat::Ndjson => None,
        ExportFormat::Openai => Some(messages.map(openai).collect()),
        ExportFormat::Langchain => {
            let typed = |(index, message)| json!({ "type": kind(message), "data": langchain(index, message, true) });
            Some(messages.enumerate().map(typed).collect())
        }
        ExportFormat::Langgraph => Some(langgraph(conversation)),
    }
}

/// A message for OpenAI's API, without fields that it would refuse. It has no fields for times and
/// ids.
fn openai(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let mut written = json!({ "role": role, "content": content::write(&message.text, &message.images) });
    if !message.calls.is_empty() {
        let call = |call: &MessageCall| {
            let function = json!({ "name": call.tool, "arguments": text_of(&call.arguments) });
            json!({ "id": call.id, "type": "function", "function": function })
        };
        written["tool_calls"] = message.calls.iter().map(call).collect();
        if message.text.is_empty() {
            written["content"] = Value::Null;
        }
    }
    if let Some(answers) = &message.answers {
        written["tool_call_id"] = json!(answers.call_id);
    }
    written
}

/// Arguments as JSON text, as a model writes them.
fn text_of(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

const fn kind(message: &Message) -> &'static str {
    match message.role {
        Role::System => "system",
        Role::User => "human",
        Role::Assistant => "ai",
        Role::Tool => "tool",
    }
}

/// The fields of a LangChain message. With `is_whole` all fields that `messages_to_dict` writes;
/// otherwise only those that `add_messages` knows, which moves every other field to
/// `additional_kwargs`, and the usage, which LangGraph for JavaScript knows.
fn langchain(index: usize, message: &Message, is_whole: bool) -> Value {
    let about = &message.about;
    let model = about.model.as_ref().map_or_else(|| json!({}), |model| json!({ "model_name": model }));
    let id = about.turn_id.map_or_else(|| format!("dwell-{index}"), |turn| format!("{turn}-{index}"));
    let name = message.answers.as_ref().and_then(|answers| answers.tool.clone());
    let mut written = json!({
        "content": content::write(&message.text, &message.images),
        "additional_kwargs": additional(about),
        "response_metadata": model,
        "type": kind(message),
        "name": name,
        "id": id,
    });
    if message.role == Role::Assistant {
        let call = |call: &MessageCall| {
            let args =
                if call.arguments.is_object() { call.arguments.clone() } else { json!({ "value": call.arguments }) };
            json!({ "name": call.tool, "args": args, "id": call.id, "type": "tool_call" })
        };
        written["tool_calls"] = message.calls.iter().map(call).collect();
        if is_whole {
            written["invalid_tool_calls"] = json!([]);
        }
        if is_whole || about.usage.is_some() {
            written["usage_metadata"] = json!(about.usage.map(usage_metadata));
        }
    }
    if let Some(answers) = &message.answers {
        written["tool_call_id"] = json!(answers.call_id);
        written["status"] = json!(if answers.is_error { "error" } else { "success" });
        if is_whole {
            written["artifact"] = Value::Null;
        }
    }
    written
}

/// Usage as LangChain counts it.
fn usage_metadata(usage: Usage) -> Value {
    let mut details = json!({ "cache_read": usage.cached_tokens });
    if usage.cache_write_tokens > 0 {
        details["cache_creation"] = json!(usage.cache_write_tokens);
    }
    json!({
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.tokens(),
        "input_token_details": details,
    })
}

/// Metadata of Dwell's own, so that a later import can restore it.
fn additional(about: &MessageMeta) -> Value {
    let mut own = Map::new();
    own.extend(about.turn_id.map(|turn| ("turn_id".to_owned(), json!(turn))));
    own.extend(about.at.map(|at| ("at".to_owned(), json!(at))));
    own.extend(about.usage.map(|usage| ("usage".to_owned(), json!(usage))));
    if own.is_empty() { json!({}) } else { json!({ "dwell": own }) }
}

/// A state that a graph with `add_messages` accepts as input, and the id of its thread.
fn langgraph(conversation: &Conversation) -> Value {
    let messages: Vec<Value> =
        conversation.messages.iter().enumerate().map(|(index, message)| langchain(index, message, false)).collect();
    let id = conversation.session_id.map(|id| id.to_string());
    let thread = conversation.name.as_ref().map(ToString::to_string).or_else(|| id.clone());
    json!({
        "messages": messages,
        "conversation_id": thread,
        "summary": conversation.summary,
        "values": conversation.values,
        "config": { "configurable": { "thread_id": thread, "checkpoint_ns": "" } },
        "metadata": {
            "source": "dwell",
            "step": conversation.last_seq,
            "session_id": id,
            "created_at": conversation.created_at,
            "updated_at": conversation.updated_at,
            "model": conversation.model,
        },
    })
}
