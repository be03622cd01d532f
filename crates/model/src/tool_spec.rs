//! A tool as a model sees it: built once, shared by every prompt that contains it, and its tokens
//! counted once.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use crate::tokens::count_schema;

/// A tool as a model sees it. Cheap to clone.
#[derive(Clone)]
pub struct ToolSpec(Arc<ToolDescription>);

/// What a model sees of a tool.
pub struct ToolDescription {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input: Value,
    tokens: OnceLock<u64>,
    json: OnceLock<Box<RawValue>>,
}

impl ToolSpec {
    /// A tool with its name, what it does and when to use it, and the JSON Schema of its arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>, input: Value) -> Self {
        let (name, description) = (name.into(), description.into());
        Self(Arc::new(ToolDescription { name, description, input, tokens: OnceLock::new(), json: OnceLock::new() }))
    }

    /// The JSON Schema of its arguments, serialized once.
    pub fn input_json(&self) -> &RawValue {
        self.0.json.get_or_init(|| {
            // Plain data always serializes; the fallback means a tool without arguments.
            to_raw_value(&self.input).unwrap_or_else(|_| RawValue::NULL.to_owned())
        })
    }

    /// Its tokens in a prompt.
    pub fn tokens(&self) -> u64 {
        *self.0.tokens.get_or_init(|| count_schema(&self.name, &self.description, &self.input))
    }
}

impl Deref for ToolSpec {
    type Target = ToolDescription;

    fn deref(&self) -> &ToolDescription {
        &self.0
    }
}

impl PartialEq for ToolSpec {
    fn eq(&self, other: &Self) -> bool {
        let is_told_alike =
            || self.name == other.name && self.description == other.description && self.input == other.input;
        Arc::ptr_eq(&self.0, &other.0) || is_told_alike()
    }
}

impl fmt::Debug for ToolSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ToolDescription { name, description, input, .. } = &**self;
        f.debug_struct("ToolSpec").field("name", name).field("description", description).field("input", input).finish()
    }
}
