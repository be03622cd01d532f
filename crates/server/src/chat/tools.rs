//! The tools that a client offers, in the format of both APIs.

use protocol::{ClientTool, ClientToolOffer, Code, Problem, ToolChoice};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A tool that the client runs itself.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Tool {
    /// `function`.
    #[serde(rename = "type", default)]
    kind: Option<String>,
    /// The function.
    #[serde(default)]
    function: Option<Function>,
}

/// A function that can be called.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Function {
    /// Its name.
    name: String,
    /// What it does.
    #[serde(default)]
    description: Option<String>,
    /// JSON Schema of its arguments.
    #[serde(default)]
    parameters: Option<Value>,
    /// Ignored: every call is checked against the schema.
    #[serde(default)]
    strict: Option<bool>,
}

impl Tool {
    /// Whether it asks for a decoding that follows the schema.
    pub(super) fn is_strict(&self) -> bool {
        self.function.as_ref().is_some_and(|function| function.strict == Some(true))
    }
}

/// Reads the tools that a client offers.
pub(super) fn offer(
    tools: Option<Vec<Tool>>,
    choice: Option<&Value>,
    parallel_tool_calls: Option<bool>,
) -> Result<ClientToolOffer, Problem> {
    let tools: Vec<ClientTool> = tools.unwrap_or_default().into_iter().map(read).collect::<Result<_, _>>()?;
    let tool_choice = choice.map_or(Ok(ToolChoice::Auto), read_choice)?;
    if tools.is_empty() && !tool_choice.is_forced() {
        return Ok(ClientToolOffer::default());
    }
    Ok(ClientToolOffer { tools, tool_choice, parallel_tool_calls, ..ClientToolOffer::default() })
}

fn read(tool: Tool) -> Result<ClientTool, Problem> {
    let Tool { kind, function } = tool;
    if let Some(kind) = kind.filter(|kind| kind != "function") {
        return Err(refused(format!("tools of the type `{kind}` are not supported; only functions are")));
    }
    let function = function.ok_or_else(|| refused("a tool has no `function`".to_owned()))?;
    let input_schema = match function.parameters {
        None | Some(Value::Null) => json!({ "type": "object", "properties": {} }),
        Some(Value::Object(mut schema)) => {
            schema.entry("type").or_insert_with(|| json!("object"));
            Value::Object(schema)
        }
        Some(other) => other,
    };
    Ok(ClientTool { name: function.name, description: function.description.unwrap_or_default(), input_schema })
}

fn read_choice(choice: &Value) -> Result<ToolChoice, Problem> {
    match (choice.as_str(), choice["type"].as_str()) {
        (Some("auto"), _) => Ok(ToolChoice::Auto),
        (Some("none"), _) => Ok(ToolChoice::None),
        (Some("required"), _) => Ok(ToolChoice::Required),
        (None, Some("function")) => match choice["function"]["name"].as_str() {
            Some(name) => Ok(ToolChoice::Tool(name.to_owned())),
            None => Err(refused("`tool_choice` names no function".to_owned())),
        },
        _ => Err(refused(format!(
            "`tool_choice` {choice} is not known; use `auto`, `none`, `required` or a function by its name"
        ))),
    }
}

/// The error for a field that is not supported.
pub(super) fn refused(message: String) -> Problem {
    Problem::new(Code::InvalidRequest, message, "Leave it out, or change it.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(tools: Value) -> Option<Vec<Tool>> {
        Some(serde_json::from_value(tools).unwrap())
    }

    #[test]
    fn functions_are_read_with_what_they_leave_out() {
        let told = tools(json!([
            { "type": "function", "function": { "name": "a", "strict": true } },
            { "type": "function", "function": { "name": "b", "description": "B.", "parameters": { "properties": {} } } },
        ]));
        let offer = offer(told, Some(&json!("required")), Some(false)).unwrap();
        let schema = json!({ "type": "object", "properties": {} });
        let names: Vec<(&str, &str)> =
            offer.tools.iter().map(|tool| (tool.name.as_str(), tool.description.as_str())).collect();
        assert_eq!(names, [("a", ""), ("b", "B.")]);
        assert!(offer.tools.iter().all(|tool| tool.input_schema == schema), "{offer:?}");
        assert_eq!((&offer.tool_choice, offer.is_one_at_a_time()), (&ToolChoice::Required, true));
    }

    #[test]
    fn a_choice_has_four_forms() {
        for (told, expected) in [
            (json!("auto"), Some(ToolChoice::Auto)),
            (json!("none"), Some(ToolChoice::None)),
            (json!("required"), Some(ToolChoice::Required)),
            (json!({ "type": "function", "function": { "name": "a" } }), Some(ToolChoice::Tool("a".to_owned()))),
            (json!("any"), None),
            (json!({ "type": "function" }), None),
            (json!({ "type": "allowed_tools", "allowed_tools": {} }), None),
            (json!(7), None),
        ] {
            assert_eq!(read_choice(&told).ok(), expected, "{told}");
        }
    }

    #[test]
    fn what_is_no_function_is_refused() {
        for other in [json!([{ "type": "custom", "custom": { "name": "x" } }]), json!([{ "type": "function" }])] {
            assert_eq!(offer(tools(other.clone()), None, None).unwrap_err().code, Code::InvalidRequest, "{other}");
        }
        assert_eq!(offer(None, Some(&json!("none")), Some(true)).unwrap(), ClientToolOffer::default());
    }
}
