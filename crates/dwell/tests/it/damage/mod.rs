//! Damaged files: changes to the data folder that Dwell did not make.

mod loss;
mod sessions;

use testkit::Program;

/// Marks the journal as written by a newer version of Dwell.
pub(crate) fn make_newer(program: &Program) {
    let journal = rusqlite::Connection::open(program.folder().join("journal.db")).unwrap();
    journal.pragma_update(None, "user_version", 4_000).unwrap();
}
