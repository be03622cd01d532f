//! All recorded exchanges of the four APIs.

use std::{fs, path::Path, sync::Arc};

use model::{Chunks, Error, Model, Models, Prompt, Provider, ProviderKind, Traits};

use crate::{replay::RecordedExchange, server::Server};

/// Takes the place of the offline model in tests that must not use it.
pub struct NoOfflineModel;

#[async_trait::async_trait]
impl Model for NoOfflineModel {
    fn name(&self) -> &'static str {
        "offline/nobody"
    }

    fn traits(&self) -> Traits {
        Traits { understands: false, ..Traits::of_context(0) }
    }

    async fn stream(&self, _: Prompt) -> Result<Chunks, Error> {
        Err(Error::Cut { provider: "offline".to_owned() })
    }
}

/// The only model of a provider.
pub fn only(provider: Provider) -> Arc<dyn Model> {
    let models = Models::new(vec![provider], None, Vec::new(), Arc::new(NoOfflineModel)).unwrap();
    models.find(None).unwrap().remove(0)
}

async fn replay_all(wire: &str, provider: impl Fn(&Server) -> Provider) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/exchanges").join(wire);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8, "exchanges are missing");
    let mut differences = String::new();
    for file in files {
        let exchange = RecordedExchange::parse(&fs::read_to_string(&file).unwrap());
        let played = exchange.play(|server| only(provider(server).with_key("sk-secret-key"))).await;
        if let Err(difference) = played {
            differences.push_str(&format!("--- {}\n{difference}\n\n", file.display()));
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

#[tokio::test]
async fn openai() {
    replay_all("openai", |server| Provider::new("openai", ProviderKind::OpenAi, "gpt-4o-mini").at(server.url("/v1")))
        .await;
}

#[tokio::test]
async fn anthropic() {
    let model = "claude-sonnet-4-5";
    replay_all("anthropic", |server| Provider::new("anthropic", ProviderKind::Anthropic, model).at(server.url("/v1")))
        .await;
}

#[tokio::test]
async fn gemini() {
    let model = "gemini-2.5-flash";
    replay_all("gemini", |server| Provider::new("gemini", ProviderKind::Gemini, model).at(server.url("/v1beta"))).await;
}

#[tokio::test]
async fn ollama() {
    replay_all("ollama", |server| Provider::new("ollama", ProviderKind::Ollama, "qwen3:8b").at(server.url(""))).await;
}
