//! Azure: OpenAI's API at another address, with another header.

use model::{Provider, ProviderKind};

use crate::{
    exchanges::only,
    prompts::by_name,
    replay::outcome,
    server::{RecordedRequest, ResponseEnding, ScriptedResponse, Server},
};

async fn ask(base: &str) -> RecordedRequest {
    let body = "data: {\"choices\":[],\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n\
                data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi.\"},\"finish_reason\":\"stop\"}]}\n\n\
                data: [DONE]\n\n";
    let headers = vec!["content-type: text/event-stream".to_owned()];
    let status = "HTTP/1.1 200 OK".to_owned();
    let server =
        Server::start(ScriptedResponse { status, headers, body: body.to_owned(), ending: ResponseEnding::Clean }).await;
    let kind = ProviderKind::Azure { api_version: "2024-10-21".to_owned() };
    let provider = Provider::new("azure", kind, "my-deployment").at(server.url(base)).with_key("azure-secret");
    assert_eq!(outcome(&*only(provider), by_name("limited")).await, "text \"Hi.\"\nend complete: uncounted");
    server.heard().remove(0)
}

#[tokio::test]
async fn the_deployment_is_in_the_path_and_the_key_in_its_own_header() {
    let heard = ask("").await;
    assert_eq!(heard.line, "POST /openai/deployments/my-deployment/chat/completions?api-version=2024-10-21");
    assert_eq!(heard.headers["api-key"], "azure-secret");
    assert!(!heard.headers.contains_key("authorization"));
    assert_eq!(heard.body["max_completion_tokens"], 500);
    assert!(heard.body.get("max_tokens").is_none());
}

#[tokio::test]
async fn the_newer_form_names_the_deployment_in_the_body() {
    let heard = ask("/openai/v1/").await;
    assert_eq!(heard.line, "POST /openai/v1/chat/completions");
    assert_eq!(heard.body["model"], "my-deployment");
}
