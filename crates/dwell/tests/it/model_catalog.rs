//! The model catalog: what Dwell learns about models from their servers, what is configured, what
//! is shown, and how it changes the requests.

use serde_json::{Value, json};
use testkit::{
    CatalogModel, ModelCatalog, ModelServer, Program, ProviderReply, ProviderServer, ProviderWire, Reply, RestClient,
};

use crate::{
    harness::{session_with, told},
    program,
};

/// An Ollama server with these models, and a program that uses it.
async fn ollama(models: impl IntoIterator<Item = CatalogModel>) -> (ProviderServer, Program) {
    let server = ProviderServer::start(ProviderWire::Ollama).await;
    server.offers(ModelCatalog::ollama(models));
    let program = program().with("OLLAMA_HOST", &server.base_url());
    (server, program)
}

/// The context window (`num_ctx`) of the newest request to Ollama.
fn num_ctx(server: &ProviderServer) -> u64 {
    server.requests().pop().unwrap().body["options"]["num_ctx"].as_u64().unwrap()
}

async fn ask(rest: &RestClient, settings: Value) -> Value {
    let session = session_with(rest, settings).await;
    told(rest, &session, json!({ "message": "What is the capital of France?" })).await
}

/// A model as the API shows it.
async fn view(rest: &RestClient, name: &str) -> Value {
    let page = rest.get("/api/v1/models").await.ok();
    page["models"].as_array().unwrap().iter().find(|model| model["name"] == name).cloned().unwrap_or_default()
}

#[tokio::test]
async fn ollama_is_asked_for_the_window_that_fits_and_what_is_set_changes_it() {
    let offered = [
        CatalogModel::new("small", 8_192).modified_at("2026-05-01T00:00:00Z"),
        CatalogModel::new("large", 40_960),
        CatalogModel::new("huge", 131_072),
        CatalogModel::new("set", 40_960),
    ];
    let (server, program) = ollama(offered).await;
    let overrides = r#"{ "ollama/set" = { context_tokens = 40960, price_in = 1.5, price_out = 2.0 } }"#;
    let program = program.with("DWELL_MODEL_OVERRIDES", overrides);
    let running = program.start().await;
    let rest = running.rest();
    let lower = json!({ "ollama/large": { "context_tokens": 8_192 } });
    let raise = json!({ "ollama": { "context_tokens": 40_960 } });
    for (settings, model, window) in [
        (json!({}), "ollama/small", 8_192),
        (json!({ "model": "ollama/large" }), "ollama/large", 40_960),
        (json!({ "model": "ollama/huge" }), "ollama/huge", 40_960),
        (json!({ "model": "ollama/huge", "budgets": { "context_tokens": 1_000_000 } }), "ollama/huge", 131_072),
        (json!({ "model": "large", "model_overrides": lower }), "ollama/large", 8_192),
        (json!({ "model": "large", "model_overrides": raise }), "ollama/large", 40_960),
        (json!({ "model": "ollama/set" }), "ollama/set", 40_960),
    ] {
        let turn = ask(&rest, settings.clone()).await;
        assert_eq!((&turn["status"], &turn["response"]["model"]), (&json!("completed"), &json!(model)), "{settings}");
        assert_eq!(num_ctx(&server), window, "{settings}");
    }
    let set = view(&rest, "ollama/set").await;
    assert_eq!(set["context_tokens"], json!({ "value": 40_960, "source": "set" }));
    assert_eq!((&set["price_in"]["value"], &set["tools"]["source"]), (&json!(1.5), &json!("asked")));
    let refused = rest.post("/api/v1/sessions", json!({ "model_overrides": { "olama": { "images": true } } })).await;
    assert!(refused.body.to_string().contains("`olama` does not begin with a provider's name"), "{}", refused.body);
}

/// The messages of the newest request and the tokens of its tools, for any provider.
fn asked(bodies: &[Value]) -> (String, u64) {
    let body = bodies.last().unwrap();
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    (body["messages"].to_string(), tools.iter().map(|tool| model::count(&tool["function"].to_string())).sum())
}

