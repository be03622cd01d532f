//! What holds for every stream, against testkit's scripted server.

use std::sync::Arc;

use futures::StreamExt;
use model::{Chunk, Error, Model, Prompt, Provider, ProviderKind};
use protocol::Usage;
use testkit::{ModelServer, Reply};

use crate::{
    exchanges::only,
    prompts::{prompt, user},
};

fn client(server: &ModelServer) -> Arc<dyn Model> {
    only(Provider::new("local", ProviderKind::OpenAi, "local/small").at(server.base_url()).with_key("sk-secret-key"))
}

fn hello() -> Prompt {
    prompt(vec![user("hello")])
}

/// The text up to the end or the error.
async fn answer(model: &dyn Model) -> (String, Result<Option<Usage>, Error>) {
    let mut text = String::new();
    let mut chunks = match model.stream(hello()).await {
        Ok(chunks) => chunks,
        Err(error) => return (text, Err(error)),
    };
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(Chunk::Text(more)) => text.push_str(&more),
            Ok(Chunk::End { usage, .. }) => return (text, Ok(usage)),
            Ok(other) => panic!("unexpected {other:?}"),
            Err(error) => return (text, Err(error)),
        }
    }
    panic!("the stream stopped with neither an end nor an error")
}

#[tokio::test]
async fn text_streams_and_usage_comes_with_the_end() {
    let server = ModelServer::start().await;
    server.push(Reply::text("Grüße aus 東京!").usage(12, 7));
    let (text, end) = answer(&*client(&server)).await;
    assert_eq!(text, "Grüße aus 東京!");
    assert_eq!(end, Ok(Some(Usage::of(12, 7))));
    let request = &server.requests()[0];
    assert_eq!(request.model(), "small");
    assert_eq!(request.authorization().as_deref(), Some("Bearer sk-secret-key"));
    assert_eq!(request.messages()[0]["content"], "Be brief.");
}

#[tokio::test]
async fn a_server_without_a_key_is_shown_none() {
    let server = ModelServer::start().await;
    let model = only(Provider::new("local", ProviderKind::OpenAi, "small").at(format!("{}/", server.base_url())));
    assert!(answer(&*model).await.1.is_ok());
    assert_eq!(server.requests()[0].authorization(), None);
}

#[tokio::test]
async fn a_name_that_ends_like_an_effort_stays_whole() {
    let server = ModelServer::start().await;
    let model = only(Provider::new("local", ProviderKind::OpenAi, "mistralai/mistral-medium").at(server.base_url()));
    assert_eq!(model.name(), "local/mistralai/mistral-medium");
    assert!(answer(&*model).await.1.is_ok());
    assert_eq!(server.requests()[0].model(), "mistralai/mistral-medium");
    assert!(server.requests()[0].raw().get("reasoning_effort").is_none());
}

#[tokio::test]
async fn a_stream_that_stops_in_the_middle_is_an_error() {
    for reply in [Reply::text("one two three four").cut_after(2), Reply::text("one two three four").end_early(2)] {
        let server = ModelServer::start().await;
        server.push(reply);
        let (text, end) = answer(&*client(&server)).await;
        assert_eq!(end, Err(Error::Cut { provider: "local".to_owned() }));
        assert!(text.starts_with("one "), "what had come is kept: {text:?}");
    }
}

#[tokio::test]
async fn nonsense_is_an_error_and_not_a_crash() {
    let server = ModelServer::start().await;
    server.push(Reply::malformed());
    let error = answer(&*client(&server)).await.1.unwrap_err();
    assert!(matches!(error, Error::Malformed { .. }), "{error:?}");
}

#[tokio::test]
async fn dropping_the_answer_cancels_the_call() {
    let server = ModelServer::start().await;
    server.push(Reply::text("one two three").stall_after(1));
    let mut chunks = client(&server).stream(hello()).await.unwrap();
    assert_eq!(chunks.next().await, Some(Ok(Chunk::Text("one ".to_owned()))));
    drop(chunks);
    server.until(|server| server.aborted() == 1).await;
}

#[tokio::test]
async fn a_call_that_is_dropped_before_its_first_word_is_cancelled_too() {
    let server = ModelServer::start().await;
    server.push(Reply::text("one").stall_after(0));
    let model = client(&server);
    let waiting = tokio::spawn(async move { model.stream(hello()).await.map(|_| ()) });
    server.until(|server| server.in_flight() == 1).await;
    waiting.abort();
    server.until(|server| server.aborted() == 1).await;
}
