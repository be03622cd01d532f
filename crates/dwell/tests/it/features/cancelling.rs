//! A cancelled turn ends its request to the provider, whichever it is.

use std::time::Duration;

use serde_json::json;
use testkit::Program;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    sync::mpsc,
    task::JoinHandle,
    time::timeout,
};

use crate::program;

/// How long the program may take to send a request, and to end it.
const PATIENCE: Duration = Duration::from_secs(20);

/// What happens on a connection.
#[derive(Debug, PartialEq, Eq)]
enum ConnectionEvent {
    /// A model was asked.
    Asked,
    /// The program has closed the connection on which it had asked.
    Closed,
}

/// A server that answers questions about its models with an empty list, and asks of a model never.
async fn silent_provider() -> (String, mpsc::UnboundedReceiver<ConnectionEvent>, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, events) = mpsc::unbounded_channel();
    let accepting = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let sender = sender.clone();
            tokio::spawn(async move {
                let (mut buffer, mut is_asked) = (vec![0; 64 * 1024], false);
                while let Ok(read) = stream.read(&mut buffer).await
                    && read > 0
                {
                    if buffer.starts_with(b"GET") {
                        let answer = "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}";
                        let _ = stream.write_all(answer.as_bytes()).await;
                    } else if !is_asked {
                        is_asked = true;
                        let _ = sender.send(ConnectionEvent::Asked);
                    }
                }
                if is_asked {
                    let _ = sender.send(ConnectionEvent::Closed);
                }
            });
        }
    });
    (address, events, accepting)
}

fn led_to(provider: &str, address: &str) -> Program {
    let program = program();
    match provider {
        "openai" => program.with("OPENAI_API_KEY", "sk-test").with("OPENAI_BASE_URL", &format!("{address}/v1")),
        "azure" => program
            .with("AZURE_OPENAI_API_KEY", "az-test")
            .with("AZURE_OPENAI_ENDPOINT", address)
            .with("AZURE_OPENAI_DEPLOYMENT", "gpt-4o-mini"),
        "anthropic" => {
            program.with("ANTHROPIC_API_KEY", "sk-test").with("ANTHROPIC_BASE_URL", &format!("{address}/v1"))
        }
        "gemini" => program.with("GEMINI_API_KEY", "gm-test").with("GEMINI_BASE_URL", &format!("{address}/v1beta")),
        _ => program.with("OLLAMA_HOST", address).with("DWELL_MODEL", "ollama/llama3.2"),
    }
}

#[tokio::test]
async fn cancelled_turns_end_the_request_to_every_provider() {
    for provider in ["openai", "azure", "anthropic", "gemini", "ollama"] {
        let (address, mut events, accepting) = silent_provider().await;
        let server = led_to(provider, &address).start().await;
        let rest = server.rest();
        let session = rest.session().await;
        let turn = rest.send(&session, "Tell me a story about the sea.").await;
        let asked = timeout(PATIENCE, events.recv()).await;
        assert_eq!(asked, Ok(Some(ConnectionEvent::Asked)), "{provider}");
        rest.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
        assert_eq!(rest.ended(&turn).await["status"], "cancelled", "{provider}");
        let closed = timeout(PATIENCE, events.recv()).await;
        assert_eq!(closed, Ok(Some(ConnectionEvent::Closed)), "{provider}");
        accepting.abort();
    }
}
