//! The official conformance suite, both wires, against the real doors with the suite's fixtures around them.
//!
//! `./test` installs the suite and says where in `DWELL_SDK`; without it these tests say that they were skipped.

#![allow(deprecated, reason = "the suite asks also for what newer wires leave out")]

mod content;
mod elicited;
mod fixture;
mod rounds;
pub(crate) mod suite;
mod tasks;

pub(crate) use suite::House;
use suite::Suite;

/// Of this wire the tasks are part, which are Dwell's own: turns, kept by the journal.
#[tokio::test(flavor = "multi_thread")]
async fn conformance_of_the_wire_of_2026_07_28() {
    let Some(suite) = Suite::find() else { return };
    let house = House::open().await;
    // As many as the library's own server reaches, and all there are.
    assert_eq!(suite.requirements(&house.url, "2026-07-28").await, (197, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_of_the_wire_of_2025_11_25() {
    let Some(suite) = Suite::find() else { return };
    let house = House::open().await;
    assert_eq!(suite.requirements(&house.url, "2025-11-25").await, (83, 0));
}
