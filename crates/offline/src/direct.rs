//! Any tool, called by its name: `lookup {"key": "abc"}`, "use lookup with key=abc". Only the given
//! arguments are passed, nothing is guessed; the answer asks for required arguments that are
//! missing.

use model::ToolSpec;
use serde_json::{Map, Value};

use super::{PromptContext, ReplyStep, tools, words::Clause};

const VERBS: &[&str] = &["use|call|run|invoke|execute the? tool?"];
/// Characters allowed before a tool's name.
const BEFORE_NAME: [char; 4] = [' ', ':', '`', '"'];

/// A call if the clause names a tool.
pub fn recognise(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let begins = clause.begins_any(VERBS);
    let verb = begins.filter(|_| !is_part_of_name(clause, scene));
    let rest = clause.after(verb.unwrap_or(0)).trim_start_matches(BEFORE_NAME);
    let (name, after) = name_in(rest);
    let after = after.trim_start_matches(['`', '"']).trim();
    let given = arguments(after);
    let is_written_as_call =
        matches!(given, ParsedArguments::Fields(_)) && (after.starts_with(['{', '(']) || after.contains('='));
    let Some(tool) = scene.prompt.tools.iter().find(|tool| tool.name.eq_ignore_ascii_case(name)) else {
        let names_one = clause.begins("use|call|run|invoke|execute the? tool").is_some() || name.contains('_');
        let is_meant =
            begins.is_some() && !name.is_empty() && (names_one || is_written_as_call && after.starts_with('{'));
        return is_meant.then(|| ReplyStep::Say(no_such_tool(name, scene)));
    };
    match given {
        ParsedArguments::Fields(fields) if verb.is_some() || is_written_as_call => Some(call(tool, fields)),
        ParsedArguments::Quoted(text) => Some(call_with_one(tool, text)),
        ParsedArguments::Broken if after.starts_with('{') || verb.is_some() => Some(ReplyStep::Say(format!(
            "I cannot read the arguments for `{}`. Write them as JSON, or as name=value with quotes around values that \
             have spaces.",
            tool.name
        ))),
        _ => None,
    }
}

/// Whether the opening verb of the clause is only the beginning of a name: `call_service`.
fn is_part_of_name(clause: &Clause<'_>, scene: &PromptContext<'_>) -> bool {
    let (name, _) = name_in(clause.text.trim_start_matches(BEFORE_NAME));
    let is_longer = clause.words().first().is_some_and(|verb| verb.text.len() < name.len());
    is_longer && (name.contains('_') || scene.prompt.tools.iter().any(|tool| tool.name.eq_ignore_ascii_case(name)))
}

/// The name at the beginning of a text, and the text after it.
fn name_in(text: &str) -> (&str, &str) {
    text.split_at(text.find(|char: char| !is_name_char(char)).unwrap_or(text.len()))
}

const fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-')
}

fn no_such_tool(name: &str, scene: &PromptContext<'_>) -> String {
    if scene.prompt.tools.is_empty() {
        return tools::missing(scene.prompt, name);
    }
    let names: Vec<String> = scene.prompt.tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
    format!("There is no tool named `{name}` in this turn. There are: {}.", names.join(", "))
}

enum ParsedArguments {
    Fields(Map<String, Value>),
    Quoted(String),
    Broken,
}

