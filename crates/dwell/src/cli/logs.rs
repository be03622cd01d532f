//! Arguments of `dwell logs`.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// Print lines as they are logged, until Ctrl-C
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// How many of the last lines to begin with
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    pub(crate) lines: u32,
    /// Only lines of this level, or of a more severe one
    #[arg(long, value_enum, default_value_t = LevelFilterArg::Trace)]
    pub(crate) level: LevelFilterArg,
    /// The node whose log is read, if there are several; see `dwell nodes`
    #[arg(long, value_name = "ID")]
    pub(crate) node: Option<String>,
}

/// How severe a line is at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelFilterArg {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl From<LevelFilterArg> for protocol::LogLevel {
    fn from(level: LevelFilterArg) -> Self {
        match level {
            LevelFilterArg::Error => Self::Error,
            LevelFilterArg::Warn => Self::Warn,
            LevelFilterArg::Info => Self::Info,
            LevelFilterArg::Debug => Self::Debug,
            LevelFilterArg::Trace => Self::Trace,
        }
    }
}
