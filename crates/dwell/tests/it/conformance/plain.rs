//! The same suite against the plain program, without fixtures: everything passes but what calls a
//! fixture. `plain.toml` lists that.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::Value;

use super::suite::Suite;
use crate::program;

/// Checks that need a fixture, and the fixture, by the version of the protocol.
fn expected() -> BTreeMap<String, BTreeMap<String, String>> {
    toml::from_str(include_str!("plain.toml")).unwrap()
}

/// Runs all scenarios of a version, and compares the failed checks with the list.
async fn only_fixtures_are_missing(wire: &str, passed: usize) {
    let Some(suite) = Suite::find() else { return };
    let server = program().start().await;
    // Sessions are the resources, and the suite expects one at least.
    server.rest().session().await;
    let results = suite.checks(&format!("{}/mcp", server.url()), wire).await;
    let failed: BTreeSet<&String> =
        results.iter().filter(|(_, status)| *status == "FAILURE").map(|(check, _)| check).collect();
    let listed = &expected()[wire];
    let unlisted: Vec<_> = failed.iter().filter(|check| !listed.contains_key(**check)).collect();
    assert!(unlisted.is_empty(), "these fail and are not listed: {unlisted:?}");
    let stale: Vec<_> = listed.keys().filter(|check| !failed.contains(check)).collect();
    assert!(stale.is_empty(), "these are listed and do not fail any more: {stale:?}");
    let succeeded = results.iter().filter(|(_, status)| *status == "SUCCESS").count();
    assert_eq!(succeeded, passed, "the suite has other checks than before");
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_of_the_plain_program_on_2026_07_28() {
    only_fixtures_are_missing("2026-07-28", 112).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_of_the_plain_program_on_2025_11_25() {
    only_fixtures_are_missing("2025-11-25", 47).await;
}

#[test]
fn every_missing_fixture_is_named_in_the_proofs() {
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/proofs.md"));
    for fixture in expected().values().flat_map(BTreeMap::values) {
        assert!(page.contains(&format!("`{fixture}`")), "docs/proofs.md does not name {fixture}");
    }
}

/// The checks that a run has written to a folder: `scenario:check` and the status, in any order.
pub(super) fn written(folder: &Path) -> Vec<(String, String)> {
    let mut checks = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        // A folder is named after its scenario and the time of the run.
        let scenario = name.strip_prefix("server-").unwrap();
        let scenario = &scenario[..scenario.len() - "-2026-07-28T00-00-00-000Z".len()];
        let text = std::fs::read_to_string(entry.path().join("checks.json")).unwrap();
        for check in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
            let (id, status) = (check["id"].as_str().unwrap(), check["status"].as_str().unwrap());
            checks.push((format!("{scenario}:{id}"), status.to_owned()));
        }
    }
    checks
}
