//! The library in the running program: folders are added and removed, documents change, and
//! everything is found after a restart.

use std::{fs, path::Path, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{RestClient, RunningServer};

use crate::{owners::add as add_owner, program};

const DOCUMENTS: usize = 220;

/// A word that only the document with this number contains.
fn word(number: usize) -> String {
    let letter = |digit: usize| char::from(b'a' + u8::try_from(digit % 26).unwrap());
    format!("qu{}{}zor", letter(number / 26), letter(number))
}

/// A folder with many documents, each about its own subject.
fn documents() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..DOCUMENTS {
        let subfolder = folder.path().join(format!("shelf{}", number % 7));
        fs::create_dir_all(&subfolder).unwrap();
        let word = word(number);
        let text = format!(
            "# Report {number}\n\nThis report is about the machine called {word}.\n\nIt was checked on day {number} and runs well.\n"
        );
        fs::write(subfolder.join(format!("report{number}.md")), text).unwrap();
    }
    folder
}

fn path(folder: &Path) -> String {
    folder.canonicalize().unwrap().to_str().unwrap().to_owned()
}

async fn add(rest: &RestClient, folder: &Path, shared: bool) -> Value {
    rest.post("/api/v1/library/folders", json!({ "path": path(folder), "shared": shared })).await.ok()
}

/// The locations of the passages that match best.
async fn search(rest: &RestClient, query: &str) -> Vec<String> {
    let found = rest.get(&format!("/api/v1/library/search?query={query}")).await.ok();
    found["data"].as_array().unwrap().iter().map(|hit| hit["source"].as_str().unwrap().to_owned()).collect()
}

async fn is_found(rest: &RestClient, query: &str) -> bool {
    !search(rest, query).await.is_empty()
}

