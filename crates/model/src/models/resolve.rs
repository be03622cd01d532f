//! Resolves a name to a model. Nothing is guessed: an unknown name is refused with suggestions, and
//! a mistyped provider never sends a conversation to another one.

use super::{ModelSet, ProviderHandle, nearest};
use crate::{
    Error, Overrides, ProviderKind,
    facts::overrides,
    provider::{OFFLINE, known_names, variable},
};

/// The most edits by which the first part of a name counts as a mistyped provider.
const TYPO_EDITS_MAX: usize = 2;
/// The same for a name without a slash, which is more likely a model's: `llama3` is two letters
/// from `ollama`.
const TYPO_EDITS_MAX_ALONE: usize = 1;
/// Shorter names without a slash are too close to anything: `llama` is one letter from `ollama`.
const TYPO_CHARS_MIN: usize = 6;

/// The model that a name refers to.
pub(super) enum ResolvedModel<'a> {
    /// The offline model, which always exists.
    Offline,
    /// A model of a provider.
    Remote { of: &'a ProviderHandle, model: String },
}

impl ModelSet {
    /// Resolves a name; an empty one is the first provider's default model.
    pub(super) fn target(&self, name: &str, session: &Overrides) -> Result<ResolvedModel<'_>, Error> {
        if self.single || name == OFFLINE || name == self.offline.name() {
            return Ok(ResolvedModel::Offline);
        }
        if name.is_empty() {
            return self.default_connection().map_or(Ok(ResolvedModel::Offline), |of| self.own(of, None, session));
        }
        let (prefix, rest) = name.split_once('/').map_or((name, None), |(prefix, rest)| (prefix, Some(rest)));
        if let Some(of) = self.connection(prefix) {
            return self.own(of, rest, session);
        }
        if let Some(variable) = variable(prefix) {
            return Err(Error::Unconfigured { provider: prefix.to_owned(), hint: self.hint(variable, name) });
        }
        self.without_provider(name, prefix, rest.is_some(), session)
    }

    /// A provider's model of that name, or its default one. Where the provider lists its models,
    /// the name must be in the list, or configured by its full name.
    fn own<'a>(
        &'a self,
        of: &'a ProviderHandle,
        rest: Option<&str>,
        session: &Overrides,
    ) -> Result<ResolvedModel<'a>, Error> {
        let model = match rest {
            Some(model) => model.to_owned(),
            None => self.default_of(of),
        };
        let provider = of.provider();
        let is_ollama = provider.kind == ProviderKind::Ollama;
        let model = if is_ollama { model.strip_suffix(":latest").unwrap_or(&model).to_owned() } else { model };
        let is_missing = self.said(of).is_some_and(|said| said.lists() && said.model(&model).is_none());
        let is_set = [session, &self.overrides].iter().any(|set| overrides::names(set, &provider.name, &model));
        if model.is_empty() || (is_missing && !is_set) {
            return Err(self.unknown(&format!("{}/{model}", provider.name)));
        }
        Ok(ResolvedModel::Remote { of, model })
    }

    /// A name without a provider: one that some provider lists, or one that is passed on to the
    /// default provider because that does not list its models.
    fn without_provider(
        &self,
        name: &str,
        prefix: &str,
        has_slash: bool,
        session: &Overrides,
    ) -> Result<ResolvedModel<'_>, Error> {
        let Some(default) = self.default_connection() else { return Err(self.unknown(name)) };
        let others = self.connections.iter().filter(|of| !std::ptr::eq(*of, default) && !has_slash);
        let lists = |of: &&ProviderHandle| self.said(of).is_some_and(|said| said.lists() && said.model(name).is_some());
        if let Some(of) = std::iter::once(default).chain(others).find(lists) {
            return self.own(of, Some(name), session);
        }
        let is_long = prefix.chars().count() >= TYPO_CHARS_MIN;
        let edits_max = if has_slash { TYPO_EDITS_MAX } else { TYPO_EDITS_MAX_ALONE * usize::from(is_long) };
        let is_typo = self.meant_provider(prefix, edits_max).is_some();
        if is_typo || self.said(default).is_some_and(|said| said.lists()) {
            return Err(self.unknown(name));
        }
        self.own(default, Some(name), session)
    }

    /// The provider that a mistyped name means.
    fn meant_provider(&self, prefix: &str, edits_max: usize) -> Option<String> {
        let own = self.connections.iter().map(|of| of.provider().name.as_str());
        let names = own.chain(known_names()).chain([OFFLINE]);
        let near = names.map(|name| (strsim::osa_distance(&prefix.to_lowercase(), name), name));
        near.filter(|(edits, _)| *edits <= edits_max).min().map(|(_, name)| name.to_owned())
    }

    fn unknown(&self, name: &str) -> Error {
        let model = name.to_owned();
        if self.connections.is_empty() {
            let hint =
                "; no provider is configured, so there is only `offline`: set OPENAI_API_KEY, ANTHROPIC_API_KEY, \
                        GEMINI_API_KEY, OLLAMA_HOST, or OPENAI_BASE_URL for a server of your own"
                    .to_owned();
            return Error::UnknownModel { model, hint };
        }
        let mut names = nearest::nearest(name, &self.names());
        let prefix = name.split('/').next().unwrap_or(name);
        if self.connection(prefix).is_none()
            && let Some(meant) = self.meant_provider(prefix, TYPO_EDITS_MAX)
        {
            let corrected = name.replacen(prefix, &meant, 1);
            // The offline provider has one model; resolving it would recurse.
            let is_there = if meant == OFFLINE {
                corrected == OFFLINE
            } else {
                !matches!(self.target(&corrected, &self.overrides), Err(Error::UnknownModel { .. }))
            };
            names.retain(|name| *name != corrected);
            if is_there {
                names.insert(0, corrected);
            }
        }
        names.truncate(nearest::NAMES_MAX);
        let hint = match names.as_slice() {
            [] => String::new(),
            names => format!("; did you mean `{}`", names.join("` or `")),
        };
        Error::UnknownModel { model, hint }
    }

    pub(super) fn connection(&self, name: &str) -> Option<&ProviderHandle> {
        self.connections.iter().find(|of| of.provider().name == name)
    }

    /// The provider for a name without one: that of the default model, or the first.
    pub(super) fn default_connection(&self) -> Option<&ProviderHandle> {
        let named = self.default.as_deref().and_then(|name| self.connection(name.split('/').next().unwrap_or(name)));
        named.or(self.connections.first())
    }

    fn hint(&self, variable: &str, name: &str) -> String {
        match self.connection("openrouter") {
            Some(_) => format!("set {variable}, or ask for openrouter/{name}"),
            None => format!("set {variable}, or ask for another model"),
        }
    }
}
