//! Looking up tools by name or by words, and calling them.

use std::{cmp::Reverse, collections::BTreeSet};

use memory::search::stems;
use model::ToolSpec;
use protocol::PlannedCall;
use serde_json::{Map, Value, json};

/// The tool that looks others up.
pub(in super::super) const FIND_TOOLS: &str = "find_tools";
/// The tool that calls a tool that was looked up.
pub(in super::super) const USE_TOOL: &str = "use_tool";

/// Names of tools that the model gets without their schemas.
const NAMES_MAX: usize = 64;
/// Maximum number of tools found by words.
const FOUND_MAX: usize = 5;
/// Maximum number of tools requested by name at once.
const NAMED_MAX: usize = 12;

/// Both tools as a model sees them, with the names of those that can be looked up.
pub(super) fn specs<'a>(others: impl Iterator<Item = &'a ToolSpec>) -> Vec<ToolSpec> {
    let mut names: Vec<&str> = others.map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    let left = names.len().saturating_sub(NAMES_MAX);
    names.truncate(NAMES_MAX);
    let more = if left > 0 { format!(" and {left} more") } else { String::new() };
    let find = ToolSpec::new(
        FIND_TOOLS,
        format!("Describes more tools, by their names or by words for the task. There are {}{more}.", names.join(", ")),
        json!({
            "type": "object",
            "properties": {
                "names": { "type": "array", "items": { "type": "string" }, "description": "Which tools." },
                "query": { "type": "string", "description": "Or the task in words." },
            },
        }),
    );
    let call = ToolSpec::new(
        USE_TOOL,
        "Calls a tool that find_tools has described.",
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "arguments": { "type": "object", "description": "As its schema requires." },
            },
            "required": ["name", "arguments"],
        }),
    );
    vec![find, call]
}

/// The result of `find_tools`; the error says what is wrong with the arguments.
pub(in super::super) fn find(tools: &[ToolSpec], arguments: &Value) -> Result<String, String> {
    let names: Vec<&str> = match &arguments["names"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let query = arguments["query"].as_str().unwrap_or_default();
    if names.is_empty() && query.trim().is_empty() {
        return Err("give `names`, the tools to describe, or `query`, the task in words".to_owned());
    }
    let known = |name: &str| tools.iter().find(|tool| tool.name == name.trim());
    let mut found: Vec<&ToolSpec> = names.iter().take(NAMED_MAX).filter_map(|name| known(name)).collect();
    let missing: Vec<&str> = names.iter().filter(|name| known(name).is_none()).copied().collect();
    if found.is_empty() {
        // A misspelled name counts as words too.
        let words = if query.trim().is_empty() { names.join(" ") } else { query.to_owned() };
        found = by_words(tools, &words);
    }
    if found.is_empty() {
        let names: Vec<&str> = tools.iter().take(NAMES_MAX).map(|tool| tool.name.as_str()).collect();
        return Ok(format!("No tool fits. There are: {}.", names.join(", ")));
    }
    let mut told = String::new();
    if !missing.is_empty() {
        told.push_str(&format!("There is no {}.\n", missing.join(", ")));
    }
    told.push_str("Call these with use_tool:");
    for tool in found {
        told.push_str(&format!("\n\n{}: {}\nArguments: {}", tool.name, tool.description, tool.input));
    }
    Ok(told)
}

fn by_words<'a>(tools: &'a [ToolSpec], words: &str) -> Vec<&'a ToolSpec> {
    let wanted: BTreeSet<String> = stems(words).collect();
    let mut scored: Vec<(usize, &ToolSpec)> = tools
        .iter()
        .map(|tool| {
            let named: BTreeSet<String> = stems(&tool.name).collect();
            let described: BTreeSet<String> = stems(&tool.description).collect();
            (3 * named.intersection(&wanted).count() + described.intersection(&wanted).count(), tool)
        })
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, _)| Reverse(*score));
    scored.into_iter().take(FOUND_MAX).map(|(_, tool)| tool).collect()
}

/// The call inside a `use_tool` call, if it names one. From here on it is a call of that tool:
/// checked, judged and recorded as such.
pub(in super::super) fn unwrapped(mut planned: PlannedCall) -> PlannedCall {
    let Some(name) = planned.arguments["name"].as_str().map(str::to_owned).filter(|_| planned.tool == USE_TOOL) else {
        return planned;
    };
    planned.arguments = match planned.arguments.get("arguments").cloned() {
        // Small models write objects as text, or leave out the wrapper.
        Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        Some(Value::Null) => json!({}),
        Some(arguments) => arguments,
        None => Value::Object(others(planned.arguments)),
    };
    planned.tool = name;
    planned.looked_up = true;
    planned
}

fn others(arguments: Value) -> Map<String, Value> {
    let Value::Object(mut members) = arguments else { return Map::new() };
    members.remove("name");
    members
}

/// A call as the model made it: its tool and its arguments.
pub(in super::super) fn told_call(planned: &PlannedCall) -> (String, Value) {
    if planned.looked_up {
        (USE_TOOL.to_owned(), json!({ "name": planned.tool, "arguments": planned.arguments }))
    } else {
        (planned.tool.clone(), planned.arguments.clone())
    }
}
