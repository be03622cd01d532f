//! Why a simulated home cannot be opened.

use std::path::PathBuf;

/// Why a simulated home cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimulatedHomeError {
    /// Its folder cannot be used.
    #[error("the simulated home cannot be stored in {path}: {why}")]
    Folder {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: String,
    },
    /// It was written by a newer version of Dwell.
    #[error(
        "{path} has version {version}, which this program does not support; use a newer program, or move the file away"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// There is no such time zone.
    #[error("`{0}` is not a time zone; use one such as `Europe/Berlin`")]
    BadTimeZone(String),
    /// Its description does not hold together.
    #[error("the description of the simulated home is wrong, which is a bug: {0}")]
    BadDescription(String),
}
