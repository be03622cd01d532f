//! The scoped tokens of all owners, in a file of the data folder. It holds digests, never tokens.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use server::{TokenFile, TokenRecord};

use super::token::write_private;

const FILE: &str = "tokens.json";

/// The file of scoped tokens.
pub(super) struct TokensFile {
    path: PathBuf,
}

/// What the file holds.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokensDocument {
    tokens: Vec<TokenRecord>,
}

impl TokensFile {
    /// The file in a data folder. It has to be readable if it exists: with a list that is not
    /// known, a revoked token could not be told from a valid one.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Self> {
        let file = Self { path: folder.join(FILE) };
        let place = file.path.display();
        file.load().with_context(|| {
            format!("failed to read {place}; repair it from a backup, or remove it, which ends all scoped tokens")
        })?;
        Ok(file)
    }
}

impl TokenFile for TokensFile {
    fn load(&self) -> io::Result<Vec<TokenRecord>> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(serde_json::from_str::<TokensDocument>(&text)?.tokens),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn save(&self, list: &[TokenRecord]) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&TokensDocument { tokens: list.to_vec() })?;
        write_private(&self.path, &text)
    }
}
