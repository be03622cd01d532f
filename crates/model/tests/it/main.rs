//! The models, against a server that speaks the provider's wire.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

use std::time::Duration;

use futures::StreamExt;
use model::{Chunk, Endpoint, Error, Message, Model, OpenAi, Prompt, Role, Unconfigured};
use protocol::Usage;
use testkit::{ModelServer, Reply};

fn client(server: &ModelServer) -> OpenAi {
    let endpoint = Endpoint {
        base_url: server.base_url(),
        api_key: Some("sk-secret-key".into()),
        model: "openai/small".to_owned(),
    };
    OpenAi::new(endpoint).unwrap()
}

fn prompt(text: &str) -> Prompt {
    let messages = vec![Message { role: Role::User, text: text.to_owned() }];
    Prompt { model: None, system: "Be brief.".to_owned(), messages }
}

/// The text up to the end or the error.
async fn answer(model: &dyn Model) -> (String, Result<Option<Usage>, Error>) {
    let mut text = String::new();
    let mut chunks = match model.stream(prompt("hello")).await {
        Ok(chunks) => chunks,
        Err(error) => return (text, Err(error)),
    };
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(Chunk::Text(more)) => text.push_str(&more),
            Ok(Chunk::End { usage }) => return (text, Ok(usage)),
            Err(error) => return (text, Err(error)),
        }
    }
    panic!("the stream stopped with neither an end nor an error")
}

async fn failure(reply: Reply) -> Error {
    let server = ModelServer::start().await;
    server.push(reply);
    answer(&client(&server)).await.1.unwrap_err()
}

#[tokio::test]
async fn text_streams_and_usage_comes_with_the_end() {
    let server = ModelServer::start().await;
    server.push(Reply::text("Grüße aus 東京!").usage(12, 7));
    let (text, end) = answer(&client(&server)).await;
    assert_eq!(text, "Grüße aus 東京!");
    assert_eq!(end, Ok(Some(Usage { input_tokens: 12, output_tokens: 7 })));
    let request = &server.requests()[0];
    assert_eq!(request.model(), "small");
    assert_eq!(request.authorization().as_deref(), Some("Bearer sk-secret-key"));
    assert_eq!(request.messages()[0]["content"], "Be brief.");
}

#[tokio::test]
async fn a_turn_may_ask_for_another_model() {
    let server = ModelServer::start().await;
    let asked = Prompt { model: Some("meta/large".to_owned()), ..prompt("hello") };
    client(&server).stream(asked).await.unwrap().collect::<Vec<_>>().await;
    assert_eq!(server.requests()[0].model(), "meta/large");
}

#[tokio::test]
async fn a_stream_that_stops_in_the_middle_is_an_error() {
    for reply in [Reply::text("one two three four").cut_after(2), Reply::text("one two three four").end_early(2)] {
        let server = ModelServer::start().await;
        server.push(reply);
        let (text, end) = answer(&client(&server)).await;
        assert_eq!(end, Err(Error::Cut));
        assert!(text.starts_with("one "), "what had come is kept: {text:?}");
    }
}

#[tokio::test]
async fn a_rate_limit_says_how_long_to_wait() {
    let error = failure(Reply::status(429).retry_after_s(7)).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    assert!(error.is_transient());
}

#[tokio::test]
async fn their_faults_can_be_tried_again_and_ours_cannot() {
    let theirs = failure(Reply::status(500).error_message("on fire")).await;
    assert_eq!(theirs, Error::Failed { status: 500, message: "on fire".to_owned() });
    let ours = failure(Reply::status(401).error_message("the key sk-secret-key is wrong")).await;
    assert_eq!(ours, Error::Refused { status: 401, message: "the key [key] is wrong".to_owned() });
    assert!(theirs.is_transient() && !ours.is_transient());
}

#[tokio::test]
async fn nonsense_is_an_error_and_not_a_crash() {
    assert!(matches!(failure(Reply::malformed()).await, Error::Malformed { .. }));
}

#[tokio::test]
async fn nobody_there_is_said_with_the_address() {
    let server = ModelServer::start().await;
    let model = client(&server);
    let address = server.base_url();
    server.stop().await;
    let error = answer(&model).await.1.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains(&address), "{error}");
}

#[tokio::test]
async fn dropping_the_answer_cancels_the_call() {
    let server = ModelServer::start().await;
    server.push(Reply::text("one two three").stall_after(1));
    let mut chunks = client(&server).stream(prompt("hello")).await.unwrap();
    assert_eq!(chunks.next().await, Some(Ok(Chunk::Text("one ".to_owned()))));
    drop(chunks);
    server.until(|server| server.aborted() == 1).await;
}

#[tokio::test]
async fn without_a_model_the_answer_says_how_to_get_one() {
    let (text, end) = answer(&Unconfigured).await;
    assert_eq!(end, Ok(None));
    assert!(text.contains("OPENAI_API_KEY") && text.contains("DWELL_MODEL"));
}
