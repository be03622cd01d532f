//! Writes conversations in other programs' formats.

use protocol::IngestMessage;
use serde_json::{Map, Value, json};

use super::content;

/// Messages as LangChain's `messages_from_dict` reads them. Nothing is lost: times stand in
/// `additional_kwargs`.
pub fn to_langchain(said: &[IngestMessage]) -> Value {
    let mut pairs = Pairs::default();
    let message = |said: &IngestMessage| {
        let kind = match said.role.as_str() {
            "user" => "human",
            "assistant" => "ai",
            "system" | "tool" => said.role.as_str(),
            _ => "chat",
        };
        let mut beside = Map::new();
        if let Some(at) = said.at {
            beside.insert("timestamp".to_owned(), json!(at));
        }
        let mut data = json!({ "type": kind, "content": said.content, "name": said.speaker, "additional_kwargs": beside,
            "response_metadata": {} });
        match kind {
            "chat" => data["role"] = json!(said.role),
            "tool" => data["tool_call_id"] = json!(pairs.answered(said.speaker.as_deref())),
            "ai" => {
                let (words, calls) = content::split_calls(&said.content);
                let calls: Vec<Value> = pairs
                    .asked(calls)
                    .into_iter()
                    .map(|(id, name, args)| json!({ "name": name, "args": args, "id": id, "type": "tool_call" }))
                    .collect();
                data["content"] = json!(words);
                data["tool_calls"] = json!(calls);
            }
            _ => {}
        }
        json!({ "type": kind, "data": data })
    };
    Value::Array(said.iter().map(message).collect())
}

/// Messages as OpenAI's chat endpoint takes them. It knows no times, and of names only those
/// without spaces.
pub fn to_openai(said: &[IngestMessage]) -> Value {
    let mut pairs = Pairs::default();
    let message = |said: &IngestMessage| {
        let role = match said.role.as_str() {
            role @ ("user" | "assistant" | "system" | "tool") => role,
            // OpenAI refuses other roles; such a speaker is not the assistant.
            _ => "user",
        };
        let mut message = json!({ "role": role, "content": said.content });
        let is_fit = |name: &&str| {
            (1..=64).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        };
        if let Some(name) = said.speaker.as_deref().filter(is_fit) {
            message["name"] = json!(name);
        }
        if role == "tool" {
            message["tool_call_id"] = json!(pairs.answered(said.speaker.as_deref()));
        }
        if role == "assistant" {
            let (words, calls) = content::split_calls(&said.content);
            let calls = pairs.asked(calls);
            if !calls.is_empty() {
                message["content"] = if words.is_empty() { Value::Null } else { json!(words) };
                let form = |(id, name, args): (String, String, Value)| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": args.to_string() } });
                message["tool_calls"] = calls.into_iter().map(form).collect();
            }
        }
        message
    };
    Value::Array(said.iter().map(message).collect())
}

/// Pairs calls with their results by ids, which are assigned in order.
#[derive(Default)]
struct Pairs {
    given: usize,
    open: Vec<(String, String)>,
}

impl Pairs {
    fn asked(&mut self, calls: Vec<(&str, Value)>) -> Vec<(String, String, Value)> {
        let asked = calls.into_iter().map(|(name, args)| {
            self.given += 1;
            (format!("call_{}", self.given), name.to_owned(), args)
        });
        let asked: Vec<_> = asked.collect();
        self.open = asked.iter().map(|(id, name, _)| (id.clone(), name.clone())).collect();
        asked
    }

    /// The id of the call that a tool's result belongs to: the open call of that name, or else the
    /// first open one.
    fn answered(&mut self, tool: Option<&str>) -> String {
        let place = self.open.iter().position(|(_, name)| Some(name.as_str()) == tool).unwrap_or(0);
        if place < self.open.len() {
            return self.open.remove(place).0;
        }
        self.given += 1;
        format!("call_{}", self.given)
    }
}
