//! The model that answers when only its provider is named.

use std::collections::BTreeSet;

use protocol::{FigureSource, ModelServerKind};

use super::{DiscoveredModel, DiscoveredProvider};
use crate::Provider;

/// The default model and its source. A configured one counts; else one that the provider really
/// has: the loaded one on a local server, the newest that calls tools on Ollama, and elsewhere the
/// usual one or its successor.
pub(crate) fn default_model(provider: &Provider, asked: Option<&DiscoveredProvider>) -> (String, FigureSource) {
    // The setting may include the provider.
    let own = provider.default_model.strip_prefix(provider.name.as_str()).and_then(|rest| rest.strip_prefix('/'));
    let usual = own.unwrap_or(&provider.default_model).to_owned();
    if provider.default_is_set {
        return (usual, FigureSource::Set);
    }
    let Some(asked) = asked.filter(|asked| !asked.models.is_empty()) else { return (usual, FigureSource::Table) };
    let found = match asked.server {
        ModelServerKind::Ollama => newest_with_tools(asked),
        server if server.is_local() => {
            asked.chatting().find(|model| model.is_loaded).or_else(|| asked.chatting().next())
        }
        _ if asked.model(&usual).is_some() => return (usual, FigureSource::Table),
        _ => successor(&usual, asked).or_else(|| asked.chatting().next()),
    };
    found.map_or((usual, FigureSource::Table), |model| (model.id.clone(), FigureSource::Asked))
}

impl DiscoveredProvider {
    /// The models for conversations.
    pub(crate) fn chatting(&self) -> impl Iterator<Item = &DiscoveredModel> {
        self.models.iter().filter(|model| !model.is_other)
    }
}

/// The newest model that calls tools; the list has the newest first.
fn newest_with_tools(asked: &DiscoveredProvider) -> Option<&DiscoveredModel> {
    let with_tools = asked.chatting().find(|model| model.figures.tools == Some(true));
    with_tools.or_else(|| asked.chatting().next())
}

/// The newest model of the same family: the same words in its name, whatever the version.
fn successor<'a>(usual: &str, asked: &'a DiscoveredProvider) -> Option<&'a DiscoveredModel> {
    let family = words(usual);
    let same = asked.chatting().filter(|model| words(&model.id) == family);
    same.max_by(|one, other| one.changed.cmp(&other.changed).then_with(|| one.id.cmp(&other.id)))
}

fn words(name: &str) -> BTreeSet<&str> {
    let parts = name.split(['-', '/', ':', '@']);
    parts.filter(|part| part.chars().all(char::is_alphabetic) && *part != "latest").collect()
}

#[cfg(test)]
mod tests {
    use protocol::ModelOverrides;

    use super::*;
    use crate::ProviderKind;

    fn model(id: &str, changed: &str, tools: Option<bool>) -> DiscoveredModel {
        let figures = ModelOverrides { tools, ..ModelOverrides::default() };
        DiscoveredModel { id: id.to_owned(), changed: changed.to_owned(), figures, ..DiscoveredModel::default() }
    }

    fn asked(server: ModelServerKind, models: Vec<DiscoveredModel>) -> DiscoveredProvider {
        DiscoveredProvider { server, models, is_whole: true, ..DiscoveredProvider::default() }
    }

    #[test]
    fn what_is_there_is_picked_unless_one_is_set() {
        let ollama = Provider::new("ollama", ProviderKind::Ollama, "llama3.2");
        let there = asked(
            ModelServerKind::Ollama,
            vec![model("new", "3", Some(false)), model("able", "2", Some(true)), model("old", "1", Some(true))],
        );
        let pick = |provider: &Provider, asked: &DiscoveredProvider| default_model(provider, Some(asked));
        assert_eq!(pick(&ollama, &there), ("able".to_owned(), FigureSource::Asked));
        let set = Provider { default_is_set: true, ..ollama.clone() };
        assert_eq!(pick(&set, &there), ("llama3.2".to_owned(), FigureSource::Set));
        assert_eq!(default_model(&ollama, None), ("llama3.2".to_owned(), FigureSource::Table));

        let openai = Provider::new("openai", ProviderKind::OpenAi, "gpt-4.1-mini");
        let usual = asked(ModelServerKind::OpenAi, vec![model("gpt-4o", "1", None), model("gpt-4.1-mini", "2", None)]);
        assert_eq!(pick(&openai, &usual), ("gpt-4.1-mini".to_owned(), FigureSource::Table));
        let later = asked(
            ModelServerKind::OpenAi,
            vec![model("gpt-7", "4", None), model("gpt-6-mini", "2", None), model("gpt-7-mini", "3", None)],
        );
        assert_eq!(pick(&openai, &later), ("gpt-7-mini".to_owned(), FigureSource::Asked));
        let mut studio = asked(ModelServerKind::LmStudio, vec![model("a", "", None), model("b", "", None)]);
        studio.models[1].is_loaded = true;
        assert_eq!(pick(&openai, &studio).0, "b");
    }
}
