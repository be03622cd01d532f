//! Each wire format in both directions: text, tools, usage, pictures and reasoning.

use serde_json::{Value, json};
use testkit::{ProviderReply, ProviderWire, Reply, ToolCall};

use super::{WIRES, ask, ask_with, provider};
use crate::started;

const TASK: &str = "Help me with the bill for the party, please.";

fn reckon() -> [ToolCall; 1] {
    [ToolCall::new("call_1", "calculator", json!({ "expression": "6*7" }))]
}

/// Checks that the turn called the calculator and answered, and that both rounds were counted: ten
/// input tokens and five output tokens each.
fn check_round_trip(turn: &Value, model: &str, cost: &Value) {
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("It is 42.")), "{turn}");
    assert_eq!(turn["response"]["model"], model);
    let kinds: Vec<&str> =
        turn["steps"].as_array().unwrap().iter().map(|step| step["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["plan", "tool_call", "tool_result"]);
    let mut usage = json!({ "input_tokens": 20, "output_tokens": 10 });
    if !cost.is_null() {
        usage["cost_micros"] = cost.clone();
    }
    assert_eq!(turn["stats"]["usage"], usage, "tokens and cost of both rounds");
    assert_eq!(turn["response"]["usage"], usage);
    assert_eq!((&turn["stats"]["rounds"], &turn["stats"]["tool_calls"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn words_tools_and_counts_go_there_and_back() {
    // 10 tokens in and 5 out, twice, at the prices of the catalog, each rounded to a millionth of a
    // dollar.
    for ((wire, model), cost) in WIRES.into_iter().zip([json!(210), json!(32), Value::Null]) {
        let (provider, program) = provider(wire).await;
        provider.push(ProviderReply::tool_calls(reckon()));
        provider.push(ProviderReply::text("It is 42."));
        let server = program.start().await;
        let rest = server.rest();
        let turn = ask(&rest, TASK).await;
        check_round_trip(&turn, model, &cost);

        let requests = provider.requests();
        assert_eq!(requests.len(), 2);
        let [offered, result] = [0, 1].map(|n: usize| seen(wire, &requests[n].body));
        assert!(offered.0.contains(&"calculator".to_owned()), "the tools are offered: {:?}", offered.0);
        assert!(result.1.contains("42"), "the result goes back: {}", result.1);
        let key = match wire {
            ProviderWire::Anthropic => Some(("x-api-key", "sk-ant-test")),
            ProviderWire::Gemini => Some(("x-goog-api-key", "gm-test")),
            ProviderWire::Ollama => None,
        };
        if let Some((name, key)) = key {
            assert_eq!(requests[0].header(name), Some(key));
        }
        let stats = rest.get("/api/v1/stats").await.ok();
        let counted = &stats["models"][model];
        assert_eq!((&counted["calls"], &counted["errors"]), (&json!(2), &json!(0)), "{stats}");
        assert_eq!(counted["usage"], turn["stats"]["usage"]);
        assert_eq!(stats["totals"]["cost_micros"], if cost.is_null() { json!(0) } else { cost });
        assert_eq!(stats["tools"]["calculator"]["calls"], 1);
    }
}

/// The tools that a request offers and its last message, in the format of each wire.
fn seen(wire: ProviderWire, body: &Value) -> (Vec<String>, String) {
    let (tools, name, messages) = match wire {
        ProviderWire::Anthropic => ("/tools", "/name", "/messages"),
        ProviderWire::Gemini => ("/tools/0/functionDeclarations", "/name", "/contents"),
        ProviderWire::Ollama => ("/tools", "/function/name", "/messages"),
    };
    let tools = body.pointer(tools).and_then(Value::as_array).cloned().unwrap_or_default();
    let names = tools.iter().map(|tool| tool.pointer(name).unwrap().as_str().unwrap().to_owned()).collect();
    (names, body.pointer(messages).and_then(Value::as_array).unwrap().last().unwrap().to_string())
}

#[tokio::test]
async fn the_wire_of_openai_goes_there_and_back() {
    let (model, _program, server) = started().await;
    model.push(Reply::tool_calls(reckon()));
    model.push(Reply::text("It is 42."));
    let rest = server.rest();
    let turn = ask(&rest, TASK).await;
    check_round_trip(&turn, "openai/gpt-4.1-mini", &json!(24));
    let requests = model.requests();
    assert_eq!(requests[0].authorization().as_deref(), Some("Bearer sk-test"));
    let last = requests[1].messages().last().unwrap();
    assert_eq!((&last["role"], &last["tool_call_id"]), (&json!("tool"), &json!("call_1")));
    assert_eq!(model.violations(), Vec::<String>::new());
    let session = rest.get(&format!("/api/v1/sessions/{}", turn["session_id"].as_str().unwrap())).await.ok();
    assert_eq!((&session["stats"]["input_tokens"], &session["stats"]["cost_micros"]), (&json!(20), &json!(24)));
}

#[tokio::test]
async fn pictures_go_out_on_every_wire_to_models_that_see() {
    let data = "iVBORw0KGgo=";
    let body =
        json!({ "message": "What is in this picture?", "images": [{ "media_type": "image/png", "data": data }] });
    for (wire, _) in WIRES {
        let (provider, program) = provider(wire).await;
        let program = if wire == ProviderWire::Ollama { program.with("DWELL_MODEL", "ollama/llava") } else { program };
        let server = program.start().await;
        let turn = ask_with(&server.rest(), body.clone()).await;
        assert_eq!(turn["status"], "completed", "{turn}");
        let sent = &provider.requests()[0].body;
        let (message, picture) = match wire {
            ProviderWire::Anthropic => {
                ("/messages/0/content", json!({ "type": "base64", "media_type": "image/png", "data": data }))
            }
            ProviderWire::Gemini => ("/contents/0/parts", json!({ "mimeType": "image/png", "data": data })),
            ProviderWire::Ollama => ("/messages/1/images", json!(data)),
        };
        // Gemini accepts both spellings of its fields.
        let sent = sent.pointer(message).unwrap().to_string().replace("mime_type", "mimeType");
        assert!(sent.contains(&picture.to_string()), "{wire:?}: {sent}");
    }
}

#[tokio::test]
async fn a_model_that_does_not_see_is_shown_no_picture() {
    let (provider, program) = provider(ProviderWire::Ollama).await;
    let server = program.start().await;
    let images = json!([{ "media_type": "image/png", "data": "iVBORw0KGgo=" }]);
    let turn = ask_with(&server.rest(), json!({ "message": "What is in this picture?", "images": images })).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    let sent = provider.requests()[0].body.to_string();
    assert!(!sent.contains("iVBORw0KGgo"), "{sent}");
}

#[tokio::test]
async fn reasoning_is_told_live_and_numbered_and_is_no_part_of_the_answer() {
    let (model, _program, server) = started().await;
    model.push(
        Reply::reasoning("First I think. ").then_text("Then I speak.").every(std::time::Duration::from_millis(20)),
    );
    let mut socket = server.socket().await;
    let send = json!({ "conversation_id": "c", "message": "Tell me a story about the sea." });
    let accepted = socket.ask("chat.send", send).await.unwrap();
    let messages = socket.until_end_of(&accepted["turn_id"]).await;
    let of = |is_numbered: bool| -> String {
        let thinking = messages.iter().filter(|message| message["type"] == "agent.thinking");
        let mine = thinking.filter(|message| message["seq"].is_u64() == is_numbered);
        mine.map(|message| message["data"]["delta"].as_str().unwrap()).collect()
    };
    assert_eq!((of(false), of(true)), ("First I think. ".to_owned(), "First I think. ".to_owned()));
    let live = messages.iter().position(|message| message["type"] == "agent.thinking").unwrap();
    assert!(messages[live]["seq"].is_null(), "live text comes before the numbered event");
    let last = messages.iter().find(|message| message["type"] == "chat.final").unwrap();
    assert_eq!(last["data"]["message"], "Then I speak.");
    assert_eq!(last["data"]["reasoning_summary"], "First I think.");
}