#[tokio::test]
async fn every_local_server_gets_the_conversation_few_tools_and_the_limits_that_are_set() {
    let tiny = CatalogModel::new("tiny", 8_192);
    for kind in ["ollama 8192", "ollama 40960", "llama.cpp", "vllm"] {
        let ollama_server = ProviderServer::start(ProviderWire::Ollama).await;
        let openai_server = ModelServer::start().await;
        let program = match kind {
            "llama.cpp" | "vllm" => {
                openai_server.offers(if kind == "vllm" {
                    ModelCatalog::vllm(&tiny)
                } else {
                    ModelCatalog::llama_cpp(&tiny)
                });
                program().with("OPENAI_BASE_URL", &openai_server.base_url())
            }
            _ => {
                let window = if kind.ends_with("8192") { 8_192 } else { 40_960 };
                ollama_server.offers(ModelCatalog::ollama([CatalogModel::new("tiny", window)]));
                program().with("OLLAMA_HOST", &ollama_server.base_url())
            }
        };
        openai_server.respond_with(|_| Reply::text("All right."));
        (0..8).for_each(|_| ollama_server.push(ProviderReply::text("All right.")));
        let bodies = || -> Vec<Value> {
            let of_ollama = ollama_server.requests().into_iter().map(|request| request.body);
            of_ollama.chain(openai_server.requests().into_iter().map(|request| request.raw().clone())).collect()
        };
        let running = program.start().await;
        let rest = running.rest();
        let session = rest.session().await;
        told(&rest, &session, json!({ "message": "My sister Ines lives in Porto." })).await;
        told(&rest, &session, json!({ "message": "What should I bring her?" })).await;
        let (messages, tool_tokens) = asked(&bodies());
        assert!(messages.contains("My sister Ines lives in Porto."), "{kind}: {messages}");
        assert!(messages.matches("\"assistant\"").count() == 1, "{kind}: the answer is told too: {messages}");
        assert!((1..=1_500).contains(&tool_tokens), "{kind}: {tool_tokens} tokens of tools");

        let long = format!("Read this: {}", "the mill by the river turns slowly. ".repeat(150));
        for message in [&long, &long, "What did I say first?"] {
            told(&rest, &session, json!({ "message": message })).await;
        }
        let all = asked(&bodies()).0.len();
        let small = session_with(&rest, json!({ "budgets": { "context_tokens": 3_000 } })).await;
        for message in [&long, &long, "What did I say first?"] {
            told(&rest, &small, json!({ "message": message })).await;
        }
        let less = asked(&bodies()).0.len();
        assert!(less * 4 < all * 3, "{kind}: a lower limit shows: {less} of {all} characters");
    }
}

