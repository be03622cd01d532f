//! Lists the models for clients.

use std::collections::BTreeSet;

use protocol::{FigureSource, FigureValue, ModelFigure, ModelPage, ModelServerKind, ModelView, ProviderView};

use super::{ModelSet, ProviderHandle};
use crate::{ProviderKind, facts::default::default_model};

impl ModelSet {
    /// The full names of all models: the default one first, then the fallbacks, each provider's own
    /// default, and all that the providers list.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = vec![self.name(None)];
        let fallbacks = self.fallbacks.iter().filter(|name| self.target(name, &self.overrides).is_ok());
        let fallbacks = fallbacks.map(|name| self.name(Some(name)));
        let own = self.connections.iter().map(|of| format!("{}/{}", of.provider().name, self.default_of(of)));
        let listed = self.connections.iter().flat_map(|of| self.listed(of));
        let mut seen: BTreeSet<String> = names.iter().cloned().collect();
        let others = fallbacks.chain(own).chain(listed);
        names.extend(others.filter(|name| !name.ends_with('/') && seen.insert(name.clone())));
        names
    }

    /// The same with the facts of each model and provider.
    pub(super) fn page(&self) -> ModelPage {
        let (data, default) = (self.names(), self.name(None));
        let models = data.iter().filter_map(|name| self.view(name, *name == default)).collect();
        let providers = self.connections.iter().map(|of| self.provider_view(of)).collect();
        let (fallbacks, settings) = (self.fallbacks.clone(), self.settings.clone());
        ModelPage { data, default, fallbacks, settings, models, providers }
    }

    fn listed(&self, of: &ProviderHandle) -> Vec<String> {
        let Some(said) = self.said(of) else { return Vec::new() };
        let provider = &of.provider().name;
        said.chatting().map(|model| format!("{provider}/{}", model.id)).collect()
    }

    fn view(&self, name: &str, is_default: bool) -> Option<ModelView> {
        let found = name.split_once('/').and_then(|(provider, model)| Some((self.connection(provider)?, model)));
        let Some((of, model)) = found else {
            return (name == self.offline.name()).then(|| self.offline_view(is_default));
        };
        let merged = self.merged(of, model, &self.overrides);
        let mut view = merged.view(name.to_owned(), &of.provider().name, is_default);
        let said = self.said(of);
        if said.as_ref().is_some_and(|said| said.lists() && said.model(model).is_none()) {
            view.notices.push("its provider does not list it".to_owned());
        }
        let is_ollama = said.is_some_and(|said| said.server == ModelServerKind::Ollama);
        if is_ollama && of.provider().kind == ProviderKind::OpenAi {
            let notice =
                "Ollama's context window cannot be set over OpenAI's API; set OLLAMA_HOST instead of OPENAI_BASE_URL";
            view.notices.push(notice.to_owned());
        }
        Some(view)
    }

    fn offline_view(&self, is_default: bool) -> ModelView {
        let traits = self.offline.traits();
        let known = |value| ModelFigure { value, source: FigureSource::Table };
        ModelView {
            name: self.offline.name().to_owned(),
            provider: self.offline.name().to_owned(),
            is_default,
            context_tokens: known(FigureValue::Tokens(traits.context_tokens_max)),
            context_tokens_max: None,
            output_tokens: None,
            tools: known(FigureValue::Flag(traits.calls_tools)),
            images: known(FigureValue::Flag(traits.sees)),
            thinking: known(FigureValue::Flag(traits.thinks)),
            price_in: Some(known(FigureValue::Dollars(0.0))),
            price_out: Some(known(FigureValue::Dollars(0.0))),
            price_cached: None,
            notices: vec!["it is not a language model: it recalls, calculates and calls tools by rules".to_owned()],
        }
    }

    fn provider_view(&self, of: &ProviderHandle) -> ProviderView {
        let provider = of.provider();
        let standing = self.kept.of(&provider.name);
        let said = standing.asked.as_deref();
        let (default_model, default_source) = default_model(provider, said);
        ProviderView {
            name: provider.name.clone(),
            server: said.map_or_else(|| usual_server(&provider.kind), |said| said.server),
            address: of.connection.shown().to_owned(),
            default_model,
            default_source,
            models: said.filter(|said| said.lists()).map(|said| said.models.len() as u64),
            asked_at: said.map(|said| said.asked_at),
            error: standing.error,
        }
    }
}

/// The kind of server assumed from the kind of provider.
const fn usual_server(kind: &ProviderKind) -> ModelServerKind {
    match kind {
        ProviderKind::OpenAi => ModelServerKind::Other,
        ProviderKind::Azure { .. } => ModelServerKind::Azure,
        ProviderKind::Anthropic => ModelServerKind::Anthropic,
        ProviderKind::Gemini => ModelServerKind::Gemini,
        ProviderKind::Ollama => ModelServerKind::Ollama,
    }
}
