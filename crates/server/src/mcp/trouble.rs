//! What went wrong, in the two forms there are: an answer that whoever called can read and correct, or an error of the
//! protocol for a request that cannot be served at all.

use protocol::Problem;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, MetaObject},
};

/// The name under which an answer carries the whole problem.
const PROBLEM: &str = "dwell/problem";

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Trouble {
    /// What was asked for could not be done.
    Problem(Box<Problem>),
    /// The request makes no sense to the protocol.
    Protocol(ErrorData),
}

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl From<engine::Error> for Trouble {
    fn from(error: engine::Error) -> Self {
        Problem::from(error).into()
    }
}

impl From<ErrorData> for Trouble {
    fn from(error: ErrorData) -> Self {
        Self::Protocol(error)
    }
}

impl From<Trouble> for ErrorData {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Protocol(error) => error,
            Trouble::Problem(problem) => {
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

/// A problem as the answer of a tool: in words for whoever reads it, whole for programs.
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
