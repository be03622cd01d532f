//! The tools that this model knows, by name, and its answer when one of them is missing.

use model::{Prompt, ToolSpec};
use serde_json::Value;

use super::ReplyStep;

/// Computes an `expression`.
pub const CALCULATOR: &str = "calculator";
/// Returns the time, in a `time_zone` if given.
pub const CURRENT_TIME: &str = "current_time";
/// Counts days: `from` a date, `add` a span or go `until` another date.
pub const DATE_MATH: &str = "date_math";
/// Pins a `text` under a `key`.
pub const PIN: &str = "pin";
/// Removes the pin with this `key`.
pub const UNPIN: &str = "unpin";
/// Saves `content` under a `name`.
pub const ARTIFACT_SAVE: &str = "artifact_save";
/// Lists artifacts.
pub const ARTIFACT_LIST: &str = "artifact_list";
/// Reads an artifact, by `artifact_id` or `name`.
pub const ARTIFACT_READ: &str = "artifact_read";
/// Shows an artifact in a window, by `artifact_id` or `name`.
pub const ARTIFACT_SHOW: &str = "artifact_show";

/// Searches for sources that answer a `query`.
pub const RESEARCH: &str = "research";
/// Searches the library only.
pub const LIBRARY_SEARCH: &str = "library_search";

/// Opens a window with a `title` and its `content`.
pub const WINDOW_OPEN: &str = "window_open";

/// The tool of that name, if it may be called.
pub fn offered<'a>(prompt: &'a Prompt, name: &str) -> Option<&'a ToolSpec> {
    prompt.tools.iter().find(|tool| tool.name == name)
}

/// A call of the tool, or a sentence that says why it cannot be called.
pub fn call(prompt: &Prompt, tool: &str, arguments: Value) -> ReplyStep {
    match offered(prompt, tool) {
        Some(_) => ReplyStep::Call { tool: tool.to_owned(), arguments },
        None => ReplyStep::Say(missing(prompt, tool)),
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
