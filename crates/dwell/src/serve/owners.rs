//! The owners besides the first: their names and the digests of their tokens, in a file of the data
//! folder or in the database.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use anyhow::Context;
use engine::{SystemWorld, World};
use protocol::{OwnerId, Timestamp};
use secrecy::SecretString;
use secret::{Secret, SecretDigest};
use serde::{Deserialize, Serialize};
use server::{OwnerDigest, Roster};

use super::token::OWNER;
use crate::{
    command_error::CommandError,
    shared_files::{self, FileContents, OWNERS, SharedFiles, WatchedFiles},
};

/// The file of owners.
pub(crate) struct OwnersFile {
    files: Arc<dyn SharedFiles>,
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
    /// The owners file among the shared files.
    pub(crate) fn new(files: Arc<dyn SharedFiles>) -> Self {
        Self { files }
    }

    /// The first owner, who is not in the file.
    pub(crate) fn first() -> &'static str {
        OWNER
    }

    /// All but the first, by name.
    pub(crate) async fn list(&self) -> anyhow::Result<Vec<OwnerRecord>> {
        let file = self.files.read(OWNERS).await?;
        self.parse(file.as_ref())
    }

    fn parse(&self, file: Option<&FileContents>) -> anyhow::Result<Vec<OwnerRecord>> {
        let Some(file) = file else { return Ok(Vec::new()) };
        file.text().and_then(read).with_context(|| format!("{} is wrong", self.files.place(OWNERS)))
    }

    /// Adds an owner and returns their token, of which only the digest is stored.
    pub(crate) async fn add(&self, name: &str) -> Result<SecretString, CommandError> {
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
        .await
    }

    /// Replaces an owner's token.
    pub(crate) async fn renew(&self, name: &str) -> Result<SecretString, CommandError> {
        self.change(|list, now| {
            let listed =
                list.iter_mut().find(|listed| listed.name.as_str() == name).ok_or_else(|| unknown_owner(name))?;
            let secret = Secret::generate().map_err(anyhow::Error::from)?;
            listed.token_sha256 = secret.digest().to_string();
            listed.token_since = now;
            Ok(secret.text())
        })
        .await
    }

    /// Removes an owner.
    pub(crate) async fn remove(&self, name: &str) -> Result<(), CommandError> {
        self.change(|list, _| {
            let before = list.len();
            list.retain(|listed| listed.name.as_str() != name);
            if list.len() == before { Err(unknown_owner(name)) } else { Ok(()) }
        })
        .await
    }

    /// Changes the list, which other commands and nodes may do at the same time.
    async fn change<T>(
        &self,
        mut change: impl FnMut(&mut Vec<OwnerRecord>, Timestamp) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let now = SystemWorld::default().now();
        let changed = shared_files::change(&*self.files, OWNERS, |before| {
            let mut owners = self.parse(before)?;
            let outcome = change(&mut owners, now)?;
            let text = serde_json::to_string_pretty(&OwnersDocument { owners }).map_err(anyhow::Error::from)?;
            Ok::<_, CommandError>((text.into_bytes(), outcome))
        });
        changed.await
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
        "is the first owner; their token is in the file `token` of the data folder, or in the row `token` of \
         `dwell.shared_files` in the database: to change it, stop all servers, remove it and start them again"
    } else {
        "is not an owner; `dwell owners list` shows them"
    };
    CommandError::Failed(anyhow::anyhow!("`{name}` {hint}"))
}

/// The file of a data folder as a running server uses it: read again whenever it changes.
pub(super) struct FolderRoster {
    path: PathBuf,
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

impl FolderRoster {
    pub(super) fn new(folder: &Path) -> Self {
        Self { path: folder.join(OWNERS), seen: None }
    }

    fn read(&self) -> anyhow::Result<Vec<OwnerRecord>> {
        match fs::read_to_string(&self.path) {
            Ok(text) => read(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Roster for FolderRoster {
    fn changed(&mut self) -> Option<Vec<OwnerDigest>> {
        let stamp = Some(FileStamp::of(&self.path));
        if self.seen == stamp {
            return None;
        }
        // The stamp is taken before reading, so that a write in between is noticed next time.
        self.seen = stamp;
        Some(digests(self.read()))
    }
}

/// The list in the database as a running server uses it.
pub(super) struct DatabaseRoster {
    files: WatchedFiles,
    seen: Option<i64>,
}

impl DatabaseRoster {
    pub(super) fn new(files: WatchedFiles) -> Self {
        Self { files, seen: None }
    }
}

impl Roster for DatabaseRoster {
    fn changed(&mut self) -> Option<Vec<OwnerDigest>> {
        let file = self.files.newer(OWNERS, self.seen)?;
        self.seen = Some(file.version);
        Some(digests(file.text().and_then(read)))
    }
}

fn digests(list: anyhow::Result<Vec<OwnerRecord>>) -> Vec<OwnerDigest> {
    match list {
        Ok(list) => list.into_iter().filter_map(known).collect(),
        Err(error) => {
            let error = format!("{error:#}");
            tracing::error!(error, "the list of owners cannot be read; until it can, their tokens are refused");
            Vec::new()
        }
    }
}

fn known(listed: OwnerRecord) -> Option<OwnerDigest> {
    // The digest was checked when the list was read.
    let digest = listed.token_sha256.parse().ok()?;
    Some(OwnerDigest { owner: listed.name, digest, since: listed.added_at })
}
