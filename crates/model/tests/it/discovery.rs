//! Discovery: what providers report about their models.

use std::sync::Arc;

use model::{Models, Overrides, Provider, ProviderKind};
use protocol::{FigureSource, FigureValue, ModelOverrides, ModelServerKind, ModelView, Timestamp};
use serde_json::json;
use testkit::{CatalogModel, ModelCatalog, ModelServer, ProviderServer, ProviderWire};

use crate::exchanges::NoOfflineModel;

fn now(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

fn models(provider: Provider) -> Models {
    Models::new(vec![provider], None, Vec::new(), Arc::new(NoOfflineModel)).unwrap()
}

fn tokens(model: &ModelView) -> (u64, FigureSource) {
    match model.context_tokens.value {
        FigureValue::Tokens(tokens) => (tokens, model.context_tokens.source),
        other => panic!("{other:?}"),
    }
}

/// A server of OpenAI's API with this catalog, and the models that discovery finds there.
async fn openai(offered: ModelCatalog) -> (ModelServer, Models) {
    let server = ModelServer::start().await;
    server.offers(offered);
    let models =
        models(Provider::new("local", ProviderKind::OpenAi, "gpt-4.1-mini").at(server.base_url()).with_key("k"));
    models.refresh(now(0)).await;
    (server, models)
}

async fn ollama(offered: &[CatalogModel]) -> (ProviderServer, Models) {
    let server = ProviderServer::start(ProviderWire::Ollama).await;
    server.offers(ModelCatalog::ollama(offered.to_vec()));
    let models = models(Provider::new("ollama", ProviderKind::Ollama, "llama3.2").at(server.base_url()));
    models.refresh(now(0)).await;
    (server, models)
}

#[tokio::test]
async fn servers_are_recognised_and_say_what_their_models_take() {
    let tiny = CatalogModel::new("tiny", 4_096);
    let openrouter = json!({ "data": [{
        "id": "maker/large",
        "created": 1_750_000_000,
        "context_length": 200_000,
        "architecture": { "input_modalities": ["text", "image"], "output_modalities": ["text"] },
        "pricing": { "prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003" },
        "supported_parameters": ["tools", "reasoning"],
        "top_provider": { "context_length": 200_000, "max_completion_tokens": 64_000 },
    }] });
    let together = json!([{ "id": "maker/small", "context_length": 32_000 }]);
    let rows = [
        (ModelCatalog::llama_cpp(&tiny), ModelServerKind::LlamaCpp, "local/tiny", (4_096, FigureSource::Asked)),
        (ModelCatalog::vllm(&tiny), ModelServerKind::Vllm, "local/tiny", (4_096, FigureSource::Asked)),
        (
            ModelCatalog::lm_studio(&[CatalogModel::new("a", 8_192), tiny.clone()]),
            ModelServerKind::LmStudio,
            "local/a",
            (4_096, FigureSource::Asked),
        ),
        (
            ModelCatalog::default().page("/v1/models", openrouter),
            ModelServerKind::OpenRouter,
            "local/maker/large",
            (200_000, FigureSource::Asked),
        ),
        (
            ModelCatalog::default().page("/v1/models", together),
            ModelServerKind::Other,
            "local/maker/small",
            (32_000, FigureSource::Asked),
        ),
        (ModelCatalog::names(&["plain"]), ModelServerKind::Other, "local/plain", (32_768, FigureSource::Assumed)),
    ];
    for (offered, server, name, window) in rows {
        let (_server, models) = openai(offered).await;
        let page = models.page();
        assert_eq!((page.default.as_str(), page.providers[0].server), (name, server));
        assert_eq!((tokens(&page.models[0]), &page.models[0].name), (window, &name.to_owned()), "{page:?}");
        assert_eq!(page.providers[0].default_source, FigureSource::Asked);
        assert_eq!(models.find(None).unwrap()[0].traits().context_tokens_max, window.0);
    }
}

#[tokio::test]
async fn what_openrouter_tells_is_read_in_full() {
    let entry = json!({
        "id": "maker/large",
        "context_length": 200_000,
        "architecture": { "input_modalities": ["text", "image"], "output_modalities": ["text"] },
        "pricing": { "prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003" },
        "supported_parameters": ["tools", "reasoning"],
        "top_provider": { "context_length": 200_000, "max_completion_tokens": 64_000 },
    });
    let (_server, models) = openai(ModelCatalog::default().page("/v1/models", json!({ "data": [entry] }))).await;
    let traits = models.find(None).unwrap()[0].traits();
    assert_eq!(
        (traits.output_tokens_max, traits.sees, traits.thinks, traits.calls_tools),
        (Some(64_000), true, true, true)
    );
    let price = traits.price.unwrap();
    assert_eq!((price.input, price.output, price.cached), (3_000_000, 15_000_000, 300_000));
    assert!(models.find(Some("local/maker/large:free")).is_ok(), "variants are not listed");
    assert!(models.find(Some("local/maker/larg")).is_err());
}

#[tokio::test]
async fn ollama_tells_windows_capabilities_and_what_was_changed_last() {
    let offered = [
        CatalogModel::new("llama3.2:latest", 131_072).modified_at("2026-02-01T00:00:00Z"),
        CatalogModel::new("qwen3:8b", 40_960).modified_at("2026-03-01T00:00:00Z").capable_of(&[
            "completion",
            "tools",
            "thinking",
        ]),
        CatalogModel::new("llava", 4_096).modified_at("2026-04-01T00:00:00Z").capable_of(&["completion", "vision"]),
        CatalogModel::new("long", 131_072).with_num_ctx(65_536),
        CatalogModel::new("nomic-embed-text", 2_048).capable_of(&["embedding"]),
    ];
    let (_server, models) = ollama(&offered).await;
    let page = models.page();
    assert_eq!(page.default, "ollama/qwen3:8b", "the newest that calls tools");
    assert_eq!(page.data, ["ollama/qwen3:8b", "ollama/llava", "ollama/llama3.2", "ollama/long"]);
    let windows: Vec<u64> = page.models.iter().map(|model| tokens(model).0).collect();
    assert_eq!(windows, [40_960, 4_096, 40_960, 65_536], "memory is dear, unless the model's author has chosen");
    let traits = |name: &str| models.find(Some(name)).unwrap()[0].traits();
    assert!(traits("qwen3:8b").thinks && traits("ollama/llava").sees && !traits("llava").calls_tools);
    assert!(models.find(Some("ollama/llama3.2:latest")).is_ok() && models.find(Some("llama3.2")).is_ok());
    let error = models.find(Some("ollama/qwen3")).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("did you mean `ollama/qwen3:8b`"), "{error}");
}

