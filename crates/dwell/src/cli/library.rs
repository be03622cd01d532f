//! `dwell library`, as it is asked for.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Library {
    /// Add a folder: markdown, text, HTML and PDF in it are read now, and again whenever they change
    Add {
        /// The folder, on the server's machine
        folder: PathBuf,
        /// Let every owner look into it
        #[arg(long)]
        shared: bool,
    },
    /// List the folders, what was read in them, and what could not be
    List,
    /// Give a folder up; its files stay where they are
    Remove {
        /// The folder, or its id
        #[arg(value_name = "FOLDER|ID")]
        folder: String,
    },
    /// Look for something, in plain words
    Search {
        /// What to look for
        #[arg(required = true)]
        query: Vec<String>,
        /// How many passages at most
        #[arg(long, value_name = "N", default_value_t = 10)]
        limit: u32,
    },
    /// Look through all folders now; what could not be read is tried again
    Rescan,
}
