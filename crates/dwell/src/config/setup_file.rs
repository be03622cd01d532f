//! The file that `dwell setup` writes: the chosen provider with its key. It is in the data folder,
//! readable by its user only, and every other layer takes precedence over it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use secrecy::{ExposeSecret, SecretString};
use toml::{Table, Value};

use super::providers::ProviderChoice;
use crate::serve::write_private;

/// The file's name in the data folder.
pub(crate) const SETUP_FILE: &str = "setup.toml";

const HEAD: &str = "\
# Written by `dwell setup`, and overwritten by it. Settings in config.toml, the environment and the
# command line take precedence.
";

/// Makes a provider with one of its models the one that answers, or the offline model without one.
pub(crate) fn write_setup_file(
    data: &Path,
    choice: Option<&ProviderChoice>,
    model: Option<&str>,
) -> anyhow::Result<PathBuf> {
    let path = data.join(SETUP_FILE);
    let text = SecretString::from(format!("{HEAD}\n{}", settings(choice, model)));
    create_folder(data).with_context(|| format!("cannot create {}", data.display()))?;
    write_private(&path, text.expose_secret().trim_end())
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

fn settings(choice: Option<&ProviderChoice>, model: Option<&str>) -> Table {
    let mut all = Table::new();
    let text = |text: &str| Value::String(text.to_owned());
    let Some(choice) = choice else {
        all.insert("model".to_owned(), Value::Table(Table::from_iter([("name".to_owned(), text("offline"))])));
        return all;
    };
    let mut provider = Table::new();
    if let Some(key) = &choice.key {
        provider.insert("api_key".to_owned(), text(key.expose_secret()));
    }
    if let Some(address) = &choice.address {
        let key = if choice.name == "ollama" { "host" } else { "base_url" };
        provider.insert(key.to_owned(), text(address));
    }
    if let Some(model) = model {
        provider.insert("model".to_owned(), text(model));
    }
    let name = model.map_or_else(|| choice.name.to_owned(), |model| format!("{}/{model}", choice.name));
    all.insert("model".to_owned(), Value::Table(Table::from_iter([("name".to_owned(), text(&name))])));
    all.insert(choice.name.to_owned(), Value::Table(provider));
    all
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

    #[test]
    fn the_file_names_the_provider_its_key_and_its_model() {
        let choice = ProviderChoice { name: "anthropic", address: None, key: Some("sk-1".into()) };
        let written = settings(Some(&choice), Some("claude"));
        assert_eq!(written["model"]["name"].as_str(), Some("anthropic/claude"));
        assert_eq!(written["anthropic"]["api_key"].as_str(), Some("sk-1"));
        assert_eq!(written["anthropic"]["model"].as_str(), Some("claude"));
        let choice = ProviderChoice { name: "ollama", address: Some("127.0.0.1:9".to_owned()), key: None };
        assert!(settings(Some(&choice), None).to_string().contains("host = \"127.0.0.1:9\""));
        assert_eq!(settings(None, None).to_string(), "[model]\nname = \"offline\"\n");
    }
}
