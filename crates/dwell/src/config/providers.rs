//! From settings to providers: which are configured, in the order in which they are tried.

use model::{ModelChoice, Provider, ProviderKind};
use secrecy::{ExposeSecret, SecretString};

use super::tree::{Config, KeyedProviderConfig};

impl Config {
    /// The providers that are configured. The first of them answers unless a model is named.
    pub(crate) fn providers(&self) -> Vec<Provider> {
        let azure_kind = ProviderKind::Azure { api_version: self.azure.api_version.clone() };
        // Without a deployment Azure cannot be used, unless the model names one.
        let has_deployment = !self.azure.deployment.is_empty() || self.model.name.starts_with("azure/");
        let is_azure = self.azure.api_key.is_set() && !self.azure.endpoint.is_empty() && has_deployment;
        let azure = is_azure.then(|| {
            let provider = Provider::new("azure", azure_kind, &self.azure.deployment);
            provider.at(self.azure.endpoint.trim_end_matches('/')).with_key(self.azure.api_key.secret())
        });
        let ollama = (!self.ollama.host.is_empty()).then(|| {
            Provider::new("ollama", ProviderKind::Ollama, &self.ollama.model).at(with_scheme(&self.ollama.host))
        });
        let mut providers: Vec<Provider> = [
            keyed("openai", ProviderKind::OpenAi, &self.openai, !self.openai.base_url.is_empty()),
            keyed("anthropic", ProviderKind::Anthropic, &self.anthropic, false),
            keyed("gemini", ProviderKind::Gemini, &self.gemini, false),
            azure,
            keyed("openrouter", ProviderKind::OpenAi, &self.openrouter, false),
            ollama,
        ]
        .into_iter()
        .flatten()
        .collect();
        for provider in &mut providers {
            // A deployment is always named explicitly.
            provider.default_is_set =
                provider.name == "azure" || self.given.contains(&format!("{}.model", provider.name));
        }
        providers
    }
}

/// The setting that has a provider's address.
pub(crate) fn address_key(provider: &str) -> &'static str {
    if provider == "ollama" { "host" } else { "base_url" }
}

/// The provider cannot be used without a key.
#[derive(Debug)]
pub(crate) struct KeyNeeded;

/// A key is one word.
pub(crate) fn check_key(key: &SecretString) -> Result<SecretString, &'static str> {
    let key: SecretString = key.expose_secret().trim().into();
    match key.expose_secret() {
        "" => Err("it is empty"),
        text if text.chars().any(|char| char.is_whitespace() || char.is_control()) => Err("a key has no spaces in it"),
        _ => Ok(key),
    }
}

/// A provider that the user chooses, before it is part of the settings.
#[derive(Debug, Clone)]
pub(crate) struct ProviderChoice {
    /// Its name, which is the name of its section.
    pub(crate) name: &'static str,
    /// Its address, where it is not the usual one.
    pub(crate) address: Option<String>,
    pub(crate) key: Option<SecretString>,
}

impl ProviderChoice {
    /// The choice, if the provider has what it needs.
    pub(crate) fn new(
        config: &Config,
        name: &'static str,
        address: Option<String>,
        key: Option<SecretString>,
    ) -> Result<Self, KeyNeeded> {
        let address = address.map(|address| address.trim().to_owned()).filter(|address| !address.is_empty());
        let address = match name {
            "ollama" => Some(address.unwrap_or_else(|| config.ollama_address())),
            "openrouter" => Some(address.unwrap_or_else(|| config.openrouter_address().to_owned())),
            _ => address,
        };
        let needs_key = match name {
            "ollama" => false,
            // A server of one's own often needs none.
            "openai" => address.is_none(),
            _ => true,
        };
        if needs_key && key.is_none() { Err(KeyNeeded) } else { Ok(Self { name, address, key }) }
    }

    /// The provider as the settings would make it.
    pub(crate) fn provider(&self, default_model: &str) -> Provider {
        let kind = match self.name {
            "anthropic" => ProviderKind::Anthropic,
            "gemini" => ProviderKind::Gemini,
            "ollama" => ProviderKind::Ollama,
            _ => ProviderKind::OpenAi,
        };
        let mut provider = Provider::new(self.name, kind, default_model);
        if let Some(key) = &self.key {
            provider = provider.with_key(key.clone());
        }
        match &self.address {
            Some(host) if self.name == "ollama" => provider.at(with_scheme(host)),
            Some(address) => {
                let address = with_version(&provider.kind, address);
                provider.at(address)
            }
            None => provider,
        }
    }
}

impl Config {
    /// The model that a provider answers with where the settings name no other.
    pub(crate) fn default_model(&self, provider: &str) -> &str {
        match provider {
            "openai" => &self.openai.model,
            "anthropic" => &self.anthropic.model,
            "gemini" => &self.gemini.model,
            "openrouter" => &self.openrouter.model,
            "ollama" => &self.ollama.model,
            _ => "",
        }
    }