/// The arguments after a tool's name.
fn arguments(after: &str) -> ParsedArguments {
    let after = after.strip_prefix("tool").filter(|rest| rest.starts_with([' ', ':'])).unwrap_or(after).trim_start();
    let clause = Clause::new(after);
    let with = "with|on|for the? arguments|argument|parameters|input?";
    let given = match clause.begins(with) {
        Some(count) if after.starts_with(char::is_alphabetic) => clause.after(count),
        _ => after,
    };
    let given = given.trim_start_matches([':', ' ']).trim().trim_end_matches(['.', '?', '!']);
    if given.is_empty() {
        return ParsedArguments::Fields(Map::new());
    }
    let inner = given.strip_prefix('(').and_then(|given| given.strip_suffix(')')).unwrap_or(given).trim();
    if inner.is_empty() {
        return ParsedArguments::Fields(Map::new());
    }
    match serde_json::from_str(inner) {
        Ok(Value::Object(fields)) => ParsedArguments::Fields(fields),
        Ok(Value::String(text)) => ParsedArguments::Quoted(text),
        _ => pairs(inner).map_or(ParsedArguments::Broken, ParsedArguments::Fields),
    }
}

/// `key=abc, depth=3 and text="two words"`.
fn pairs(text: &str) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let key = key.trim();
        if key.is_empty() || !key.chars().all(is_name_char) {
            return None;
        }
        let after = after.trim_start();
        let (value, after) = match after.strip_prefix('"') {
            Some(inner) => inner.split_once('"')?,
            None => after.split_at(after.find([' ', ',', '\n']).unwrap_or(after.len())),
        };
        fields.insert(key.to_owned(), Value::String(value.to_owned()));
        rest = after.trim_start_matches([',', ' ', '\n']);
        rest = rest.strip_prefix("and ").unwrap_or(rest).trim_start();
    }
    Some(fields)
}

/// The only required field of a tool may omit its name.
fn call_with_one(tool: &ToolSpec, text: String) -> ReplyStep {
    match required(tool)[..] {
        [field] => call(tool, Map::from_iter([(field.to_owned(), Value::String(text))])),
        _ => ReplyStep::Say(format!("Which argument of `{}` is that? Write it as name=value.", tool.name)),
    }
}

fn call(tool: &ToolSpec, fields: Map<String, Value>) -> ReplyStep {
    let missing: Vec<String> = required(tool)
        .into_iter()
        .filter(|field| !fields.contains_key(*field))
        .map(|field| described(tool, field))
        .collect();
    if !missing.is_empty() {
        return ReplyStep::Say(format!("`{}` also needs {}. What shall it be?", tool.name, missing.join(" and ")));
    }
    let mut arguments = Map::new();
    for (field, value) in fields {
        match typed(tool, &field, value) {
            Ok(value) => arguments.insert(field, value),
            Err(kind) => {
                return ReplyStep::Say(format!("`{field}` of `{}` must be {kind}. What shall it be?", tool.name));
            }
        };
    }
    ReplyStep::Call { tool: tool.name.clone(), arguments: Value::Object(arguments) }
}

fn required(tool: &ToolSpec) -> Vec<&str> {
    let fields = tool.input.get("required").and_then(Value::as_array);
    fields.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn described(tool: &ToolSpec, field: &str) -> String {
    let description = property(tool, field).and_then(|property| property.get("description")).and_then(Value::as_str);
    match description {
        Some(description) => format!("`{field}` ({})", description.trim_end_matches('.')),
        None => format!("`{field}`"),
    }
}

fn property<'a>(tool: &'a ToolSpec, field: &str) -> Option<&'a Value> {
    tool.input.get("properties").and_then(|fields| fields.get(field))
}

/// A value written as text in the type that the schema asks for.
fn typed(tool: &ToolSpec, field: &str, value: Value) -> Result<Value, &'static str> {
    let Value::String(text) = &value else {
        return Ok(value);
    };
    let kind = property(tool, field).and_then(|property| property.get("type")).and_then(Value::as_str);
    match kind {
        Some("integer") => text.parse::<i64>().map(Value::from).map_err(|_| "a whole number"),
        Some("number") => text.parse::<f64>().map(Value::from).map_err(|_| "a number"),
        Some("boolean") => text.parse::<bool>().map(Value::from).map_err(|_| "true or false"),
        Some("array" | "object") => serde_json::from_str(text).map_err(|_| "JSON"),
        _ => Ok(value),
    }
}
