//! Why a file cannot be taken in.

/// Why a file or an archive cannot be taken in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// Neither JSON nor lines of JSON.
    #[error("this is neither JSON nor lines of JSON: {0}")]
    NotJson(String),
    /// JSON, but of no kind that is known.
    #[error(
        "this is in no format that is known; name one of `mem0`, `langchain`, `langgraph`, `openai`, `ingest`, or give an \
         archive that `memory.export` has written"
    )]
    Unknown,
    /// An own archive where another program's file is expected.
    #[error("this is an archive of Dwell's own memory; take it in with `memory.import`, as an archive")]
    Archive,
    /// There is nothing in it.
    #[error("there is nothing in this file that could be taken in as `{0}`")]
    Empty(&'static str),
    /// Something in it does not have the shape its format asks for.
    #[error("{place}: {why}")]
    Bad {
        /// Where it is.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// Another format, or a newer version of it.
    #[error("this is `{format}` version {version}; what can be taken in is `{expected}` version 1 to {newest}")]
    Version {
        /// What it says it is.
        format: String,
        /// Its version.
        version: u32,
        /// What it should be.
        expected: &'static str,
        /// The newest version that is read.
        newest: u32,
    },
    /// Something refers to what is not there.
    #[error("{what} refers to {to}, which is not in the archive")]
    Dangling {
        /// What refers.
        what: String,
        /// To what.
        to: String,
    },
    /// Two things have the same id, title or version.
    #[error("{0} is twice in the archive")]
    Twice(String),
    /// Something is longer than it may be, or has a value that cannot be.
    #[error("{what}: {why}")]
    Unfit {
        /// What.
        what: String,
        /// Why.
        why: String,
    },
}

impl ExchangeError {
    pub(super) fn bad(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Bad { place: place.into(), why: why.into() }
    }

    pub(super) fn unfit(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Unfit { what: what.into(), why: why.into() }
    }
}
