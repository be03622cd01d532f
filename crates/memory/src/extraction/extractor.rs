//! One call of the model, with one chance to correct an answer that does not match the schema.

use std::time::Duration;

use futures::StreamExt;
use model::{AnswerSchema, Chunk, Message, Model, Prompt, Stop, count, count_prompt};
use protocol::Usage;

use super::operation::{self, Operation};

/// How long the model may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How an answer that does not match is sent back.
const REPAIR: &str = "Your last answer does not match the JSON Schema: {why}. Answer again with the whole JSON object, \
                      corrected, and nothing else.";

/// Why there are no operations.
#[derive(Debug, thiserror::Error)]
pub enum ExtractionFailure {
    /// The model failed.
    #[error("{0}")]
    Model(#[from] model::Error),
    /// The model took too long.
    #[error("the model did not answer within {} s", PATIENCE.as_secs())]
    TooSlow,
    /// The answer does not match the schema, also after a correction. The details would contain the
    /// user's words.
    #[error("the model's answer does not match the schema")]
    Mismatch,
}

/// The outcome of an extraction.
#[derive(Debug)]
pub struct ExtractionResult {
    /// The operations, or why there are none.
    pub operations: Result<Vec<Operation>, ExtractionFailure>,
    /// The usage of each call; none if the call failed.
    pub calls: Vec<Option<Usage>>,
}

/// Asks the model.
pub async fn extract(model: &dyn Model, mut prompt: Prompt) -> ExtractionResult {
    let mut calls = Vec::new();
    let schema = match AnswerSchema::new(&operation::schema()) {
        Ok(schema) => schema,
        Err(_) => return ExtractionResult { operations: Err(ExtractionFailure::Mismatch), calls },
    };
    for is_last in [false, true] {
        let answer = match ask(model, &prompt, &mut calls).await {
            Ok(answer) => answer,
            Err(failure) => return ExtractionResult { operations: Err(failure), calls },
        };
        let read = schema.read(&answer).and_then(|json| operation::read(&json).map_err(|error| error.to_string()));
        match read {
            Ok(operations) => return ExtractionResult { operations: Ok(operations), calls },
            Err(why) if !is_last => {
                // Some providers refuse an empty message.
                if !answer.trim().is_empty() {
                    prompt.messages.push(Message::Assistant { text: answer, calls: Vec::new() });
                }
                prompt.messages.push(Message::user(REPAIR.replace("{why}", &why)));
            }
            Err(_) => {}
        }
    }
    ExtractionResult { operations: Err(ExtractionFailure::Mismatch), calls }
}

async fn ask(model: &dyn Model, prompt: &Prompt, calls: &mut Vec<Option<Usage>>) -> Result<String, ExtractionFailure> {
    let sent = count_prompt(prompt).total;
    let answer = match tokio::time::timeout(PATIENCE, collect(model, prompt.clone())).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            calls.push(None);
            return Err(error.into());
        }
        Err(_) => {
            calls.push(None);
            return Err(ExtractionFailure::TooSlow);
        }
    };
    let (text, usage, stop) = answer;
    calls.push(Some(usage.unwrap_or_else(|| Usage::of(sent, count(&text)))));
    match stop {
        Stop::Complete => Ok(text),
        Stop::Length | Stop::Filtered | Stop::Refused => Err(ExtractionFailure::Mismatch),
    }
}

async fn collect(model: &dyn Model, prompt: Prompt) -> Result<(String, Option<Usage>, Stop), model::Error> {
    let mut chunks = model.stream(prompt).await?;
    let mut text = String::new();
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            Chunk::Text(delta) => text.push_str(&delta),
            Chunk::End { usage, stop } => return Ok((text, usage, stop)),
            Chunk::Thinking(_) | Chunk::Call(_) => {}
        }
    }
    Ok((text, None, Stop::Complete))
}
