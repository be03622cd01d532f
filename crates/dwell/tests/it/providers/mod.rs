//! The program with each provider's wire format: requests, responses, failures, and the choice of
//! the provider.

mod choice;
mod failures;
mod wires;

use serde_json::{Value, json};
use testkit::{Program, ProviderServer, ProviderWire, RestClient};

use crate::program;

/// A wire format, and its default model.
const WIRES: [(ProviderWire, &str); 3] = [
    (ProviderWire::Anthropic, "anthropic/claude-sonnet-4-5"),
    (ProviderWire::Gemini, "gemini/gemini-2.5-flash"),
    (ProviderWire::Ollama, "ollama/llama3.2"),
];

/// The program with the environment variables of this provider.
fn led_to(program: Program, wire: ProviderWire, address: &str) -> Program {
    match wire {
        ProviderWire::Anthropic => program.with("ANTHROPIC_API_KEY", "sk-ant-test").with("ANTHROPIC_BASE_URL", address),
        ProviderWire::Gemini => program.with("GEMINI_API_KEY", "gm-test").with("GEMINI_BASE_URL", address),
        ProviderWire::Ollama => program.with("OLLAMA_HOST", address),
    }
}

/// A provider, and a program that uses it.
async fn provider(wire: ProviderWire) -> (ProviderServer, Program) {
    let provider = ProviderServer::start(wire).await;
    let program = led_to(program(), wire, &provider.base_url());
    (provider, program)
}

/// The first turn of a new session, after its end.
async fn ask(rest: &RestClient, message: &str) -> Value {
    ask_with(rest, json!({ "message": message })).await
}

async fn ask_with(rest: &RestClient, body: Value) -> Value {
    let session = rest.session().await;
    let accepted = rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await.ok();
    rest.ended(accepted["turn_id"].as_str().unwrap()).await
}
