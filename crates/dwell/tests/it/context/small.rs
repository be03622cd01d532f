//! Small context windows: the conversation is included all the same. Where it does not fit, the
//! turn says so.

use serde_json::{Value, json};

use super::super::{
    harness::{last, session_with, told},
    started,
};

/// A question and an answer of ordinary length.
const QUESTION: &str = "My sister Anna moved to Lisbon last spring and works there for a museum of tiles. \
    What should I bring her from Berlin when I visit her in October for a long weekend?";
const ANSWER: &str = "Something she cannot buy there: a loaf of dark rye bread from your bakery, a jar of the mustard she grew \
    up with, and a book of photographs of her old street. Tiles she has enough of. If you have room, take a small bottle of \
    the quince jelly your aunt makes, and pack it in your socks, since it counts as a liquid in hand luggage.";

fn used(log: &[Value]) -> Vec<Value> {
    log.iter().filter(|event| event["type"] == "memory.used").map(|event| event["data"].clone()).collect()
}

/// The notices about the context window.
fn notices(used: &Value) -> Vec<String> {
    let all = used["notices"].as_array().cloned().unwrap_or_default();
    let texts = all.iter().filter_map(|notice| notice.as_str().map(str::to_owned));
    texts.filter(|notice| notice.contains("exchange")).collect()
}

#[tokio::test]
async fn a_window_of_four_thousand_tokens_carries_the_last_three_exchanges() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for limit in [2_816, 4_000] {
        let session = session_with(&rest, json!({ "budgets": { "context_tokens": limit } })).await;
        for number in 1..=6 {
            model.push(testkit::Reply::text(format!("{number}. {ANSWER}")));
            told(&rest, &session, json!({ "message": format!("{number}. {QUESTION}") })).await;
        }
        told(&rest, &session, json!({ "message": "And which of these did you name first?" })).await;
        let said = last(&model).said();
        for number in 4..=6 {
            let is_told = |words: &str| said.iter().any(|text| text.starts_with(&format!("{number}. {words}")));
            assert!(is_told("My sister") && is_told("Something"), "{limit}: exchange {number} is missing: {said:?}");
        }
        assert!(said[0].contains("My sister"), "{limit}: an answer without its question: {said:?}");
        let log = rest.log(&session).await;
        let newest = used(&log).pop().unwrap();
        assert!(newest["tokens"].as_u64().unwrap() <= limit, "{newest}");
        assert_eq!(notices(&newest), Vec::<String>::new(), "{newest}");
    }
}

#[tokio::test]
async fn a_long_answer_is_shortened_rather_than_lost_and_the_turn_says_so() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "context_tokens": 3_000 } })).await;
    let long = format!("It begins here. {} It ends there.", "And so it went on for a good while. ".repeat(600));
    model.push(testkit::Reply::text(long));
    told(&rest, &session, json!({ "message": "Tell me a long story." })).await;
    let turn = told(&rest, &session, json!({ "message": "How did it end?" })).await;
    let said = last(&model).said();
    assert_eq!((said.len(), said[0].as_str()), (3, "Tell me a long story."), "{said:?}");
    assert!(said[1].starts_with("It begins here.") && said[1].ends_with("It ends there.") && said[1].contains("[…]"));
    let notice = turn["response"]["notices"][0].as_str().unwrap();
    assert!(
        notice.contains("contains only parts of the last exchange") && notice.contains("context_tokens"),
        "{notice}"
    );
    let newest = used(&rest.log(&session).await).pop().unwrap();
    assert_eq!(notices(&newest), [notice]);
}

#[tokio::test]
async fn a_message_that_leaves_no_room_for_the_last_exchange_says_so() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "context_tokens": 3_000 } })).await;
    told(&rest, &session, json!({ "message": QUESTION })).await;
    let long = "Read this carefully and tell me what it says. ".repeat(260);
    let turn = told(&rest, &session, json!({ "message": long })).await;
    assert_eq!(last(&model).said().len(), 1);
    let notice = turn["response"]["notices"][0].as_str().unwrap();
    assert!(notice.contains("cannot contain the last exchange"), "{notice}");
}