#[tokio::test]
async fn hosted_providers_list_dated_versions_and_take_the_names_without() {
    let anthropic = ProviderServer::start(ProviderWire::Anthropic).await;
    let list = json!({ "data": [
        { "id": "claude-opus-9-20270101", "created_at": "2027-01-01T00:00:00Z" },
        { "id": "claude-sonnet-4-5-20250929", "created_at": "2025-09-29T00:00:00Z" },
    ], "has_more": false });
    anthropic.offers(ModelCatalog::default().page("/v1/models", list));
    let provider = Provider::new("anthropic", ProviderKind::Anthropic, "claude-sonnet-4-5")
        .at(format!("{}/v1", anthropic.base_url()));
    let models = models(provider.with_key("k"));
    models.refresh(now(0)).await;
    assert_eq!(models.name(None), "anthropic/claude-sonnet-4-5", "the usual one is there");
    assert!(models.find(Some("claude-opus-9")).is_ok() && models.find(Some("claude-sonnet-4-5-latest")).is_ok());
    assert!(models.find(Some("anthropic/claude-haiku-3")).is_err());

    let gemini = ProviderServer::start(ProviderWire::Gemini).await;
    let list = json!({ "models": [
        { "name": "models/gemini-9-flash", "inputTokenLimit": 2_000_000, "outputTokenLimit": 65_536,
          "supportedGenerationMethods": ["generateContent"], "thinking": true },
        { "name": "models/text-embedding-004", "supportedGenerationMethods": ["embedContent"] },
    ] });
    gemini.offers(ModelCatalog::default().page("/v1beta/models", list));
    let provider =
        Provider::new("gemini", ProviderKind::Gemini, "gemini-2.5-flash").at(format!("{}/v1beta", gemini.base_url()));
    let models = self::models(provider.with_key("k"));
    models.refresh(now(0)).await;
    let page = models.page();
    assert_eq!(page.data, ["gemini/gemini-9-flash"], "the successor of the usual one, and nothing that embeds");
    assert_eq!(tokens(&page.models[0]), (2_000_000, FigureSource::Asked));
}

