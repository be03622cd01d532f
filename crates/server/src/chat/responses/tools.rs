//! The tools of a response. The client's functions are flat objects; OpenAI's hosted tools are
//! refused by name, except the web search, which Dwell has itself.

use protocol::{ClientTool, ClientToolOffer, Problem, ToolChoice};
use serde_json::{Map, Value, json};

use super::super::tools::refused;

/// The names of OpenAI's web search. Dwell's own is offered to the model anyway if it is set up.
const WEB_SEARCH: [&str; 4] =
    ["web_search", "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11"];

/// Reads the tools that a client offers.
pub(super) fn offer(
    tools: &[Map<String, Value>],
    choice: Option<&Value>,
    parallel_tool_calls: Option<bool>,
) -> Result<ClientToolOffer, Problem> {
    let tools: Vec<ClientTool> =
        tools.iter().filter_map(|tool| read(tool).transpose()).collect::<Result<_, Problem>>()?;
    let (tools, tool_choice) = match choice {
        None | Some(Value::Null) => (tools, ToolChoice::Auto),
        Some(choice) => choose(tools, choice)?,
    };
    if tools.is_empty() && !tool_choice.is_forced() {
        return Ok(ClientToolOffer::default());
    }
    Ok(ClientToolOffer { tools, tool_choice, parallel_tool_calls, ..ClientToolOffer::default() })
}

/// A function of the client; `None` for a tool that Dwell has itself.
fn read(tool: &Map<String, Value>) -> Result<Option<ClientTool>, Problem> {
    match tool.get("type").and_then(Value::as_str) {
        Some("function") => function(tool).map(Some),
        Some(kind) if WEB_SEARCH.contains(&kind) => match tool.get("filters").filter(|filters| !filters.is_null()) {
            Some(_) => Err(refused(format!("`filters` of the tool `{kind}` in `tools` are not supported"))),
            None => Ok(None),
        },
        Some("mcp") => {
            let hint = "add the MCP server to Dwell's own configuration instead";
            Err(refused(format!("tools of the type `mcp` in `tools` are not supported; {hint}")))
        }
        Some(kind) => {
            Err(refused(format!("tools of the type `{kind}` in `tools` are not supported; only functions are")))
        }
        None => Err(refused("a tool in `tools` has no `type`".to_owned())),
    }
}

fn function(tool: &Map<String, Value>) -> Result<ClientTool, Problem> {
    let text = |name: &str| tool.get(name).and_then(Value::as_str).map(str::to_owned);
    let Some(name) = text("name") else { return Err(refused("a function in `tools` has no `name`".to_owned())) };
    let input_schema = match tool.get("parameters") {
        None | Some(Value::Null) => json!({ "type": "object", "properties": {} }),
        Some(Value::Object(schema)) => {
            let mut schema = schema.clone();
            schema.entry("type").or_insert_with(|| json!("object"));
            Value::Object(schema)
        }
        Some(other) => other.clone(),
    };
    Ok(ClientTool { name, description: text("description").unwrap_or_default(), input_schema })
}

