//! The commands about backups.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The folder that the backup goes into, under a name with the time in it
    #[arg(value_name = "TARGET", required_unless_present = "verify")]
    pub(crate) into: Option<PathBuf>,
    /// Leave out tokens, keys and configuration; whoever restores it makes new ones
    #[arg(long)]
    pub(crate) without_secrets: bool,
    /// Check a backup instead of making one
    #[arg(long, value_name = "BACKUP", conflicts_with_all = ["into", "without_secrets"])]
    pub(crate) verify: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The backup: the folder that `dwell backup` has made
    #[arg(value_name = "BACKUP")]
    pub(crate) from: PathBuf,
    /// Move what is in the data folder aside; nothing of it is removed
    #[arg(long)]
    pub(crate) replace: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
