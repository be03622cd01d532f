//! Models of remote providers.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use futures::{Stream, StreamExt, future, stream};
use protocol::{ModelSettings, ReasoningEffort, ResponseSchema};
use secrecy::ExposeSecret;

use crate::{
    Chunk, Chunks, Error, Model, Prompt, Provider, ProviderKind, ToolRequirement, Traits, UnsupportedSetting,
    structured::is_object,
};

mod address;
mod error_body;
mod failure;
mod families;
mod ids;
mod library;
mod ollama;
mod openai;
mod reasoning;
mod sse;
mod think_tags;
mod turns;
mod unsupported;
mod usage;

pub use reasoning::is_plain_reasoning;

const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Idle connections are kept longer than the usual 90 seconds: turns are minutes apart.
const POOL_IDLE_MAX: Duration = Duration::from_secs(240);
const KEEPALIVE: Duration = Duration::from_secs(30);
/// Timeout of a connection that is opened in advance.
const WARM_MAX: Duration = Duration::from_secs(10);
const WARM_BYTES_MAX: usize = 64 * 1024;
/// How long to wait for the last bytes of a body after the end of its answer.
const LINGER: Duration = Duration::from_millis(50);

/// A provider and its HTTP client.
pub(crate) struct ProviderClient {
    provider: Provider,
    /// The address without credentials, for messages.
    shown: String,
    http: reqwest::Client,
    library: genai::Client,
}

impl ProviderClient {
    /// Prepares a client; nothing is sent yet.
    pub(crate) fn new(mut provider: Provider) -> Result<Self, Error> {
        // Ollama's own variable names a host without a scheme.
        if provider.kind == ProviderKind::Ollama && !provider.base_url.contains("://") {
            provider.base_url.insert_str(0, "http://");
        }
        while provider.base_url.ends_with('/') {
            provider.base_url.pop();
        }
        let unconfigured = |hint: String| Error::Unconfigured { provider: provider.name.clone(), hint };
        let mut shown = reqwest::Url::parse(&provider.base_url)
            .ok()
            .filter(|url| url.has_host() && matches!(url.scheme(), "http" | "https"))
            .ok_or_else(|| unconfigured("its address is not an http or https URL".to_owned()))?;
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
        let mut http = reqwest::Client::builder();
        if is_loopback(&shown) {
            // A proxy would resolve a local address on another machine.
            http = http.no_proxy();
        }
        let http = http
            .connect_timeout(CONNECT_MAX)
            // Counts from the last byte received, also while waiting for the first.
            .read_timeout(provider.idle_max)
            .pool_idle_timeout(POOL_IDLE_MAX)
            .tcp_keepalive(KEEPALIVE)
            // A redirect would carry the key to an address that is not configured.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| unconfigured(format!("cannot create an HTTP client for it ({error})")))?;
        let library = genai::Client::builder().with_reqwest(http.clone()).build();
        let library = library.map_err(|_| unconfigured("cannot create an HTTP client for it".to_owned()))?;
        Ok(Self { provider, shown: shown.to_string(), http, library })
    }

    pub(crate) fn provider(&self) -> &Provider {
        &self.provider
    }

    /// The address without credentials.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Adds the API key in the form that this kind of provider expects.
    pub(crate) fn authorize(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        address::headers(self).into_iter().fold(request, |request, (name, value)| request.header(name, value))
    }

    fn name(&self) -> String {
        self.provider.name.clone()
    }

    /// The key, or nothing.
    pub(crate) fn key(&self) -> &str {
        self.provider.api_key.as_ref().map_or("", |key| key.expose_secret())
    }
}

/// One model of a provider.
pub(crate) struct RemoteModel {
    connection: Arc<ProviderClient>,
    /// The provider's own name for it.
    model: String,
    /// The full name.
    name: String,
    traits: Traits,
}

impl RemoteModel {
    /// The provider's model of that name.
    pub(crate) fn new(connection: &Arc<ProviderClient>, model: String, traits: Traits) -> Self {
        let name = format!("{}/{model}", connection.provider.name);
        Self { connection: connection.clone(), model, name, traits }
    }
}

