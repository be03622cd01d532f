//! Damaged files: the error names what is missing or changed and counts what is left out.

use serde_json::{Value, json};
use testkit::RestClient;

use super::import;
use crate::{
    harness::{calls, harness, told},
    started,
};

/// The exported file of a session with a few turns.
async fn exported() -> (crate::harness::ToolHarness, Vec<String>) {
    let harness = harness().await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    harness.model.push(calls("c1", "look_at_sky", "clear"));
    for message in ["How is the sky?", "And now?"] {
        told(&rest, &session, json!({ "message": message })).await;
    }
    let text = rest.text(&format!("/api/v1/sessions/{session}/export?artifacts=true")).await;
    (harness, text.lines().map(str::to_owned).collect())
}

async fn refused(rest: &RestClient, lines: &[String]) -> String {
    let answer = import(rest, "format=ndjson", lines.join("\n")).await;
    assert_eq!(answer.code(400), "invalid_request");
    answer.body["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_damaged_journal_is_refused_by_name() {
    let (harness, lines) = exported().await;
    let rest = harness.server.rest();
    let before = rest.get("/api/v1/sessions").await.ok()["data"].as_array().unwrap().len();
    let count = lines.len() - 1;
    let changed = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = lines.clone();
        change(&mut lines);
        lines
    };
    let two_thirds = lines.len() * 2 / 3;
    let cases = [
        (changed(&|lines| lines.truncate(two_thirds)), format!("it ends before line {}", two_thirds + 1)),
        (changed(&|lines| drop(lines.remove(5))), "before line 6, 1 are missing".to_owned()),
        (
            changed(&|lines| lines[4] = lines[4].replace("sky", "sea").replace("\"at\":\"20", "\"at\":\"19")),
            "line 5 was changed".to_owned(),
        ),
        (changed(&|lines| lines.swap(6, 7)), "line 7 is out of order".to_owned()),
        (changed(&|lines| lines.insert(4, lines[3].clone())), "line 5 is there twice".to_owned()),
    ];
    for (lines, words) in cases {
        let message = refused(&rest, &lines).await;
        assert!(message.contains(&words), "{message} for {words}");
        assert!(message.contains(&format!("{count} expected")), "{message}");
    }
    // A cut in the middle of a line is found too.
    let text = lines.join("\n");
    let answer = import(&rest, "format=ndjson", text[..text.floor_char_boundary(text.len() * 2 / 3)].to_owned()).await;
    assert!(answer.body["message"].as_str().unwrap().contains(" expected, "), "{}", answer.body);
    let after = rest.get("/api/v1/sessions").await.ok()["data"].as_array().unwrap().len();
    assert_eq!(before, after, "and nothing is made of it");
}

#[tokio::test]
async fn a_journal_that_says_nothing_of_itself_is_held_to_its_numbers() {
    let (harness, mut lines) = exported().await;
    let rest = harness.server.rest();
    lines.remove(0);
    let without = |at: usize| {
        let mut lines = lines.clone();
        lines.remove(at);
        lines
    };
    let message = refused(&rest, &without(4)).await;
    assert!(message.contains("line 5: event 6 follows event 4: event 5 is missing"), "{message}");
    import(&rest, "format=ndjson", lines.join("\n")).await.ok();
}

#[tokio::test]
async fn damage_that_is_accepted_is_named_in_the_answer() {
    let (harness, mut lines) = exported().await;
    let rest = harness.server.rest();
    lines.remove(5);
    lines.push("{\"seq\":".to_owned());
    let taken = import(&rest, "format=ndjson&accept_damage=true", lines.join("\n")).await.ok();
    let damage = taken["damage"].to_string();
    assert!(
        damage.contains("before line 6") && damage.contains("it is not valid JSON") && damage.contains("is missing"),
        "{damage}"
    );
    assert_eq!(taken["origins_kept"], false);
    let file = harness.program.folder().join("damaged.ndjson");
    std::fs::write(&file, lines.join("\n")).unwrap();
    let file = file.to_str().unwrap();
    let refused = harness.program.run(&["import", file]).await;
    assert!(refused.code() != 0 && refused.stderr.contains(" expected, "), "{}", refused.stderr);
    let taken = harness.program.run(&["import", file, "--accept-damage"]).await;
    assert!(taken.code() == 0 && taken.stderr.contains("damaged: "), "{}", taken.stderr);
}

