//! A session reset: nothing of the old conversation is in the prompt any more, and the owner's
//! profile still is.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, Request, ToolCall};

use super::{events, exchange, line, memory_of, search, settled, texts};
use crate::{
    harness::{last, system},
    started,
};

/// The instructions and the conversation of a request, without the memories beside the message.
fn own_words(request: &Request) -> String {
    format!("{}\n{}", system(request), request.said().join("\n"))
}

#[tokio::test]
async fn starting_over_forgets_the_window_the_summary_and_the_pins_but_not_the_profile() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    line(&rest, "diet", "vegan").await;
    let session = rest.session().await;
    model.push(Reply::tool_calls([ToolCall::new(
        "c1",
        "pin",
        json!({ "key": "tone", "text": "Speak like a sailor." }),
    )]));
    exchange(&rest, &session, "Speak like a sailor from now on, in this conversation.").await;
    for place in ["attic", "cellar", "garden"] {
        exchange(&rest, &session, &format!("The {place} will be painted by Okonkwo in October.")).await;
    }
    let contexts = format!("{}/contexts", memory_of(&rest, &session).await);
    assert!(!rest.get(&contexts).await.ok()["data"].as_array().unwrap().is_empty(), "it was summed up");
    exchange(&rest, &session, "Shall we go on?").await;
    let before = own_words(&last(&model));
    assert!(before.contains("Okonkwo") && before.contains("sailor"), "{before}");

    rest.call(Method::POST, &format!("/api/v1/sessions/{session}/reset"), None, &[]).await.ok();
    settled(&rest).await;
    exchange(&rest, &session, "Shall we begin?").await;
    let request = last(&model);
    let after = own_words(&request);
    assert!(!after.contains("Okonkwo") && !after.contains("painted"), "neither window nor summary: {after}");
    assert!(!after.contains("Speak like a sailor."), "nor pins: {after}");
    assert!(after.contains("diet: vegan"), "the profile stays: {after}");
    assert_eq!(request.said(), ["Shall we begin?"]);

    exchange(&rest, &session, "And then?").await;
    assert_eq!(last(&model).said().len(), 3, "later turns are in the prompt again: {:?}", last(&model).said());
}

#[tokio::test]
async fn what_was_said_before_stays_findable_and_out_of_later_summaries() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    exchange(&rest, &session, "The attic will be painted by Okonkwo in October.").await;
    rest.call(Method::POST, &format!("/api/v1/sessions/{session}/reset"), None, &[]).await.ok();
    for message in ["Tulips need sun.", "Roses need water.", "Ferns like shade."] {
        exchange(&rest, &session, message).await;
    }
    let contexts = format!("{}/contexts", memory_of(&rest, &session).await);
    let latest = rest.get(&format!("{contexts}/latest")).await.ok();
    let text = latest["content"].as_str().unwrap();
    assert!(text.contains("Tulips") && !text.contains("Okonkwo"), "{text}");
    let found = search(&rest, json!({ "query": "who paints the attic?", "levels": ["entry"] })).await;
    assert!(texts(&found)[0].contains("Okonkwo"), "starting over is not forgetting: {found}");

    exchange(&rest, &session, "Shall we go on?").await;
    let log = rest.log(&session).await;
    let used: &Value = events(&log, "memory.used").last().unwrap();
    let summaries = used["data"]["items"].as_array().unwrap().iter().filter(|item| item["level"] == "context");
    let summaries: Vec<&Value> = summaries.collect();
    assert!(summaries.iter().all(|summary| !summary["text"].as_str().unwrap().contains("Okonkwo")), "{summaries:?}");
    assert!(own_words(&last(&model)).contains("Tulips"));
}
