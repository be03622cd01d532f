//! Each call is delivered to one worker, and again only if that is allowed and said so.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, ToolCall};

use super::{answer, has_received, next, tool, until_away, waiting, worker};
use crate::{
    harness::{last, results, steps},
    started,
};

/// The model calls a tool in every turn, and then says something.
fn always_calls(model: &ModelServer, tool: &'static str, words: &'static str) {
    model.respond_with(move |request| {
        let is_answered = request.messages().last().is_some_and(|message| message["role"] == "tool");
        let call = ToolCall::new("c1", tool, json!({ "city": "Oslo" }));
        if is_answered { Reply::text(words) } else { Reply::tool_calls([call]) }
    });
}

fn is_again(call: &Value) -> bool {
    call["redelivered"].as_bool().unwrap()
}

#[tokio::test]
async fn a_worker_whose_connection_was_cut_gets_its_calls_again() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let tools = [tool("book_table", "at_most_once"), tool("get_weather", "idempotent")];
    let mut one = worker(&server, "one", &tools).await;
    let session = rest.session().await;
    let both = ["book_table", "get_weather"];
    model.push(Reply::tool_calls(both.map(|tool| ToolCall::new(tool, tool, json!({})))));
    model.push(Reply::text("Booked."));
    let turn_id = rest.send(&session, "Book a table.").await;
    let (first, second) = (next(&mut one, "tool.call").await, next(&mut one, "tool.call").await);
    assert!(!is_again(&first) && !is_again(&second) && first["key"] != second["key"]);

    let mut other = worker(&server, "other", &tools).await;
    assert!(!has_received(&mut other, "tool.call").await, "both are with their worker");
    drop(one);
    let moved = next(&mut other, "tool.call").await;
    assert_eq!((&moved["tool"], &moved["key"]), (&json!("get_weather"), &second["key"]), "harmless to repeat");
    assert!(is_again(&moved) && !has_received(&mut other, "tool.call").await, "the booking waits for its worker");

    let mut one = worker(&server, "one", &tools).await;
    let call = next(&mut one, "tool.call").await;
    assert_eq!((&call["tool"], &call["key"], is_again(&call)), (&json!("book_table"), &first["key"], true));
    let mut twin = worker(&server, "one", &tools).await;
    assert_eq!(next(&mut one, "tool.cancel").await["reason"], "replaced", "one connection at a time is a worker");
    assert_eq!(next(&mut one, "tool.serving").await["tools"], json!([]));
    let call = next(&mut twin, "tool.call").await;
    assert!(call["tool"] == "book_table" && is_again(&call), "{call}");
    answer(&mut other, &moved, "snow").await;
    answer(&mut twin, &call, "booked").await;
    assert_eq!(rest.ended(&turn_id).await["text"], "Booked.");
    let told = results(&last(&model));
    assert!(told.len() == 2 && told[0].1 == "booked" && told[1].1 == "snow", "{told:?}");
}

#[tokio::test]
async fn a_killed_server_delivers_once_and_says_if_it_may_be_twice() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    let tools = [tool("book_table", "at_most_once")];
    let (delivered, untaken) = (rest.session().await, rest.session().await);
    let mut books = worker(&server, "books", &tools).await;
    always_calls(&model, "book_table", "Booked.");
    let turn_id = rest.send(&delivered, "Book a table.").await;
    let call = next(&mut books, "tool.call").await;
    // The effect happens in the worker, and its answer is lost.
    drop(books);
    until_away(&rest).await;
    let later_id = rest.send(&untaken, "Book another.").await;
    waiting(&rest, &later_id).await;
    server.kill().await;

    let server = program.start().await;
    let rest = server.rest();
    assert_eq!(waiting(&rest, &turn_id).await["calls_waiting"][0]["served"], true);
    let mut stranger = worker(&server, "stranger", &tools).await;
    let fresh = next(&mut stranger, "tool.call").await;
    assert_eq!((&fresh["turn_id"], is_again(&fresh)), (&json!(later_id), false), "it never was with a worker");
    assert!(!has_received(&mut stranger, "tool.call").await, "the other one may have run");
    let mut books = worker(&server, "books", &tools).await;
    let again = next(&mut books, "tool.call").await;
    assert!(is_again(&again) && again["key"] == call["key"] && again["turn_id"] == turn_id.as_str(), "{again}");
    answer(&mut books, &again, "it was booked before").await;
    answer(&mut stranger, &fresh, "booked").await;
    for id in [&turn_id, &later_id] {
        let ended = rest.ended(id).await;
        assert_eq!((&ended["status"], &ended["text"]), (&json!("completed"), &json!("Booked.")));
        assert_eq!((steps(&ended, "tool_call").len(), steps(&ended, "tool_result").len()), (1, 1), "once");
    }
    assert_eq!(model.requests().len(), 4, "the model was not asked again");
}

#[tokio::test]
async fn a_worker_that_is_away_for_a_moment_is_waited_for_and_the_least_busy_is_taken() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let tools = [tool("get_weather", "idempotent")];
    let mut unnamed = server.socket().await;
    let serving = unnamed.ask("tool.serve", json!({ "tools": tools })).await.unwrap();
    assert!(!serving["worker"].as_str().unwrap().is_empty());
    let session = rest.session().await;
    drop(unnamed);
    until_away(&rest).await;
    always_calls(&model, "get_weather", "Done.");
    let turn_id = rest.send(&session, "How is the weather?").await;
    waiting(&rest, &turn_id).await;
    let mut back = server.socket().await;
    back.ask("tool.serve", json!({ "tools": tools })).await.unwrap();
    let call = next(&mut back, "tool.call").await;
    assert!(!is_again(&call), "it was offered while its worker was away, and delivered once");

    let mut second = worker(&server, "second", &tools).await;
    let other_id = rest.send(&rest.session().await, "How is the weather?").await;
    let other = next(&mut second, "tool.call").await;
    assert_eq!(other["turn_id"], other_id.as_str(), "the other worker is busy");
    answer(&mut second, &other, "sun").await;
    answer(&mut back, &call, "snow").await;
    let ended = (rest.ended(&turn_id).await, rest.ended(&other_id).await);
    assert_eq!((&ended.0["status"], &ended.1["status"]), (&json!("completed"), &json!("completed")));
}
