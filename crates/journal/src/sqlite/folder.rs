//! The lock of the data folder: one process at a time.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{Read, Write},
    path::Path,
};

use crate::Error;

/// The file whose lock shows that a process uses the folder.
pub const LOCK_FILE: &str = "dwell.lock";

/// Holds the data folder for this process until it is dropped. The lock also ends with the process.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Creates the folder if needed and locks it.
    pub fn take(folder: &Path) -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::Storage {
            action: "open the data folder",
            cause: format!("{}: {error}", folder.display()),
        };
        create_private(folder).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.create(true).read(true).write(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(folder.join(LOCK_FILE)).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The holder's id is only informative; the lock decides.
                let _ = file.read_to_string(&mut holder);
                return Err(Error::Locked { path: folder.to_owned(), holder: holder.trim().to_owned() });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0).map_err(failed)?;
        writeln!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

/// Only the user may read the folder.
#[cfg(unix)]
fn create_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}
