//! After a call: its answer without secrets, short enough for the conversation, the whole of it kept beside.

use std::time::Duration;

use protocol::{CallStatus, Origin, ToolResult};
use serde_json::Value;
use tools::{Failure, Lengths, Output, shorten};

use super::{super::work::Work, ready::Ready};
use crate::large::{self, Maker};

/// What the model is told of an answer.
pub(super) async fn of(work: &Work, ready: &Ready, answer: Result<Output, Failure>, took: Duration) -> ToolResult {
    let planned = &ready.call.planned;
    work.house.counters.tool_ended(&planned.tool, took, answer.is_ok());
    let duration_ms = Some(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    let (status, text, origin, kept, sources) = match answer {
        Ok(Output { value, origin, artifacts, sources }) => {
            (CallStatus::Ok, in_words(value), origin, artifacts.first().copied(), sources)
        }
        // What is wrong with the arguments is told in our own words.
        Err(failure @ Failure::Invalid(_)) => {
            (CallStatus::Error, failure.to_string(), Origin::Trusted, None, Vec::new())
        }
        // What a tool says of its failure may quote whoever it talked to.
        Err(failure) => {
            (CallStatus::Error, failure.to_string(), declared_origin(work, &planned.tool), None, Vec::new())
        }
    };
    let text = work.house.redactor.redact(&text).into_owned();
    let (content, artifact_id) = match kept {
        Some(id) => (shorten(&text, Lengths::default(), Some(id)).text, Some(id)),
        None => {
            let job = &work.job;
            let maker =
                Maker { session_id: job.session_id, turn_id: job.turn.id, owner: &job.owner, tool: &planned.tool };
            large::keep(&work.house, maker, text, origin).await
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

fn declared_origin(work: &Work, tool: &str) -> Origin {
    work.house.tools.get(tool).map_or(Origin::Untrusted, |entry| entry.declaration.origin)
}
