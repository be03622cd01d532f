//! Discovery: asks providers which models they have and what each supports.
//!
//! Requests are small and bounded: a few seconds, a few megabytes, no redirects. A provider that
//! does not answer only fails the discovery: its figures are then assumed.

mod hosted;
mod http;
mod llama_cpp;
mod lm_studio;
mod ollama;
mod openai;
mod read;

use protocol::{ModelOverrides, ModelServerKind, Timestamp};
use serde::{Deserialize, Serialize};

use self::http::DiscoveryClient;
use crate::{ProviderKind, remote::ProviderClient};

/// The most models of one provider that are kept.
const MODELS_MAX: usize = 2_000;
/// The longest name; longer ones are ignored.
const NAME_BYTES_MAX: usize = 300;

/// A model as its provider describes it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DiscoveredModel {
    /// The provider's own name for it.
    pub(crate) id: String,
    /// The figures that the provider gave.
    pub(crate) figures: ModelOverrides,
    /// The most tokens that the model supports, where that is more than its window.
    pub(crate) takes: Option<u64>,
    /// When it was created or last changed: the larger, the newer. Comparable within one provider.
    pub(crate) changed: String,
    /// Whether the server has loaded it.
    pub(crate) is_loaded: bool,
    /// Whether it is not a chat model: it embeds, transcribes, draws.
    pub(crate) is_other: bool,
}

/// The result of discovery at one provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DiscoveredProvider {
    /// Its address without credentials: another address is another provider.
    pub(crate) address: String,
    /// The kind of server.
    pub(crate) server: ModelServerKind,
    /// When it answered.
    pub(crate) asked_at: Timestamp,
    /// Its models.
    pub(crate) models: Vec<DiscoveredModel>,
    /// Whether the list is complete: then a name that is not in it does not exist.
    pub(crate) is_whole: bool,
}

impl Default for DiscoveredProvider {
    fn default() -> Self {
        Self {
            address: String::new(),
            server: ModelServerKind::Other,
            asked_at: Timestamp::from_millis(0),
            models: Vec::new(),
            is_whole: false,
        }
    }
}

impl DiscoveredProvider {
    /// A model by its name or by an alias.
    pub(crate) fn model(&self, name: &str) -> Option<&DiscoveredModel> {
        let exact = self.models.iter().find(|model| model.id == name);
        exact.or_else(|| {
            self.models.iter().filter(|model| stands_for(self.server, name, &model.id)).max_by_key(|model| &model.id)
        })
    }

    /// Whether it lists its models, so that names can be checked.
    pub(crate) fn lists(&self) -> bool {
        self.is_whole && !self.models.is_empty()
    }
}

/// Whether a name is an alias of a listed model: hosted providers list dated versions and accept
/// the name without the date, and OpenRouter accepts variants such as `:free` and `:online` of any
/// model.
fn stands_for(server: ModelServerKind, name: &str, listed: &str) -> bool {
    match server {
        ModelServerKind::Anthropic | ModelServerKind::OpenAi | ModelServerKind::Gemini => {
            let undated = name.strip_suffix("-latest").unwrap_or(name);
            super::table::is_version(listed, undated)
        }
        ModelServerKind::OpenRouter => name.rsplit_once(':').is_some_and(|(model, _)| model == listed),
        ModelServerKind::Ollama => name.strip_suffix(":latest") == Some(listed),
        _ => false,
    }
}

/// Asks a provider for its models. The error says why that failed and what to do.
pub(crate) async fn ask(at: &ProviderClient, now: Timestamp) -> Result<DiscoveredProvider, String> {
    let question = DiscoveryClient::new(at);
    let told = match at.provider().kind {
        ProviderKind::Ollama => ollama::ask(&question).await,
        ProviderKind::OpenAi => openai::ask(&question).await,
        ProviderKind::Anthropic => hosted::ask_anthropic(&question).await,
        ProviderKind::Gemini => hosted::ask_gemini(&question).await,
        // An Azure resource lists the models it could deploy, not its deployments.
        ProviderKind::Azure { .. } => Ok(Discovery { server: ModelServerKind::Azure, ..Discovery::default() }),
    };
    let mut told = told.map_err(|failure| failure.explained(at))?;
    let is_whole = told.is_whole && told.models.len() <= MODELS_MAX;
    told.models.retain(|model| !model.id.is_empty() && model.id.len() <= NAME_BYTES_MAX);
    told.models.truncate(MODELS_MAX);
    for model in &mut told.models {
        model.figures = plausible(model.figures);
    }
    let address = at.shown().to_owned();
    Ok(DiscoveredProvider { address, server: told.server, asked_at: now, models: told.models, is_whole })
}

/// What a request returned.
#[derive(Default)]
struct Discovery {
    server: ModelServerKind,
    models: Vec<DiscoveredModel>,
    is_whole: bool,
}

/// Drops impossible figures: an empty window, a negative price.
fn plausible(figures: ModelOverrides) -> ModelOverrides {
    let window = |tokens: &u64| *tokens >= ModelOverrides::CONTEXT_TOKENS_MIN;
    let price = |dollars: &f64| (0.0..=1e6).contains(dollars);
    ModelOverrides {
        context_tokens: figures.context_tokens.filter(window),
        output_tokens: figures.output_tokens.filter(|tokens| *tokens > 0),
        price_in: figures.price_in.filter(price),
        price_out: figures.price_out.filter(price),
        price_cached: figures.price_cached.filter(price),
        ..figures
    }
}
