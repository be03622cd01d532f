//! The result of a call: redacted, short enough for the conversation, with the whole stored as an
//! artifact.

use std::time::Duration;

use ports::ToolFailure;
use protocol::{CallStatus, Origin, ToolResult};
use serde_json::Value;
use tools::{Output, ShortenLimits, shorten};

use super::{super::state::TurnState, call_check::RunnableCall};
use crate::large_results::{self, ResultSource};

/// The result as the model reads it.
pub(super) async fn of(
    state: &TurnState,
    ready: &RunnableCall,
    answer: Result<Output, ToolFailure>,
    took: Duration,
) -> ToolResult {
    let planned = &ready.call.planned;
    state.services.counters.tool_ended(&planned.tool, took, answer.is_ok());
    let duration_ms = Some(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    let (status, text, origin, kept, sources) = match answer {
        Ok(Output { value, origin, artifacts, sources }) => {
            (CallStatus::Ok, in_words(value), origin, artifacts.first().copied(), sources)
        }
        // Invalid arguments are reported in our own words.
        Err(failure @ ToolFailure::Invalid(_)) => {
            (CallStatus::Error, failure.to_string(), Origin::Trusted, None, Vec::new())
        }
        // A tool's error message may quote a remote system.
        Err(failure) => {
            (CallStatus::Error, failure.to_string(), declared_origin(state, &planned.tool), None, Vec::new())
        }
    };
    let text = state.services.redactor.redact(&text).into_owned();
    let (content, artifact_id) = match kept {
        Some(id) => (shorten(&text, ShortenLimits::default(), Some(id)).text, Some(id)),
        None => {
            let input = &state.input;
            let maker = ResultSource {
                session_id: input.session_id,
                turn_id: input.turn.id,
                owner: &input.owner,
                tool: &planned.tool,
            };
            large_results::keep(&state.services, maker, text, origin).await
        }
    };
    ToolResult {
        call_id: planned.call_id.clone(),
        tool: planned.tool.clone(),
        status,
        content,
        origin,
        artifact_id,
        sources,
        duration_ms,
    }
}

fn in_words(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn declared_origin(state: &TurnState, tool: &str) -> Origin {
    state.services.tools.get(tool).map_or(Origin::Untrusted, |entry| entry.declaration.origin)
}
