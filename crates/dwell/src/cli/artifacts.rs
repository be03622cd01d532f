//! The commands about artifacts.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ArtifactsCommand {
    /// List artifacts, newest first
    List {
        /// Only artifacts of this session (id or name)
        #[arg(long, value_name = "SESSION")]
        session: Option<String>,
        /// The maximum number of artifacts
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Write an artifact to a file
    Get {
        /// The artifact: its id or its name
        #[arg(value_name = "ID|NAME")]
        artifact: String,
        /// The file to write, or `-` for standard output (default: its own name in the current
        /// folder)
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
    /// Remove an artifact
    Remove {
        /// The artifact: its id or its name
        #[arg(value_name = "ID|NAME")]
        artifact: String,
    },
}
