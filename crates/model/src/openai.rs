//! The OpenAI-compatible wire, spoken through the `genai` library.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use futures::StreamExt;
use genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent},
    resolver::{AuthData, Endpoint as GenaiEndpoint},
};
use protocol::Usage;
use secrecy::{ExposeSecret, SecretString};

use crate::{Chunk, Chunks, Error, Message, Model, Prompt, Role};

mod failure;

/// Models of this provider may be named with or without it.
const PREFIX: &str = "openai/";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Where the provider is and which of its models answers by default.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The address up to and including `/v1`.
    pub base_url: String,
    /// The key; local servers often need none.
    pub api_key: Option<SecretString>,
    /// The default model, with or without the provider's prefix.
    pub model: String,
}

/// A provider that speaks the OpenAI-compatible wire.
pub struct OpenAi {
    client: Client,
    endpoint: Arc<Endpoint>,
}

impl OpenAi {
    /// Prepares a client; nothing is sent yet.
    pub fn new(endpoint: Endpoint) -> Result<Self, Error> {
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            // A redirect would carry the key to an address nobody has configured.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Error::Unreachable { message: error.to_string() })?;
        let client = Client::builder().with_reqwest(http).build();
        let client = client.map_err(|error| Error::Unreachable { message: error.to_string() })?;
        Ok(Self { client, endpoint: Arc::new(endpoint) })
    }

    fn target(&self, model: &str) -> ServiceTarget {
        // The library joins paths as URLs do: without the slash the last part would be replaced.
        let base = format!("{}/", self.endpoint.base_url.trim_end_matches('/'));
        let key = self.endpoint.api_key.as_ref().map_or("", |key| key.expose_secret());
        ServiceTarget {
            endpoint: GenaiEndpoint::from_owned(base),
            auth: AuthData::from_single(key),
            model: ModelIden::new(AdapterKind::OpenAI, model),
        }
    }
}

#[async_trait]
impl Model for OpenAi {
    fn name(&self, asked: Option<&str>) -> String {
        let name = asked.unwrap_or(&self.endpoint.model);
        name.strip_prefix(PREFIX).unwrap_or(name).to_owned()
    }

    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error> {
        let model = self.name(prompt.model.as_deref());
        let options = ChatOptions::default().with_capture_usage(true);
        let endpoint = self.endpoint.clone();
        let answer = self
            .client
            .exec_chat_stream(self.target(&model), request(prompt), Some(&options))
            .await
            .map_err(|error| failure::explain(&error, &endpoint))?;
        Ok(read(answer.stream, endpoint).boxed())
    }
}

fn request(prompt: Prompt) -> ChatRequest {
    let messages = prompt.messages.into_iter().map(|Message { role, text }| match role {
        Role::User => ChatMessage::user(text),
        Role::Assistant => ChatMessage::assistant(text),
    });
    ChatRequest::from_messages(messages.collect()).with_system(prompt.system)
}

/// Reads an answer to its end. The library ends a stream that was cut off like one that is whole, except that the
/// end event is missing: that is what tells them apart.
fn read(
    mut answer: genai::chat::ChatStream,
    endpoint: Arc<Endpoint>,
) -> impl futures::Stream<Item = Result<Chunk, Error>> + Send {
    async_stream::try_stream! {
        while let Some(event) = answer.next().await {
            match event.map_err(|error| failure::explain(&error, &endpoint))? {
                ChatStreamEvent::Chunk(chunk) if !chunk.content.is_empty() => yield Chunk::Text(chunk.content),
                ChatStreamEvent::End(end) => {
                    yield Chunk::End { usage: end.captured_usage.map(|usage| counted(&usage)) };
                    return;
                }
                _ => {}
            }
        }
        Err(Error::Cut)?;
    }
}

fn counted(usage: &genai::chat::Usage) -> Usage {
    let tokens = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
    Usage { input_tokens: tokens(usage.prompt_tokens), output_tokens: tokens(usage.completion_tokens) }
}
