//! All recorded exchanges of the four wires.

use std::{fs, path::Path, sync::Arc};

use model::{Chunks, Error, Kind, Model, Models, Prompt, Provider, Traits};

use crate::{replay::Exchange, server::Server};

/// Stands where no offline model is wanted.
pub struct Nobody;

#[async_trait::async_trait]
impl Model for Nobody {
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
    let models = Models::new(vec![provider], None, Vec::new(), Arc::new(Nobody)).unwrap();
    models.find(None).unwrap().remove(0)
}

async fn replay_all(wire: &str, provider: impl Fn(&Server) -> Provider) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/exchanges").join(wire);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8, "exchanges are missing");
    let mut differences = String::new();
    for file in files {
        let exchange = Exchange::parse(&fs::read_to_string(&file).unwrap());
        let played = exchange.play(|server| only(provider(server).with_key("sk-secret-key"))).await;
        if let Err(difference) = played {
            differences.push_str(&format!("--- {}\n{difference}\n\n", file.display()));
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

#[tokio::test]
async fn openai() {
    replay_all("openai", |server| Provider::new("openai", Kind::OpenAi, "gpt-4o-mini").at(server.url("/v1"))).await;
}

#[tokio::test]
async fn anthropic() {
    let model = "claude-sonnet-4-5";
    replay_all("anthropic", |server| Provider::new("anthropic", Kind::Anthropic, model).at(server.url("/v1"))).await;
}

#[tokio::test]
async fn gemini() {
    let model = "gemini-2.5-flash";
    replay_all("gemini", |server| Provider::new("gemini", Kind::Gemini, model).at(server.url("/v1beta"))).await;
}

#[tokio::test]
async fn ollama() {
    replay_all("ollama", |server| Provider::new("ollama", Kind::Ollama, "qwen3:8b").at(server.url(""))).await;
}