#[tokio::test]
async fn what_is_set_counts_more_and_names_what_is_not_listed() {
    let (_server, models) = openai(ModelCatalog::vllm(&CatalogModel::new("tiny", 4_096))).await;
    let set = |context| ModelOverrides { context_tokens: Some(context), ..ModelOverrides::default() };
    let configured: Overrides = [("local".to_owned(), set(2_048)), ("local/hidden".to_owned(), set(1_024))].into();
    let models = models.with_overrides(configured).unwrap();
    let window = |name: &str, session: &Overrides| {
        models.find_in(Some(name), session, None).map(|chain| chain[0].traits().context_tokens_max)
    };
    let nothing = Overrides::default();
    assert_eq!(window("tiny", &nothing).unwrap(), 2_048);
    assert_eq!(window("tiny", &[("local/tiny".to_owned(), set(8_192))].into()).unwrap(), 8_192, "the session's");
    assert_eq!(window("local/hidden", &nothing).unwrap(), 1_024, "who names it knows that it is there");
    assert!(window("local/absent", &nothing).is_err());
    let raised = models.with_overrides([("local/tiny".to_owned(), set(8_192))].into()).unwrap();
    let notices = &raised.page().models[0].notices;
    assert!(notices[0].contains("set to 8192 tokens, but its server says that it takes 4096"), "{notices:?}");
    assert!(raised.with_overrides([("locl/tiny".to_owned(), set(8_192))].into()).is_err());
}

#[tokio::test]
async fn who_cannot_be_asked_is_told_with_why_and_tried_again_later() {
    let rows = [
        (ModelCatalog::default().refuse("/v1/models", 401), "status 401; check its key"),
        (ModelCatalog::default().refuse("/v1/models", 500), "status 500"),
        (ModelCatalog::default().page("/v1/models", json!("words")), ""),
    ];
    for (offered, why) in rows {
        let (server, models) = openai(offered).await;
        let provider = models.page().providers.remove(0);
        assert!(provider.error.as_deref().unwrap_or_default().contains(why), "{provider:?}");
        assert_eq!(models.name(None), "local/gpt-4.1-mini");
        assert!(models.find(Some("local/anything")).is_ok(), "no list, so the provider has to say");
        let asked = server.questions().len();
        models.ready(None, now(1)).await;
        models.ask_due(now(1)).await;
        assert_eq!(server.questions().len(), asked, "it is left alone for a while");
        if provider.error.is_some() {
            models.ask_due(now(60)).await;
            assert!(server.questions().len() > asked, "and then asked again");
        }
    }
    let away = models(Provider::new("ollama", ProviderKind::Ollama, "llama3.2").at("127.0.0.1:9"));
    away.ready(None, now(0)).await;
    let page = away.page();
    assert!(page.providers[0].error.as_deref().unwrap().contains("is it running?"), "{page:?}");
    assert_eq!(tokens(&page.models[0]), (8_192, FigureSource::Assumed));
}

#[tokio::test]
async fn a_name_that_is_new_is_found_without_waiting_for_a_day() {
    let (server, models) = ollama(&[CatalogModel::new("old", 4_096)]).await;
    server.offers(ModelCatalog::ollama([CatalogModel::new("old", 4_096), CatalogModel::new("new", 8_192)]));
    models.ready(Some("new"), now(1)).await;
    assert!(models.find(Some("new")).is_err(), "it was asked a second ago");
    models.ready(Some("new"), now(60)).await;
    assert_eq!(models.find(Some("new")).unwrap()[0].name(), "ollama/new");
}

#[tokio::test]
async fn a_restart_keeps_what_was_said() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("models.json");
    let server = ProviderServer::start(ProviderWire::Ollama).await;
    server.offers(ModelCatalog::ollama([CatalogModel::new("m", 16_384)]));
    let address = server.base_url();
    let opened =
        || models(Provider::new("ollama", ProviderKind::Ollama, "llama3.2").at(&address)).with_cache_file(path.clone());
    opened().ask_due(now(0)).await;
    while !path.exists() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    drop(server);
    let again = opened();
    again.ask_due(now(1)).await;
    let page = again.page();
    assert_eq!((page.default.as_str(), tokens(&page.models[0])), ("ollama/m", (16_384, FigureSource::Asked)));
    assert!(page.providers[0].error.is_some() && page.providers[0].asked_at == Some(now(0)), "{page:?}");
}
