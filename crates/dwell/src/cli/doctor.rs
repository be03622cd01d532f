//! Arguments of `dwell doctor`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Do not ask anything beyond this machine: no providers, no home, no speech services
    #[arg(long)]
    pub(crate) offline: bool,
}
