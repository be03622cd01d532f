//! A model at the other end of the network.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use futures::{Stream, StreamExt, future, stream};
use protocol::{ModelSettings, ReasoningEffort};
use secrecy::ExposeSecret;

use crate::{Choice, Chunk, Chunks, Error, Kind, Model, Prompt, Provider, Traits, Unsupported};

mod address;
mod failure;
mod families;
mod ids;
mod kept;
mod library;
mod ollama;
mod openai;
mod said;
mod sse;
mod think;
mod turns;
mod unsupported;
mod usage;

pub use kept::is_plain_reasoning;

const CONNECT_MAX: Duration = Duration::from_secs(10);
/// A warm connection is worth keeping longer than the 90 seconds that are usual: turns are minutes apart.
const POOL_IDLE_MAX: Duration = Duration::from_secs(240);
const KEEPALIVE: Duration = Duration::from_secs(30);
/// Nobody waits for a connection that is opened ahead of need, but it should not linger either.
const WARM_MAX: Duration = Duration::from_secs(10);
const WARM_BYTES_MAX: usize = 64 * 1024;
/// How long the last bytes of an answer may take after its end was told.
const LINGER: Duration = Duration::from_millis(50);

/// A provider and the connections to it.
pub(crate) struct Connection {
    provider: Provider,
    /// The address without credentials, for messages.
    shown: String,
    http: reqwest::Client,
    library: genai::Client,
}

impl Connection {
    /// Prepares a client; nothing is sent yet.
    pub(crate) fn new(mut provider: Provider) -> Result<Self, Error> {
        // Ollama's own variable names a host without a scheme.
        if provider.kind == Kind::Ollama && !provider.base_url.contains("://") {
            provider.base_url.insert_str(0, "http://");
        }
        while provider.base_url.ends_with('/') {
            provider.base_url.pop();
        }
        let unconfigured = |hint: String| Error::Unconfigured { provider: provider.name.clone(), hint };
        let mut shown = reqwest::Url::parse(&provider.base_url)
            .ok()
            .filter(|url| url.has_host() && matches!(url.scheme(), "http" | "https"))
            .ok_or_else(|| unconfigured("its address is no http or https URL".to_owned()))?;
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
        let mut http = reqwest::Client::builder();
        if is_loopback(&shown) {
            // A proxy has its own idea of what this machine is.
            http = http.no_proxy();
        }
        let http = http
            .connect_timeout(CONNECT_MAX)
            // Counts from the last byte, also while waiting for the first one.
            .read_timeout(provider.idle_max)
            .pool_idle_timeout(POOL_IDLE_MAX)
            .tcp_keepalive(KEEPALIVE)
            // A redirect would carry the key to an address nobody has configured.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| unconfigured(format!("no client can be made for it ({error})")))?;
        let library = genai::Client::builder().with_reqwest(http.clone()).build();
        let library = library.map_err(|_| unconfigured("no client can be made for it".to_owned()))?;
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

    /// Adds what shows the key, as this kind of provider wants it.
    pub(crate) fn authorize(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        address::headers(self).into_iter().fold(request, |request, (name, value)| request.header(name, value))
    }

    fn name(&self) -> String {
        self.provider.name.clone()
    }

    fn key(&self) -> &str {
        self.provider.api_key.as_ref().map_or("", |key| key.expose_secret())
    }
}

/// One model of a provider.
pub(crate) struct Remote {
    connection: Arc<Connection>,
    /// The provider's own name for it.
    model: String,
    /// The whole name.
    name: String,
    traits: Traits,
}

impl Remote {
    /// The provider's model of that name, as it is known.
    pub(crate) fn new(connection: &Arc<Connection>, model: String, traits: Traits) -> Self {
        let name = format!("{}/{model}", connection.provider.name);
        Self { connection: connection.clone(), model, name, traits }
    }
}

impl Remote {
    /// Whether the server is OpenAI's own, which tells reasoning and answers apart.
    fn is_at_openai(&self) -> bool {
        self.connection.provider.base_url.contains("//api.openai.com")
    }

    /// Whether the model's first words may be reasoning that nothing marks as such before it ends.
    fn holds_back(&self, settings: &ModelSettings) -> bool {
        let reasons = settings.reasoning_effort != Some(ReasoningEffort::None);
        reasons && think::swallows(&self.model)
    }
}

#[async_trait]
impl Model for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn traits(&self) -> Traits {
        self.traits
    }

    fn takes_choice(&self) -> bool {
        // Ollama's wire has no word for it.
        self.connection.provider.kind != Kind::Ollama
    }

    fn unsupported(&self, settings: &ModelSettings) -> Vec<Unsupported> {
        unsupported::unsupported(&self.connection.provider, &self.model, settings)
    }

    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error> {
        self.check(&prompt.settings)?;
        if prompt.choice != Choice::Free && !self.takes_choice() {
            let message = "this provider cannot be made to call a tool".to_owned();
            return Err(Error::Refused { provider: self.connection.name(), status: 400, message });
        }
        let connection = self.connection.clone();
        let holds = self.holds_back(&prompt.settings);
        match connection.provider.kind {
            Kind::Ollama => {
                let chunks = ollama::stream(connection, &self.model, self.traits, prompt);
                begun(think::apart(chunks, holds), self).await
            }
            Kind::OpenAi if !self.is_at_openai() => {
                let chunks = openai::stream(connection, &self.model, self.traits, prompt)?;
                begun(think::apart(chunks, holds), self).await
            }
            Kind::OpenAi | Kind::Azure { .. } => {
                begun(openai::stream(connection, &self.model, self.traits, prompt)?, self).await
            }
            Kind::Anthropic | Kind::Gemini => {
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

/// Waits for the first piece, so that whoever cannot answer at all says so before anything else.
async fn begun(
    chunks: impl Stream<Item = Result<Chunk, Error>> + Send + 'static,
    of: &Remote,
) -> Result<Chunks, Error> {
    let mut chunks = chunks.boxed();
    match chunks.next().await {
        Some(Ok(first)) => Ok(stream::once(future::ready(Ok(first))).chain(chunks).boxed()),
        Some(Err(error)) => Err(error),
        None => Err(Error::Cut { provider: of.connection.name() }),
    }
}

/// Keeps what carried a finished answer until its last bytes have come. Dropped at once, the connection would be closed
/// for the few bytes by which HTTP says that the body is over, and the next answer would have to open another.
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

    /// A connection to nowhere.
    pub(super) fn nowhere() -> Connection {
        let provider = Provider::new("nowhere", Kind::OpenAi, "model");
        Connection::new(provider).unwrap()
    }
}
