//! The environment of a server process, and what remains after it ends.

use serde_json::json;

use crate::harness::Harness;

/// Whether a process is running; a zombie is not.
fn is_at_work(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

#[tokio::test]
async fn a_program_knows_nothing_of_ours_but_what_it_is_given() {
    let harness = Harness::with_shop("", "env = { SHOP_KEY = \"env:OWN_KEY\", SHOP_MODE = \"quiet\" }").await;
    let told = harness.call("shop_surroundings", json!({})).await.unwrap().value;
    let mut names: Vec<&str> =
        told.as_str().unwrap().lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    names.sort_unstable();
    assert_eq!(names, ["PATH", "SHOP_KEY", "SHOP_MODE"]);
    assert!(told.as_str().unwrap().contains("SHOP_KEY=own-key-0123456789"));
}

#[tokio::test]
async fn a_program_starts_in_the_folder_it_is_given() {
    let configuration = "[shop]\ncommand = \"sh\"\nargs = [\"-c\", \"pwd > here; exec TEST_SERVER\"]\ncwd = \"FOLDER\"\nallow = [\"*\"]";
    let harness = Harness::open(configuration);
    harness.until("it is there", |harness| harness.server("shop").away_because.is_none()).await;
    assert!(harness.folder.path().join("here").exists());
}

#[tokio::test]
async fn a_program_goes_with_all_that_it_has_started() {
    let harness = Harness::with_shop("", "").await;
    let child = harness.call("shop_family", json!({})).await.unwrap().value;
    let child = child.as_str().unwrap().to_owned();
    assert!(is_at_work(&child));
    harness.external.stop().await;
    // It is killed, which takes the kernel a moment.
    harness.until("its child is gone", |_| !is_at_work(&child)).await;
    assert!(harness.tool("shop_echo").tool.away().unwrap().contains("stopping"));
}

#[tokio::test]
async fn what_a_dead_program_has_started_goes_too() {
    let harness = Harness::with_shop("", "").await;
    let child = harness.call("shop_family", json!({})).await.unwrap().value;
    let child = child.as_str().unwrap().to_owned();
    harness.call("shop_die", json!({})).await.unwrap_err();
    harness.until("its child is gone", |_| !is_at_work(&child)).await;
}