#[tokio::test]
async fn wrong_overrides_are_refused_by_name_at_the_start() {
    for (overrides, said) in [
        (r#"{ "ollama/q" = { context_tokens = 3 } }"#, "`ollama/q`: `context_tokens` must be at least 512"),
        (r#"{ "ollama/q" = { price_in = -1.0 } }"#, "`price_in`"),
        (r#"{ "olama/q" = { images = true } }"#, "`olama/q` does not begin with a provider's name"),
        (r#"{ "ollama/q" = { contxt = 3 } }"#, "contxt"),
        ("many", "is not a value for model.overrides"),
    ] {
        let program = program().with("DWELL_MODEL_OVERRIDES", overrides);
        let finished = program.run(&["serve", "--listen", "127.0.0.1:0"]).await;
        assert!(finished.code() != 0 && finished.stderr.contains(said), "{overrides}: {}", finished.stderr);
    }
}

#[tokio::test]
async fn local_servers_are_recognised_and_their_model_answers_unless_told() {
    let tiny = CatalogModel::new("tiny.gguf", 8_192);
    for (offered, kind) in [(ModelCatalog::llama_cpp(&tiny), "llama_cpp"), (ModelCatalog::vllm(&tiny), "vllm")] {
        let server = ModelServer::start().await;
        server.offers(offered);
        let program = program().with("OPENAI_BASE_URL", &server.base_url());
        let running = program.start().await;
        let rest = running.rest();
        let turn = ask(&rest, json!({})).await;
        assert_eq!(turn["response"]["model"], "openai/tiny.gguf", "{turn}");
        assert_eq!(server.requests().pop().unwrap().model(), "tiny.gguf");
        let page = rest.get("/api/v1/models").await.ok();
        assert_eq!((&page["providers"][0]["server"], &page["default"]), (&json!(kind), &json!("openai/tiny.gguf")));
        assert_eq!(page["models"][0]["context_tokens"], json!({ "value": 8_192, "source": "asked" }));
        let listed = rest.get("/v1/models").await.ok();
        assert_eq!(
            (&listed["data"][1]["id"], &listed["data"][1]["context_length"]),
            (&json!("openai/tiny.gguf"), &json!(8_192))
        );
    }
}

#[tokio::test]
async fn a_restart_keeps_what_was_asked_and_who_is_away_gets_cautious_figures() {
    let (server, program) = ollama([CatalogModel::new("m", 16_384)]).await;
    let running = program.start().await;
    assert_eq!(view(&running.rest(), "ollama/m").await["context_tokens"]["value"], 16_384);
    let file = program.folder().join("models.json");
    while !file.exists() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    running.stop().await;
    drop(server);
    let running = program.start().await;
    let page = running.rest().get("/api/v1/models").await.ok();
    assert_eq!(page["models"][0]["context_tokens"], json!({ "value": 16_384, "source": "asked" }), "{page}");
    let refreshed = running.rest().post("/api/v1/models/refresh", json!({})).await.ok();
    let error = refreshed["providers"][0]["error"].as_str().unwrap();
    assert!(error.contains("is it running?"), "{error}");

    let away = self::program().with("OLLAMA_HOST", "127.0.0.1:9");
    let running = away.start().await;
    let page = running.rest().get("/api/v1/models").await.ok();
    assert_eq!(page["models"][0]["context_tokens"], json!({ "value": 8_192, "source": "assumed" }), "{page}");
}

#[tokio::test]
async fn the_command_line_shows_models_with_where_figures_come_from() {
    let vision = CatalogModel::new("seeing", 8_192).capable_of(&["completion", "vision"]);
    let (server, program) = ollama([CatalogModel::new("qwen3:8b", 40_960), vision]).await;
    let program = program.with("DWELL_MODEL_OVERRIDES", r#"{ "ollama/qwen3" = { context_tokens = 65536 } }"#);
    let running = program.start().await;
    let shown = program.run(&["models"]).await;
    assert_eq!(shown.code(), 0, "{shown:?}");
    for part in
        ["> ollama/qwen3:8b", "Ollama", "65536*", "8192", "takes 40960", "2 models, asked at", "chosen from its list"]
    {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    server.offers(ModelCatalog::ollama([CatalogModel::new("another", 4_096)]));
    let shown = program.run(&["models", "--refresh", "--json"]).await;
    let page: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(page["data"], json!(["ollama/another"]));
    drop(running);
}

#[tokio::test]
async fn a_model_that_cannot_call_tools_calls_them_in_words() {
    let (server, program) = ollama([CatalogModel::new("plain", 32_768).capable_of(&["completion"])]).await;
    let running = program.start().await;
    let rest = running.rest();
    let call = "I note it.\n```tool_call\n{\"name\": \"calculate\", \"arguments\": {\"expression\": \"6*7\"}}\n```";
    server.push(ProviderReply::text(call));
    server.push(ProviderReply::text("It is 42."));
    let session = session_with(&rest, json!({})).await;
    let turn =
        told(&rest, &session, json!({ "message": "Please work out the product for my essay, then explain it." })).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    let requests = server.requests();
    let first = &requests[0].body;
    assert!(first["tools"].is_null(), "it is shown no schemas");
    assert!(
        first["messages"][0]["content"].as_str().unwrap().contains("```tool_call"),
        "but the prompt describes them"
    );
    let last = requests.last().unwrap().body["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    assert!(last.as_str().unwrap().contains("Result of the tool `calculate`:"), "{last}");
    let text = turn["text"].as_str().unwrap();
    assert!(text.contains("It is 42.") && !text.contains("tool_call"), "{text}");
}
