//! Arguments of `dwell library`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum LibraryCommand {
    /// Add a folder; its Markdown, text, HTML and PDF files are indexed now and whenever they
    /// change
    Add {
        /// The folder, on the server's machine
        folder: PathBuf,
        /// Share it with all owners
        #[arg(long)]
        shared: bool,
    },
    /// List the folders with their documents and read errors
    List,
    /// Remove a folder from the library; its files stay
    Remove {
        /// The folder, or its id
        #[arg(value_name = "FOLDER|ID")]
        folder: String,
    },
    /// Search the documents
    Search {
        /// The text to search for
        #[arg(required = true)]
        query: Vec<String>,
        /// The maximum number of passages
        #[arg(long, value_name = "N", default_value_t = 10)]
        limit: u32,
    },
    /// Scan all folders now, and retry files that could not be read
    Rescan,
}
