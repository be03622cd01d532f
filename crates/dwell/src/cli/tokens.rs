//! The arguments of `dwell tokens`.

use clap::Subcommand;
use protocol::Scope;

#[derive(Debug, Subcommand)]
pub(crate) enum TokensCommand {
    /// Make a token and print it, which happens only once
    Create {
        /// What it is called in the list
        name: String,
        /// What it may do: `read`, `talk` (turns that only read), `act`, or `admin`; each includes
        /// the ones before it
        #[arg(long, value_name = "SCOPE")]
        scope: Scope,
        /// Days after which it ends (default: it does not end by itself)
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
        /// The owner it is for (default: yourself); only the operator can name another
        #[arg(long, value_name = "NAME")]
        owner: Option<String>,
    },
    /// List the tokens, with what each may do and when it was last used
    List,
    /// Revoke a token; its connections are closed at once
    Revoke {
        /// The token's id, or its name if no other has it
        #[arg(value_name = "ID|NAME")]
        token: String,
    },
}
