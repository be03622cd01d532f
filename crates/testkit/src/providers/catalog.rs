//! What a scripted server answers about itself: which server it is, which models it has and what
//! each accepts.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A model of a scripted server.
#[derive(Clone, Debug)]
pub struct CatalogModel {
    name: String,
    window: u64,
    capabilities: Vec<&'static str>,
    modified_at: String,
    parameters: String,
}

impl CatalogModel {
    /// A model that reads that many tokens and calls tools.
    pub fn new(name: impl Into<String>, window: u64) -> Self {
        let modified_at = "2026-01-01T00:00:00Z".to_owned();
        let capabilities = vec!["completion", "tools"];
        Self { name: name.into(), window, capabilities, modified_at, parameters: String::new() }
    }

    /// Sets its capabilities, in Ollama's words: `completion`, `tools`, `vision`, `thinking`,
    /// `embedding`.
    #[must_use]
    pub fn capable_of(mut self, capabilities: &[&'static str]) -> Self {
        self.capabilities = capabilities.to_vec();
        self
    }

    /// Sets its time of change, as in `2026-01-01T00:00:00Z`.
    #[must_use]
    pub fn modified_at(mut self, at: &str) -> Self {
        self.modified_at = at.to_owned();
        self
    }

    /// Sets its default context window, as Ollama's `num_ctx`.
    #[must_use]
    pub fn with_num_ctx(mut self, num_ctx: u64) -> Self {
        self.parameters =
            format!("stop                           \"<|end|>\"\nnum_ctx                        {num_ctx}");
        self
    }

    fn can(&self, capability: &str) -> bool {
        self.capabilities.contains(&capability)
    }

    fn ollama_tag(&self) -> Value {
        json!({
            "name": self.name,
            "model": self.name,
            "modified_at": self.modified_at,
            "size": 1_000,
            "digest": "0".repeat(64),
            "details": { "format": "gguf", "family": "stand-in", "parameter_size": "1B", "quantization_level": "Q4_0" },
        })
    }

    fn ollama_show(&self) -> Value {
        json!({
            "parameters": self.parameters,
            "template": "{{ .Prompt }}",
            "details": { "family": "stand-in" },
            "model_info": { "general.architecture": "stand-in", "stand-in.context_length": self.window },
            "capabilities": self.capabilities,
        })
    }

    fn lm_studio(&self, loaded: Option<u64>) -> Value {
        json!({
            "id": self.name,
            "object": "model",
            "type": if self.can("embedding") { "embeddings" } else if self.can("vision") { "vlm" } else { "llm" },
            "state": if loaded.is_some() { "loaded" } else { "not-loaded" },
            "max_context_length": self.window,
            "loaded_context_length": loaded,
            "capabilities": if self.can("tools") { json!(["tool_use"]) } else { json!([]) },
        })
    }
}

/// The answers of a scripted server about itself, by path. Other paths are answered with 404, as
/// the real server would.
#[derive(Clone, Debug, Default)]
pub struct ModelCatalog {
    pages: BTreeMap<String, (u16, Value)>,
    shows: BTreeMap<String, Value>,
}

impl ModelCatalog {
    /// Ollama with these models.
    pub fn ollama(models: impl IntoIterator<Item = CatalogModel>) -> Self {
        let models: Vec<CatalogModel> = models.into_iter().collect();
        let mut offered = Self::default()
            .page("/api/tags", json!({ "models": models.iter().map(CatalogModel::ollama_tag).collect::<Vec<_>>() }))
            .page("/api/version", json!({ "version": "0.12.0" }));
        offered.shows = models.iter().map(|model| (model.name.clone(), model.ollama_show())).collect();
        offered
    }

    /// llama.cpp's server with one model and this context window.
    pub fn llama_cpp(model: &CatalogModel) -> Self {
        let meta = json!({ "n_ctx_train": model.window * 4, "n_vocab": 32_000, "n_params": 1_000_000_000 });
        let models = json!([{ "id": model.name, "object": "model", "created": 1_700_000_000, "owned_by": "llamacpp",
                              "meta": meta }]);
        let props = json!({
            "default_generation_settings": { "n_ctx": model.window },
            "total_slots": 1,
            "model_path": format!("/models/{}", model.name),
            "modalities": { "vision": model.can("vision"), "audio": false },
            "chat_template": "{{ messages }}",
            "chat_template_caps": { "supports_tools": model.can("tools"), "supports_tool_calls": model.can("tools") },
            "build_info": "b6000-stand-in",
        });
        Self::default().page("/v1/models", json!({ "object": "list", "data": models })).page("/props", props)
    }

    /// vLLM with one model.
    pub fn vllm(model: &CatalogModel) -> Self {
        let models = json!([{ "id": model.name, "object": "model", "created": 1_700_000_000, "owned_by": "vllm",
                              "root": model.name, "parent": null, "max_model_len": model.window }]);
        Self::default()
            .page("/v1/models", json!({ "object": "list", "data": models }))
            .page("/version", json!({ "version": "0.11.0" }))
    }

    /// LM Studio with these models, the first of which is loaded with half of its window.
    pub fn lm_studio(models: &[CatalogModel]) -> Self {
        let own = models.iter().enumerate().map(|(n, model)| model.lm_studio((n == 0).then_some(model.window / 2)));
        let own = json!({ "object": "list", "data": own.collect::<Vec<_>>() });
        let plain =
            models.iter().map(|model| json!({ "id": model.name, "object": "model", "owned_by": "organization_owner" }));
        Self::default()
            .page("/v1/models", json!({ "object": "list", "data": plain.collect::<Vec<_>>() }))
            .page("/api/v0/models", own)
    }

    /// A server with OpenAI's API that lists names and nothing else.
    pub fn names(names: &[&str]) -> Self {
        let models = names.iter().map(|name| json!({ "id": name, "object": "model", "owned_by": "stand-in" }));
        Self::default().page("/v1/models", json!({ "object": "list", "data": models.collect::<Vec<_>>() }))
    }

    /// Sets the answer of a path.
    #[must_use]
    pub fn page(mut self, path: &str, document: Value) -> Self {
        self.pages.insert(path.to_owned(), (200, document));
        self
    }

    /// Sets the status with which a path is refused.
    #[must_use]
    pub fn refuse(mut self, path: &str, status: u16) -> Self {
        self.pages.insert(path.to_owned(), (status, json!({ "error": { "message": "scripted to refuse" } })));
        self
    }

    /// The answer of a path, if there is one.
    pub(crate) fn answer(&self, path: &str, body: &[u8]) -> Option<(u16, Value)> {
        if path == "/api/show" && !self.shows.is_empty() {
            let asked: Value = serde_json::from_slice(body).unwrap_or_default();
            let name = asked["model"].as_str().unwrap_or_default();
            let found = self.shows.get(name).or_else(|| self.shows.get(&format!("{name}:latest")));
            let missing = (404, json!({ "error": format!("model '{name}' not found") }));
            return Some(found.map_or(missing, |show| (200, show.clone())));
        }
        self.pages.get(path).cloned()
    }
}
