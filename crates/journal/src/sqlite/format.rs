//! Which format a journal has, and which one this program writes.

use std::path::Path;

use super::{open, schema, start::open_read_only};
use crate::Error;

/// The formats of a data folder and of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalFormat {
    /// The format of the stored journal; none if there is no journal yet.
    pub stored: Option<i64>,
    /// The format that this program writes. Older ones are migrated when the journal is opened.
    pub current: i64,
}

/// Reads the format of the journal in a data folder, without changing anything. A server may run on
/// it.
pub fn journal_format(folder: &Path) -> Result<JournalFormat, Error> {
    let path = folder.join(open::FILE);
    let current = schema::CURRENT;
    if !path.exists() {
        return Ok(JournalFormat { stored: None, current });
    }
    open::check_header(&path)?;
    let stored = open_read_only(&path).and_then(|connection| schema::format(&connection));
    let stored = stored.map_err(|error| open::explain(&path, "read the journal", &error))?;
    Ok(JournalFormat { stored: Some(stored), current })
}
