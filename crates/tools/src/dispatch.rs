//! Calling a tool the way a model does: arguments that may be wrong, a tool that may hang or break.

use std::{future::Future, sync::Arc};

use protocol::{Effect, ToolView};
use serde_json::{Map, Value};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    policy::{self, Rules, SessionRules},
    registry::{AnyTool, Entry, Registry},
    tool::{Context, Failure, Found, Output},
};

/// How many names are suggested to a model that called a tool which does not exist.
const SUGGESTIONS_MAX: usize = 3;
/// How many names are listed to it.
const LISTED_MAX: usize = 64;
/// How much of a broken text is shown to whoever wrote it.
const QUOTED_CHARS_MAX: usize = 80;

/// A call whose tool exists and whose arguments fit.
pub struct Checked {
    /// The tool.
    pub entry: Arc<Entry>,
    /// What exactly the arguments touch.
    pub scope: Option<String>,
}

impl Registry {
    /// Checks a call before anything is made of it. The error is for the model: what is wrong and what would be right.
    pub fn check(&self, name: &str, arguments: &Value) -> Result<Checked, String> {
        let Some(entry) = self.get(name) else { return Err(self.no_such_tool(name)) };
        let wrong = |what: String| format!("{what}. {}", fields(name, &entry.input_schema));
        match arguments {
            Value::Null | Value::Object(_) => {}
            Value::String(text) => return Err(wrong(not_an_object(text))),
            _ => return Err(wrong("the arguments have to be a JSON object".to_owned())),
        }
        match entry.tool.scope(arguments) {
            Err(failure) => Err(wrong(failure.to_string())),
            Ok(scope) => Ok(Checked { entry, scope }),
        }
    }

    fn no_such_tool(&self, name: &str) -> String {
        let shown: String = name.chars().take(64).collect();
        let entries: Vec<Arc<Entry>> = self.entries().collect();
        let names = || entries.iter().map(|entry| entry.declaration.name.as_str());
        let mut near: Vec<(usize, &str)> = names().map(|known| (distance(&shown, known), known)).collect();
        near.retain(|(distance, known)| *distance <= (known.len() / 3).max(2) || known.contains(&shown));
        near.sort_unstable();
        let near: Vec<String> = near.iter().take(SUGGESTIONS_MAX).map(|(_, known)| format!("`{known}`")).collect();
        let meant = if near.is_empty() { ".".to_owned() } else { format!("; did you mean {}?", near.join(" or ")) };
        let all: Vec<&str> = names().take(LISTED_MAX).collect();
        format!("there is no tool `{shown}`{meant} Available: {}", all.join(", "))
    }
}

/// Runs a call within its tool's time. A tool that breaks down takes nobody with it; dropping the future ends the call.
pub async fn run(entry: &Entry, arguments: Value, context: Context) -> Result<Output, Failure> {
    within_bounds(entry, |tool| async move { tool.call(arguments, &context).await }).await
}

/// Asks, in the same manner, whether a call that was cut off has happened.
pub async fn look_up(entry: &Entry, arguments: Value, context: Context) -> Result<Found<Output>, Failure> {
    within_bounds(entry, |tool| async move { tool.look_up(arguments, &context).await }).await
}

async fn within_bounds<T, F>(entry: &Entry, call: impl FnOnce(Arc<dyn AnyTool>) -> F) -> Result<T, Failure>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Failure>> + Send + 'static,
{
    let declaration = &entry.declaration;
    let (name, timeout) = (&declaration.name, declaration.timeout);
    let is_harmless = declaration.effect == Effect::Pure;
    let task = AbortOnDropHandle::new(tokio::spawn(call(entry.tool.clone())));
    match tokio::time::timeout(timeout, task).await {
        Ok(Ok(result)) => result,
        // What a panic says is for the log, where it is by now, not for the model.
        Ok(Err(_)) if is_harmless => Err(Failure::Failed(format!("`{name}` broke down; this is a bug in the tool"))),
        Ok(Err(_)) => Err(Failure::Unknown(format!(
            "`{name}` broke down halfway; this is a bug in the tool. It may have done something: look before trying again"
        ))),
        Err(_) if is_harmless => {
            Err(Failure::Failed(format!("`{name}` did not answer within {} s", timeout.as_secs_f64())))
        }
        Err(_) => Err(Failure::Unknown(format!(
            "`{name}` did not answer within {} s. It may have happened or may still happen: look before trying again",
            timeout.as_secs_f64()
        ))),
    }
}

/// A tool as clients see it.
pub fn view(entry: &Entry, rules: &Rules) -> ToolView {
    let declaration = &entry.declaration;
    let barred = policy::barred(&declaration.name, declaration.safety, rules, &SessionRules::default(), false);
    ToolView {
        name: declaration.name.clone(),
        description: declaration.description.clone(),
        input_schema: entry.input_schema.clone(),
        output_schema: entry.output_schema.clone(),
        effect: declaration.effect,
        safety: declaration.safety,
        cost: declaration.cost,
        parallel: declaration.parallel,
        timeout_ms: u64::try_from(declaration.timeout.as_millis()).unwrap_or(u64::MAX),
        calls_per_minute_max: declaration.calls_per_minute_max,
        enabled: barred.is_none(),
        disabled_because: barred,
        server: entry.group.clone(),
        away_because: entry.tool.away(),
    }
}

/// What is wrong with arguments that came as a text.
fn not_an_object(text: &str) -> String {
    let quoted: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    match serde_json::from_str::<Value>(text) {
        Ok(_) => format!("the arguments have to be a JSON object, not a string with one inside: `{quoted}`"),
        Err(error) => format!("the arguments are no JSON ({error}): `{quoted}`"),
    }
}

/// The fields of a schema in one sentence, as far as they can be told without knowing everything about schemas.
fn fields(tool: &str, schema: &Value) -> String {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let told = |name: &str| format!("`{name}`{}", properties.get(name).map(kind).unwrap_or_default());
    let needs: Vec<String> = required.iter().map(|name| told(name)).collect();
    let may: Vec<String> =
        properties.keys().filter(|name| !required.contains(&name.as_str())).map(|name| told(name)).collect();
    match (needs.is_empty(), may.is_empty()) {
        (true, true) => format!("`{tool}` takes no arguments"),
        (true, false) => format!("`{tool}` needs no arguments and may have {}", may.join(", ")),
        (false, true) => format!("`{tool}` needs {}", needs.join(", ")),
        (false, false) => format!("`{tool}` needs {} and may have {}", needs.join(", "), may.join(", ")),
    }
}

fn kind(property: &Value) -> String {
    let is_real = |kind: &&str| *kind != "null";
    let kinds: Vec<&str> = match property.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).filter(is_real).collect(),
        _ => return String::new(),
    };
    format!(" ({})", kinds.join(" or "))
}

/// How many characters have to be put in, taken out or changed to make one name of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, char) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = n + 1;
        for (m, wanted) in other.iter().enumerate() {
            let changed = diagonal + usize::from(char != *wanted);
            diagonal = row[m + 1];
            row[m + 1] = changed.min(row[m] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn distances() {
        for (one, other, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("calc", "calk", 1),
            ("pin", "unpin", 2),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn fields_are_told_in_one_sentence() {
        let schema = json!({
            "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}, "c": {}},
            "required": ["a"]
        });
        assert_eq!(fields("t", &schema), "`t` needs `a` (string) and may have `b` (integer), `c`");
        assert_eq!(fields("t", &json!({})), "`t` takes no arguments");
    }
}
