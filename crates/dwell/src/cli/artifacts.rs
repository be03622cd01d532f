//! The commands about artifacts.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Artifacts {
    /// List artifacts, newest first
    List {
        /// Only those of this session, by its id or its name
        #[arg(long, value_name = "SESSION")]
        session: Option<String>,
        /// How many at most
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Write an artifact to a file
    Get {
        /// The artifact's id
        id: String,
        /// The file to write, or `-` for standard output (default: its own name, in this folder)
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
        /// Write over a file that is there already
        #[arg(long)]
        force: bool,
    },
    /// Take an artifact away
    Remove {
        /// The artifact's id
        id: String,
    },
}
