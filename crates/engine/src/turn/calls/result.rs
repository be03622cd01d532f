//! After a call: its answer without secrets, short enough for the conversation, the whole of it kept beside.

use std::time::Duration;

use journal::Artifact;
use protocol::{ArtifactId, ArtifactView, CallStatus, Origin, ToolResult};
use serde_json::Value;
use tools::{Failure, Lengths, Output, SESSION_ARTIFACT_BYTES_MAX, shorten};

use super::{super::work::Work, ready::Ready};

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
        None => keep_large(work, &planned.tool, text, origin).await,
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

/// Keeps an answer that is too large for the conversation as an artifact.
async fn keep_large(work: &Work, tool: &str, text: String, origin: Origin) -> (String, Option<ArtifactId>) {
    let lengths = Lengths::default();
    if text.len() <= lengths.whole_bytes_max {
        return (text, None);
    }
    // A session has so much room for all it keeps; past it, beginning and end have to do.
    let kept = work.house.store.artifact_bytes(work.job.session_id).await.unwrap_or(0);
    if kept + text.len() as u64 > SESSION_ARTIFACT_BYTES_MAX {
        return (shorten(&text, lengths, None).text, None);
    }
    let artifact_id = ArtifactId::new(work.house.world.ulid());
    let view = ArtifactView {
        artifact_id,
        session_id: work.job.session_id,
        turn_id: Some(work.job.turn.id),
        name: format!("{tool}.txt"),
        media_type: "text/plain".to_owned(),
        bytes: text.len() as u64,
        origin,
        created_at: work.house.world.now(),
    };
    let artifact = Artifact { view, owner: work.job.owner.clone(), bytes: text.clone().into_bytes() };
    match work.house.store.put(artifact).await {
        Ok(()) => (shorten(&text, lengths, Some(artifact_id)).text, Some(artifact_id)),
        Err(error) => {
            tracing::warn!(%error, "failed to keep a large result");
            (shorten(&text, lengths, None).text, None)
        }
    }
}