    /// The key of a provider, wherever it is set.
    pub(crate) fn provider_key(&self, provider: &str) -> Option<SecretString> {
        let settings = match provider {
            "openai" => &self.openai,
            "anthropic" => &self.anthropic,
            "gemini" => &self.gemini,
            "openrouter" => &self.openrouter,
            _ => return None,
        };
        settings.api_key.is_set().then(|| settings.api_key.expose_secret().trim().into())
    }

    /// The address of a provider, if one is set and not only the usual one.
    pub(crate) fn provider_address(&self, provider: &str) -> Option<&str> {
        if !self.given.contains(&format!("{provider}.{}", address_key(provider))) {
            return None;
        }
        let address: &str = match provider {
            "openai" => &self.openai.base_url,
            "anthropic" => &self.anthropic.base_url,
            "gemini" => &self.gemini.base_url,
            "openrouter" => &self.openrouter.base_url,
            "ollama" => &self.ollama.host,
            _ => return None,
        };
        Some(address).filter(|address| !address.is_empty())
    }

    /// The providers and the models that answer.
    pub(crate) fn model_choice(&self) -> ModelChoice {
        ModelChoice {
            providers: self.providers(),
            default: Some(self.model.name.clone()).filter(|name| !name.is_empty()),
            fallbacks: self.model.fallbacks.clone(),
            overrides: self.model.overrides.clone(),
            settings: self.model.settings.clone(),
        }
    }

    /// The usual address of OpenRouter, which speaks another provider's API.
    pub(crate) fn openrouter_address(&self) -> &str {
        &self.openrouter.base_url
    }

    /// Where Ollama is expected on this machine: where the settings say, or at its usual port.
    pub(crate) fn ollama_address(&self) -> String {
        with_scheme(if self.ollama.host.is_empty() { "127.0.0.1:11434" } else { &self.ollama.host })
    }
}

/// A provider that has a key, or needs none.
fn keyed(name: &str, kind: ProviderKind, settings: &KeyedProviderConfig, needs_no_key: bool) -> Option<Provider> {
    if !settings.api_key.is_set() && !needs_no_key {
        return None;
    }
    let mut provider = Provider::new(name, kind, &settings.model);
    if settings.api_key.is_set() {
        provider = provider.with_key(settings.api_key.expose_secret().trim());
    }
    if !settings.base_url.is_empty() {
        let base_url = with_version(&provider.kind, &settings.base_url);
        provider = provider.at(base_url);
    }
    Some(provider)
}

/// Some providers' own clients take base URLs without the version that our client needs.
fn with_version(kind: &ProviderKind, base_url: &str) -> String {
    let base_url = base_url.trim_end_matches('/');
    let version = match kind {
        ProviderKind::Anthropic => "/v1",
        ProviderKind::Gemini => "/v1beta",
        _ => return base_url.to_owned(),
    };
    let last = base_url.rsplit('/').next().unwrap_or_default();
    let has_version = last.starts_with('v') && last[1..].starts_with(|char: char| char.is_ascii_digit());
    if has_version { base_url.to_owned() } else { format!("{base_url}{version}") }
}

/// Ollama's own variable may contain only a host and port, or only one of them.
fn with_scheme(host: &str) -> String {
    let host = host.trim().trim_end_matches('/');
    if host.contains("://") {
        return host.to_owned();
    }
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => (name, port),
        _ => (host, "11434"),
    };
    // The same variable tells Ollama's own server where to listen.
    let name = if matches!(name, "" | "0.0.0.0") { "127.0.0.1" } else { name };
    format!("http://{name}:{port}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_word() {
        assert_eq!(check_key(&"  sk-1\n".into()).unwrap().expose_secret(), "sk-1");
        assert!(check_key(&" \n".into()).is_err());
        assert!(check_key(&"two words".into()).is_err());
    }

    #[test]
    fn addresses_may_come_with_or_without_their_version() {
        for (kind, given, expected) in [
            (ProviderKind::Anthropic, "https://api.example", "https://api.example/v1"),
            (ProviderKind::Anthropic, "https://api.example/v1/", "https://api.example/v1"),
            (ProviderKind::Gemini, "http://127.0.0.1:9", "http://127.0.0.1:9/v1beta"),
            (ProviderKind::Gemini, "http://127.0.0.1:9/v1alpha", "http://127.0.0.1:9/v1alpha"),
            (ProviderKind::OpenAi, "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"),
        ] {
            assert_eq!(with_version(&kind, given), expected);
        }
        assert_eq!(with_scheme("127.0.0.1:11434"), "http://127.0.0.1:11434");
        assert_eq!(with_scheme("https://ollama.example/"), "https://ollama.example");
        assert_eq!(with_scheme("0.0.0.0"), "http://127.0.0.1:11434");
        assert_eq!(with_scheme(":8080"), "http://127.0.0.1:8080");
    }
}
