//! Arguments of `dwell alerts`.

use clap::{Args, Subcommand};

/// `dwell alerts`: without a command it lists them.
#[derive(Debug, Args)]
pub(crate) struct AlertsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<AlertsCommand>,
    /// Print alerts as they are raised, until Ctrl-C
    #[arg(long, conflicts_with = "limit")]
    pub(crate) follow: bool,
    /// The maximum number of alerts
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AlertsCommand {
    /// Mark an alert as seen
    Seen {
        /// The alert's id
        id: String,
    },
}
