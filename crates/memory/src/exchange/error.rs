//! Errors of importing.

/// Why a file or an archive cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// Neither JSON nor lines of JSON.
    #[error("this is neither JSON nor lines of JSON: {0}")]
    NotJson(String),
    /// JSON of an unknown format.
    #[error(
        "the format is unknown; name one of `mem0`, `langchain`, `langgraph`, `openai`, `ingest`, or give an \
         archive that `memory.export` has written"
    )]
    Unknown,
    /// Dwell's own archive where another program's file is expected.
    #[error("this is an archive of Dwell's own memory; import it with `memory.import`")]
    Archive,
    /// The file contains nothing to import.
    #[error("the file contains nothing to import as `{0}`")]
    Empty(&'static str),
    /// Something in it does not follow its format.
    #[error("{place}: {why}")]
    Bad {
        /// Where it is.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// Another format, or a newer version of it.
    #[error("this is `{format}` version {version}; supported is `{expected}` version 1 to {newest}")]
    Version {
        /// The format it names.
        format: String,
        /// Its version.
        version: u32,
        /// The expected format.
        expected: &'static str,
        /// The newest supported version.
        newest: u32,
    },
    /// A reference to something that is missing.
    #[error("{what} refers to {to}, which is not in the archive")]
    Dangling {
        /// What refers.
        what: String,
        /// To what.
        to: String,
    },
    /// Two things have the same id, title or version.
    #[error("the archive contains {0} twice")]
    Twice(String),
    /// A value is too long or invalid.
    #[error("{what}: {why}")]
    Unfit {
        /// The thing.
        what: String,
        /// What is wrong with it.
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
