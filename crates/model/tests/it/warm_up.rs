//! A connection that was opened in advance is used by the next call.

use std::sync::Arc;

use model::{Models, Provider, ProviderKind};

use crate::{
    exchanges::NoOfflineModel,
    prompts::by_name,
    replay::outcome,
    server::{ResponseEnding, ScriptedResponse, Server},
};

#[tokio::test]
async fn warming_and_answering_share_one_connection() {
    let body = "{\"message\":{\"content\":\"Hi.\"},\"done\":true}\n".to_owned();
    let sse = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    for (kind, body) in [(ProviderKind::Ollama, body), (ProviderKind::OpenAi, sse.to_owned())] {
        let status = "HTTP/1.1 200 OK".to_owned();
        let headers = vec!["content-type: text/event-stream".to_owned()];
        let server = Server::start(ScriptedResponse { status, headers, body, ending: ResponseEnding::Clean }).await;
        let provider = Provider::new("local", kind, "small").at(server.url("/v1")).with_key("sk-secret-key");
        let models = Models::new(vec![provider], None, Vec::new(), Arc::new(NoOfflineModel)).unwrap();
        models.warm().await;
        // Another model of the same provider shares the connections.
        for asked in [None, Some("local/large")] {
            let model = models.find(asked).unwrap().remove(0);
            assert_eq!(outcome(&*model, by_name("plain")).await, "text \"Hi.\"\nend complete: uncounted");
            // The end comes at once, and the connection is free again after its last bytes.
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        }
        let heard = server.heard();
        assert_eq!(heard[0].line, "GET /v1");
        assert!(!heard[0].headers.contains_key("authorization"), "nothing secret is needed to knock");
        assert_eq!(heard.len(), 3);
        assert_eq!(server.connections(), 1);
    }
}

#[tokio::test]
async fn warming_what_is_not_there_does_no_harm() {
    let provider = Provider::new("local", ProviderKind::Ollama, "small").at("127.0.0.1:9");
    let models = Models::new(vec![provider], None, Vec::new(), Arc::new(NoOfflineModel)).unwrap();
    models.warm().await;
}
