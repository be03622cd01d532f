//! The owner's token, and the key of the Ollama API: created at the first start, stored in the data
//! folder where only its user can read them.

use std::{fs, io::Write as _, path::Path};

use anyhow::Context;
use protocol::OwnerId;
use secrecy::{ExposeSecret, SecretString};
use secret::Secret;

use crate::config::Config;

const FILE: &str = "token";
const OLLAMA_FILE: &str = "ollama-key";
const SEAL_FILE: &str = "seal-key";
/// The first owner; others can be [added](super::owners).
pub(super) const OWNER: &str = "owner";

/// The owner's token.
pub(crate) struct OwnerToken {
    pub(crate) secret: SecretString,
    /// Whether it was just created and has to be shown.
    pub(crate) is_new: bool,
}

impl OwnerToken {
    /// The configured token, or the one of the data folder, which is created if missing.
    pub(crate) fn load_or_create(config: &Config) -> anyhow::Result<Self> {
        if let Some(secret) = Self::load(config)? {
            return Ok(Self { secret, is_new: false });
        }
        Ok(Self { secret: make(&config.data_dir().join(FILE))?, is_new: true })
    }

    /// The configured token, or the one of the data folder, if there is any.
    pub(crate) fn load(config: &Config) -> anyhow::Result<Option<SecretString>> {
        if config.server.token.is_set() {
            return Ok(Some(config.server.token.expose_secret().trim().into()));
        }
        read(&config.data_dir().join(FILE))
    }

    pub(crate) fn owner(&self) -> anyhow::Result<OwnerId> {
        Ok(OWNER.parse()?)
    }
}

/// The key of the Ollama API, which is created if missing. It is separate from the token, since it
/// is part of URLs, which programs log.
pub(super) fn ollama_key(config: &Config) -> anyhow::Result<SecretString> {
    let path = config.data_dir().join(OLLAMA_FILE);
    read(&path)?.map_or_else(|| make(&path), Ok)
}

/// The key that seals the state that MCP clients keep, which is created if missing. It is stored,
/// so that a question from before a restart can be answered after it.
pub(super) fn seal_key(config: &Config) -> anyhow::Result<SecretString> {
    let path = config.data_dir().join(SEAL_FILE);
    read(&path)?.map_or_else(|| make(&path), Ok)
}

/// The key of the Ollama API, if it exists.
pub(crate) fn find_ollama_key(config: &Config) -> anyhow::Result<Option<SecretString>> {
    read(&config.data_dir().join(OLLAMA_FILE))
}

fn read(path: &Path) -> anyhow::Result<Option<SecretString>> {
    match fs::read_to_string(path) {
        Ok(text) if text.trim().is_empty() => {
            anyhow::bail!("{} is empty; remove it to get a new one", path.display())
        }
        Ok(text) => Ok(Some(text.trim().into())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("failed to read {}", path.display())),
    }
}

fn make(path: &Path) -> anyhow::Result<SecretString> {
    let secret = Secret::generate()?.text();
    write_private(path, secret.expose_secret()).with_context(|| format!("failed to write {}", path.display()))?;
    Ok(secret)
}

/// Atomically writes a file that only its user can read.
pub(crate) fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let unfinished = path.with_extension("new");
    let mut file = private(fs::OpenOptions::new().write(true).create(true).truncate(true)).open(&unfinished)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    fs::rename(unfinished, path)
}

/// Adds the mode with which a created file is readable by its user only.
pub(super) fn private(options: &mut fs::OpenOptions) -> &mut fs::OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
