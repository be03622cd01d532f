//! Where the running server is: a file in the data folder, by which the other commands find it.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context;

use super::token::private;

const FILE: &str = "address";

/// The announcement of a running server; it goes away with the server.
pub(crate) struct Address {
    path: PathBuf,
}

impl Address {
    pub(crate) fn announce(folder: &Path, url: &str) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        // One that a crash left behind may be readable by others.
        let _ = fs::remove_file(&path);
        let opened = private(fs::OpenOptions::new().write(true).create(true).truncate(true)).open(&path);
        opened
            .and_then(|mut file| file.write_all(url.as_bytes()))
            .with_context(|| format!("failed to write {}", path.display()))?;
        Ok(Self { path })
    }

    /// Where the server of this data folder is, if one has announced itself.
    pub(crate) fn find(folder: &Path) -> Option<String> {
        fs::read_to_string(folder.join(FILE)).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

impl Drop for Address {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the address file was gone already");
        }
    }
}
