//! Only the user who runs Dwell can read the files in the data folder.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::json;
use testkit::ModelServer;

use crate::{owners::add, program_with_home};

/// All files and folders below a folder that other users could read.
fn open_to_others(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            found.push((path.clone(), mode));
        }
        if metadata.is_dir() {
            found.extend(open_to_others(&path));
        }
    }
    found
}

#[tokio::test]
async fn no_file_of_the_data_folder_is_open_to_others() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let documents = tempfile::TempDir::new().unwrap();
    std::fs::write(documents.path().join("boiler.md"), "# Boiler\n\nDescale it every second year.\n").unwrap();
    let model = ModelServer::start().await;
    let program = program_with_home().with_own_token().with_model(&model).with("DWELL_TOOLS_ACTUATION", "true");
    add(&program, "ada").await;
    let server = program.start().await;
    let token = std::fs::read_to_string(program.folder().join("token")).unwrap();
    let rest = server.rest_as(Some(token.trim()));
    let session = rest.session().await;
    // Changes the home, stores a fact, and adds a document to the library.
    let turn = rest.send(&session, "turn on the kitchen lights").await;
    assert_eq!(rest.ended(&turn).await["status"], "completed");
    rest.call(reqwest::Method::PUT, "/api/v1/profile/diet", Some(json!({ "value": "vegetarian" })), &[]).await.ok();
    let library = json!({ "path": documents.path().to_str().unwrap() });
    rest.post("/api/v1/library/folders", library).await.ok();
    let files: Vec<String> = std::fs::read_dir(program.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for expected in ["journal.db", "token", "seal-key", "ollama-key", "owners.json", "address", "simulated-home.json"] {
        assert!(files.iter().any(|file| file == expected), "{expected} is not among {files:?}");
    }
    assert_eq!(open_to_others(program.folder()), []);
    server.stop().await;
    assert_eq!(open_to_others(program.folder()), []);
}

#[tokio::test]
async fn what_an_earlier_version_left_readable_is_closed() {
    let program = program_with_home();
    program.start().await.stop().await;
    let file = program.folder().join("simulated-home.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let server = program.start().await;
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    server.rest().get("/api/v1/home").await.ok();
}
