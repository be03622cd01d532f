//! Where the programs under test keep their journals: in their data folders, or in PostgreSQL.
//!
//! With `DWELL_TEST_STORE=postgres` every program gets a database of its own on the cluster that
//! the tests of this process share.

use std::sync::Arc;

use crate::PostgresCluster;

/// The variable that chooses the store of all programs.
pub const TEST_STORE: &str = "DWELL_TEST_STORE";

/// A database of a program, which is removed with it.
pub(crate) struct TestDatabase {
    cluster: Arc<PostgresCluster>,
    url: String,
}

impl TestDatabase {
    /// A new one, which is empty.
    pub(crate) fn create() -> Self {
        let cluster = PostgresCluster::shared();
        let url = cluster.database();
        Self { cluster, url }
    }

    /// Its address.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        self.cluster.drop_database(&self.url);
    }
}

/// Whether the programs under test keep their journals in PostgreSQL.
///
/// # Panics
/// When the variable has an unknown value.
pub fn is_on_postgres() -> bool {
    #[allow(clippy::disallowed_methods, reason = "a test is set by its environment")]
    let chosen = std::env::var(TEST_STORE).unwrap_or_default();
    match chosen.as_str() {
        "" | "embedded" => false,
        "postgres" => true,
        other => panic!("{TEST_STORE} is \"{other}\": it is `embedded` or `postgres`"),
    }
}

/// Whether a test is skipped that needs the embedded store, and says so: there is no journal in the
/// data folder.
#[allow(clippy::print_stderr, reason = "who runs the test should know")]
pub fn skips_without_journal_file() -> bool {
    let is_skipped = is_on_postgres();
    if is_skipped {
        eprintln!(
            "skipped: it looks into the journal of the data folder, and with {TEST_STORE}=postgres there is none"
        );
    }
    is_skipped
}