#[tokio::test]
async fn what_is_left_out_on_purpose_is_counted() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let open = |id: &str, name: &str| {
        let content = json!({ "type": "markdown", "text": "Hello" });
        testkit::ToolCall::new(id, "window_open", json!({ "window_id": name, "title": name, "content": content }))
    };
    model.push(testkit::Reply::tool_calls([open("c1", "one"), open("c2", "two")]));
    told(&rest, &session, json!({ "message": "Open two windows." })).await;
    model.push(testkit::Reply::hang());
    rest.send(&session, "Think it over.").await;
    let text = rest.text(&format!("/api/v1/sessions/{session}/export")).await;
    let taken = import(&rest, "format=ndjson", text).await.ok();
    assert_eq!((&taken["left_out"]["windows"], &taken["left_out"]["open_turns"]), (&json!(2), &json!(1)), "{taken}");
}

#[tokio::test]
async fn an_artifact_from_the_future_is_from_now() {
    let harness = harness().await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    let save =
        testkit::ToolCall::new("c1", "artifact_save", json!({ "name": "plan.md", "content": "Plant the maple." }));
    harness.model.push(testkit::Reply::tool_calls([save]));
    told(&rest, &session, json!({ "message": "Keep the plan." })).await;
    let text = rest.text(&format!("/api/v1/sessions/{session}/export?artifacts=true")).await;
    let lines =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).filter(|line: &Value| line["type"] != "manifest");
    let aged = lines.map(|mut line| {
        if line["type"] == "artifact" {
            line["artifact"]["created_at"] = json!("2099-01-01T00:00:00Z");
            line["artifact"]["origin"] = json!("trusted");
        }
        format!("{line}\n")
    });
    let taken = import(&rest, "format=ndjson", aged.collect()).await.ok();
    let kept = rest.get(&format!("/api/v1/sessions/{}/artifacts", super::id(&taken))).await.ok();
    let artifact = &kept["data"][0];
    assert!(!artifact["created_at"].as_str().unwrap().starts_with("2099"), "{kept}");
    assert_eq!(artifact["origin"], "untrusted");
}

#[tokio::test]
async fn a_damaged_archive_of_memories_is_refused_by_name() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    for (key, value) in [("diet", "vegan"), ("city", "Lisbon"), ("tea", "green")] {
        let body = Some(json!({ "value": value }));
        rest.call(reqwest::Method::PUT, &format!("/api/v1/profile/{key}"), body, &[]).await.ok();
    }
    let archive = rest.get("/api/v1/memories/export").await.ok();
    assert_eq!(archive["manifest"]["counts"]["facts"], 3, "{archive}");
    let fact = archive["facts"][1]["fact_id"].as_str().unwrap().to_owned();
    let mut missing = archive.clone();
    missing["facts"].as_array_mut().unwrap().remove(1);
    let mut changed = archive.clone();
    changed["facts"][1]["value"] = json!("Oslo");
    for (archive, words) in [(&missing, "2 of 3 facts".to_owned()), (&changed, format!("the fact {fact} was changed"))]
    {
        let refused = rest.post("/api/v1/memories/import", json!({ "archive": archive })).await;
        assert_eq!(refused.code(400), "invalid_request");
        let message = refused.body["message"].as_str().unwrap();
        assert!(message.contains(&words), "{message}");
        let taken =
            rest.post("/api/v1/memories/import", json!({ "archive": archive, "accept_damage": true })).await.ok();
        assert!(taken["damage"].to_string().contains(&words), "{taken}");
    }
}
