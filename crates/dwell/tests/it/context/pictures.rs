//! Pictures stay in the conversation as long as they fit.

use serde_json::{Value, json};

use super::super::{
    harness::{last, session_with, told},
    started,
};

/// A stand-in for a picture, different for each number.
fn picture(number: u8) -> Value {
    json!({ "media_type": "image/png", "data": format!("iVBORw0KGgoAbm90IG11Y2gg{number}{number}{number}A") })
}

/// The text of a user message, and its pictures by their letters.
fn seen(message: &Value) -> (String, Vec<String>) {
    match &message["content"] {
        Value::String(text) => (text.clone(), Vec::new()),
        parts => {
            let parts = parts.as_array().unwrap();
            let text = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            let urls = parts.iter().filter_map(|part| part["image_url"]["url"].as_str());
            (text, urls.map(|url| url[url.len() - 4..].to_owned()).collect())
        }
    }
}

#[tokio::test]
async fn the_next_question_about_a_picture_is_sent_with_it() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "What is in this picture?", "images": [picture(1)] })).await;
    told(&rest, &session, json!({ "message": "And what stands to the left of it?" })).await;
    let request = last(&model);
    let messages = request.messages();
    assert_eq!(seen(&messages[1]), ("What is in this picture?".to_owned(), vec!["111A".to_owned()]));
}

#[tokio::test]
async fn in_a_small_window_the_important_and_the_newest_stay_and_a_line_stands_for_the_others() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "context_tokens": 10_000 } })).await;
    let send = |number: u8, tags: Value| json!({ "message": format!("Look at {number}."), "images": [picture(number)], "tags": tags });
    told(&rest, &session, send(1, json!(["important"]))).await;
    told(&rest, &session, send(2, json!([]))).await;
    told(&rest, &session, send(3, json!([]))).await;
    told(&rest, &session, json!({ "message": "Which of them was the best?" })).await;
    let request = last(&model);
    let messages = request.messages();
    let asked: Vec<(String, Vec<String>)> =
        messages.iter().filter(|message| message["role"] == "user").take(3).map(seen).collect();
    assert_eq!(asked[0].1, ["111A"], "{asked:?}");
    assert!(asked[1].1.is_empty() && asked[1].0.contains("[An image came with this message (image/png"), "{asked:?}");
    assert!(asked[1].0.contains("It has left the conversation."), "{asked:?}");
    assert_eq!(asked[2].1, ["333A"], "{asked:?}");
}