/// Waits until a search finds a passage, or finds none.
async fn until(rest: &RestClient, query: &str, is: bool) {
    while is_found(rest, query).await != is {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn started() -> (testkit::Program, RunningServer) {
    let program = program().with("DWELL_LIBRARY_POLL_MS", "100");
    let running = program.start().await;
    (program, running)
}

#[tokio::test]
async fn documents_are_found_changed_removed_and_kept_over_a_restart() {
    let (program, server) = started().await;
    let folder = documents();
    let rest = server.rest();
    let added = add(&rest, folder.path(), false).await;
    assert_eq!(added["documents"], DOCUMENTS);
    assert!(added["passages"].as_u64().unwrap() >= DOCUMENTS as u64);
    let found = search(&rest, &word(123)).await;
    assert!(found[0].starts_with("library:") && found[0].ends_with("/shelf4/report123.md"), "{found:?}");

    fs::write(folder.path().join("shelf4/report123.md"), "# Report 123\n\nThe machine was sold to Xanadu.\n").unwrap();
    fs::remove_file(folder.path().join("shelf0/report7.md")).unwrap();
    until(&rest, "Xanadu", true).await;
    until(&rest, &word(123), false).await;
    until(&rest, &word(7), false).await;
    let before = rest.get("/api/v1/library").await.ok();
    assert_eq!(before["folders"][0]["documents"], DOCUMENTS - 1);
    assert!(server.stop().await.success());

    // The documents cannot be read any more: the results come from the stored index.
    let away = folder.path().with_extension("away");
    fs::rename(folder.path(), &away).unwrap();
    let server = program.start().await;
    let rest = server.rest();
    assert!(search(&rest, "Xanadu").await[0].ends_with("/shelf4/report123.md"));
    let view = rest.post("/api/v1/library/rescan", json!({})).await.ok();
    assert_eq!(view["folders"][0]["documents"], DOCUMENTS - 1, "a folder that is not there is not emptied");
    assert!(view["folders"][0]["troubles"][0]["reason"].as_str().unwrap().contains("not available"), "{view}");
    fs::rename(&away, folder.path()).unwrap();
    let view = rest.post("/api/v1/library/rescan", json!({})).await.ok();
    assert_eq!(view["folders"][0]["documents"], DOCUMENTS - 1);
    assert_eq!(view["folders"][0]["troubled"], 0);
}

#[tokio::test]
async fn another_owner_sees_nothing_unless_it_is_shared() {
    let (program, server) = started().await;
    let bob = add_owner(&program, "bob").await;
    let (rest, bob) = (server.rest(), server.rest_as(Some(&bob)));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("one.md"), "The word is walrus.").unwrap();
    let added = add(&rest, folder.path(), false).await;
    assert!(is_found(&rest, "walrus").await && !is_found(&bob, "walrus").await);
    assert_eq!(bob.get("/api/v1/library").await.ok()["folders"], json!([]));
    let one = format!("/api/v1/library/folders/{}", added["folder_id"].as_str().unwrap());
    assert_eq!(bob.call(Method::DELETE, &one, None, &[]).await.code(404), "not_found");

    add(&rest, folder.path(), true).await;
    assert!(is_found(&bob, "walrus").await);
    assert_eq!(bob.call(Method::DELETE, &one, None, &[]).await.code(403), "forbidden");
    let asked = json!({ "path": path(folder.path()) });
    assert_eq!(bob.post("/api/v1/library/folders", asked).await.code(403), "forbidden");

    rest.call(Method::DELETE, &one, None, &[]).await.ok();
    assert!(!is_found(&rest, "walrus").await && !is_found(&bob, "walrus").await);
    assert_eq!(rest.call(Method::DELETE, &one, None, &[]).await.code(404), "not_found");
    assert!(folder.path().join("one.md").exists());
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_the_reason() {
    let (program, server) = started().await;
    let rest = server.rest();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("inner")).unwrap();
    fs::write(folder.path().join("one.md"), "The word is walrus.").unwrap();
    add(&rest, folder.path(), false).await;
    for (refused, reason) in [
        ("documents".to_owned(), "absolute path"),
        ("/".to_owned(), "root folder"),
        (path(program.folder()), "secrets"),
        (path(program.folder().parent().unwrap()), "secrets"),
        (path(&folder.path().join("one.md")), "not a folder"),
        (path(&folder.path().join("inner")), "already"),
    ] {
        let answer = rest.post("/api/v1/library/folders", json!({ "path": refused })).await;
        assert_eq!(answer.code(400), "invalid_request", "{refused}");
        assert!(answer.body["message"].as_str().unwrap().contains(reason), "{}", answer.body);
    }
    for query in ["query=", "query=walrus&limit=0", "query=walrus&limit=1000", "limit=5"] {
        let answer = rest.get(&format!("/api/v1/library/search?{query}")).await;
        assert_eq!(answer.code(400), "invalid_request", "{query}");
    }
}

#[tokio::test]
async fn the_command_line_keeps_the_library_too() {
    let (program, _server) = started().await;
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("papers")).unwrap();
    fs::write(folder.path().join("papers/walrus.md"), "# On walruses\n\nThe walrus sleeps in water.").unwrap();
    let large = fs::File::create(folder.path().join("papers/large.txt")).unwrap();
    large.set_len(33 * 1024 * 1024).unwrap();

    assert_eq!(program.run(&["library", "list"]).await.stdout, "no folders yet; `dwell library add FOLDER` adds one\n");
    let mut command = program.command(&["library", "add", "papers", "--shared"]);
    let added = command.current_dir(folder.path()).output().await.unwrap();
    let added = String::from_utf8(added.stdout).unwrap();
    let papers = path(&folder.path().join("papers"));
    let line =
        format!("added {papers}: 1 document, 1 passage; 1 could not be read: large.txt (it is larger than 32 MB)\n");
    assert_eq!(added.lines().next().unwrap(), line.trim_end());
    let found = program.run(&["library", "search", "where", "does", "the", "walrus", "sleep?"]).await;
    assert!(found.stdout.contains("library:papers/walrus.md"), "{found:?}");
    let listed = program.run(&["library", "list", "--json"]).await.stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["folders"][0]["path"], papers.as_str());
    let listed = program.run(&["library", "rescan"]).await.stdout;
    assert!(listed.contains(&papers) && listed.contains("(shared)"), "{listed}");

    let removed = program.run(&["library", "remove", &papers]).await;
    assert!(removed.stdout.starts_with(&format!("removed {papers}: 1 document")), "{removed:?}");
    let again = program.run(&["library", "remove", &papers]).await;
    assert_eq!(again.code(), 1, "{again:?}");
    assert_eq!(program.run(&["library", "search", "walrus"]).await.stdout, "no results\n");
    let refused = program.run(&["library", "add", "/"]).await;
    assert!(refused.code() != 0 && refused.stderr.contains("root folder"), "{refused:?}");
}
