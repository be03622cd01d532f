//! Reports, tables and plots: stored once, with good names, and readable.

use protocol::Origin;
use serde_json::{Value, json};
use tools::{CallContext, artifact_id};

use crate::harness::{Harness, context, owner, session};

fn report(format: &str) -> Value {
    json!({
        "title": "Heat pumps", "format": format,
        "sections": [{"heading": "Findings", "text": "They *work* [1]."}],
        "sources": [{"mark": "1", "title": "A study", "source": "https://example.org/study"}],
    })
}

fn table() -> Value {
    json!({"name": "prices", "columns": ["what", "price"], "rows": [["tea, green", 2.5], ["=1+1", null]]})
}

fn plot() -> Value {
    json!({"title": "Power", "kind": "line", "labels": ["a", "b"], "series": [{"name": "n", "values": [1, 2]}]})
}

#[tokio::test]
async fn what_is_made_says_what_it_is() {
    let harness = Harness::new().await;
    for (tool, arguments, name, media_type, beginning) in [
        (
            "report_save",
            report("markdown"),
            "heat-pumps.md",
            "text/markdown",
            "# Heat pumps\n\n## Findings\n\nThey *work* [1].\n",
        ),
        ("report_save", report("html"), "heat-pumps.html", "text/html", "<!doctype html>\n<html>"),
        ("table_save", table(), "prices.csv", "text/csv", "what,price\r\n\"tea, green\",2.5\r\n'=1+1,\r\n"),
        ("plot_draw", plot(), "power.svg", "image/svg+xml", "<svg xmlns="),
    ] {
        let output = harness.call(tool, arguments, context(name)).await.unwrap();
        let id = artifact_id(session(1), name);
        assert_eq!(output.artifacts, [id]);
        let told = &output.value;
        assert_eq!((told["name"].as_str(), told["media_type"].as_str()), (Some(name), Some(media_type)));
        let page = harness.value("artifact_read", json!({"artifact_id": id}), context("r")).await;
        assert!(page["text"].as_str().unwrap().starts_with(beginning), "{page}");
        assert_eq!(page["bytes"], told["bytes"]);
    }
    let listed = harness.value("artifact_list", json!({}), context("l")).await;
    assert_eq!(listed["artifacts"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn the_same_call_again_makes_nothing_new_and_words_of_strangers_stay_theirs() {
    let harness = Harness::new().await;
    for (tool, arguments) in [("report_save", report("html")), ("table_save", table()), ("plot_draw", plot())] {
        let tainted = CallContext { origin: Origin::Untrusted, ..context(tool) };
        let first = harness.call(tool, arguments.clone(), tainted.clone()).await.unwrap();
        assert_eq!(first.origin, Origin::Untrusted, "{tool}");
        assert_eq!(harness.call(tool, arguments, tainted).await.unwrap(), first);
        let bob = CallContext { owner: owner("bob"), ..context("b") };
        harness.refusal("artifact_read", json!({"artifact_id": first.artifacts[0]}), bob).await;
    }
    let listed = harness.value("artifact_list", json!({}), context("l")).await;
    assert_eq!(listed["artifacts"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn what_cannot_be_made_is_refused_in_words() {
    let harness = Harness::new().await;
    for (tool, arguments, why) in [
        ("report_save", json!({"title": "t", "sections": []}), "`sections` has 0"),
        ("report_save", json!({"title": "t", "sections": [{"heading": "", "text": ""}], "format": "pdf"}), "pdf"),
        ("table_save", json!({"columns": ["a"], "rows": [[1], [1, 2]]}), "row 2 has 2 cells"),
        ("table_save", json!({"columns": ["a"], "rows": [], "name": "../x"}), "`name` has"),
        (
            "plot_draw",
            json!({"title": "t", "kind": "bar", "labels": ["a"], "series": [{"name": "n", "values": []}]}),
            "series `n` has 0",
        ),
    ] {
        let refusal = harness.refusal(tool, arguments, context("1")).await;
        assert!(refusal.contains(why), "{refusal}");
    }
}
