//! The form of a structured answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A JSON Schema that an answer matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ResponseSchema(Map<String, Value>);

impl ResponseSchema {
    /// A schema.
    pub const fn new(schema: Map<String, Value>) -> Self {
        Self(schema)
    }

    /// Any JSON object.
    pub fn any_object() -> Self {
        Self(Map::from_iter([("type".to_owned(), Value::from("object"))]))
    }

    /// Whether any JSON object matches it.
    pub fn is_any_object(&self) -> bool {
        self.0.len() == 1 && self.0.get("type").and_then(Value::as_str) == Some("object")
    }

    /// The schema.
    pub const fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The schema as a JSON value.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }
}
