//! The other side of the extraction of facts: what memory asks a model, and how a script answers.

use serde_json::{Value, json};

use crate::{Reply, Request};

/// A request to extract facts.
#[derive(Debug, Clone)]
pub struct ExtractionRequest {
    /// The texts of the user's messages; the first has number 1.
    pub messages: Vec<String>,
    /// The assistant's texts among them.
    pub context: Vec<String>,
    /// The known facts.
    pub known: Vec<Value>,
}

impl ExtractionRequest {
    /// Reads a request; none if it is another one.
    pub fn of(request: &Request) -> Option<Self> {
        let asked: Value = serde_json::from_str(request.last_user()).ok()?;
        let texts = |role: &str| {
            let all = asked["messages"].as_array()?.iter().filter(|message| message["role"] == role);
            Some(all.map(|message| message["text"].as_str().unwrap_or_default().to_owned()).collect())
        };
        Some(Self { messages: texts("user")?, context: texts("assistant")?, known: asked["known"].as_array()?.clone() })
    }

    /// The id of the first known fact whose value contains one of the texts.
    pub fn fact(&self, values: &[&str]) -> Option<String> {
        let holds = |fact: &&Value| {
            let value = fact["value"].as_str().unwrap_or_default().to_lowercase();
            fact["ended_by_message"].is_null() && values.iter().any(|text| value.contains(&text.to_lowercase()))
        };
        self.known.iter().find(holds).and_then(|fact| fact["fact"].as_str()).map(str::to_owned)
    }
}

/// An operation on a message, without a known fact.
pub fn operation(op: &str, message: usize, subject: &str, key: &str, value: &str, quote: &str) -> Value {
    json!({
        "op": op,
        "message": message,
        "fact": null,
        "subject": subject,
        "key": key,
        "value": value,
        "since": null,
        "confidence": 0.9,
        "quote": quote,
    })
}

/// The answer with these operations.
pub fn operations(list: impl IntoIterator<Item = Value>) -> Reply {
    let list: Vec<Value> = list.into_iter().collect();
    Reply::text(json!({ "operations": list }).to_string())
}
