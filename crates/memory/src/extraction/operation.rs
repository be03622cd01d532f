//! The operations that a model answers with, and their JSON Schema.

use protocol::ResponseSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What a message does to what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    /// Something is stated that was not known.
    Add,
    /// A known fact has another value.
    Change,
    /// A known fact no longer holds.
    End,
    /// A known fact may no longer hold.
    Contradict,
    /// Nothing lasting is stated.
    Ignore,
}

impl OperationKind {
    /// Its name in the answer and in the statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Change => "change",
            Self::End => "end",
            Self::Contradict => "contradict",
            Self::Ignore => "ignore",
        }
    }
}

/// An operation as the model wrote it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Operation {
    /// What to do.
    pub op: OperationKind,
    /// The number of the message, from 1.
    pub message: usize,
    /// The known fact that it touches, as `f1`.
    pub fact: Option<String>,
    /// Who or what it is about.
    pub subject: String,
    /// The relation.
    pub key: String,
    /// The value.
    pub value: String,
    /// The date from which it holds.
    pub since: Option<String>,
    /// How sure the model is, 0 to 1.
    pub confidence: f32,
    /// The words of the message that say so.
    pub quote: String,
}

#[derive(Deserialize)]
struct Answer {
    operations: Vec<Operation>,
}

/// The operations in an answer that matches the schema.
pub fn read(answer: &str) -> Result<Vec<Operation>, serde_json::Error> {
    serde_json::from_str::<Answer>(answer).map(|answer| answer.operations)
}

/// The schema of the answer. All fields are required, since strict providers demand that.
pub fn schema() -> ResponseSchema {
    let text = || json!({ "type": "string" });
    let optional = || json!({ "type": ["string", "null"] });
    let operation = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["op", "message", "fact", "subject", "key", "value", "since", "confidence", "quote"],
        "properties": {
            "op": { "type": "string", "enum": ["add", "change", "end", "contradict", "ignore"] },
            "message": { "type": "integer" },
            "fact": optional(),
            "subject": text(),
            "key": text(),
            "value": text(),
            "since": optional(),
            "confidence": { "type": "number" },
            "quote": text(),
        },
    });
    let fields: Map<String, Value> = [
        ("type".to_owned(), json!("object")),
        ("additionalProperties".to_owned(), json!(false)),
        ("required".to_owned(), json!(["operations"])),
        ("properties".to_owned(), json!({ "operations": { "type": "array", "items": operation } })),
    ]
    .into_iter()
    .collect();
    ResponseSchema::new(fields)
}
