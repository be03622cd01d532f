//! Each kind of provider gets the schema in its own way, or a tool whose arguments are the answer.

use testkit::{ProviderReply, ProviderServer, ProviderWire};

use super::*;

/// The body of the request that asked for the answer.
fn body(provider: &ProviderServer) -> Value {
    provider.requests().last().unwrap().body.clone()
}

/// A provider, and the answer to a message with the schema.
async fn answer(wire: ProviderWire, reply: ProviderReply) -> (ProviderServer, Value) {
    let provider = ProviderServer::start(wire).await;
    let address = provider.base_url();
    let program = match wire {
        ProviderWire::Anthropic => {
            program().with("ANTHROPIC_API_KEY", "sk-ant-test").with("ANTHROPIC_BASE_URL", &address)
        }
        ProviderWire::Gemini => program().with("GEMINI_API_KEY", "gm-test").with("GEMINI_BASE_URL", &address),
        ProviderWire::Ollama => program().with("OLLAMA_HOST", &address),
    };
    let server = program.start().await;
    provider.push(reply);
    let rest = server.rest();
    let session = session_with(&rest, json!({})).await;
    let message = json!({ "message": "Which city?", "response_schema": city(), "allow_tools": false });
    let turn = told(&rest, &session, message).await;
    assert_eq!(turn["response"]["message"], GHENT, "{turn}");
    (provider, turn)
}

#[tokio::test]
async fn anthropic_answers_by_a_call_of_a_tool() {
    let call = ToolCall::new("toolu_1", "final_answer", GHENT);
    let (provider, turn) = answer(ProviderWire::Anthropic, ProviderReply::tool_calls([call])).await;
    let body = body(&provider);
    assert_eq!(body["tool_choice"], json!({ "type": "tool", "name": "final_answer" }));
    assert_eq!(body["tools"][0]["input_schema"], city());
    assert_eq!(steps(&turn, "tool_call"), Vec::<&Value>::new(), "the answer is no call");
}

#[tokio::test]
async fn gemini_and_ollama_take_the_schema() {
    let (provider, _) = answer(ProviderWire::Gemini, ProviderReply::text(GHENT)).await;
    let config = &body(&provider)["generationConfig"];
    assert_eq!((&config["responseMimeType"], &config["responseJsonSchema"]), (&json!("application/json"), &city()));
    let (provider, _) = answer(ProviderWire::Ollama, ProviderReply::text(GHENT)).await;
    assert_eq!(body(&provider)["format"], city());
}

#[tokio::test]
async fn a_server_that_refuses_the_field_is_asked_by_a_tool() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({})).await;
    model.push(Reply::status(400).error_message("response_format.type json_schema is unavailable now"));
    model.push(Reply::tool_calls([ToolCall::new("1", "final_answer", GHENT)]));
    let message = json!({ "message": "Which city?", "response_schema": city(), "allow_tools": false });
    let turn = told(&rest, &session, message).await;
    assert_eq!(turn["response"]["message"], GHENT, "{turn}");
    let request = last(&model);
    assert_eq!(request.raw()["tool_choice"]["function"]["name"], "final_answer");
    assert!(request.raw().get("response_format").is_none());
}
