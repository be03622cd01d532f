//! Errors of commands.

use std::{fmt, process::ExitCode};

use protocol::{Code, Problem, TurnId};

/// The error of a command; each kind has its own exit code.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// The command failed: 1.
    Failed(anyhow::Error),
    /// The arguments are wrong: 2.
    Usage(String),
    /// The server cannot be reached: 3.
    Unreachable(String),
    /// The server refuses access: 4.
    Refused(String),
}

impl CommandError {
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
            Self::Unreachable(_) => 3,
            Self::Refused(_) => 4,
        })
    }
}

impl CommandError {
    /// The same error, with the turn that it is about.
    pub(crate) fn about(self, turn_id: TurnId) -> Self {
        match self {
            Self::Failed(error) => Self::Failed(error.context(format!("turn {turn_id}"))),
            other => other,
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // With its causes, on one line.
            Self::Failed(error) => write!(f, "{error:#}"),
            Self::Usage(text) | Self::Unreachable(text) | Self::Refused(text) => f.write_str(text),
        }
    }
}

impl From<anyhow::Error> for CommandError {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Problem> for CommandError {
    fn from(problem: Problem) -> Self {
        let text = format!("{}. {}", problem.message, problem.hint);
        match problem.code {
            Code::Unauthorized | Code::Forbidden | Code::PolicyDenied => Self::Refused(text),
            Code::InvalidRequest => Self::Usage(text),
            _ => Self::Failed(anyhow::anyhow!(text)),
        }
    }
}
