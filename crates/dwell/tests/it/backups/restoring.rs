//! Restoring a backup: it never overwrites a data folder that is in use or not empty, and it keeps
//! the old files.

use std::fs;

use tempfile::TempDir;

use super::{ask, back_up};
use crate::program;

#[tokio::test]
async fn a_folder_in_use_is_refused() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, into) = (program(), TempDir::new().unwrap());
    let server = program.start().await;
    let session = server.rest().session().await;
    let backup = back_up(&program, into.path(), &[]).await;
    for more in [&[][..], &["--replace"]] {
        let refused = program.run(&[&["restore", backup.to_str().unwrap()], more].concat()).await;
        assert_eq!(refused.code(), 1, "{}", refused.stdout);
        assert!(refused.stderr.contains("in use by another Dwell"), "{}", refused.stderr);
    }
    assert_eq!(ask(&server.rest(), &session, "What is 2 + 2?").await["status"], "completed");
}

#[tokio::test]
async fn what_was_there_is_moved_aside_and_only_when_asked() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, into) = (program(), TempDir::new().unwrap());
    let server = program.start().await;
    let kept = server.rest().session().await;
    let backup = back_up(&program, into.path(), &[]).await;
    let later = server.rest().session().await;
    server.stop().await;
    let refused = program.run(&["restore", backup.to_str().unwrap()]).await;
    assert_eq!(refused.code(), 1, "{}", refused.stdout);
    assert!(refused.stderr.contains("is not empty") && refused.stderr.contains("--replace"), "{}", refused.stderr);

    let before = fs::read(program.folder().join("journal.db")).unwrap();
    let done = program.run(&["restore", backup.to_str().unwrap(), "--replace"]).await;
    assert_eq!(done.code(), 0, "{}", done.stderr);
    let aside = fs::read_dir(program.folder()).unwrap().map(|entry| entry.unwrap().path());
    let aside = aside.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("before-restore-"));
    let [aside] = aside.collect::<Vec<_>>().try_into().unwrap();
    assert!(fs::read(aside.join("journal.db")).unwrap() == before, "nothing of it is lost");
    assert!(done.stdout.contains(aside.to_str().unwrap()), "{}", done.stdout);
    let server = program.start().await;
    assert_eq!(server.rest().get(&format!("/api/v1/sessions/{kept}")).await.status, 200);
    assert_eq!(server.rest().get(&format!("/api/v1/sessions/{later}")).await.status, 404);
}

#[tokio::test]
async fn no_server_starts_where_restoring_was_cut_off() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let program = program();
    fs::create_dir(program.folder().join(".restoring")).unwrap();
    let refused = program.run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert_eq!(refused.code(), 1);
    assert!(
        refused.stderr.contains("was interrupted") && refused.stderr.contains("dwell restore"),
        "{}",
        refused.stderr
    );
    assert!(!program.folder().join("journal.db").exists(), "nothing new was begun");
}
