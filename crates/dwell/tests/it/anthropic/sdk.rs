//! Anthropic's own SDK, unchanged.

use serde_json::json;
use testkit::{Reply, Request, ToolCall};

use crate::{sdk::ClientScript, started};

/// A model that calls the weather tool and reports its results, and otherwise repeats the message.
fn answer(request: &Request) -> Reply {
    let results: Vec<&str> = request
        .messages()
        .iter()
        .filter(|message| message["role"] == "tool")
        .filter_map(|message| message["content"].as_str())
        .collect();
    if !request.last_user().contains("weather") {
        return Reply::reasoning("They greet.").then_text(format!("You said: {}", request.last_user()));
    }
    if results.is_empty() {
        let call = |id: &str, city: &str| ToolCall::new(id, "get_weather", json!({ "city": city }));
        return Reply::text("Let me see.").then_tool_calls([call("c1", "Oslo"), call("c2", "Rome")]);
    }
    Reply::text(format!("It is {}.", results.join(" and ")))
}

#[tokio::test]
async fn sdk_of_anthropic_has_messages_streams_tools_and_counts() {
    let (model, _program, server) = started().await;
    model.respond_with(answer);
    ClientScript::Python("anthropic_messages.py").run(&[server.url(), "test-token-0123456789"]).await;
    assert_eq!(model.violations(), Vec::<String>::new());
}
