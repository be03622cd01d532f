//! The model's files and their checksums.

use std::{fs::File, io, path::Path};

use sha2::{Digest, Sha256};

/// The model's name, and the name of its folder among the models of a data folder.
pub const NAME: &str = "all-minilm-l6-v2";
/// The weights.
pub const WEIGHTS: &str = "model.safetensors";
/// The vocabulary.
pub const VOCABULARY: &str = "vocab.txt";

/// The files of the model as published.
pub const FILES: [ExpectedFile<'static>; 2] = [
    ExpectedFile { name: VOCABULARY, sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3" },
    ExpectedFile { name: WEIGHTS, sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db" },
];

/// A file and its expected content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedFile<'a> {
    /// Name of the file in the folder.
    pub name: &'a str,
    /// SHA-256 of the content, in lowercase hexadecimal.
    pub sha256: &'a str,
}

/// What is wrong with a folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file does not exist.
    #[error("{0} is missing")]
    Missing(String),
    /// A file has other content.
    #[error("{0} is damaged or not the expected file: its SHA-256 is {1}")]
    Damaged(String, String),
    /// A file cannot be read.
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, #[source] io::Error),
}

/// Checks the content of all files that a folder should have.
pub fn check(folder: &Path, files: &[ExpectedFile<'_>]) -> Result<(), FolderError> {
    for file in files {
        let path = folder.join(file.name);
        let shown = || path.display().to_string();
        let sha256 = sha256(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => FolderError::Missing(shown()),
            _ => FolderError::Unreadable(shown(), error),
        })?;
        if sha256 != file.sha256 {
            return Err(FolderError::Damaged(shown(), sha256));
        }
    }
    Ok(())
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match io::Read::read(&mut file, &mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_right_only_to_the_last_byte() {
        let folder = tempfile::tempdir().unwrap();
        let wanted =
            ExpectedFile { name: "a", sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" };
        assert!(matches!(check(folder.path(), &[wanted]), Err(FolderError::Missing(_))));
        std::fs::write(folder.path().join("a"), "abd").unwrap();
        assert!(matches!(check(folder.path(), &[wanted]), Err(FolderError::Damaged(..))));
        std::fs::write(folder.path().join("a"), "abc").unwrap();
        check(folder.path(), &[wanted]).unwrap();
    }
}
