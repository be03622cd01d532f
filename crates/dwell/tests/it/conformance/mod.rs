//! The official MCP conformance suite, for both versions of the protocol, against the real endpoint
//! with the suite's fixtures added, and against the plain program without them (`plain`).
//!
//! `./test` installs the suite and sets `DWELL_SDK` to the folder. Without it these tests print
//! that they were skipped.

#![allow(deprecated, reason = "the suite asks also for what newer wires leave out")]

mod content;
mod elicited;
mod fixture;
mod plain;
mod rounds;
pub(crate) mod suite;
mod tasks;

pub(crate) use suite::ConformanceServer;
use suite::Suite;

/// This version of the protocol includes tasks. Dwell's own tasks serve them: turns in the journal.
#[tokio::test(flavor = "multi_thread")]
async fn conformance_of_the_wire_of_2026_07_28() {
    let Some(suite) = Suite::find() else { return };
    let server = ConformanceServer::open().await;
    // All checks of the suite, as many as the server of the library passes.
    assert_eq!(suite.requirements(&server.url, "2026-07-28").await, (197, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_of_the_wire_of_2025_11_25() {
    let Some(suite) = Suite::find() else { return };
    let server = ConformanceServer::open().await;
    assert_eq!(suite.requirements(&server.url, "2025-11-25").await, (83, 0));
}
