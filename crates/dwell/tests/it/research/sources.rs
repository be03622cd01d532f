//! Answers cite passages that contain the claim, and the reported sources are the fetched ones.

use serde_json::json;
use testkit::{SitePage, pdf};

use super::{
    planted_facts::{html, markdown, paragraphs, planted},
    research, research_in, sources,
};

const DOCUMENTS: usize = 220;

#[tokio::test]
async fn claims_stand_in_what_is_cited_and_progress_is_what_was_fetched() {
    let sources = sources(|program, _| program).await;
    for number in 0..DOCUMENTS {
        match number % 10 {
            7 => sources.write(&format!("pages/{number}.html"), html(number)),
            8 => sources.write(&format!("texts/{number}.txt"), paragraphs(number).join("\n\n")),
            9 => {
                let paragraphs = paragraphs(number);
                let lines: Vec<&str> = paragraphs.iter().flat_map(|words| words.split_inclusive(". ")).collect();
                sources.write(&format!("papers/{number}.pdf"), pdf(&planted(number).name, &[&lines]));
            }
            _ => sources.write(&format!("notes/{number}.md"), markdown(number)),
        }
    }
    for number in 300..312 {
        let paragraphs = paragraphs(number);
        let words: Vec<&str> = paragraphs.iter().map(String::as_str).collect();
        sources.site.put(&format!("/mill/{number}"), SitePage::html(&planted(number).name, &words));
    }
    let folder = sources.add_folder().await;
    assert_eq!((&folder["documents"], &folder["troubled"]), (&json!(DOCUMENTS), &json!(0)), "{folder}");

    let rest = sources.server.rest();
    for number in [0, 7, 48, 88, 109, 157, 199, 211, 300, 305, 311] {
        let before = sources.visited();
        let found = research(&rest, json!({ "message": planted(number).question })).await;
        assert_eq!(found.turn["status"], "completed", "{}", found.turn);
        found.assert_resolves();
        found.assert_claims(&planted(number).claim);
        assert_eq!(found.started["sources"], json!(["library", "searxng"]));

        let count = |status: &str| json!(found.with_status(status).len());
        assert_eq!((&found.done["found"], &found.done["read"]), (&count("found"), &count("read")));
        assert!(found.with_status("found").len() <= 15);
        // The sources that are reported as read and not cached are exactly the pages that were
        // requested.
        let fresh = found.chunks.iter().filter(|chunk| chunk["status"] == "read" && chunk["cached"] != true);
        let fresh = fresh.filter_map(|chunk| chunk["source"].as_str().filter(|source| source.starts_with("http")));
        let fresh: std::collections::BTreeSet<String> = fresh.map(str::to_owned).collect();
        let visited: std::collections::BTreeSet<String> = sources.visited().difference(&before).cloned().collect();
        assert_eq!(fresh, visited);
    }
}

#[tokio::test]
async fn a_page_is_read_that_the_question_names() {
    let sources = sources(|program, _| program).await;
    sources.site.put("/kiln", SitePage::html("The kiln", &["The kiln of Delft reaches 1,280 degrees.", "It is old."]));
    let message = format!("research how hot the kiln gets, see {}.", sources.site.url("/kiln"));
    let found = research(&sources.server.rest(), json!({ "message": message })).await;
    found.assert_claims("The kiln of Delft reaches 1,280 degrees.");
    assert!(
        found.chunks.iter().any(|chunk| chunk["kind"] == "page" && chunk["status"] == "read"),
        "{:?}",
        found.chunks
    );
    assert_eq!(sources.site.visits().iter().filter(|path| *path == "/kiln").count(), 1);
}

