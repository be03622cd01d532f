//! Files that only their user can read.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

/// Atomically writes a file that only its user can read.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    let mut file = private(fs::OpenOptions::new().write(true).create(true).truncate(true)).open(&unfinished)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    fs::rename(unfinished, path)
}

/// Adds the mode with which a created file is readable by its user only.
pub(crate) fn private(options: &mut fs::OpenOptions) -> &mut fs::OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Creates a folder that only its user can enter, if there is none.
#[cfg(unix)]
pub(crate) fn create_private(folder: &Path) -> io::Result<()> {
    std::os::unix::fs::DirBuilderExt::mode(fs::DirBuilder::new().recursive(true), 0o700).create(folder)
}

/// Creates a folder, if there is none.
#[cfg(not(unix))]
pub(crate) fn create_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}
