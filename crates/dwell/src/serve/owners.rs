//! The owners besides the first: their names and the digests of their tokens, in a file of the data
//! folder.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::Context;
use engine::{SystemWorld, World};
use protocol::{OwnerId, Timestamp};
use secrecy::SecretString;
use secret::{Secret, SecretDigest};
use serde::{Deserialize, Serialize};
use server::{OwnerDigest, Roster};

use super::token::{OWNER, private, write_private};
use crate::{command_error::CommandError, config::Config};

const FILE: &str = "owners.json";
const LOCK: &str = "owners.lock";

/// The file of owners.
pub(crate) struct OwnersFile {
    folder: PathBuf,
}

/// What the file holds.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnersDocument {
    owners: Vec<OwnerRecord>,
}

/// An owner in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnerRecord {
    /// The owner's name.
    pub(crate) name: OwnerId,
    /// The digest of their token; the token itself is not stored.
    token_sha256: String,
    /// When they were added.
    pub(crate) added_at: Timestamp,
    /// When their current token was created.
    pub(crate) token_since: Timestamp,
}

impl OwnersFile {
    /// The owners file of the data folder.
    pub(crate) fn of(config: &Config) -> Self {
        Self { folder: config.data_dir().to_owned() }
    }

    /// The first owner, who is not in the file.
    pub(crate) fn first() -> &'static str {
        OWNER
    }

    /// All but the first, by name.
    pub(crate) fn list(&self) -> anyhow::Result<Vec<OwnerRecord>> {
        let path = self.path();
        match fs::read_to_string(&path) {
            Ok(text) => read(&text).with_context(|| format!("{} is wrong", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error).with_context(|| format!("failed to read {}", path.display())),
        }
    }

    /// Adds an owner and returns their token, of which only the digest is stored.
    pub(crate) fn add(&self, name: &str) -> Result<SecretString, CommandError> {
        let name: OwnerId =
            name.parse().map_err(|error| CommandError::Usage(format!("`{name}` is not a valid name: {error}")))?;
        if name.as_str().trim() != name.as_str() {
            return Err(CommandError::Usage("a name must not begin or end with a space".to_owned()));
        }
        self.change(|list, now| {
            if name.as_str() == OWNER || list.iter().any(|listed| listed.name == name) {
                let hint = format!("the owner `{name}` already exists; `dwell owners renew` gives them a new token");
                return Err(CommandError::Failed(anyhow::anyhow!(hint)));
            }
            let secret = Secret::generate().map_err(anyhow::Error::from)?;
            let token_sha256 = secret.digest().to_string();
            list.push(OwnerRecord { name: name.clone(), token_sha256, added_at: now, token_since: now });
            list.sort_by(|one, other| one.name.cmp(&other.name));
            Ok(secret.text())
        })
    }

    /// Replaces an owner's token.
    pub(crate) fn renew(&self, name: &str) -> Result<SecretString, CommandError> {
        self.change(|list, now| {
            let listed =
                list.iter_mut().find(|listed| listed.name.as_str() == name).ok_or_else(|| unknown_owner(name))?;
            let secret = Secret::generate().map_err(anyhow::Error::from)?;
            listed.token_sha256 = secret.digest().to_string();
            listed.token_since = now;
            Ok(secret.text())
        })
    }

    /// Removes an owner.
    pub(crate) fn remove(&self, name: &str) -> Result<(), CommandError> {
        self.change(|list, _| {
            let before = list.len();
            list.retain(|listed| listed.name.as_str() != name);
            if list.len() == before { Err(unknown_owner(name)) } else { Ok(()) }
        })
    }

    /// Changes the list under a lock, and writes it atomically.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<OwnerRecord>, Timestamp) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        create_private(&self.folder).with_context(|| format!("failed to create {}", self.folder.display()))?;
        let lock = self.folder.join(LOCK);
        let failed = || format!("failed to lock {}", lock.display());
        let mut options = fs::OpenOptions::new();
        let lock = private(options.write(true).create(true).truncate(false)).open(&lock).with_context(failed)?;
        lock.lock().with_context(failed)?;
        let mut owners = self.list()?;
        let outcome = change(&mut owners, SystemWorld::default().now())?;
        let text = serde_json::to_string_pretty(&OwnersDocument { owners }).map_err(anyhow::Error::from)?;
        let path = self.path();
        write_private(&path, &text).with_context(|| format!("failed to write {}", path.display()))?;
        Ok(outcome)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }
}

fn read(text: &str) -> anyhow::Result<Vec<OwnerRecord>> {
    let written: OwnersDocument = serde_json::from_str(text)?;
    for listed in &written.owners {
        let of = || format!("`token_sha256` of `{}`", listed.name);
        listed.token_sha256.parse::<SecretDigest>().with_context(of)?;
        // Otherwise a token of the list would give access to the first owner's data.
        anyhow::ensure!(listed.name.as_str() != OWNER, "`{OWNER}` is the first owner, whose token is not in the list");
    }
    Ok(written.owners)
}

fn unknown_owner(name: &str) -> CommandError {
    let hint = if name == OWNER {
        "is the first owner; their token is in the file `token` of the data folder: to change it, stop the server, \
         remove the file and start the server again"
    } else {
        "is not an owner; `dwell owners list` shows them"
    };
    CommandError::Failed(anyhow::anyhow!("`{name}` {hint}"))
}

#[cfg(unix)]
fn create_private(folder: &Path) -> std::io::Result<()> {
    std::os::unix::fs::DirBuilderExt::mode(fs::DirBuilder::new().recursive(true), 0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

/// The file as a running server uses it: read again whenever it changes.
pub(super) struct OwnersWatcher {
    owners: OwnersFile,
    /// `None`: not read yet.
    seen: Option<Option<FileStamp>>,
}

/// Identifies a version of a file. Every write creates a new file, so two versions within one clock
/// tick differ in their inode number.
#[derive(PartialEq, Eq)]
struct FileStamp {
    modified: Option<SystemTime>,
    bytes: u64,
    number: u64,
}

impl FileStamp {
    fn of(path: &Path) -> Option<Self> {
        let file = fs::metadata(path).ok()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&file);
        #[cfg(not(unix))]
        let number = 0;
        Some(Self { modified: file.modified().ok(), bytes: file.len(), number })
    }
}

impl OwnersWatcher {
    pub(super) fn new(owners: OwnersFile) -> Self {
        Self { owners, seen: None }
    }
}

impl Roster for OwnersWatcher {
    fn changed(&mut self) -> Option<Vec<OwnerDigest>> {
        let stamp = Some(FileStamp::of(&self.owners.path()));
        if self.seen == stamp {
            return None;
        }
        // The stamp is taken before reading, so that a write in between is noticed next time.
        self.seen = stamp;
        match self.owners.list() {
            Ok(list) => Some(list.into_iter().filter_map(known).collect()),
            Err(error) => {
                let error = format!("{error:#}");
                tracing::error!(error, "the list of owners cannot be read; until it can, their tokens are refused");
                Some(Vec::new())
            }
        }
    }
}

fn known(listed: OwnerRecord) -> Option<OwnerDigest> {
    // The digest was checked when the list was read.
    let digest = listed.token_sha256.parse().ok()?;
    Some(OwnerDigest { owner: listed.name, digest, since: listed.added_at })
}
