//! Errors in the two forms of MCP: a tool result that the caller can read and correct, or a
//! protocol error for a request that cannot be served.

use protocol::Problem;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, MetaObject},
};

/// The metadata key of the whole problem.
const PROBLEM: &str = "dwell/problem";

/// An error of a request.
#[derive(Debug)]
pub(super) enum McpError {
    /// The operation failed.
    Problem(Box<Problem>),
    /// The request violates the protocol.
    Protocol(ErrorData),
}

impl From<Problem> for McpError {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl From<engine::Error> for McpError {
    fn from(error: engine::Error) -> Self {
        Problem::from(error).into()
    }
}

impl From<ErrorData> for McpError {
    fn from(error: ErrorData) -> Self {
        Self::Protocol(error)
    }
}

impl From<McpError> for ErrorData {
    fn from(trouble: McpError) -> Self {
        match trouble {
            McpError::Protocol(error) => error,
            McpError::Problem(problem) => {
                let data = serde_json::to_value(&*problem).ok();
                match problem.code {
                    protocol::Code::NotFound => Self::resource_not_found(in_words(&problem), data),
                    protocol::Code::Damaged | protocol::Code::Internal | protocol::Code::Unavailable => {
                        Self::internal_error(in_words(&problem), data)
                    }
                    _ => Self::invalid_params(in_words(&problem), data),
                }
            }
        }
    }
}

/// A problem as a tool's result: as text for people and models, complete for programs.
pub(super) fn as_answer(problem: &Problem) -> CallToolResult {
    let mut answer = CallToolResult::error(vec![ContentBlock::text(in_words(problem))]);
    let mut meta = MetaObject::new();
    if let Ok(whole) = serde_json::to_value(problem) {
        meta.insert(PROBLEM.to_owned(), whole);
    }
    answer.meta = Some(meta);
    answer
}

fn in_words(problem: &Problem) -> String {
    let message = problem.message.trim_end_matches('.');
    match problem.hint.as_str() {
        "" => format!("{message}."),
        hint => format!("{message}. {hint}"),
    }
}