#[tokio::test]
async fn passages_go_wherever_the_journal_goes() {
    let sources = sources(|program, _| program).await;
    sources.write("kiln.md", "# The kiln\n\nThe kiln of Delft reaches 1,280 degrees.");
    sources.add_folder().await;
    let rest = sources.server.rest();
    let session = rest.session().await;
    let found = research_in(&rest, &session, json!({ "message": "research the kiln of Delft" })).await;
    found.assert_claims("The kiln of Delft reaches 1,280 degrees.");

    let file = sources.program.folder().join("out.ndjson");
    let file = file.to_str().unwrap();
    sources.program.run(&["export", &session, "--to", file]).await;
    let copy = sources.program.run(&["import", file, "--json"]).await.stdout;
    let copy: serde_json::Value = serde_json::from_str(&copy).unwrap();
    let log = rest.log(copy["session_id"].as_str().unwrap()).await;
    let turn_id = log.iter().find_map(|event| event["turn_id"].as_str()).unwrap();
    let passages = rest.get(&format!("/api/v1/turns/{turn_id}/passages")).await.ok();
    assert_eq!(passages["data"], json!(found.passages));
}

#[tokio::test]
async fn at_most_fifteen_are_read_and_side_by_side() {
    let sources = sources(|program, _| program).await;
    for number in 0..20 {
        let words = format!("Pottery number {number} was fired at {} degrees in the great kiln.", 900 + number);
        let page = SitePage::html(&format!("Pot {number}"), &[&words]);
        sources.site.put(&format!("/pot/{number}"), SitePage { company: 15, ..page });
    }
    let found = research(&sources.server.rest(), json!({ "message": "research pottery in the great kiln" })).await;
    assert_eq!((found.with_status("found").len(), found.with_status("read").len()), (15, 15));
    assert_eq!(found.tried_on_the_web(), sources.visited());
    // No page was answered before all of them were requested.
    assert_eq!(sources.site.most_at_once(), 15);
}

#[tokio::test]
async fn without_any_source_that_is_said() {
    let program = crate::program().with("DWELL_HOME_ENABLED", "false");
    let server = program.start().await;
    let found = research(&server.rest(), json!({ "message": "research the history of salt" })).await;
    assert_eq!((&found.turn["status"], &found.started["sources"]), (&json!("completed"), &json!([])));
    assert!(found.done["notices"][0].as_str().unwrap().contains("dwell library add"), "{}", found.done);
    assert!(found.message().contains("no source"), "{}", found.message());
}

#[tokio::test]
async fn what_is_not_understood_is_looked_up_in_the_library() {
    let sources = sources(|program, _| program).await;
    sources.write("kiln.md", "# The kiln\n\nThe kiln of Delft reaches 1,280 degrees after nine hours.");
    sources.add_folder().await;
    let found = research(&sources.server.rest(), json!({ "message": "How hot does the kiln of Delft get?" })).await;
    found.assert_claims("The kiln of Delft reaches 1,280 degrees after nine hours.");
    assert!(sources.site.visits().is_empty(), "nothing is sent out for that: {:?}", sources.site.visits());
    let nothing = research(&sources.server.rest(), json!({ "message": "Who wrote the opera about the barber?" })).await;
    assert!(nothing.message().contains("needs a language model"), "{}", nothing.message());
}

#[tokio::test]
async fn brave_is_asked_with_its_key_and_the_key_stays_here() {
    let key = "brave-key-5f1c2b7a9e";
    let sources = sources(|program, site| {
        program.with("SEARXNG_URL", "").with("BRAVE_API_KEY", key).with("DWELL_RESEARCH_BRAVE_URL", &site.url("/brave"))
    })
    .await;
    sources.site.put("/salt", SitePage::html("Salt", &["Salt was mined in Hallstatt for seven thousand years."]));
    sources.site.ask_for_key(key);
    let found = research(&sources.server.rest(), json!({ "message": "research salt in Hallstatt" })).await;
    found.assert_claims("Salt was mined in Hallstatt for seven thousand years.");

    sources.site.ask_for_key("another");
    let refused = research(&sources.server.rest(), json!({ "message": "research salt in Hallstatt again" })).await;
    let notices = refused.done["notices"].to_string();
    assert!(notices.contains("brave") && !notices.contains(key), "{notices}");
}
