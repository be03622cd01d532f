//! The scoped tokens of all owners, in a file of the data folder or in the database. It holds
//! digests, never tokens.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use anyhow::Context;
use protocol::Problem;
use serde::{Deserialize, Serialize};
use server::{TokenChange, TokenFile, TokenRecord};
use tokio::runtime::Handle;

use crate::{
    private_file::write_private,
    shared_files::{FileContents, TOKENS, WatchedFiles},
};

/// How often a change is tried again because another node was faster.
const CHANGES_MAX: u32 = 100;

/// What the file holds.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokensDocument {
    tokens: Vec<TokenRecord>,
}

impl TokensDocument {
    fn read(bytes: &[u8]) -> io::Result<Vec<TokenRecord>> {
        Ok(serde_json::from_slice::<Self>(bytes)?.tokens)
    }

    fn text(list: &[TokenRecord]) -> io::Result<String> {
        Ok(serde_json::to_string_pretty(&Self { tokens: list.to_vec() })?)
    }
}

/// The file of the data folder, which only this server writes.
struct FolderTokens {
    path: PathBuf,
}

/// The file of scoped tokens in a data folder. It has to be readable if it exists: with a list that
/// is not known, a revoked token could not be told from a valid one.
pub(super) fn in_folder(folder: &Path) -> anyhow::Result<Box<dyn TokenFile>> {
    let file = FolderTokens { path: folder.join(TOKENS) };
    let place = file.path.display();
    file.load().with_context(|| {
        format!("failed to read {place}; repair it from a backup, or remove it, which ends all scoped tokens")
    })?;
    Ok(Box::new(file))
}

impl TokenFile for FolderTokens {
    fn load(&self) -> io::Result<Vec<TokenRecord>> {
        match fs::read(&self.path) {
            Ok(bytes) => TokensDocument::read(&bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn changed(&self) -> Option<Vec<TokenRecord>> {
        None
    }

    fn change(&self, change: &mut TokenChange<'_>) -> io::Result<Result<Vec<TokenRecord>, Problem>> {
        let mut list = self.load()?;
        if let Err(problem) = change(&mut list) {
            return Ok(Err(problem));
        }
        write_private(&self.path, &TokensDocument::text(&list)?)?;
        Ok(Ok(list))
    }
}

/// The list in the database, which every node may write.
struct DatabaseTokens {
    files: WatchedFiles,
    /// The version that the server has read.
    seen: Mutex<Option<i64>>,
    runtime: Handle,
}

/// The list of scoped tokens that all nodes share.
pub(super) fn in_database(files: WatchedFiles) -> anyhow::Result<Box<dyn TokenFile>> {
    let file = DatabaseTokens { files, seen: Mutex::default(), runtime: Handle::current() };
    file.load().with_context(|| {
        format!("failed to read `{TOKENS}` in the database; remove the row, which ends all scoped tokens")
    })?;
    Ok(Box::new(file))
}

impl DatabaseTokens {
    fn seen(&self) -> MutexGuard<'_, Option<i64>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(file: Option<&FileContents>) -> io::Result<Vec<TokenRecord>> {
    file.map_or_else(|| Ok(Vec::new()), |file| TokensDocument::read(&file.bytes))
}

impl TokenFile for DatabaseTokens {
    fn load(&self) -> io::Result<Vec<TokenRecord>> {
        let file = self.files.get(TOKENS);
        *self.seen() = file.as_ref().map(|file| file.version);
        read(file.as_ref())
    }

    fn changed(&self) -> Option<Vec<TokenRecord>> {
        let mut seen = self.seen();
        let file = self.files.newer(TOKENS, *seen)?;
        *seen = Some(file.version);
        Some(read(Some(&file)).unwrap_or_else(|error| {
            tracing::error!(%error, "the list of tokens cannot be read; until it can, scoped tokens are refused");
            Vec::new()
        }))
    }

    fn change(&self, change: &mut TokenChange<'_>) -> io::Result<Result<Vec<TokenRecord>, Problem>> {
        // Another node may have made the token that is to be revoked a moment ago.
        self.runtime.block_on(self.files.look()).map_err(io::Error::other)?;
        for _ in 0..CHANGES_MAX {
            let file = self.files.get(TOKENS);
            let mut list = read(file.as_ref())?;
            if let Err(problem) = change(&mut list) {
                return Ok(Err(problem));
            }
            let (text, version) = (TokensDocument::text(&list)?, file.map(|file| file.version));
            let written = self.runtime.block_on(self.files.write(TOKENS, version, text.as_bytes()));
            if written.map_err(io::Error::other)? {
                return Ok(Ok(list));
            }
        }
        Err(io::Error::other("other nodes change the list all the time"))
    }
}
