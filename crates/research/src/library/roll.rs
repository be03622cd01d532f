//! The list of folders beside the library's file: the one thing in it that cannot be made again.

use std::{fs, io::Write, path::Path};

use serde::{Deserialize, Serialize};

use super::store::Folder;

const FILE: &str = "library.json";

#[derive(Serialize, Deserialize)]
struct Roll {
    folders: Vec<Folder>,
}

/// The folders that were written down; none if there are none, or if the list cannot be read.
pub(super) fn read(data: &Path) -> Vec<Folder> {
    let Ok(text) = fs::read(data.join(FILE)) else { return Vec::new() };
    match serde_json::from_slice::<Roll>(&text) {
        Ok(roll) => roll.folders,
        Err(error) => {
            tracing::warn!(%error, file = FILE, "the list of the library's folders cannot be read");
            Vec::new()
        }
    }
}

/// Writes the folders down, whole or not at all.
pub(super) fn write(data: &Path, folders: &[Folder]) {
    let folders = folders.to_vec();
    let written = serde_json::to_vec_pretty(&Roll { folders }).map_err(std::io::Error::from).and_then(|text| {
        let fresh = data.join(format!("{FILE}.new"));
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&fresh)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&fresh, data.join(FILE))
    });
    if let Err(error) = written {
        // The library's own file has them too.
        tracing::warn!(%error, file = FILE, "the list of the library's folders cannot be written");
    }
}
