//! Sources that cannot or may not be read are reported, and the others are read all the same.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::SitePage;

use super::{research, sources};

fn reason(chunks: &[Value], path: &str) -> String {
    let failed =
        chunks.iter().find(|chunk| chunk["status"] == "failed" && chunk["source"].as_str().unwrap().ends_with(path));
    failed.unwrap_or_else(|| panic!("{path} did not fail: {chunks:?}"))["reason"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn each_failure_is_told_with_its_reason() {
    let sources = sources(|program, _| program.with("DWELL_RESEARCH_PAGE_MS", "4000")).await;
    let page = |words: &str| SitePage::html("Amber", &[words]);
    sources
        .site
        .put("/robots.txt", SitePage::of("text/plain", "User-agent: *\nDisallow: /private\nAllow: /private/open\n"));
    sources.site.put("/good", page("Amber from the Baltic floats in salt water."));
    sources.site.put("/private/open", page("Amber was traded along the coast in Roman times."));
    sources.site.put("/private/closed", page("Amber secrets."));
    sources.site.put("/gone", SitePage { status: 410, ..page("Amber is gone.") });
    sources
        .site
        .put("/zip", SitePage { seen: Some("amber".to_owned()), ..SitePage::of("application/zip", "PK amber") });
    sources.site.put("/slow", SitePage { wait: Duration::from_secs(60), ..page("Amber takes its time.") });
    sources
        .site
        .put("/away", SitePage { seen: Some("amber".to_owned()), ..SitePage::redirect("http://10.0.0.1/amber") });
    sources.site.put("/moved", SitePage { seen: Some("amber".to_owned()), ..SitePage::redirect("/good") });

    let found = research(&sources.server.rest(), json!({ "message": "research amber" })).await;
    assert_eq!(found.turn["status"], "completed");
    for (path, words) in [
        ("/private/closed", "robots"),
        ("/gone", "410"),
        ("/zip", "application/zip"),
        ("/slow", "time"),
        ("/away", "private address"),
    ] {
        let reason = reason(&found.chunks, path);
        assert!(reason.contains(words), "{path}: {reason}");
    }
    let read = found.with_status("read").len();
    assert_eq!((&found.done["read"], &found.done["failed"]), (&json!(read), &json!(5)), "{:?}", found.chunks);
    assert!(!sources.visited().contains(&sources.site.url("/private/closed")), "robots are asked first");
    found.assert_claims("Amber from the Baltic floats in salt water.");
}

#[tokio::test]
async fn a_search_that_does_not_answer_is_named_and_the_library_serves() {
    let sources = sources(|program, _| program.with("SEARXNG_URL", "http://127.0.0.1:9")).await;
    sources.write("salt.md", "# Salt\n\nSalt from Hallstatt was carried on foot.");
    sources.add_folder().await;
    let found = research(&sources.server.rest(), json!({ "message": "research salt from Hallstatt" })).await;
    found.assert_claims("Salt from Hallstatt was carried on foot.");
    let notices = found.done["notices"].to_string();
    assert!(notices.contains("searxng") && notices.contains("127.0.0.1:9"), "{notices}");
}

#[tokio::test]
async fn research_ends_with_its_turn_and_goes_on_after_a_crash() {
    let sources = sources(|program, _| program).await;
    let slow = SitePage { wait: Duration::from_secs(60), ..SitePage::html("Tin", &["Tin came from Cornwall by sea."]) };
    sources.site.put("/tin", slow.clone());
    let rest = sources.server.rest();

    let (session, body) = (rest.session().await, json!({ "message": "research tin from Cornwall" }));
    let turn = rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await.ok();
    let turn_id = turn["turn_id"].as_str().unwrap().to_owned();
    while !sources.site.visits().contains(&"/tin".to_owned()) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    rest.post(&format!("/api/v1/turns/{turn_id}/cancel"), json!({})).await.ok();
    assert_eq!(rest.ended(&turn_id).await["status"], "cancelled");

    let turn_id = rest.send(&session, "research tin from Cornwall once more").await;
    while sources.site.visits().iter().filter(|path| *path == "/tin").count() < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    sources.server.kill().await;
    sources.site.put("/tin", SitePage { wait: Duration::ZERO, ..slow });
    let server = sources.program.start().await;
    let turn = server.rest().ended(&turn_id).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    assert!(turn["response"]["message"].as_str().unwrap().contains("Tin came from Cornwall by sea. [1]"), "{turn}");
}
