//! `/readyz` tries a write: when the disk is full, it answers with the reason.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::program;

/// Enough blocks to start, too few to continue.
const FILE_BLOCKS: u32 = 2_048;

#[tokio::test]
async fn a_disk_that_takes_nothing_more_is_not_ready() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let program = program().with_file_blocks(FILE_BLOCKS);
    let server = program.start().await;
    let rest = server.rest();
    assert_eq!(rest.get("/readyz").await.ok()["status"], "ok");
    let session = format!("/api/v1/sessions/{}", rest.session().await);
    // Fills the journal until writes fail: first in large steps, then in small ones, so that little
    // space is left.
    for words in [5_000, 100, 1] {
        for n in 0.. {
            assert!(n < 200, "the limit does not hold");
            let change = json!({ "preferences": { "style": format!("{n} {}", "long words ".repeat(words)) } });
            let answer = rest.call(Method::PATCH, &session, Some(change), &[]).await;
            if answer.status == 503 {
                break;
            }
            answer.ok();
        }
    }
    // The last result is cached for a second.
    let mut refused = rest.get("/readyz").await;
    for _ in 0..200 {
        if refused.status != 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        refused = rest.get("/readyz").await;
    }
    assert_eq!((refused.status, &refused.body["code"]), (503, &json!("unavailable")), "{}", refused.body);
    let message = refused.body["message"].as_str().unwrap();
    assert!(message.contains("failed to write to the journal"), "{message}");
    assert_eq!(rest.get("/healthz").await.ok()["status"], "ok", "the process lives");
    let unwell = program.run(&["health"]).await;
    assert!(!unwell.status.success() && unwell.stderr.contains("failed to write"), "{}", unwell.stderr);
}

#[tokio::test]
async fn many_probes_cost_one_write() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    let well = program.run(&["health"]).await;
    assert!(well.status.success() && well.stdout.starts_with("ready: Dwell "), "{}{}", well.stdout, well.stderr);
    let nowhere = program.run(&["health", "--url", "http://127.0.0.1:9"]).await;
    assert_eq!(nowhere.status.code(), Some(3), "{}", nowhere.stderr);
    let commits = || {
        let heads = std::fs::read_to_string(program.folder().join("journal.heads")).unwrap();
        heads.lines().filter(|line| line.starts_with("then ")).count()
    };
    rest.get("/readyz").await.ok();
    let before = commits();
    let answers = futures::future::join_all((0..100).map(|_| rest.get("/readyz"))).await;
    assert!(answers.iter().all(|answer| answer.status == 200));
    let written = commits() - before;
    assert!(written < 20, "{written} writes for 100 probes");
}
