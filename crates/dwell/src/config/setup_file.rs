//! The file with the chosen providers, their keys and the models that answer: written by `dwell
//! setup` and by the page. It is in the data folder, readable by its user only, and every other
//! layer takes precedence over it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use protocol::{ModelOverrides, ModelSettings};
use secrecy::{ExposeSecret, SecretString};
use toml::{Table, Value};

use super::{
    providers::{ProviderChoice, address_key},
    tree::Config,
};
use crate::private_file::write_private;

/// The file's name in the data folder.
pub(crate) const SETUP_FILE: &str = "setup.toml";

const HEAD: &str = "\
# Written by `dwell setup` and by the page, and overwritten by them. Settings in config.toml, the
# environment and the command line take precedence.
";

/// The settings of the file, as they are changed.
#[derive(Clone)]
pub(crate) struct SetupFile {
    path: PathBuf,
    settings: Table,
}

impl SetupFile {
    /// Reads the file; a missing one is empty.
    pub(crate) fn read(data: &Path) -> anyhow::Result<Self> {
        let path = data.join(SETUP_FILE);
        let settings = match std::fs::read_to_string(&path) {
            Ok(text) => text.parse().with_context(|| format!("{} is not TOML", path.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Table::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        Ok(Self { path, settings })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The address and the key that are stored of a provider.
    pub(crate) fn account(&self, provider: &str) -> (Option<String>, Option<SecretString>) {
        let text = |key: &str| Some(self.settings.get(provider)?.get(key)?.as_str()?.to_owned());
        (text(address_key(provider)), text("api_key").map(SecretString::from))
    }

    /// Stores a provider, in place of what was stored of it.
    pub(crate) fn set_provider(&mut self, choice: &ProviderChoice, model: Option<&str>) {
        let mut provider = Table::new();
        let mut set = |key: &str, value: Option<&str>| {
            if let Some(value) = value {
                provider.insert(key.to_owned(), Value::String(value.to_owned()));
            }
        };
        set("api_key", choice.key.as_ref().map(ExposeSecret::expose_secret));
        set(address_key(choice.name), choice.address.as_deref());
        set("model", model);
        self.settings.insert(choice.name.to_owned(), Value::Table(provider));
    }

    /// Makes a model the one that answers.
    pub(crate) fn set_default(&mut self, name: &str) {
        self.set_of_model("name", Value::String(name.to_owned()));
    }

    /// Sets the models that are tried after it.
    pub(crate) fn set_fallbacks(&mut self, names: &[String]) {
        let names = names.iter().cloned().map(Value::String).collect();
        self.set_of_model("fallbacks", Value::Array(names));
    }

    /// Sets what applies to model calls where nothing narrower sets it.
    pub(crate) fn set_settings(&mut self, settings: &ModelSettings) -> Result<(), toml::ser::Error> {
        self.set_of_model("settings", Value::try_from(settings)?);
        Ok(())
    }

    /// Replaces the facts about a model that were stored; none at all removes them.
    pub(crate) fn set_overrides(&mut self, name: &str, facts: &ModelOverrides) -> Result<(), toml::ser::Error> {
        let mut all = match self.settings.get("model").and_then(|model| model.get("overrides")) {
            Some(Value::Table(stored)) => stored.clone(),
            _ => Table::new(),
        };
        all.remove(name);
        if *facts != ModelOverrides::default() {
            all.insert(name.to_owned(), Value::try_from(facts)?);
        }
        self.set_of_model("overrides", Value::Table(all));
        Ok(())
    }

    /// Forgets a provider with its key, also as one that answers. Returns whether it was stored.
    pub(crate) fn forget(&mut self, provider: &str) -> bool {
        let was_stored = self.settings.remove(provider).is_some();
        let is_of = |name: &str| name.split('/').next() == Some(provider);
        let Some(Value::Table(model)) = self.settings.get_mut("model") else { return was_stored };
        if model.get("name").and_then(Value::as_str).is_some_and(is_of) {
            model.remove("name");
        }
        if let Some(Value::Array(fallbacks)) = model.get_mut("fallbacks") {
            fallbacks.retain(|name| !name.as_str().is_some_and(is_of));
        }
        if let Some(Value::Table(facts)) = model.get_mut("overrides") {
            facts.retain(|name, _| !is_of(name));
        }
        was_stored
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.settings.clear();
    }

    /// Writes the file.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        let path = &self.path;
        if let Some(folder) = path.parent() {
            create_folder(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        let text = SecretString::from(format!("{HEAD}\n{}", self.settings));
        write_private(path, text.expose_secret().trim_end()).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Those of the settings that another layer sets, so that the file has no effect on them: their
    /// keys, and where they are set.
    pub(crate) fn overridden(&self, config: &Config) -> Vec<(String, String)> {
        let own = self.path.display().to_string();
        let sections = self.settings.iter().filter_map(|(section, settings)| Some((section, settings.as_table()?)));
        let keys: Vec<String> = sections
            .flat_map(|(section, settings)| settings.keys().map(move |key| format!("{section}.{key}")))
            .collect();
        let shown = config.shown.iter();
        let set = shown.filter(|setting| keys.contains(&setting.key) && config.given.contains(&setting.key));
        set.filter(|setting| setting.from != own).map(|setting| (setting.key.clone(), setting.from.clone())).collect()
    }

    fn set_of_model(&mut self, key: &str, value: Value) {
        match self.settings.entry("model").or_insert_with(|| Value::Table(Table::new())) {
            Value::Table(model) => {
                model.insert(key.to_owned(), value);
            }
            other => *other = Value::Table(Table::from_iter([(key.to_owned(), value)])),
        }
    }
}

/// The data folder may not exist yet; only its user may read it.
fn create_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> SetupFile {
        SetupFile { path: PathBuf::new(), settings: Table::new() }
    }

    #[test]
    fn the_file_names_providers_their_keys_and_their_models() {
        let mut file = empty();
        let anthropic = ProviderChoice { name: "anthropic", address: None, key: Some("sk-1".into()) };
        file.set_provider(&anthropic, Some("claude"));
        file.set_default("anthropic/claude");
        let ollama = ProviderChoice { name: "ollama", address: Some("127.0.0.1:9".to_owned()), key: None };
        file.set_provider(&ollama, None);
        file.set_fallbacks(&["ollama/llama".to_owned(), "anthropic/claude".to_owned()]);
        assert_eq!(file.settings["model"]["name"].as_str(), Some("anthropic/claude"));
        assert_eq!(file.settings["anthropic"]["api_key"].as_str(), Some("sk-1"));
        assert_eq!(file.settings["anthropic"]["model"].as_str(), Some("claude"));
        assert_eq!(file.settings["ollama"]["host"].as_str(), Some("127.0.0.1:9"));

        let (address, key) = file.account("anthropic");
        assert!(address.is_none() && key.is_some_and(|key| key.expose_secret() == "sk-1"));
        assert_eq!(file.account("ollama").0.as_deref(), Some("127.0.0.1:9"));
        assert!(file.account("gemini").0.is_none());

        let settings = ModelSettings { temperature: Some(0.2), ..ModelSettings::default() };
        file.set_settings(&settings).unwrap();
        assert_eq!(file.settings["model"]["settings"]["temperature"].as_float(), Some(0.2));
        let window = ModelOverrides { context_tokens: Some(8_192), ..ModelOverrides::default() };
        file.set_overrides("ollama/llama", &window).unwrap();
        file.set_overrides("ollama/qwen", &window).unwrap();
        file.set_overrides("ollama/qwen", &ModelOverrides::default()).unwrap();
        assert_eq!(file.settings["model"]["overrides"].to_string(), "{ \"ollama/llama\" = { context_tokens = 8192 } }");

        assert!(file.forget("anthropic"), "it was stored");
        assert!(!file.settings.to_string().contains("anthropic"), "{}", file.settings);
        assert_eq!(file.settings["model"]["fallbacks"].as_array().unwrap().len(), 1);
        assert!(!file.forget("anthropic"));
        file.clear();
        assert!(file.settings.is_empty());
    }
}
