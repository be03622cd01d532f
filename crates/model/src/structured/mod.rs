//! Answers in a JSON Schema, whatever the provider offers for it.
//!
//! [`StructuredAnswers`] wraps any [`Model`]. A provider that takes a schema gets it as it is. For
//! the others the final answer is a tool whose arguments have the schema, and the call of it
//! becomes the answer's text. So the rest of Dwell only reads JSON text. Whether the text really
//! matches is checked by [`AnswerSchema`], since no provider guarantees it.

mod answer_schema;

use std::sync::Arc;

pub use answer_schema::AnswerSchema;
use async_trait::async_trait;
use futures::StreamExt;
use protocol::{ModelSettings, ResponseSchema};
use serde_json::{Value, json};

use crate::{Chunk, Chunks, Error, Model, Prompt, ToolRequirement, ToolSpec, Traits, UnsupportedSetting};

/// The tool whose arguments are the answer.
const ANSWER_TOOL: &str = "final_answer";
/// The argument that contains an answer that is no object.
const VALUE: &str = "value";

/// A model that answers in a schema, by the provider's own means or by a tool call.
pub(crate) struct StructuredAnswers {
    inner: Arc<dyn Model>,
}

impl StructuredAnswers {
    pub(crate) fn new(inner: Arc<dyn Model>) -> Self {
        Self { inner }
    }

    /// The answer as a call of a tool. A model that calls no tools has the schema in its
    /// instructions only.
    async fn by_tool(&self, mut prompt: Prompt, schema: &ResponseSchema) -> Result<Chunks, Error> {
        prompt.response_schema = None;
        if !self.inner.traits().calls_tools && prompt.tools.is_empty() {
            return self.inner.stream(prompt).await;
        }
        let is_wrapped = !is_object(schema);
        if prompt.choice == ToolRequirement::Free && self.inner.takes_choice() {
            prompt.choice = match prompt.tools.is_empty() {
                true => ToolRequirement::Tool(ANSWER_TOOL.to_owned()),
                false => ToolRequirement::Some,
            };
        }
        prompt.tools.push(answer_tool(schema, is_wrapped));
        Ok(read_answer(self.inner.stream(prompt).await?, is_wrapped))
    }
}

#[async_trait]
impl Model for StructuredAnswers {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn traits(&self) -> Traits {
        self.inner.traits()
    }

    fn takes_choice(&self) -> bool {
        self.inner.takes_choice()
    }

    fn takes_schema(&self, schema: &ResponseSchema, has_tools: bool) -> bool {
        self.inner.takes_schema(schema, has_tools)
    }

    fn unsupported(&self, settings: &ModelSettings) -> Vec<UnsupportedSetting> {
        self.inner.unsupported(settings)
    }

    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error> {
        let Some(schema) = prompt.response_schema.clone() else { return self.inner.stream(prompt).await };
        if !self.inner.takes_schema(&schema, !prompt.tools.is_empty()) {
            return self.by_tool(prompt, &schema).await;
        }
        match self.inner.stream(prompt.clone()).await {
            // Servers with the same API differ in which schemas they take, and say so in many ways.
            Err(error @ Error::Refused { status: 400 | 422, .. }) => {
                self.by_tool(prompt, &schema).await.map_err(|_| error)
            }
            answer => answer,
        }
    }

    async fn warm(&self) {
        self.inner.warm().await;
    }
}

/// Whether every answer is an object, as the arguments of a tool are.
pub(crate) fn is_object(schema: &ResponseSchema) -> bool {
    schema.as_map().get("type").and_then(Value::as_str) == Some("object")
}

fn answer_tool(schema: &ResponseSchema, is_wrapped: bool) -> ToolSpec {
    let input = if is_wrapped {
        let mut inner = schema.to_value();
        let mut outer = json!({ "type": "object", "required": [VALUE], "additionalProperties": false });
        // References start at the root, which is now one level up.
        for definitions in ["$defs", "definitions"] {
            if let Some(moved) = inner.as_object_mut().and_then(|fields| fields.remove(definitions)) {
                outer[definitions] = moved;
            }
        }
        outer["properties"] = json!({ VALUE: inner });
        outer
    } else {
        schema.to_value()
    };
    let description = "Gives the final answer. Call it once, when everything that the answer needs is known.";
    ToolSpec::new(ANSWER_TOOL, description, input)
}

/// Turns the call of the answer tool into text. Text beside the call is no part of the answer.
fn read_answer(mut chunks: Chunks, is_wrapped: bool) -> Chunks {
    async_stream::try_stream! {
        let (mut text, mut answer) = (String::new(), None);
        while let Some(chunk) = chunks.next().await {
            match chunk? {
                Chunk::Text(more) => text.push_str(&more),
                Chunk::Call(call) if call.tool == ANSWER_TOOL => answer = Some(call.arguments),
                end @ Chunk::End { .. } => {
                    yield Chunk::Text(answer.take().map_or_else(|| std::mem::take(&mut text), |answer| written(answer, is_wrapped)));
                    yield end;
                }
                other => yield other,
            }
        }
    }
    .boxed()
}

/// The arguments of the answer tool as text. Arguments that are not JSON are text already.
fn written(mut arguments: Value, is_wrapped: bool) -> String {
    if is_wrapped && let Some(value) = arguments.get_mut(VALUE) {
        arguments = value.take();
    }
    match arguments {
        Value::String(text) if !is_wrapped => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
