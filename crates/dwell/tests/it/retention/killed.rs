//! Kills while a session is deleted.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use testkit::Reply;

use super::{delete, exchange, files_with, settled};
use crate::started;

/// Milliseconds from the request to the kill.
const MOMENTS: [u64; 3] = [0, 6, 25];

#[tokio::test]
async fn a_kill_leaves_the_whole_session_or_nothing_and_deleting_again_completes() {
    let (model, program, mut server) = started().await;
    model.respond_with(|_| Reply::text("Yes, it is."));
    for (round, moment) in MOMENTS.into_iter().enumerate() {
        let words = format!("azurequux{round}");
        let rest = server.rest();
        let session = rest.session().await;
        for n in 0..3 {
            exchange(&rest, &session, &format!("Tell me of the {words} gate {n}.")).await;
        }
        settled(&rest).await;
        let before = rest.log(&session).await;
        let path = format!("/api/v1/sessions/{session}?forever=true&memories=true");
        let deleting = tokio::spawn({
            let (rest, path) = (rest.clone(), path.clone());
            async move { rest.try_call(Method::DELETE, &path, None, &[]).await.is_ok() }
        });
        tokio::time::sleep(Duration::from_millis(moment)).await;
        server.kill().await;
        deleting.await.unwrap();

        server = program.start().await;
        let rest = server.rest();
        let stands = rest.get(&format!("/api/v1/sessions/{session}")).await;
        if stands.status == 200 {
            let log = rest.log(&session).await;
            assert_eq!(log[..before.len()], before, "killed after {moment} ms, it is whole");
        } else {
            assert_eq!(stands.code(404), "not_found");
        }
        let again = delete(&rest, &session, "&memories=true").await;
        assert!(again.status == 200 || again.status == 404, "{again:?}");
        assert_eq!(rest.get(&format!("/api/v1/sessions/{session}")).await.code(404), "not_found");
        assert_eq!(delete(&rest, &session, "&memories=true").await.code(404), "not_found");
        // A deletion that a crash has interrupted is finished in the background.
        for _ in 0..100 {
            if files_with(&program, &words).is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(files_with(&program, &words), [""; 0], "killed after {moment} ms");
        assert_eq!(rest.get("/api/v1/memories?limit=100").await.ok()["items"], json!([]));
    }
}
