//! Error messages when there is no answer.

use std::time::Duration;

use model::{Error, Models, Provider, ProviderKind};
use testkit::{ModelServer, Reply};

use crate::{
    exchanges::{NoOfflineModel, only},
    prompts::{prompt, user},
    replay::outcome,
    server::{ResponseEnding, ScriptedResponse, Server},
};

async fn failure(provider: Provider) -> Error {
    only(provider).stream(prompt(vec![user("hello")])).await.map(|_| ()).unwrap_err()
}

async fn reply(reply: Reply) -> Error {
    let server = ModelServer::start().await;
    server.push(reply);
    failure(Provider::new("local", ProviderKind::OpenAi, "small").at(server.base_url()).with_key("sk-secret-key")).await
}

#[tokio::test]
async fn a_rate_limit_says_how_long_to_wait() {
    let error = reply(Reply::status(429).retry_after_s(7)).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    assert!(error.is_transient() && error.falls_back());
    assert_eq!(error.provider(), Some("local"));
}

#[tokio::test]
async fn their_faults_can_be_tried_again_and_ours_cannot() {
    let provider = "local".to_owned();
    let theirs = reply(Reply::status(500).error_message("on fire")).await;
    assert_eq!(
        theirs,
        Error::Failed { provider: provider.clone(), status: 500, retry_after: None, message: "on fire".to_owned() }
    );
    let ours = reply(Reply::status(401).error_message("the key sk-secret-key is wrong")).await;
    assert_eq!(ours, Error::Refused { provider, status: 401, message: "the key [key] is wrong".to_owned() });
    assert!(theirs.is_transient() && !ours.is_transient());
    assert!(theirs.falls_back() && ours.falls_back());
}

#[tokio::test]
async fn an_absent_server_is_named_by_its_address_but_without_credentials() {
    let server = ModelServer::start().await;
    let address = server.address();
    server.stop().await;
    for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Gemini, ProviderKind::Ollama] {
        let provider = Provider::new("local", kind, "small").at(format!("http://me:secret@{address}/v1"));
        let error = failure(provider).await;
        assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
        let said = error.to_string();
        assert!(said.contains(&address.to_string()) && !said.contains("secret"), "{said}");
    }
}

#[tokio::test]
async fn silence_does_not_last_for_ever() {
    let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"One \"}}]}\n\n".to_owned();
    let line = "{\"message\":{\"content\":\"One \"},\"done\":false}\n".to_owned();
    for (kind, body) in [(ProviderKind::OpenAi, body), (ProviderKind::Ollama, line)] {
        let headers = vec!["content-type: text/event-stream".to_owned()];
        let status = "HTTP/1.1 200 OK".to_owned();
        let server = Server::start(ScriptedResponse { status, headers, body, ending: ResponseEnding::Silent }).await;
        let mut provider = Provider::new("local", kind, "small").at(server.url(""));
        provider.idle_max = Duration::from_millis(300);
        let said = outcome(&*only(provider), prompt(vec![user("hello")])).await;
        assert!(said.starts_with("text \"One \"\nerror model_unreachable: "), "{said}");
        assert!(said.ends_with("(silent for 0 s)"), "{said}");
    }
}

#[tokio::test]
async fn a_provider_that_never_begins_is_given_up() {
    let server = ModelServer::start().await;
    server.push(Reply::hang());
    let mut provider = Provider::new("local", ProviderKind::OpenAi, "small").at(server.base_url());
    provider.idle_max = Duration::from_millis(300);
    let error = failure(provider).await;
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn redirects_are_refused() {
    let headers = vec!["location: http://127.0.0.1:9/elsewhere".to_owned()];
    let status = "HTTP/1.1 307 Temporary Redirect".to_owned();
    let server =
        Server::start(ScriptedResponse { status, headers, body: String::new(), ending: ResponseEnding::Clean }).await;
    let provider =
        Provider::new("local", ProviderKind::OpenAi, "small").at(server.url("/v1")).with_key("sk-secret-key");
    let error = failure(provider).await;
    assert!(matches!(error, Error::Refused { status: 307, .. }), "{error:?}");
    assert_eq!(server.heard().len(), 1);
}

#[test]
fn an_address_that_is_none_is_refused_at_once() {
    for address in ["", "api.example.com/v1", "ftp://example.com"] {
        let providers = vec![Provider::new("local", ProviderKind::OpenAi, "small").at(address)];
        let error =
            Models::new(providers, None, Vec::new(), std::sync::Arc::new(NoOfflineModel)).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Unconfigured { .. }), "{address}: {error:?}");
    }
}
