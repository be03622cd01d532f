//! The owners beside the first: their names and their tokens' digests, in a file of the data folder.

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
use server::{Known, Roster};

use super::token::{OWNER, private, write_private};
use crate::{config::Config, failure::Failure};

const FILE: &str = "owners.json";
const LOCK: &str = "owners.lock";

/// The file of owners.
pub(crate) struct Owners {
    folder: PathBuf,
}

/// What the file holds.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    owners: Vec<Listed>,
}

/// An owner as the file has them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listed {
    /// Who.
    pub(crate) name: OwnerId,
    /// All that is kept of their token.
    token_sha256: String,
    /// Since when.
    pub(crate) added_at: Timestamp,
    /// Since when their token is the one it is.
    pub(crate) token_since: Timestamp,
}

impl Owners {
    /// Those of the data folder.
    pub(crate) fn of(config: &Config) -> Self {
        Self { folder: config.data_dir().to_owned() }
    }

    /// The first owner, who is in no list.
    pub(crate) fn first() -> &'static str {
        OWNER
    }

    /// All but the first, by name.
    pub(crate) fn list(&self) -> anyhow::Result<Vec<Listed>> {
        let path = self.path();
        match fs::read_to_string(&path) {
            Ok(text) => read(&text).with_context(|| format!("{} is wrong", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error).with_context(|| format!("failed to read {}", path.display())),
        }
    }

    /// Adds one; gives their token, of which only the digest is kept.
    pub(crate) fn add(&self, name: &str) -> Result<SecretString, Failure> {
        let name: OwnerId = name.parse().map_err(|error| Failure::Usage(format!("`{name}` is no name: {error}")))?;
        if name.as_str().trim() != name.as_str() {
            return Err(Failure::Usage("a name neither begins nor ends with a space".to_owned()));
        }
        self.change(|list, now| {
            if name.as_str() == OWNER || list.iter().any(|listed| listed.name == name) {
                let hint = format!("there is an owner `{name}` already; `dwell owners renew` gives them a new token");
                return Err(Failure::Failed(anyhow::anyhow!(hint)));
            }
            let secret = Secret::draw().map_err(anyhow::Error::from)?;
            let token_sha256 = secret.digest().to_string();
            list.push(Listed { name: name.clone(), token_sha256, added_at: now, token_since: now });
            list.sort_by(|one, other| one.name.cmp(&other.name));
            Ok(secret.text())
        })
    }

    /// Gives one a new token in place of the old.
    pub(crate) fn renew(&self, name: &str) -> Result<SecretString, Failure> {
        self.change(|list, now| {
            let listed = list.iter_mut().find(|listed| listed.name.as_str() == name).ok_or_else(|| nobody(name))?;
            let secret = Secret::draw().map_err(anyhow::Error::from)?;
            listed.token_sha256 = secret.digest().to_string();
            listed.token_since = now;
            Ok(secret.text())
        })
    }

    /// Takes one's token away.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Failure> {
        self.change(|list, _| {
            let before = list.len();
            list.retain(|listed| listed.name.as_str() != name);
            if list.len() == before { Err(nobody(name)) } else { Ok(()) }
        })
    }

    /// Changes the list, one at a time, and writes it whole or not at all.
    fn change<T>(&self, change: impl FnOnce(&mut Vec<Listed>, Timestamp) -> Result<T, Failure>) -> Result<T, Failure> {
        create_private(&self.folder).with_context(|| format!("failed to make {}", self.folder.display()))?;
        let lock = self.folder.join(LOCK);
        let failed = || format!("failed to lock {}", lock.display());
        let mut options = fs::OpenOptions::new();
        let lock = private(options.write(true).create(true).truncate(false)).open(&lock).with_context(failed)?;
        lock.lock().with_context(failed)?;
        let mut owners = self.list()?;
        let outcome = change(&mut owners, SystemWorld::default().now())?;
        let text = serde_json::to_string_pretty(&Written { owners }).map_err(anyhow::Error::from)?;
        let path = self.path();
        write_private(&path, &text).with_context(|| format!("failed to write {}", path.display()))?;
        Ok(outcome)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }
}

fn read(text: &str) -> anyhow::Result<Vec<Listed>> {
    let written: Written = serde_json::from_str(text)?;
    for listed in &written.owners {
        let of = || format!("`token_sha256` of `{}`", listed.name);
        listed.token_sha256.parse::<SecretDigest>().with_context(of)?;
        // Else a token of the list would open what is the first owner's.
        anyhow::ensure!(listed.name.as_str() != OWNER, "`{OWNER}` is the first owner, whose token is not in the list");
    }
    Ok(written.owners)
}

fn nobody(name: &str) -> Failure {
    let hint = if name == OWNER {
        "is the first owner; their token is in the file `token` of the data folder: to change it, stop the server, \
         remove the file and start the server again"
    } else {
        "is no owner; `dwell owners list` shows them"
    };
    Failure::Failed(anyhow::anyhow!("`{name}` {hint}"))
}

#[cfg(unix)]
fn create_private(folder: &Path) -> std::io::Result<()> {
    std::os::unix::fs::DirBuilderExt::mode(fs::DirBuilder::new().recursive(true), 0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

/// The file as a running server sees it: it is read when it has changed.
pub(super) struct Watched {
    owners: Owners,
    /// None: it has not been looked at yet.
    seen: Option<Option<Stamp>>,
}

/// By what one version of a file is told from another. Each is a new file, so that two within one tick of the clock differ too.
#[derive(PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    number: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let file = fs::metadata(path).ok()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&file);
        #[cfg(not(unix))]
        let number = 0;
        Some(Self { modified: file.modified().ok(), bytes: file.len(), number })
    }
}

impl Watched {
    pub(super) fn new(owners: Owners) -> Self {
        Self { owners, seen: None }
    }
}

impl Roster for Watched {
    fn changed(&mut self) -> Option<Vec<Known>> {
        let stamp = Some(Stamp::of(&self.owners.path()));
        if self.seen == stamp {
            return None;
        }
        // Seen before it is read: what is written meanwhile is looked at again.
        self.seen = stamp;
        match self.owners.list() {
            Ok(list) => Some(list.into_iter().filter_map(known).collect()),
            Err(error) => {
                let error = format!("{error:#}");
                tracing::error!(error, "the list of owners cannot be read; until it can, none of them may come in");
                Some(Vec::new())
            }
        }
    }
}

fn known(listed: Listed) -> Option<Known> {
    // Reading the list has checked it.
    let digest = listed.token_sha256.parse().ok()?;
    Some(Known { owner: listed.name, digest })
}
