//! The command `dwell setup`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct SetupArgs {
    /// The embedding model to download and use from the next start on (default: the one in use)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["sentences", "list"])]
    pub(crate) model: Option<String>,
    /// List the embedding models that can be chosen
    #[arg(long, conflicts_with_all = ["sentences", "to"])]
    pub(crate) list: bool,
    /// The folder for the download (default: in the data folder)
    #[arg(long, value_name = "DIR")]
    pub(crate) to: Option<PathBuf>,
    /// Download Home Assistant's sentences in all languages instead (1 MB)
    #[arg(long)]
    pub(crate) sentences: bool,
}
