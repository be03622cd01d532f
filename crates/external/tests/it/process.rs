//! What a program is given, and what is left of it.

use serde_json::json;

use crate::house::House;

/// Whether a process is at work; one that only waits to be counted is not.
fn is_at_work(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

#[tokio::test]
async fn a_program_knows_nothing_of_ours_but_what_it_is_given() {
    let house = House::with_shop("", "env = { SHOP_KEY = \"env:OWN_KEY\", SHOP_MODE = \"quiet\" }").await;
    let told = house.call("shop_surroundings", json!({})).await.unwrap().value;
    let mut names: Vec<&str> =
        told.as_str().unwrap().lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    names.sort_unstable();
    assert_eq!(names, ["PATH", "SHOP_KEY", "SHOP_MODE"]);
    assert!(told.as_str().unwrap().contains("SHOP_KEY=own-key-0123456789"));
}

#[tokio::test]
async fn a_program_starts_in_the_folder_it_is_given() {
    let configuration =
        "[shop]\ncommand = \"sh\"\nargs = [\"-c\", \"pwd > here; exec STRANGER\"]\ncwd = \"FOLDER\"\nallow = [\"*\"]";
    let house = House::open(configuration);
    house.until("it is there", |house| house.server("shop").away_because.is_none()).await;
    assert!(house.folder.path().join("here").exists());
}

#[tokio::test]
async fn a_program_goes_with_all_that_it_has_started() {
    let house = House::with_shop("", "").await;
    let child = house.call("shop_family", json!({})).await.unwrap().value;
    let child = child.as_str().unwrap().to_owned();
    assert!(is_at_work(&child));
    house.external.stop().await;
    assert!(!is_at_work(&child), "{child} is still there");
    assert!(house.tool("shop_echo").tool.away().unwrap().contains("stopping"));
}

#[tokio::test]
async fn what_a_dead_program_has_started_goes_too() {
    let house = House::with_shop("", "").await;
    let child = house.call("shop_family", json!({})).await.unwrap().value;
    let child = child.as_str().unwrap().to_owned();
    house.call("shop_die", json!({})).await.unwrap_err();
    house.until("its child is gone", |_| !is_at_work(&child)).await;
}
