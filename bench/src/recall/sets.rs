//! The data sets for recall, as documents and questions.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use memory::search::Document;
use protocol::{Grouping, ItemId, MemoryId, Timestamp};
use serde::de::DeserializeOwned;

/// Questions with expected results, over one or several owners' memories.
pub(crate) struct QuestionSet {
    pub(crate) name: &'static str,
    /// What counts as one result.
    pub(crate) group: Grouping,
    pub(crate) stores: Vec<OwnerMemory>,
}

/// One owner's memory with its questions.
pub(crate) struct OwnerMemory {
    pub(crate) documents: Vec<Document>,
    pub(crate) questions: Vec<Question>,
}

/// A question with its expected results.
pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) now: Timestamp,
    pub(crate) category: String,
    /// The conversation that it is about, which is the unit of the bootstrap.
    pub(crate) conversation: usize,
    pub(crate) gold: BTreeSet<ResultId>,
    /// Whether the conversations do not contain the answer.
    pub(crate) is_unanswerable: bool,
}

/// What counts as one result: an item's id or a memory's.
pub(crate) type ResultId = [u8; 16];

/// Generates unique ids.
#[derive(Default)]
pub(crate) struct IdGenerator(u128);

impl IdGenerator {
    pub(crate) fn item(&mut self) -> ItemId {
        ItemId::from_bytes(self.next())
    }

    pub(crate) fn memory(&mut self) -> MemoryId {
        MemoryId::from_bytes(self.next())
    }

    fn next(&mut self) -> [u8; 16] {
        self.0 += 1;
        self.0.to_be_bytes()
    }
}

/// The folder of the public data: `DWELL_DATA`, or next to the project.
pub(crate) fn folder() -> PathBuf {
    from_environment("DWELL_DATA").unwrap_or_else(|| root().join("../shared/data"))
}

/// The project's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A path from an environment variable.
#[expect(clippy::disallowed_methods, reason = "this program has no configuration but its command line")]
pub(crate) fn from_environment(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Reads a file of the data.
pub(crate) fn read<T: DeserializeOwned>(name: &str) -> Result<T> {
    let path = folder().join(name);
    let bytes = std::fs::read(&path).with_context(|| {
        format!(
            "there is no {}: download the data as docs/measurements.md describes, or set DWELL_DATA",
            path.display()
        )
    })?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is not as expected", path.display()))
}
