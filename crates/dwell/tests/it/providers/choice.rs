//! Choice of the provider: found from the environment, named in the configuration, or refused if no
//! provider has the name.

use std::time::Duration;

use serde_json::json;
use testkit::{ModelServer, ProviderServer, ProviderWire};

use super::{ask, provider};
use crate::{program, started};

#[tokio::test]
async fn the_first_provider_in_the_environment_answers() {
    let variables: [(&[(&str, &str)], &str); 6] = [
        (&[("OPENAI_API_KEY", "k")], "openai/gpt-4.1-mini"),
        (&[("ANTHROPIC_API_KEY", "k")], "anthropic/claude-sonnet-4-5"),
        (&[("GOOGLE_API_KEY", "k")], "gemini/gemini-2.5-flash"),
        (
            &[
                ("AZURE_OPENAI_API_KEY", "k"),
                ("AZURE_OPENAI_ENDPOINT", "http://127.0.0.1:9"),
                ("AZURE_OPENAI_DEPLOYMENT", "mine"),
            ],
            "azure/mine",
        ),
        (&[("OPENROUTER_API_KEY", "k")], "openrouter/openai/gpt-4.1-mini"),
        (&[("OLLAMA_HOST", "127.0.0.1:9")], "ollama/llama3.2"),
    ];
    for first in 0..=variables.len() {
        let mut program = program();
        for (name, value) in variables[first..].iter().flat_map(|(all, _)| *all) {
            program = program.with(name, value);
        }
        let expected = variables.get(first).map_or("offline", |(_, model)| model);
        let server = program.start().await;
        let greeting = server.greeting().join("\n");
        assert!(greeting.contains(&format!("model {expected}")), "{greeting}");
    }
}

#[tokio::test]
async fn a_model_that_no_provider_offers_is_refused_with_the_variable_to_set() {
    let names =
        [("anthropic/claude-x", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY"), ("ollama/q", "OLLAMA_HOST")];
    for (name, variable) in names {
        for setting in ["DWELL_MODEL", "DWELL_MODEL_FALLBACKS"] {
            let program = program().with("OPENAI_API_KEY", "k").with(setting, name);
            let serving = program.run(&["serve", "--listen", "127.0.0.1:0"]);
            let finished = tokio::time::timeout(Duration::from_secs(20), serving).await.expect("it does not start");
            assert_eq!(finished.code(), 1, "{finished:?}");
            assert!(finished.stderr.contains(variable) && finished.stderr.contains("model."), "{}", finished.stderr);
        }
    }

    let (model, _program, server) = started().await;
    let rest = server.rest();
    for (name, variable) in names {
        let refused = rest.post("/api/v1/sessions", json!({ "model": name })).await;
        assert_eq!(refused.code(422), "unknown_model");
        assert!(refused.body["detail"].as_str().or(refused.body["message"].as_str()).unwrap().contains(variable));
        let session = rest.session().await;
        let body = json!({ "message": "hello", "model": name });
        let refused = rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await;
        assert!(refused.body.to_string().contains(variable), "{}", refused.body);
        assert_eq!(refused.code(422), "unknown_model");
    }
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn azure_is_asked_at_its_deployment_with_its_version_and_its_key() {
    let model = ModelServer::start().await;
    let endpoint = format!("http://{}/", model.address());
    for (version, asked_for) in [("", "2024-10-21"), ("2025-01-01-preview", "2025-01-01-preview")] {
        let program = program().with("AZURE_OPENAI_API_KEY", "az-test").with("AZURE_OPENAI_ENDPOINT", &endpoint);
        let program = program.with("AZURE_OPENAI_DEPLOYMENT", "gpt-4o-mini").with("AZURE_OPENAI_API_VERSION", version);
        let server = program.start().await;
        let turn = ask(&server.rest(), "hello").await;
        assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("You said: hello")), "{turn}");
        assert_eq!(turn["response"]["model"], "azure/gpt-4o-mini");
        let asked = model.requests().pop().unwrap();
        let path = format!("/openai/deployments/gpt-4o-mini/chat/completions?api-version={asked_for}");
        assert_eq!((asked.path(), asked.header("api-key"), asked.authorization()), (&*path, Some("az-test"), None));
        assert_eq!(turn["stats"]["usage"]["cost_micros"], 5, "10 in and 5 out, at the price of the model it runs");
    }
}

#[tokio::test]
async fn the_first_turn_finds_a_warm_connection() {
    let (model, _program, server) = started().await;
    model.until(|model| model.connections() == 1).await;
    // The answer to the warm-up request must be read before the connection is free.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let rest = server.rest();
    let session = rest.session().await;
    for message in ["hello", "and again", "and once more"] {
        let turn = rest.send(&session, message).await;
        assert_eq!(rest.ended(&turn).await["status"], "completed");
    }
    assert_eq!(model.connections(), 1, "one connection from the start on");
}

#[tokio::test]
async fn a_turn_may_ask_any_provider_that_is_configured() {
    let (anthropic, program) = provider(ProviderWire::Anthropic).await;
    let ollama = ProviderServer::start(ProviderWire::Ollama).await;
    let host = ollama.base_url().replace("http://", "");
    let program = program.with("OLLAMA_HOST", &host).with("DWELL_MODEL", "ollama/qwen3:8b");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for (asked, answered) in [
        (None, "ollama/qwen3:8b"),
        (Some("anthropic"), "anthropic/claude-sonnet-4-5"),
        (Some("anthropic/claude-opus-4-5"), "anthropic/claude-opus-4-5"),
        (Some("phi4"), "ollama/phi4"),
        (Some("offline"), "offline"),
    ] {
        let body = json!({ "message": "What is the capital of France?", "model": asked });
        let accepted = rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await.ok();
        let turn = rest.ended(accepted["turn_id"].as_str().unwrap()).await;
        assert_eq!(turn["status"], "completed", "{turn}");
        let by = turn["response"]["model"].as_str().unwrap();
        assert!(by.starts_with(answered), "{asked:?} was answered by {by}");
    }
    assert_eq!((anthropic.requests().len(), ollama.requests().len()), (2, 2));
}
