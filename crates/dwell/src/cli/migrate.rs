//! The command that moves a journal from one store into another.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Copy the data folder into this PostgreSQL database, which has to be empty; `env`: the
    /// address is in `DATABASE_URL`
    #[arg(long, value_name = "URL", required_unless_present = "from", conflicts_with = "from")]
    pub(crate) to: Option<String>,
    /// Copy this PostgreSQL database into the data folder, which must not have a journal; `env`:
    /// the address is in `DATABASE_URL`
    #[arg(long, value_name = "URL")]
    pub(crate) from: Option<String>,
    /// Remove what an interrupted migration has copied, and begin anew
    #[arg(long)]
    pub(crate) restart: bool,
}
