//! The owner's token, and the keys that a server makes for itself: created at the first start, and
//! stored where only its user or its database can read them.

use anyhow::Context;
use protocol::OwnerId;
use secrecy::{ExposeSecret, SecretString};
use secret::Secret;

use super::store::shared_files;
use crate::{
    command_error::CommandError,
    config::Config,
    shared_files::{OLLAMA_KEY, SEAL_KEY, SharedFiles, TOKEN},
};

/// The first owner; others can be [added](super::owners).
pub(super) const OWNER: &str = "owner";

/// The owner's token.
pub(crate) struct OwnerToken {
    pub(crate) secret: SecretString,
    /// Whether it was just created and has to be shown.
    pub(crate) is_new: bool,
}

impl OwnerToken {
    /// The configured token, or the stored one, which is created if missing.
    pub(super) async fn load_or_create(config: &Config, files: &dyn SharedFiles) -> anyhow::Result<Self> {
        if let Some(secret) = configured(config) {
            return Ok(Self { secret, is_new: false });
        }
        let (secret, is_new) = load_or_make(files, TOKEN).await?;
        Ok(Self { secret, is_new })
    }

    /// The configured token, or the stored one, if there is any.
    pub(crate) async fn load(config: &Config) -> anyhow::Result<Option<SecretString>> {
        match configured(config) {
            Some(secret) => Ok(Some(secret)),
            None => read(&*shared_files(config).await?, TOKEN).await,
        }
    }

    /// The error of a command that needs the token.
    pub(crate) fn missing(config: &Config) -> CommandError {
        let place = match config.store.database() {
            Ok(Some(_)) => "the database".to_owned(),
            _ => config.data_dir().join(TOKEN).display().to_string(),
        };
        CommandError::Refused(format!("there is no token in {place}; set DWELL_TOKEN"))
    }

    pub(crate) fn owner(&self) -> anyhow::Result<OwnerId> {
        Ok(OWNER.parse()?)
    }
}

fn configured(config: &Config) -> Option<SecretString> {
    config.server.token.is_set().then(|| config.server.token.expose_secret().trim().into())
}

/// The key of the Ollama API, which is created if missing. It is separate from the token, since it
/// is part of URLs, which programs log.
pub(super) async fn ollama_key(files: &dyn SharedFiles) -> anyhow::Result<SecretString> {
    Ok(load_or_make(files, OLLAMA_KEY).await?.0)
}

/// The key that seals the state that MCP clients keep, which is created if missing. It is stored,
/// so that a question from before a restart can be answered after it, or by another node.
pub(super) async fn seal_key(files: &dyn SharedFiles) -> anyhow::Result<SecretString> {
    Ok(load_or_make(files, SEAL_KEY).await?.0)
}

/// The key of the Ollama API, if it exists.
pub(crate) async fn find_ollama_key(config: &Config) -> anyhow::Result<Option<SecretString>> {
    read(&*shared_files(config).await?, OLLAMA_KEY).await
}

async fn read(files: &dyn SharedFiles, name: &str) -> anyhow::Result<Option<SecretString>> {
    let Some(file) = files.read(name).await? else { return Ok(None) };
    let text = file.text().with_context(|| format!("failed to read {}", files.place(name)))?.trim();
    anyhow::ensure!(!text.is_empty(), "{} is empty; remove it to get a new one", files.place(name));
    Ok(Some(text.into()))
}

/// The secret, and whether it is new. Of nodes that start together one makes it.
async fn load_or_make(files: &dyn SharedFiles, name: &str) -> anyhow::Result<(SecretString, bool)> {
    if let Some(secret) = read(files, name).await? {
        return Ok((secret, false));
    }
    let secret = Secret::generate()?.text();
    if files.write(name, None, secret.expose_secret().as_bytes()).await? {
        return Ok((secret, true));
    }
    let theirs = read(files, name).await?;
    Ok((theirs.with_context(|| format!("{} was removed while it was read", files.place(name)))?, false))
}
