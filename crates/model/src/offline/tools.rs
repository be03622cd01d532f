//! The tools this model knows how to use, by name, and what it says when one of them is missing.

use serde_json::Value;

use super::Step;
use crate::{Prompt, ToolSpec};

/// Computes an `expression`.
pub const CALCULATOR: &str = "calculator";
/// Tells the time, in a `time_zone` if there is one.
pub const CURRENT_TIME: &str = "current_time";
/// Counts days: `from` a date, `add` a span or go `until` another date.
pub const DATE_MATH: &str = "date_math";
/// Keeps a `text` under a `key`.
pub const PIN: &str = "pin";
/// Forgets what is kept under a `key`.
pub const UNPIN: &str = "unpin";
/// Saves `content` under a `name`.
pub const ARTIFACT_SAVE: &str = "artifact_save";
/// Lists what is saved.
pub const ARTIFACT_LIST: &str = "artifact_list";
/// Reads what is saved, by `artifact_id` or `name`.
pub const ARTIFACT_READ: &str = "artifact_read";
/// Shows what is saved in a window, by `artifact_id` or `name`.
pub const ARTIFACT_SHOW: &str = "artifact_show";

/// Looks for sources that answer a `query`.
pub const RESEARCH: &str = "research";
/// Looks into the library alone.
pub const LIBRARY_SEARCH: &str = "library_search";

/// Opens a window with a `title` and its `content`.
pub const WINDOW_OPEN: &str = "window_open";

/// The tool of that name, if it may be called.
pub fn offered<'a>(prompt: &'a Prompt, name: &str) -> Option<&'a ToolSpec> {
    prompt.tools.iter().find(|tool| tool.name == name)
}

/// A call of the tool, or a sentence that says that it cannot be called.
pub fn call(prompt: &Prompt, tool: &str, arguments: Value) -> Step {
    match offered(prompt, tool) {
        Some(_) => Step::Call { tool: tool.to_owned(), arguments },
        None => Step::Say(missing(prompt, tool)),
    }
}

/// Says that a tool is missing.
pub fn missing(prompt: &Prompt, tool: &str) -> String {
    if prompt.tools.is_empty() {
        format!("This needs the tool `{tool}`, but tools are switched off for this turn.")
    } else {
        format!("This needs the tool `{tool}`, which is not among those I may use in this turn.")
    }
}

/// Whether the tool's arguments have a field of that name.
pub fn takes(tool: &ToolSpec, field: &str) -> bool {
    tool.input.pointer("/properties").and_then(|fields| fields.get(field)).is_some()
}
