//! The commands about backups.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The folder in which to create the backup; its name contains the time
    #[arg(value_name = "TARGET", required_unless_present = "verify")]
    pub(crate) into: Option<PathBuf>,
    /// Leave out tokens, keys and configuration; a restored server creates new ones
    #[arg(long)]
    pub(crate) without_secrets: bool,
    /// Check a backup instead of making one
    #[arg(long, value_name = "BACKUP", conflicts_with_all = ["into", "without_secrets"])]
    pub(crate) verify: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The backup's folder, as made by `dwell backup`
    #[arg(value_name = "BACKUP")]
    pub(crate) from: PathBuf,
    /// Move existing files of the data folder aside; nothing is deleted
    #[arg(long)]
    pub(crate) replace: bool,
}
