//! Tests of the code blocks in the documentation.
//!
//! | block | check |
//! |---|---|
//! | `sh` | runs with `bash -eu` against a server of the page's own, and exits with 0 |
//! | `toml` | is a part of a configuration file that Dwell accepts |
//! | `json` | parses |
//! | `python`, `js`, `ts` | run or compiled by the tests of the Python and the TypeScript client |
//! | `text` and others | none |
//!
//! With `,norun` after the language, a shell block is only checked for its syntax, and a TOML block
//! only has to parse. A block without a language is a fault.

mod block;
mod page;
mod shell;

use futures::StreamExt;
use page::{DocPage, pages};

/// Pages of one test that are checked at the same time.
const PAGES_AT_ONCE: usize = 3;
/// How many tests share the pages of `docs/how-to/`.
const PARTS: usize = 4;

/// Checks the pages that are chosen, each with a server of its own.
async fn check(is_chosen: impl Fn(usize, &DocPage) -> bool) {
    let chosen = pages().into_iter().enumerate().filter(|(index, page)| is_chosen(*index, page));
    let checks = futures::stream::iter(chosen).map(|(_, page)| async move { page.faults().await });
    let faults: Vec<String> = checks.buffer_unordered(PAGES_AT_ONCE).concat().await;
    assert!(faults.is_empty(), "the documentation has faults:\n{}", faults.join("\n"));
}

async fn check_how_to(part: usize) {
    check(|index, page| page.is_in("docs/how-to/") && index % PARTS == part).await;
}

#[tokio::test]
async fn first_pages() {
    check(|_, page| page.is_in("docs/start/") || page.is_in("docs/concepts/")).await;
}

#[tokio::test]
async fn how_to_pages_first_part() {
    check_how_to(0).await;
}

#[tokio::test]
async fn how_to_pages_second_part() {
    check_how_to(1).await;
}

#[tokio::test]
async fn how_to_pages_third_part() {
    check_how_to(2).await;
}

#[tokio::test]
async fn how_to_pages_fourth_part() {
    check_how_to(3).await;
}

#[tokio::test]
async fn reference_pages() {
    check(|_, page| page.is_in("docs/reference/")).await;
}

#[tokio::test]
async fn all_other_pages() {
    let others = ["docs/start/", "docs/concepts/", "docs/how-to/", "docs/reference/"];
    check(|_, page| !others.iter().any(|folder| page.is_in(folder))).await;
}
