//! Why a call of a tool failed, whichever part it failed in.

/// Why a call failed. The model reads it, so it says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolFailure {
    /// The arguments are invalid.
    #[error("{0}")]
    Invalid(String),
    /// The call failed.
    #[error("{0}")]
    Failed(String),
    /// The call may have had an effect: the connection broke, or no answer came.
    #[error("{0}")]
    Unknown(String),
}
