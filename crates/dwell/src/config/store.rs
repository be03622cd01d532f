//! Settings of the store.

use std::num::NonZeroUsize;

use secret::ServiceUrl;
use serde::{Deserialize, Serialize};

use super::environment;

/// The variable that many hosts set for their database. It counts only if the setting says so: it
/// is there for other programs too, and a journal must not move because of it.
const DATABASE_URL: &str = "DATABASE_URL";
/// The value of `store.url` that says so.
const FROM_ENVIRONMENT: &str = "env";

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoreConfig {
    url: ServiceUrl,
    pub(crate) connections_max: NonZeroUsize,
}

impl StoreConfig {
    /// The address of the database; `None` for the embedded store.
    pub(crate) fn database(&self) -> Result<Option<String>, String> {
        match &*self.url {
            "" => Ok(None),
            url => resolve(url, "store.url").map(Some),
        }
    }

    /// Refuses a command that works on the files of the embedded store; `instead` says what to do.
    pub(crate) fn refuse_database(&self, command: &str, instead: &str) -> Result<(), String> {
        match self.database()? {
            None => Ok(()),
            Some(_) => Err(format!(
                "`{command}` works on the journal in the data folder, and `store.url` says that it is in PostgreSQL; {instead}"
            )),
        }
    }
}

/// The address itself, which may be in the environment. `setting` is where it is written.
pub(crate) fn resolve(url: &str, setting: &str) -> Result<String, String> {
    if url != FROM_ENVIRONMENT {
        return Ok(url.to_owned());
    }
    environment::get(DATABASE_URL)?.ok_or_else(|| {
        format!("`{setting}` is \"{FROM_ENVIRONMENT}\", and the environment variable {DATABASE_URL} is not set")
    })
}
