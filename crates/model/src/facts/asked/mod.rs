//! What providers say when they are asked which models they have and what each takes.
//!
//! Questions are small and bounded: a few seconds, a few megabytes, no redirects. A provider that does not answer is no
//! error for anything but the question: figures are then assumed.

mod hosted;
mod http;
mod llama_cpp;
mod lm_studio;
mod ollama;
mod openai;
mod read;

use protocol::{ModelOverrides, ModelServerKind, Timestamp};
use serde::{Deserialize, Serialize};

use self::http::Question;
use crate::{Kind, remote::Connection};

/// Models of one provider that are kept.
const MODELS_MAX: usize = 2_000;
/// Longer names are no names.
const NAME_BYTES_MAX: usize = 300;

/// What a provider said of one of its models.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AskedModel {
    /// The provider's own name for it.
    pub(crate) id: String,
    /// The figures it gave.
    pub(crate) figures: ModelOverrides,
    /// The most tokens that the model could read, where that is more than its window.
    pub(crate) takes: Option<u64>,
    /// When it came to be or was changed last: the larger, the newer. Comparable within one provider.
    pub(crate) changed: String,
    /// Whether it is in memory, ready to answer.
    pub(crate) is_loaded: bool,
    /// Whether it is no model for conversations: it embeds, transcribes, draws.
    pub(crate) is_other: bool,
}

/// What a provider said when it was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AskedProvider {
    /// Where it was asked, without credentials: another address is another provider.
    pub(crate) address: String,
    /// What serves the models there.
    pub(crate) server: ModelServerKind,
    /// When it answered.
    pub(crate) asked_at: Timestamp,
    /// Its models.
    pub(crate) models: Vec<AskedModel>,
    /// Whether those are all: then a name that is not among them is not there.
    pub(crate) is_whole: bool,
}

impl Default for AskedProvider {
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

impl AskedProvider {
    /// What it said of a model, by its name or by one that stands for it.
    pub(crate) fn model(&self, name: &str) -> Option<&AskedModel> {
        let exact = self.models.iter().find(|model| model.id == name);
        exact.or_else(|| {
            self.models.iter().filter(|model| stands_for(self.server, name, &model.id)).max_by_key(|model| &model.id)
        })
    }

    /// Whether it lists its models, so that a name can be looked up.
    pub(crate) fn lists(&self) -> bool {
        self.is_whole && !self.models.is_empty()
    }
}

/// Whether a name stands for a listed model: hosted providers list dated versions and take the name without the date, and
/// OpenRouter takes variants such as `:free` and `:online` of any model.
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

/// Asks a provider. The error says why it could not be asked and what to do.
pub(crate) async fn ask(at: &Connection, now: Timestamp) -> Result<AskedProvider, String> {
    let question = Question::new(at);
    let told = match at.provider().kind {
        Kind::Ollama => ollama::ask(&question).await,
        Kind::OpenAi => openai::ask(&question).await,
        Kind::Anthropic => hosted::ask_anthropic(&question).await,
        Kind::Gemini => hosted::ask_gemini(&question).await,
        // A resource lists the models it could deploy, not the deployments that answer.
        Kind::Azure { .. } => Ok(Told { server: ModelServerKind::Azure, ..Told::default() }),
    };
    let mut told = told.map_err(|failure| failure.explained(at))?;
    let is_whole = told.is_whole && told.models.len() <= MODELS_MAX;
    told.models.retain(|model| !model.id.is_empty() && model.id.len() <= NAME_BYTES_MAX);
    told.models.truncate(MODELS_MAX);
    for model in &mut told.models {
        model.figures = plausible(model.figures);
    }
    let address = at.shown().to_owned();
    Ok(AskedProvider { address, server: told.server, asked_at: now, models: told.models, is_whole })
}

/// What asking came to.
#[derive(Default)]
struct Told {
    server: ModelServerKind,
    models: Vec<AskedModel>,
    is_whole: bool,
}

/// Figures that cannot be are left out: a window of nothing, a negative price.
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
