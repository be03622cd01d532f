//! The user's own sentences, through the program.

use serde_json::json;
use testkit::RestClient;

use super::{reflex, say};
use crate::program_with_home;

const GLOW: &str =
    "language: en\nintents:\n  HassTurnOn:\n    data:\n      - sentences:\n          - \"make {name} glow\"\n";

async fn until_notices(rest: &RestClient, is_so: impl Fn(&str) -> bool) {
    let waiting = async {
        while !is_so(&rest.get("/api/v1/home").await.ok()["notices"].to_string()) {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
    };
    let waited = tokio::time::timeout(std::time::Duration::from_secs(60), waiting).await;
    assert!(waited.is_ok(), "the notices never become so");
}

#[tokio::test]
async fn a_file_in_the_folder_is_understood_without_a_restart_and_a_wrong_one_is_named() {
    let program = program_with_home();
    let folder = program.folder().join("custom_sentences/en");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let before = say(&rest, &session, "make floor lamp glow").await;
    assert_ne!(before["response"]["model"], "reflex", "{before}");

    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("wrong.yaml"), "language: en\nintents:\n  Levitate:\n    data: []\n").unwrap();
    until_notices(&rest, |notices| notices.contains("wrong.yaml:3") && notices.contains("Levitate")).await;
    std::fs::write(folder.join("glow.yaml"), GLOW).unwrap();
    std::fs::remove_file(folder.join("wrong.yaml")).unwrap();
    until_notices(&rest, |notices| notices == "null").await;
    let after = say(&rest, &session, "make floor lamp glow").await;
    assert!(reflex(&after).contains("Floor lamp"), "{after}");
    assert_eq!(json!(after["status"]), "completed");
}
