//! Arguments of `dwell turns`.

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum TurnsCommand {
    /// List turns, newest first: of one session, or of those with the newest activity
    List {
        /// Only turns of this session
        #[arg(long, value_name = "ID|NAME")]
        session: Option<String>,
        /// Only turns with this status; may be repeated
        #[arg(long, value_enum)]
        status: Vec<TurnStatusArg>,
        /// The maximum number of turns
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
    /// Show a turn as JSON
    Show {
        /// The turn's id
        id: String,
    },
    /// Show the passages that a turn's research collected
    Passages {
        /// The turn's id
        id: String,
    },
    /// List the turns in the background of all sessions, newest first
    Background {
        /// Also those that have ended
        #[arg(long)]
        ended: bool,
    },
    /// Pause a turn; calls that run get their results first
    Pause {
        /// The turn's id
        id: String,
    },
    /// Cancel a turn
    Cancel {
        /// The turn's id
        id: String,
    },
    /// Resume an interrupted, paused or waiting turn
    Resume {
        /// The turn's id
        id: String,
        /// Whether the call in doubt happened, for a turn that waits for this answer
        #[arg(long, value_enum)]
        outcome: Option<CallOutcomeArg>,
        /// The call's id (default: all calls in doubt)
        #[arg(long, value_name = "ID")]
        call: Option<String>,
    },
    /// Repeat the request in a new turn
    Retry {
        /// The turn's id
        id: String,
    },
}

/// The status of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TurnStatusArg {
    Pending,
    Running,
    Streaming,
    Waiting,
    Completed,
    Failed,
    Cancelled,
    Expired,
    Interrupted,
    Paused,
}

impl From<TurnStatusArg> for protocol::TurnStatus {
    fn from(status: TurnStatusArg) -> Self {
        match status {
            TurnStatusArg::Pending => Self::Pending,
            TurnStatusArg::Running => Self::Running,
            TurnStatusArg::Streaming => Self::Streaming,
            TurnStatusArg::Waiting => Self::Waiting,
            TurnStatusArg::Completed => Self::Completed,
            TurnStatusArg::Failed => Self::Failed,
            TurnStatusArg::Cancelled => Self::Cancelled,
            TurnStatusArg::Expired => Self::Expired,
            TurnStatusArg::Interrupted => Self::Interrupted,
            TurnStatusArg::Paused => Self::Paused,
        }
    }
}

/// Whether a call that a crash interrupted took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallOutcomeArg {
    /// It happened; do not run it again
    Happened,
    /// It did not happen; run it now
    DidNotHappen,
}
