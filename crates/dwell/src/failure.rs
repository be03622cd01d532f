//! How a command ends when it does not end well.

use std::{fmt, process::ExitCode};

use protocol::{Code, Problem, TurnId};

/// How a command ends when it does not end well; each has an exit code of its own.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was tried and did not work: 1.
    Failed(anyhow::Error),
    /// It was asked wrongly: 2.
    Usage(String),
    /// There is no server: 3.
    Unreachable(String),
    /// The server says no: 4.
    Refused(String),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
            Self::Unreachable(_) => 3,
            Self::Refused(_) => 4,
        })
    }
}

impl Failure {
    /// The same, naming the turn it is about.
    pub(crate) fn about(self, turn_id: TurnId) -> Self {
        match self {
            Self::Failed(error) => Self::Failed(error.context(format!("turn {turn_id}"))),
            other => other,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // With its causes, on one line.
            Self::Failed(error) => write!(f, "{error:#}"),
            Self::Usage(text) | Self::Unreachable(text) | Self::Refused(text) => f.write_str(text),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        let text = format!("{}. {}", problem.message, problem.hint);
        match problem.code {
            Code::Unauthorized | Code::Forbidden | Code::PolicyDenied => Self::Refused(text),
            Code::InvalidRequest => Self::Usage(text),
            _ => Self::Failed(anyhow::anyhow!(text)),
        }
    }
}
