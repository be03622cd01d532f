//! Choosing a provider: tried with a real call, then written where `dwell serve` reads it.

use std::{io::Read as _, path::Path};

use anyhow::Context;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use crate::{
    cli::{ProviderArg, SetupArgs},
    command_error::CommandError,
    commands::model_probe::{self, ProbeAnswer},
    config::{Config, ProviderChoice, write_setup_file},
};

/// `dwell setup --provider …`, without questions.
pub(super) fn run(config: &Config, provider: ProviderArg, asked: &SetupArgs) -> Result<(), CommandError> {
    let Some(section) = provider.section() else {
        return save(config, None, None, None);
    };
    let key = asked.key_file.as_deref().map(read_key).transpose()?;
    let choice = choice(config, section, asked.address.clone(), key)?;
    if asked.untested {
        return save(config, Some(&choice), asked.model.as_deref(), None);
    }
    let (model, answer) = in_runtime(async {
        let model = match &asked.model {
            Some(model) => Some(model.clone()),
            None => models(config, &choice).await?.into_iter().next(),
        };
        let answer = try_out(config, &choice, model.as_deref()).await?;
        Ok::<_, CommandError>((model, answer))
    })?;
    save(config, Some(&choice), model.as_deref(), Some(&answer))
}

/// Runs a future to its end: the command itself starts without a runtime, since downloads block.
pub(super) fn in_runtime<T>(work: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(anyhow::Error::from)?;
    runtime.block_on(work)
}

/// The choice, if the provider has what it needs.
pub(super) fn choice(
    config: &Config,
    name: &'static str,
    address: Option<String>,
    key: Option<SecretString>,
) -> Result<ProviderChoice, CommandError> {
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
    if needs_key && key.is_none() {
        return Err(CommandError::Usage(format!("{name} needs a key: put it into a file and name it with --key-file")));
    }
    Ok(ProviderChoice { name, address, key })
}

/// A key from a file or from standard input: never from the command line, which others can list.
fn read_key(path: &Path) -> Result<SecretString, CommandError> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).context("failed to read standard input")?;
    } else {
        text = std::fs::read_to_string(path)
            .map_err(|error| CommandError::Usage(format!("--key-file: {}: {error}", path.display())))?;
    }
    check_key(text.into()).map_err(|wrong| CommandError::Usage(format!("--key-file: {}: {wrong}", path.display())))
}

/// A key is one word.
pub(super) fn check_key(key: SecretString) -> Result<SecretString, &'static str> {
    let key: SecretString = key.expose_secret().trim().into();
    match key.expose_secret() {
        "" => Err("it is empty"),
        text if text.chars().any(|char| char.is_whitespace() || char.is_control()) => Err("a key has no spaces in it"),
        _ => Ok(key),
    }
}

/// The models that the provider lists.
pub(super) async fn models(config: &Config, choice: &ProviderChoice) -> Result<Vec<String>, CommandError> {
    let busy = config.output.busy(format!("asking {} for its models", choice.name));
    let listed = model_probe::list(choice.provider(config.default_model(choice.name))).await;
    drop(busy);
    listed.map_err(|error| CommandError::Failed(error.into()))
}

/// Asks a model one word.
pub(super) async fn try_out(
    config: &Config,
    choice: &ProviderChoice,
    model: Option<&str>,
) -> Result<ProbeAnswer, CommandError> {
    let busy = config.output.busy(format!("trying {}", model.unwrap_or(choice.name)));
    let answered = model_probe::probe(choice.provider(config.default_model(choice.name)), model).await;
    drop(busy);
    let hint = "nothing was written; `--untested` writes it down without trying it";
    answered.map_err(|error| CommandError::Failed(anyhow::Error::from(error).context(hint)))
}

/// Writes the choice down, and says what it is and what overrides it.
pub(super) fn save(
    config: &Config,
    choice: Option<&ProviderChoice>,
    model: Option<&str>,
    answer: Option<&ProbeAnswer>,
) -> Result<(), CommandError> {
    let path = write_setup_file(config.data_dir(), choice, model)?;
    let name = match (choice, model) {
        (None, _) => "offline".to_owned(),
        (Some(choice), None) => choice.name.to_owned(),
        (Some(choice), Some(model)) => format!("{}/{model}", choice.name),
    };
    for (key, from) in overriding(config, choice, &path) {
        config.output.remark(&format!("`{key}` is also set by {from}, which takes precedence"));
    }
    let tried = answer.map(|answer| format!("{} answered after {} ms; ", answer.model, answer.took.as_millis()));
    let words =
        format!("{}{} now answers, from the next start on ({})", tried.unwrap_or_default(), name, path.display());
    let took = answer.map(|answer| u64::try_from(answer.took.as_millis()).unwrap_or(u64::MAX));
    config.output.done(&json!({ "model": name, "file": path, "answered_ms": took }), &words)
}

/// The settings that another layer sets, so that the choice has no effect on them.
fn overriding(config: &Config, choice: Option<&ProviderChoice>, path: &Path) -> Vec<(String, String)> {
    let own = path.display().to_string();
    let mut keys = vec!["model.name".to_owned()];
    if let Some(choice) = choice {
        keys.extend(["api_key", "base_url", "host", "model"].map(|key| format!("{}.{key}", choice.name)));
    }
    let set = config.shown.iter().filter(|setting| keys.contains(&setting.key) && config.given.contains(&setting.key));
    set.filter(|setting| setting.from != own).map(|setting| (setting.key.clone(), setting.from.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_word() {
        assert_eq!(check_key("  sk-1\n".into()).unwrap().expose_secret(), "sk-1");
        assert!(check_key(" \n".into()).is_err());
        assert!(check_key("two words".into()).is_err());
    }
}
