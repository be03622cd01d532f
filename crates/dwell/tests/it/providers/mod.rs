//! The program with each provider's wire: what goes out, what comes back, what goes wrong, and who is asked.

mod choice;
mod failures;
mod wires;

use serde_json::{Value, json};
use testkit::{Program, ProviderServer, Rest, Wire};

use crate::program;

/// A wire, and the name of the model that answers on it unless told otherwise.
const WIRES: [(Wire, &str); 3] = [
    (Wire::Anthropic, "anthropic/claude-sonnet-4-5"),
    (Wire::Gemini, "gemini/gemini-2.5-flash"),
    (Wire::Ollama, "ollama/llama3.2"),
];

/// The program with the variables that lead it to this provider.
fn led_to(program: Program, wire: Wire, address: &str) -> Program {
    match wire {
        Wire::Anthropic => program.with("ANTHROPIC_API_KEY", "sk-ant-test").with("ANTHROPIC_BASE_URL", address),
        Wire::Gemini => program.with("GEMINI_API_KEY", "gm-test").with("GEMINI_BASE_URL", address),
        Wire::Ollama => program.with("OLLAMA_HOST", address),
    }
}

/// A provider and a program that is led to it.
async fn provider(wire: Wire) -> (ProviderServer, Program) {
    let provider = ProviderServer::start(wire).await;
    let program = led_to(program(), wire, &provider.base_url());
    (provider, program)
}

/// A new session's first turn, once it has ended.
async fn ask(rest: &Rest, message: &str) -> Value {
    ask_with(rest, json!({ "message": message })).await
}

async fn ask_with(rest: &Rest, body: Value) -> Value {
    let session = rest.session().await;
    let accepted = rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await.ok();
    rest.ended(accepted["turn_id"].as_str().unwrap()).await
}
