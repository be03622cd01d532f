//! A damaged backup is detected and never restored.

use std::fs;

use tempfile::TempDir;

use super::{back_up, change_manifest};
use crate::program;

#[tokio::test]
async fn a_flipped_bit_a_missing_and_a_cut_file_are_found() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, into) = (program(), TempDir::new().unwrap());
    let server = program.start().await;
    server.rest().session().await;
    let backup = back_up(&program, into.path(), &[]).await;
    server.stop().await;
    let other = crate::program();
    for name in ["journal.db", "seal-key", "backup.json", "backup.sha256"] {
        let path = backup.join(name);
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 1;
        let cut = whole[..whole.len() - 1].to_vec();
        for damage in [Some(flipped), Some(cut), None] {
            match &damage {
                Some(bytes) => fs::write(&path, bytes).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            let checked = program.run(&["backup", "--verify", backup.to_str().unwrap()]).await;
            assert_eq!(checked.code(), 1, "{name}: {}", checked.stdout);
            assert!(checked.stderr.contains(name) || checked.stderr.contains("backup."), "{name}: {}", checked.stderr);
            fs::write(&path, &whole).unwrap();
        }
    }
    fs::write(backup.join("seal-key"), "another").unwrap();
    let refused = other.run(&["restore", backup.to_str().unwrap()]).await;
    assert_eq!(refused.code(), 1, "{}", refused.stdout);
    assert!(
        refused.stderr.contains("nothing was restored") && refused.stderr.contains("seal-key"),
        "{}",
        refused.stderr
    );
    assert_eq!(fs::read_dir(other.folder()).unwrap().count(), 0, "and nothing was touched");
}

#[tokio::test]
async fn a_newer_format_and_paths_that_lead_elsewhere_are_refused_by_name() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, into) = (program(), TempDir::new().unwrap());
    let server = program.start().await;
    let backup = back_up(&program, into.path(), &[]).await;
    server.stop().await;
    let other = crate::program();
    let wrong_folder = other.run(&["restore", into.path().to_str().unwrap()]).await;
    assert!(wrong_folder.stderr.contains("contains backups"), "{}", wrong_folder.stderr);
    change_manifest(&backup, |manifest| manifest["format"] = 2.into());
    let refused = other.run(&["restore", backup.to_str().unwrap()]).await;
    assert_eq!(refused.code(), 1);
    assert!(refused.stderr.contains("format 2") && refused.stderr.contains("formats up to 1"), "{}", refused.stderr);
    change_manifest(&backup, |manifest| {
        manifest["format"] = 1.into();
        manifest["files"][1]["path"] = "../token".into();
    });
    let refused = other.run(&["restore", backup.to_str().unwrap()]).await;
    assert!(refused.code() == 1 && refused.stderr.contains("is damaged"), "{}", refused.stderr);
    assert!(!other.folder().join("../token").exists());
}
