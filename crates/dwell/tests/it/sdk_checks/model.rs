//! The model behind the scripts of `tests/sdk`. It answers by what the user says, and gives JSON
//! only to those who ask for it in a way that OpenAI's API knows: an answer that a client can parse
//! shows that its wish has reached the provider.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Reply, Request, ToolCall};

/// The answer to a request.
pub(super) fn answer(request: &Request) -> Reply {
    let said = request.last_user();
    // An answer that was cut is continued, so there are messages after this one.
    if request.said().iter().any(|text| text.contains("long story")) {
        return Reply::text("Once upon a time").finishing("length");
    }
    let reply = match said {
        _ if said.contains("weather") => weather(request),
        _ if said.contains("Ada") => person(request),
        _ if said.contains("invoice") => invoice(request),
        // Slow enough that clients see more than one piece.
        _ if said.contains("hello") => Reply::text("Hello there.").every(Duration::from_millis(60)),
        _ if said.contains("what did you say") => Reply::text(format!("I said: {}", last_answer(request))),
        _ if said.contains("had enough") => return Reply::status(429).retry_after_s(3_600),
        _ => Reply::echo(request),
    };
    reply.usage(11, 6)
}

/// Calls the client's tool for two cities, then reports its results in the form that is asked for.
fn weather(request: &Request) -> Reply {
    let results = results(request);
    if results.is_empty() {
        let call = |id: &str, city: &str| ToolCall::new(id, "get_weather", json!({ "city": city }));
        return Reply::text("Let me see.").then_tool_calls([call("c1", "Oslo"), call("c2", "Rome")]);
    }
    let summary = format!("It is {}.", results.join(" and "));
    structured(request, &json!({ "summary": summary })).unwrap_or_else(|| Reply::text(summary))
}

/// A person in the form that is asked for; at first a wrong one, if the user says so.
fn person(request: &Request) -> Reply {
    let may_be_wrong = request.last_user().contains("wrong at first") && results(request).is_empty();
    let born = if may_be_wrong { json!("long ago") } else { json!(1815) };
    let person = json!({ "name": "Ada Lovelace", "born": born });
    let is_prompted = request.messages().iter().any(|message| message["content"].to_string().contains("```json"));
    let fenced = || is_prompted.then(|| Reply::text(format!("```json\n{person}\n```")));
    let words = || Reply::text("Ada Lovelace was born in 1815.");
    structured(request, &person).or_else(fenced).unwrap_or_else(words)
}

/// A value as JSON text, or as the arguments of a tool of the client that has the same fields.
/// `None` if nothing but text is asked for.
fn structured(request: &Request, value: &Value) -> Option<Reply> {
    let has_fields = |schema: &Value| {
        let fields = value.as_object().into_iter().flatten();
        fields.map(|(name, _)| name).all(|name| !schema["properties"][name].is_null())
    };
    let format = &request.raw()["response_format"];
    let is_asked = match format["type"].as_str() {
        Some("json_object") => true,
        Some("json_schema") => has_fields(&format["json_schema"]["schema"]),
        _ => false,
    };
    if is_asked {
        return Some(Reply::text(value.to_string()));
    }
    let tool = request.tools().iter().find(|tool| has_fields(&tool["function"]["parameters"]))?;
    let id = format!("c{}", request.messages().len());
    Some(Reply::tool_calls([ToolCall::new(id, tool["function"]["name"].as_str()?, value)]))
}

/// Hands over to the agent that knows, if it is another one.
fn invoice(request: &Request) -> Reply {
    let names = request.tools().iter().filter_map(|tool| tool["function"]["name"].as_str());
    match names.into_iter().find(|name| name.starts_with("transfer_to_")) {
        Some(name) if results(request).is_empty() => Reply::tool_calls([ToolCall::new("c1", name, json!({}))]),
        _ => Reply::text("Your invoice is paid."),
    }
}

/// The results of tools since the user's last message.
fn results(request: &Request) -> Vec<&str> {
    let newest = request.messages().iter().rev().take_while(|message| message["role"] != "user");
    let mut results: Vec<&str> =
        newest.filter(|message| message["role"] == "tool").filter_map(|message| message["content"].as_str()).collect();
    results.reverse();
    results
}

fn last_answer(request: &Request) -> &str {
    let answers = request.messages().iter().rev().filter(|message| message["role"] == "assistant");
    answers.filter_map(|message| message["content"].as_str()).next().unwrap_or_default()
}
