//! Research with a language model: the question is divided, a second round searches for gaps, and
//! contradictions are reported.

use serde_json::json;
use testkit::{ModelServer, Reply, Request, SitePage};

use super::{research, sources};

/// Whether a request has these words in its instructions, which identify Dwell's own side requests.
fn is_about(request: &Request, words: &str) -> bool {
    request.messages().iter().any(|message| {
        message["role"] == "system" && message["content"].as_str().is_some_and(|content| content.contains(words))
    })
}

fn text_of(request: &Request) -> String {
    request.messages().iter().filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join("\n")
}

/// The mark of the passage that has these words.
fn mark_of(text: &str, words: &str) -> Option<String> {
    let before = &text[..text.find(words)?];
    let (_, mark) = before.rsplit_once("<passage mark=\"")?;
    mark.split('"').next().map(str::to_owned)
}

#[tokio::test]
async fn gaps_lead_to_a_second_round_and_contradictions_are_named() {
    let model = ModelServer::start().await;
    let sources = sources(|program, _| program.with_model(&model)).await;
    let (heat, other, fuel) = (
        "The kiln of Delft reaches 1,280 degrees at its top.",
        "The kiln of Delft reaches 1,100 degrees at most, says the guild.",
        "Birch logs are the favourite of all potters.",
    );
    sources.site.put("/heat", SitePage::html("Heat", &[heat]));
    sources.site.put("/guild", SitePage::html("Guild", &[other]));
    sources.site.put("/fuel", SitePage::html("Firewood", &[fuel]));
    model.respond_with(move |request| {
        let text = text_of(request);
        if is_about(request, "You prepare research") {
            return Reply::text(r#"{"questions": ["degrees of the kiln of Delft"]}"#);
        }
        if is_about(request, "You write research notes") {
            let (one, two) = (mark_of(&text, heat).unwrap(), mark_of(&text, other).unwrap());
            let contradictions = json!([{ "about": "how hot it gets", "marks": [one, two] }]);
            return Reply::text(
                match mark_of(&text, fuel) {
                    None => json!({
                        "notes": format!("{heat} [{one}]"), "open": ["what is burnt"], "next": ["birch logs potters"],
                        "contradictions": contradictions,
                    }),
                    Some(three) => json!({
                        "notes": format!("{heat} [{one}] {fuel} [{three}] It is blue [99]."), "open": [], "next": [],
                        "contradictions": contradictions,
                    }),
                }
                .to_string(),
            );
        }
        let notes: String = text
            .split("\"notes\":\"")
            .nth(1)
            .map(|rest| rest.split("\",\"").next().unwrap().to_owned())
            .unwrap_or_default();
        Reply::text(format!("From what I read: {notes}"))
    });
    let message = "research how hot the kiln of Delft gets and what is burnt in it";
    let found = research(&sources.server.rest(), json!({ "message": message })).await;
    assert_eq!(found.turn["status"], "completed", "{}", found.turn);
    assert_eq!(found.started["questions"], json!(["degrees of the kiln of Delft"]));
    assert_eq!(found.done["rounds"], 2);
    assert!(found.chunks.iter().any(|chunk| chunk["round"] == 2 && chunk["status"] == "read"), "{:?}", found.chunks);
    assert_eq!(found.done["contradictions"][0]["about"], "how hot it gets");
    assert_eq!(found.done["contradictions"][0]["marks"].as_array().unwrap().len(), 2);
    assert!(!found.done["notes"].as_str().unwrap().contains("[99]"), "{}", found.done["notes"]);
    found.assert_resolves();
    found.assert_claims(heat);
    found.assert_claims(fuel);
    // The usage of the side requests is counted with the turn.
    let usage = |value: &serde_json::Value| value["input_tokens"].as_u64().unwrap();
    assert!(usage(&found.turn["stats"]["usage"]) > usage(&found.done["usage"]), "{}", found.turn["stats"]);
}

#[tokio::test]
async fn a_model_that_answers_nonsense_leaves_the_sources_own_words() {
    let model = ModelServer::start().await;
    let sources = sources(|program, _| program.with_model(&model)).await;
    sources.site.put("/amber", SitePage::html("Amber", &["Amber from the Baltic floats in salt water."]));
    model.respond_with(|request| match is_about(request, "You write research notes") {
        true => Reply::text("I would rather talk about something else."),
        false => Reply::text("Amber floats [1]."),
    });
    let found = research(&sources.server.rest(), json!({ "message": "research amber from the Baltic" })).await;
    assert_eq!(found.done["notes"], "Amber from the Baltic floats in salt water. [1]");
    assert_eq!(found.turn["response"]["citations"][0]["mark"], "1");
    found.assert_resolves();
}

#[tokio::test]
async fn a_client_may_ask_for_it_with_any_question() {
    let model = ModelServer::start().await;
    let sources = sources(|program, _| program.with_model(&model)).await;
    sources.site.put("/amber", SitePage::html("Amber", &["Amber from the Baltic floats in salt water."]));
    let body = json!({ "message": "Does amber from the Baltic float?", "use_web_search": true });
    assert_eq!(research(&sources.server.rest(), body).await.done["read"], 1);
    let body = json!({ "message": "research amber from the Baltic", "use_web_search": false });
    assert_eq!(research(&sources.server.rest(), body).await.done, json!(null));
}
