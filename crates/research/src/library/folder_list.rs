//! The list of folders, stored beside the library's file: the only data that cannot be rebuilt.

use std::{fs, io::Write, path::Path};

use serde::{Deserialize, Serialize};

use super::store::LibraryFolder;

const FILE: &str = "library.json";

#[derive(Serialize, Deserialize)]
struct FolderList {
    folders: Vec<LibraryFolder>,
}

/// The stored folders; empty if there is no list or it cannot be read.
pub(super) fn read(data: &Path) -> Vec<LibraryFolder> {
    let Ok(text) = fs::read(data.join(FILE)) else { return Vec::new() };
    match serde_json::from_slice::<FolderList>(&text) {
        Ok(folder_list) => folder_list.folders,
        Err(error) => {
            tracing::warn!(%error, file = FILE, "the list of the library's folders cannot be read");
            Vec::new()
        }
    }
}

/// Writes the list atomically.
pub(super) fn write(data: &Path, folders: &[LibraryFolder]) {
    let folders = folders.to_vec();
    let written = serde_json::to_vec_pretty(&FolderList { folders }).map_err(std::io::Error::from).and_then(|text| {
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
