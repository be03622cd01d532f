//! Calls a tool on behalf of a model: the arguments may be wrong, and the tool may hang or panic.

use std::{future::Future, sync::Arc};

use ports::ToolFailure;
use protocol::{Effect, ToolView};
use serde_json::{Map, Value};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    policy::{self, Rules, SessionRules},
    registry::{AnyTool, RegisteredTool, Registry},
    tool::{CallContext, CallLookup, Output},
};

/// The number of names suggested when a model calls a tool that does not exist.
const SUGGESTIONS_MAX: usize = 3;
/// The number of names listed in that case.
const LISTED_MAX: usize = 64;
/// The number of characters quoted of arguments that are not valid JSON.
const QUOTED_CHARS_MAX: usize = 80;

/// A call whose tool exists and whose arguments fit.
pub struct CheckedCall {
    /// The tool.
    pub entry: Arc<RegisteredTool>,
    /// What the arguments affect, for policy patterns.
    pub scope: Option<String>,
}

impl Registry {
    /// Checks a call before it is run. The error is for the model: what is wrong and what would be
    /// right.
    pub fn check(&self, name: &str, arguments: &Value) -> Result<CheckedCall, String> {
        let Some(entry) = self.get(name) else { return Err(self.no_such_tool(name)) };
        let wrong = |what: String| format!("{what}. {}", fields(name, &entry.input_schema));
        match arguments {
            Value::Null | Value::Object(_) => {}
            Value::String(text) => return Err(wrong(not_an_object(text))),
            _ => return Err(wrong("the arguments have to be a JSON object".to_owned())),
        }
        match entry.tool.scope(arguments) {
            Err(failure) => Err(wrong(failure.to_string())),
            Ok(scope) => Ok(CheckedCall { entry, scope }),
        }
    }

    fn no_such_tool(&self, name: &str) -> String {
        let shown: String = name.chars().take(64).collect();
        let entries: Vec<Arc<RegisteredTool>> = self.entries().collect();
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

/// Runs a call within its tool's timeout. A panic of the tool is caught. Dropping the future ends
/// the call.
pub async fn run(entry: &RegisteredTool, arguments: Value, context: CallContext) -> Result<Output, ToolFailure> {
    within_bounds(entry, |tool| async move { tool.call(arguments, &context).await }).await
}

/// Asks whether an interrupted call took effect, with the same timeout and panic handling.
pub async fn look_up(
    entry: &RegisteredTool,
    arguments: Value,
    context: CallContext,
) -> Result<CallLookup<Output>, ToolFailure> {
    within_bounds(entry, |tool| async move { tool.look_up(arguments, &context).await }).await
}

async fn within_bounds<T, F>(entry: &RegisteredTool, call: impl FnOnce(Arc<dyn AnyTool>) -> F) -> Result<T, ToolFailure>
where
    T: Send + 'static,
    F: Future<Output = Result<T, ToolFailure>> + Send + 'static,
{
    let declaration = &entry.declaration;
    let (name, timeout) = (&declaration.name, declaration.timeout);
    let is_harmless = declaration.effect == Effect::Pure;
    // A spawned task does not inherit the trace that it belongs to.
    let call = observe::scope_maybe(observe::current(), call(entry.tool.clone()));
    let task = AbortOnDropHandle::new(tokio::spawn(call));
    match tokio::time::timeout(timeout, task).await {
        Ok(Ok(result)) => result,
        // The panic message is in the log already; the model does not need it.
        Ok(Err(_)) if is_harmless => Err(ToolFailure::Failed(format!("`{name}` crashed; this is a bug in the tool"))),
        Ok(Err(_)) => Err(ToolFailure::Unknown(format!(
            "`{name}` crashed while it ran; this is a bug in the tool. It may have done something: look before \
             trying again"
        ))),
        Err(_) if is_harmless => {
            Err(ToolFailure::Failed(format!("`{name}` did not answer within {} s", timeout.as_secs_f64())))
        }
        Err(_) => Err(ToolFailure::Unknown(format!(
            "`{name}` did not answer within {} s. It may have happened or may still happen: look before trying again",
            timeout.as_secs_f64()
        ))),
    }
}

/// A tool as clients see it.
pub fn view(entry: &RegisteredTool, rules: &Rules) -> ToolView {
    let declaration = &entry.declaration;
    let barred = policy::denial_reason(&declaration.name, declaration.safety, rules, &SessionRules::default(), false);
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
        worker: None,
    }
}

/// The error for arguments that came as text instead of an object.
fn not_an_object(text: &str) -> String {
    let quoted: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    match serde_json::from_str::<Value>(text) {
        Ok(_) => format!("the arguments have to be a JSON object, not a string with one inside: `{quoted}`"),
        Err(error) => format!("the arguments are not valid JSON ({error}): `{quoted}`"),
    }
}

/// The fields of a schema in one sentence, as far as `type`, `required` and `properties` describe
/// them.
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

/// The edit distance of two names: insertions, deletions and substitutions.
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
