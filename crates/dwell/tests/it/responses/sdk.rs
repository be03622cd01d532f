//! Third-party clients of the Responses API, unchanged: OpenAI's SDK and Agents SDK for Python, and
//! the AI SDK with its default provider.

use std::time::Duration;

use serde_json::json;
use testkit::{Reply, Request, ToolCall};

use super::weather;
use crate::{harness::system, sdk::ClientScript, started};

const TOKEN: &str = "test-token-0123456789";

/// The model that all scripts expect.
fn answer(request: &Request) -> Reply {
    let asked = request.last_user();
    let asked = asked.split("\n\n<notes>").next().unwrap_or(asked);
    let results = results(request);
    if asked.contains("weather") {
        return match results.is_empty() {
            true => Reply::text("Let me see.").then_tool_calls([weather("c1", "Oslo"), weather("c2", "Rome")]),
            false => Reply::text(format!("It is {}.", results.join(" and "))),
        };
    }
    if asked.contains("capital") {
        return Reply::text(json!({ "city": "Oslo", "country": "Norway" }).to_string());
    }
    if asked.contains("Hola") {
        let handoff = request.tools().iter().filter_map(|tool| tool["function"]["name"].as_str());
        let mut handoff = handoff;
        let handoff = handoff.find(|name| name.starts_with("transfer_to_"));
        return match handoff.filter(|_| results.is_empty()) {
            Some(name) => Reply::tool_calls([ToolCall::new("c1", name, json!({}))]),
            None if system(request).contains("Spanish") => Reply::text("¡Buenos días!"),
            None => Reply::text("I only speak English."),
        };
    }
    match asked {
        "What is my name?" => {
            let is_known = request.messages().iter().any(|message| message["content"].to_string().contains("Ada"));
            Reply::text(if is_known { "Ada." } else { "I do not know." })
        }
        "Speak slowly." => Reply::text("One by one the words arrive.").every(Duration::from_millis(100)),
        "Please hang." => Reply::hang(),
        other => Reply::text(format!("You said: {other}")),
    }
}

/// The results after the last message of the user.
fn results(request: &Request) -> Vec<String> {
    let newest = request.messages().iter().rev().take_while(|message| message["role"] != "user");
    let results = newest.filter(|message| message["role"] == "tool").filter_map(|message| message["content"].as_str());
    let mut results: Vec<String> = results.map(str::to_owned).collect();
    results.reverse();
    results
}

async fn try_out(client: ClientScript) {
    let (model, _program, server) = started().await;
    model.respond_with(answer);
    client.run(&[&format!("{}/v1", server.url()), TOKEN]).await;
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn sdk_of_openai_has_responses() {
    try_out(ClientScript::Python("responses_openai.py")).await;
}

#[tokio::test]
async fn sdk_for_agents_runs_them_with_its_default_model_class() {
    try_out(ClientScript::Python("responses_agents.py")).await;
}

#[tokio::test]
async fn sdk_called_ai_works_with_its_default_provider() {
    try_out(ClientScript::Node("responses_ai.mjs")).await;
}
