//! The address of the running server: a file in the data folder, by which the other commands find
//! it.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context;

use super::token::private;

const FILE: &str = "address";

/// The file that announces a running server; it is removed when the server stops.
pub(crate) struct AddressFile {
    path: PathBuf,
}

impl AddressFile {
    pub(crate) fn announce(folder: &Path, url: &str) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        // A file that a crash left behind may be readable by others.
        let _ = fs::remove_file(&path);
        let opened = private(fs::OpenOptions::new().write(true).create(true).truncate(true)).open(&path);
        opened
            .and_then(|mut file| file.write_all(url.as_bytes()))
            .with_context(|| format!("failed to write {}", path.display()))?;
        Ok(Self { path })
    }

    /// The address of this data folder's server, if one has announced itself.
    pub(crate) fn find(folder: &Path) -> Option<String> {
        fs::read_to_string(folder.join(FILE)).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

impl Drop for AddressFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the address file was gone already");
        }
    }
}