impl RemoteModel {
    /// Whether the server is OpenAI's own, which separates reasoning from answers.
    fn is_at_openai(&self) -> bool {
        self.connection.provider.base_url.contains("//api.openai.com")
    }

    /// Whether the answer may begin with reasoning that is only marked at its end.
    fn holds_back(&self, settings: &ModelSettings) -> bool {
        let reasons = settings.reasoning_effort != Some(ReasoningEffort::None);
        reasons && think_tags::omits_opening_tag(&self.model)
    }
}

#[async_trait]
impl Model for RemoteModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn traits(&self) -> Traits {
        self.traits
    }

    fn takes_choice(&self) -> bool {
        // Ollama's API has no field for it.
        self.connection.provider.kind != ProviderKind::Ollama
    }

    fn takes_schema(&self, schema: &ResponseSchema, has_tools: bool) -> bool {
        match self.connection.provider.kind {
            ProviderKind::OpenAi | ProviderKind::Azure { .. } => is_object(schema),
            // They cannot call tools while they are bound to a schema.
            ProviderKind::Ollama | ProviderKind::Gemini => !has_tools,
            ProviderKind::Anthropic => false,
        }
    }

    fn unsupported(&self, settings: &ModelSettings) -> Vec<UnsupportedSetting> {
        unsupported::unsupported(&self.connection.provider, &self.model, settings)
    }

    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error> {
        self.check(&prompt.settings)?;
        if prompt.choice != ToolRequirement::Free && !self.takes_choice() {
            let message = "this provider cannot be forced to call a tool".to_owned();
            return Err(Error::Refused { provider: self.connection.name(), status: 400, message });
        }
        let connection = self.connection.clone();
        let holds = self.holds_back(&prompt.settings);
        match connection.provider.kind {
            ProviderKind::Ollama => {
                let chunks = ollama::stream(connection, &self.model, self.traits, prompt);
                begun(think_tags::split_reasoning(chunks, holds), self).await
            }
            ProviderKind::OpenAi if !self.is_at_openai() => {
                let chunks = openai::stream(connection, &self.model, self.traits, prompt)?;
                begun(think_tags::split_reasoning(chunks, holds), self).await
            }
            ProviderKind::OpenAi | ProviderKind::Azure { .. } => {
                begun(openai::stream(connection, &self.model, self.traits, prompt)?, self).await
            }
            ProviderKind::Anthropic | ProviderKind::Gemini => {
                begun(library::stream(connection, &self.model, self.traits, prompt)?, self).await
            }
        }
    }

    async fn warm(&self) {
        let request = self.connection.http.get(&self.connection.provider.base_url).timeout(WARM_MAX);
        let Ok(answer) = request.send().await else { return };
        // A connection goes back to the pool only when its answer was read to the end.
        let mut body = answer.bytes_stream();
        let mut bytes = 0;
        while let Some(Ok(more)) = body.next().await {
            bytes += more.len();
            if bytes > WARM_BYTES_MAX {
                break;
            }
        }
    }
}

/// Waits for the first chunk, so that a call that fails at once returns an error instead of a
/// stream.
async fn begun(
    chunks: impl Stream<Item = Result<Chunk, Error>> + Send + 'static,
    of: &RemoteModel,
) -> Result<Chunks, Error> {
    let mut chunks = chunks.boxed();
    match chunks.next().await {
        Some(Ok(first)) => Ok(stream::once(future::ready(Ok(first))).chain(chunks).boxed()),
        Some(Err(error)) => Err(error),
        None => Err(Error::Cut { provider: of.connection.name() }),
    }
}

/// Keeps the body of a finished answer until its last bytes have come. If it were dropped at once,
/// the connection would be closed because of the few bytes that end an HTTP body, and the next
/// answer would need a new one.
fn linger(carrier: impl Send + 'static) {
    tokio::spawn(async move {
        tokio::time::sleep(LINGER).await;
        drop(carrier);
    });
}

fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client of a provider that does not exist.
    pub(super) fn nowhere() -> ProviderClient {
        let provider = Provider::new("nowhere", ProviderKind::OpenAi, "model");
        ProviderClient::new(provider).unwrap()
    }
}
