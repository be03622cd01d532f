//! Finds conversations: lists of messages, states and checkpoints of graphs, histories of threads.

use std::collections::BTreeMap;

use protocol::{Ingest, IngestMessage};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{ExchangeError, ImportFormat, ImportedConversation, message, times::Notices};
use crate::summary;

/// Characters of a title made from the first words.
const TITLE_CHARS: usize = 60;
/// The longest title, in characters.
const TITLE_CHARS_MAX: usize = 180;

/// Whether a value is a state or a checkpoint of a graph.
pub(super) fn is_state(value: &Value) -> bool {
    state_messages(value).is_some()
}

/// Whether a value is a conversation in Dwell's own form.
pub(super) fn is_ingest(value: &Value) -> bool {
    Ingest::deserialize(value).is_ok()
}

/// The list of messages directly in an object.
pub(super) fn plain_messages(value: &Value) -> Option<&Value> {
    let own = value.get("messages").or_else(|| value.get("kwargs")?.get("messages"));
    own.or_else(|| value.get("chat_history")).filter(|list| list.is_array())
}

/// The messages of a state: `values`, `channel_values`, or a checkpoint with those.
fn state_messages(value: &Value) -> Option<&Value> {
    let of = |channels: &'_ Value| -> bool { channels.is_array() && message::dialect(channels).is_some() };
    let places = [
        value.get("values"),
        value.get("channel_values"),
        value.get("checkpoint").and_then(|it| it.get("channel_values")),
    ];
    places.into_iter().flatten().find_map(|channels| {
        let inner = channels.get("messages").or_else(|| channels.get("__root__")).filter(|list| list.is_array());
        inner.or_else(|| Some(channels).filter(|it| of(it)))
    })
}

/// The conversations of a file, each once.
pub(super) fn conversations(
    value: &Value,
    format: ImportFormat,
    notices: &mut Notices,
) -> Result<Vec<ImportedConversation>, ExchangeError> {
    let mut found = Vec::new();
    let whole = [value];
    let objects: Vec<&Value> = match value {
        // A list of messages is one conversation; any other list contains objects with messages.
        Value::Array(list) if message::dialect(value).is_none() => list.iter().collect(),
        _ => whole.to_vec(),
    };
    let mut threads: BTreeMap<String, Vec<(usize, &Value, &Value)>> = BTreeMap::new();
    for (index, object) in objects.iter().enumerate() {
        let place =
            if objects.len() > 1 { format!("conversation {}", index + 1) } else { "the conversation".to_owned() };
        if let Some(messages) = state_messages(object) {
            threads.entry(thread(object).unwrap_or_default()).or_default().push((index, object, messages));
        } else if let Some(messages) = plain_messages(object).or_else(|| object.is_array().then_some(*object)) {
            let said = message::all(messages, &place, notices)?;
            found.push((index, named(object), said));
        } else if message::dialect(object).is_some() {
            let single = Value::Array(vec![(*object).clone()]);
            found.push((index, None, message::all(&single, &place, notices)?));
        } else if is_bare_state(object) {
            // A step of a thread before its first message.
        } else {
            return Err(ExchangeError::bad(place, "there are no messages in it"));
        }
    }
    for (thread, states) in threads {
        // The history of a thread repeats itself: the state with the most messages is the newest,
        // or as good.
        let best = states.iter().max_by_key(|(index, object, messages)| {
            (messages.as_array().map_or(0, Vec::len), written_at(object), std::cmp::Reverse(*index))
        });
        let Some((index, object, messages)) = best else { continue };
        let name = if thread.is_empty() { named(object) } else { Some(thread.clone()) };
        found.push((*index, name, message::all(messages, "the newest state", notices)?));
    }
    found.sort_by_key(|(index, _, _)| *index);
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    let conversations = found.into_iter().filter(|(_, _, messages)| !messages.is_empty()).map(|(_, name, messages)| {
        let title = name.unwrap_or_else(|| title(format, &messages));
        let title: String = title.chars().filter(|c| !c.is_control()).take(TITLE_CHARS_MAX).collect();
        let count = taken.entry(title.clone()).or_default();
        *count += 1;
        let title = if *count > 1 { format!("{title} ({count})") } else { title };
        ImportedConversation { title, vault: None, messages, end: true }
    });
    Ok(conversations.collect())
}

/// Conversations in Dwell's own form.
pub(super) fn ingested(value: &Value) -> Result<Vec<ImportedConversation>, ExchangeError> {
    let single = std::slice::from_ref(value);
    let all = value.as_array().map_or(single, Vec::as_slice);
    let read = |(index, value): (usize, &Value)| {
        let asked = Ingest::deserialize(value)
            .map_err(|error| ExchangeError::bad(format!("conversation {}", index + 1), error.to_string()))?;
        Ok(ImportedConversation { title: asked.title, vault: asked.vault, messages: asked.messages, end: asked.end })
    };
    all.iter().enumerate().map(read).collect()
}

fn is_bare_state(value: &Value) -> bool {
    ["values", "channel_values", "checkpoint"].iter().any(|key| value.get(key).is_some_and(Value::is_object))
}

/// When a state was written, as text that sorts by time.
fn written_at(value: &Value) -> Option<&str> {
    let inner = value.get("checkpoint");
    let places = [value.get("created_at"), value.get("ts"), inner.and_then(|it| it.get("ts"))];
    places.into_iter().flatten().find_map(Value::as_str)
}

fn thread(value: &Value) -> Option<String> {
    let configured = value.get("config").and_then(|config| config.get("configurable"));
    let places = [Some(value), configured, value.get("checkpoint"), value.get("metadata")];
    let id = places.into_iter().flatten().find_map(|place| place.get("thread_id"))?;
    id.as_str().map(str::to_owned).or_else(|| id.as_u64().map(|id| id.to_string()))
}

fn named(value: &Value) -> Option<String> {
    let keys = ["title", "name", "conversation_id", "session_id", "thread_id"];
    let name = keys.iter().find_map(|key| value.get(key).and_then(Value::as_str))?;
    (!name.trim().is_empty()).then(|| name.trim().to_owned())
}

/// A title for a conversation without one: its first words and a digest of its beginning, so that a
/// longer export of the same conversation finds its memory again.
fn title(format: ImportFormat, messages: &[IngestMessage]) -> String {
    let first = messages.iter().find(|said| said.role == "user").or_else(|| messages.first());
    let words: String = first.map(|said| summary::gist(&said.content)).unwrap_or_default();
    let words: String = words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TITLE_CHARS).collect();
    let mut digest = Sha256::new();
    for said in messages.iter().take(2) {
        digest.update(&said.role);
        digest.update([0]);
        digest.update(&said.content);
        digest.update([0]);
    }
    let mark: String = digest.finalize().iter().take(3).map(|byte| format!("{byte:02x}")).collect();
    format!("{}: {words} #{mark}", format.as_str())
}
