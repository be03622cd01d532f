//! Ten turns of one session as the model sees them: the snapshot shows exactly what is sent.

use std::fmt::Write as _;

use serde_json::{Value, json};
use testkit::{Reply, Request, ToolCall};

use super::super::{
    harness::{say, shown, told},
    started_with_home,
};

/// The tokens that a picture counts for.
const PICTURE_TOKENS: u64 = 1_600;

#[tokio::test]
async fn the_prompts_of_ten_turns_read_as_one_would_write_them() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let picture = json!({ "media_type": "image/png", "data": "iVBORw0KGgoAbm90IG11Y2gg" });
    let second = [ToolCall::new("c1", "calculator", json!({ "expression": "14 * 2.5" }))];
    let turns: Vec<(Value, Vec<Reply>)> = vec![
        (
            json!("Hello, I'm Mara. I bake bread for a small café."),
            vec![Reply::text("Hello Mara! What are you baking?")],
        ),
        (
            json!("Fourteen loaves at 2.50 each: what is that?"),
            vec![Reply::tool_calls(second), Reply::text("That is 35.")],
        ),
        (json!("Which flour should I order?"), vec![Reply::status(401)]),
        (
            json!("Let me ask again: rye or wheat?"),
            vec![Reply::text("Rye keeps longer and").finishing("content_filter")],
        ),
        (
            json!({ "message": "Is this loaf done?", "images": [picture] }),
            vec![Reply::text("The crust is dark; tap it: it should sound hollow.")],
        ),
        (json!("And how long did it bake, by the look of it?"), vec![Reply::text("Some 50 minutes.")]),
        (json!("Say something dreadful about my oven."), vec![Reply::text("I will not.").finishing("refusal")]),
        (
            json!("Write the recipe down."),
            vec![
                Reply::text("Mix 600 g of rye flour with 420 ml of wat").finishing("length"),
                Reply::text("er and let it rest."),
            ],
        ),
        (json!("Never mind, tell me a story."), vec![Reply::text("Once upon a time").stall_after(2)]),
        (json!("What did I ask you first?"), vec![Reply::text("What fourteen loaves cost.")]),
    ];
    let mut book = String::new();
    for (number, (body, replies)) in turns.into_iter().enumerate() {
        let asked = model.requests().len();
        let stops = number == 8;
        replies.into_iter().for_each(|reply| model.push(reply));
        let body = if body.is_string() { json!({ "message": body }) } else { body };
        if stops {
            let turn = say(&rest, &session, body).await.ok();
            let path = format!("/api/v1/turns/{}", turn["turn_id"].as_str().unwrap());
            while rest.get(&path).await.ok()["text"] != "Once upon " {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
            rest.post(&format!("{path}/cancel"), json!({})).await.ok();
        } else {
            told(&rest, &session, body).await;
        }
        // Memory of a turn is written after the turn.
        rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
        for request in &model.requests()[asked..] {
            writeln!(book, "==== turn {} ====\n{}", number + 1, page(request)).unwrap();
        }
    }
    insta::assert_snapshot!(book);
    assert_eq!(model.violations(), Vec::<String>::new());
    assert_counted(&model.requests(), &rest.log(&session).await);
}

/// Checks that the tokens that were counted before the request match the request, counted by the
/// same tokenizer, within a tenth for the JSON around the texts.
fn assert_counted(requests: &[Request], log: &[Value]) {
    let counted = log.iter().filter(|event| event["type"] == "memory.used");
    let counted: Vec<u64> = counted.map(|event| event["data"]["tokens"].as_u64().unwrap()).collect();
    assert_eq!(counted.len(), 10);
    let sent = |request: &Request| {
        let said: u64 = request.messages().iter().map(|message| model::count(&words(&message["content"])) + 4).sum();
        let pictures = request.raw().to_string().matches("data:image/").count() as u64 * PICTURE_TOKENS;
        said + pictures
            + request.tools().iter().map(|tool| model::count(&tool["function"].to_string()) + 4).sum::<u64>()
    };
    let (first, last) = (sent(&requests[0]), sent(requests.last().unwrap()));
    for (counted, sent) in [(counted[0], first), (counted[9], last)] {
        assert!(counted.abs_diff(sent) <= sent / 10, "{counted} were counted and {sent} sent");
    }
}

/// A request as readable text.
fn page(request: &Request) -> String {
    let mut page = format!("tools: {}\n", shown(request).join(" "));
    for message in request.messages() {
        let role = message["role"].as_str().unwrap();
        let words = without_clock(&words(&message["content"]));
        writeln!(page, "\n[{role}]\n{words}").unwrap();
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            writeln!(page, "(calls {} {})", call["function"]["name"], call["function"]["arguments"]).unwrap();
        }
    }
    page
}

fn words(content: &Value) -> String {
    match content {
        Value::Array(parts) => {
            let part = |part: &Value| part["text"].as_str().map_or_else(|| "(a picture)".to_owned(), str::to_owned);
            parts.iter().map(part).collect::<Vec<_>>().join("\n")
        }
        content => content.as_str().unwrap_or_default().to_owned(),
    }
}

/// Replaces the date and time of the test run.
fn without_clock(text: &str) -> String {
    let is_clock = |line: &&str| line.starts_with("It is 20") && line.ends_with("(UTC).");
    text.lines().map(|line| if is_clock(&line) { "It is [now] (UTC)." } else { line }).collect::<Vec<_>>().join("\n")
}