/// The tools that may be called, and how.
fn choose(tools: Vec<ClientTool>, choice: &Value) -> Result<(Vec<ClientTool>, ToolChoice), Problem> {
    match (choice.as_str(), choice["type"].as_str()) {
        (Some(mode), _) => Ok((tools, mode_of(mode, choice)?)),
        (None, Some("function")) => match choice["name"].as_str() {
            Some(name) => Ok((tools, ToolChoice::Tool(name.to_owned()))),
            None => Err(refused("`tool_choice` names no function".to_owned())),
        },
        (None, Some("allowed_tools")) => {
            let allowed: Vec<&str> =
                choice["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
            let tools = tools.into_iter().filter(|tool| allowed.contains(&tool.name.as_str())).collect();
            Ok((tools, mode_of(choice["mode"].as_str().unwrap_or("auto"), choice)?))
        }
        _ => Err(unknown(choice)),
    }
}

fn mode_of(mode: &str, choice: &Value) -> Result<ToolChoice, Problem> {
    match mode {
        "auto" => Ok(ToolChoice::Auto),
        "none" => Ok(ToolChoice::None),
        "required" => Ok(ToolChoice::Required),
        _ => Err(unknown(choice)),
    }
}

fn unknown(choice: &Value) -> Problem {
    let known = "use `auto`, `none`, `required`, `allowed_tools` or a function by its name";
    refused(format!("`tool_choice` {choice} is not known; {known}"))
}

/// The client's functions as a response shows them.
pub(super) fn shown(offer: &ClientToolOffer) -> (Value, Value) {
    let tool = |tool: &ClientTool| {
        json!({
            "type": "function", "name": tool.name, "description": tool.description, "parameters": tool.input_schema,
            "strict": false,
        })
    };
    let choice = match &offer.tool_choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({ "type": "function", "name": name }),
    };
    (offer.tools.iter().map(tool).collect(), choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_offer(tools: Value, choice: Value) -> Result<ClientToolOffer, Problem> {
        let tools: Vec<Map<String, Value>> = serde_json::from_value(tools).unwrap();
        offer(&tools, Some(&choice), None)
    }

    fn functions(names: &[&str]) -> Value {
        names.iter().map(|name| json!({ "type": "function", "name": name, "strict": true })).collect()
    }

    #[test]
    fn functions_are_flat_and_shown_again() {
        let tools =
            json!([{ "type": "function", "name": "a", "description": "A.", "parameters": { "properties": {} } }]);
        let offer = read_offer(tools, Value::Null).unwrap();
        let schema = json!({ "type": "object", "properties": {} });
        assert_eq!((offer.tools[0].name.as_str(), &offer.tools[0].input_schema), ("a", &schema));
        let (tools, choice) = shown(&offer);
        assert_eq!((&tools[0]["name"], &tools[0]["parameters"], choice), (&json!("a"), &schema, json!("auto")));
    }

    #[test]
    fn a_choice_has_five_forms() {
        for (choice, expected) in [
            (json!("auto"), ToolChoice::Auto),
            (json!("none"), ToolChoice::None),
            (json!("required"), ToolChoice::Required),
            (json!({ "type": "function", "name": "b" }), ToolChoice::Tool("b".to_owned())),
        ] {
            let offer = read_offer(functions(&["a", "b"]), choice.clone()).unwrap();
            assert_eq!((&offer.tool_choice, shown(&offer).1), (&expected, choice));
        }
        let some =
            json!({ "type": "allowed_tools", "mode": "required", "tools": [{ "type": "function", "name": "b" }] });
        let offer = read_offer(functions(&["a", "b"]), some).unwrap();
        assert_eq!((offer.tools.len(), offer.tools[0].name.as_str()), (1, "b"));
        assert_eq!(offer.tool_choice, ToolChoice::Required);
    }

    #[test]
    fn what_is_hosted_elsewhere_is_refused_by_name() {
        for kind in ["file_search", "code_interpreter", "computer_use_preview", "image_generation", "mcp", "custom"] {
            let problem = read_offer(json!([{ "type": kind }]), Value::Null).unwrap_err();
            assert!(problem.message.contains(&format!("`{kind}`")), "{problem}");
        }
        assert_eq!(read_offer(json!([{ "type": "web_search" }]), Value::Null).unwrap(), ClientToolOffer::default());
        let filters = json!([{ "type": "web_search", "filters": { "allowed_domains": ["a.example"] } }]);
        assert!(read_offer(filters, Value::Null).unwrap_err().message.contains("`filters`"));
        for choice in [json!("any"), json!({ "type": "web_search" }), json!({ "type": "function" }), json!(7)] {
            assert!(read_offer(functions(&["a"]), choice).unwrap_err().message.contains("`tool_choice`"));
        }
    }
}
