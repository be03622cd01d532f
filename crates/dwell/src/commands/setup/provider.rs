//! Choosing a provider: tried with a real call, then written where `dwell serve` reads it.

use std::{io::Read as _, path::Path};

use anyhow::Context;
use secrecy::SecretString;
use serde_json::json;

use crate::{
    cli::{ProviderArg, SetupArgs},
    command_error::CommandError,
    commands::model_probe::{self, ProbeAnswer},
    config::{Config, KeyNeeded, ProviderChoice, SetupFile, check_key},
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
    ProviderChoice::new(config, name, address, key).map_err(|KeyNeeded| {
        CommandError::Usage(format!("{name} needs a key: put it into a file and name it with --key-file"))
    })
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
    check_key(&text.into()).map_err(|wrong| CommandError::Usage(format!("--key-file: {}: {wrong}", path.display())))
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
    let name = match (choice, model) {
        (None, _) => "offline".to_owned(),
        (Some(choice), None) => choice.name.to_owned(),
        (Some(choice), Some(model)) => format!("{}/{model}", choice.name),
    };
    let mut file = SetupFile::read(config.data_dir())?;
    match choice {
        Some(choice) => file.set_provider(choice, model),
        // Without a language model nothing else is of use.
        None => file.clear(),
    }
    file.set_default(&name);
    file.write()?;
    let path = file.path();
    for (key, from) in file.overridden(config) {
        config.output.remark(&format!("`{key}` is also set by {from}, which takes precedence"));
    }
    let tried = answer.map(|answer| format!("{} answered after {} ms; ", answer.model, answer.took.as_millis()));
    let words =
        format!("{}{} now answers, from the next start on ({})", tried.unwrap_or_default(), name, path.display());
    let took = answer.map(|answer| u64::try_from(answer.took.as_millis()).unwrap_or(u64::MAX));
    config.output.done(&json!({ "model": name, "file": path, "answered_ms": took }), &words)
}
