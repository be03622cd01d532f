//! Reads Mem0's export: memories with their metadata, in `results`, in `memories`, or as a bare
//! list.

use serde_json::{Map, Value};

use super::{
    ExchangeError, ImportedNote,
    times::{self, Notices},
};

/// Fields that say whose a memory is; they become metadata.
const SCOPES: [&str; 5] = ["user_id", "agent_id", "app_id", "run_id", "actor_id"];

/// The notes of a file.
pub(super) fn notes(value: &Value, notices: &mut Notices) -> Result<Vec<ImportedNote>, ExchangeError> {
    let mut all = Vec::new();
    collect(value, &mut all);
    let mut notes = Vec::new();
    for (index, memory) in all.into_iter().enumerate() {
        let place = || format!("memory {}", index + 1);
        let Value::Object(fields) = memory else {
            return Err(ExchangeError::bad(place(), "it is not an object with a `memory`"));
        };
        let text = ["memory", "text", "data"].iter().find_map(|key| fields.get(*key).and_then(Value::as_str));
        let text = text.ok_or_else(|| ExchangeError::bad(place(), "there is no text in `memory`"))?;
        if text.trim().is_empty() {
            notices.empty();
            continue;
        }
        notes.push(note(text, fields, notices));
    }
    Ok(notes)
}

/// Also accepts a list of result pages, as written by a client that pages through them.
fn collect<'v>(value: &'v Value, all: &mut Vec<&'v Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| collect(one, all)),
        Value::Object(fields) => {
            match ["results", "memories", "data"].iter().find_map(|key| fields.get(*key)?.as_array()) {
                Some(list) => list.iter().for_each(|one| collect(one, all)),
                None => all.push(value),
            }
        }
        _ => all.push(value),
    }
}

fn note(text: &str, fields: &Map<String, Value>, notices: &mut Notices) -> ImportedNote {
    let id =
        fields.get("id").and_then(|id| id.as_str().map(str::to_owned).or_else(|| id.as_u64().map(|id| id.to_string())));
    let mut metadata = fields.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    for scope in SCOPES {
        if let Some(value) = fields.get(scope).filter(|value| !value.is_null()) {
            metadata.entry(scope).or_insert_with(|| value.clone());
        }
    }
    let listed = fields.get("categories").and_then(Value::as_array).into_iter().flatten();
    let mut at = |key: &str| fields.get(key).and_then(|value| times::moment(value, notices));
    ImportedNote {
        id,
        text: text.to_owned(),
        created_at: at("created_at"),
        updated_at: at("updated_at"),
        metadata,
        categories: listed.filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}
