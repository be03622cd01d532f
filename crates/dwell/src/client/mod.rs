//! The commands' client of a running server: REST for single requests, the WebSocket for
//! conversations.

mod alerts;
mod authorities;
mod conversation;
mod file;
mod socket;
mod text;
mod tls;

use std::{path::PathBuf, sync::Arc};

pub(crate) use alerts::AlertFollower;
use anyhow::Context;
pub(crate) use conversation::{ClientConversation, ConversationUpdate};
use protocol::{ApprovalDecision, ApprovalId, Problem};
use reqwest::{
    Method,
    header::{CONTENT_DISPOSITION, HeaderMap},
};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;

use crate::{
    command_error::CommandError,
    config::Config,
    output::OutputOptions,
    serve::{AddressFile, OwnerToken},
};

/// A running server, with the token for it.
pub(crate) struct Client {
    url: String,
    token: SecretString,
    http: reqwest::Client,
    /// How its WebSocket makes TLS connections; `None` for an address without TLS.
    tls: Option<Arc<rustls::ClientConfig>>,
    /// The data folder in which the server announces its address; `None` if the address was given.
    folder: Option<PathBuf>,
    /// How the command prints.
    pub(crate) output: OutputOptions,
}

/// Prepares connections to the configured server. A proxy would see the token. A server without TLS
/// needs no certificate authorities, and a small machine has none.
pub(crate) fn connections(config: &Config) -> anyhow::Result<reqwest::ClientBuilder> {
    let connections = reqwest::Client::builder().no_proxy();
    Ok(match tls_of(config)? {
        Some(tls) => connections.tls_backend_preconfigured(tls),
        None => connections.tls_certs_only([]),
    })
}

/// How TLS connections to the configured server are made, if it may speak TLS.
fn tls_of(config: &Config) -> anyhow::Result<Option<rustls::ClientConfig>> {
    if config.client.url.starts_with("http:") { Ok(None) } else { tls::client_config(config).map(Some) }
}

impl Client {
    /// The configured server, or the one that runs on the data folder.
    pub(crate) async fn find(config: &Config) -> Result<Self, CommandError> {
        let folder = config.data_dir();
        let is_given = !config.client.url.is_empty();
        let url = if is_given { Some((*config.client.url).to_owned()) } else { AddressFile::find(folder) };
        let url = url.ok_or_else(|| {
            CommandError::Unreachable(format!("no server runs on {}; start one with `dwell serve`", folder.display()))
        })?;
        let token = OwnerToken::load(config).await?.ok_or_else(|| OwnerToken::missing(config))?;
        let wrong = |error: anyhow::Error| CommandError::Usage(format!("{error:#}"));
        let http = connections(config).map_err(wrong)?.build().context("failed to prepare the connection")?;
        let tls = tls_of(config)?.map(Arc::new);
        let url = url.trim_end_matches('/').to_owned();
        let folder = (!is_given).then(|| folder.to_owned());
        Ok(Self { url, token, http, tls, folder, output: config.output })
    }

    /// Where the server is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Reads the server's address again: after a restart it may have another port.
    fn find_again(&mut self) {
        if let Some(url) = self.folder.as_deref().and_then(AddressFile::find) {
            self.url = url;
        }
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CommandError> {
        self.call(Method::GET, path).await
    }

    pub(crate) async fn call<T: DeserializeOwned>(&self, method: Method, path: &str) -> Result<T, CommandError> {
        self.call_with(method, path, &serde_json::json!({})).await
    }

    /// Approves or denies a call.
    pub(crate) async fn answer_approval(
        &self,
        approval_id: ApprovalId,
        decision: ApprovalDecision,
        digest: Option<String>,
    ) -> Result<(), CommandError> {
        let said = serde_json::json!({ "decision": decision, "digest": digest });
        let path = format!("/approvals/{approval_id}");
        self.call_with::<serde_json::Value>(Method::POST, &path, &said).await.map(drop)
    }

    pub(crate) async fn call_with<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<T, CommandError> {
        let has_body = method != Method::GET && method != Method::DELETE;
        let mut request = self.http.request(method, format!("{}/api/v1{path}", self.url));
        if has_body {
            request = request.json(body);
        }
        let body = self.answered(request).await?;
        Ok(serde_json::from_slice(&body).context("the server's answer cannot be read")?)
    }

    /// Whether the server is ready, in its own words. It tries a small write.
    pub(crate) async fn readiness(&self) -> Result<serde_json::Value, CommandError> {
        let body = self.answered(self.http.get(format!("{}/readyz", self.url))).await?;
        Ok(serde_json::from_slice(&body).context("the server's answer cannot be read")?)
    }

    /// The server's answer as text.
    pub(crate) async fn get_text(&self, path: &str) -> Result<String, CommandError> {
        let body = self.answered(self.http.get(format!("{}/api/v1{path}", self.url))).await?;
        Ok(String::from_utf8(body).context("the server's answer cannot be read")?)
    }

    /// Sends plain text.
    pub(crate) async fn post_text<T: DeserializeOwned>(&self, path: &str, text: String) -> Result<T, CommandError> {
        let body = self.answered(self.http.post(format!("{}/api/v1{path}", self.url)).body(text)).await?;
        Ok(serde_json::from_slice(&body).context("the server's answer cannot be read")?)
    }

    /// A file, and the name that the server gives it.
    pub(crate) async fn get_file(&self, path: &str) -> Result<(Vec<u8>, Option<String>), CommandError> {
        let (headers, body) = self.asked(self.http.get(format!("{}/api/v1{path}", self.url))).await?;
        let name = headers.get(CONTENT_DISPOSITION).and_then(|value| file::name(value.to_str().ok()?));
        Ok((body, name))
    }

    /// Deletes something; the answer has no body.
    pub(crate) async fn delete(&self, path: &str) -> Result<(), CommandError> {
        self.answered(self.http.delete(format!("{}/api/v1{path}", self.url))).await.map(drop)
    }

    async fn answered(&self, request: reqwest::RequestBuilder) -> Result<Vec<u8>, CommandError> {
        self.asked(request).await.map(|(_, body)| body)
    }

    async fn asked(&self, request: reqwest::RequestBuilder) -> Result<(HeaderMap, Vec<u8>), CommandError> {
        let response = request.bearer_auth(self.token.expose_secret()).send().await;
        let response = response.map_err(|error| self.unreachable_because(&error))?;
        let is_ok = response.status().is_success();
        let status = response.status();
        let headers = response.headers().clone();
        let body = response.bytes().await.map_err(|_| self.unreachable())?;
        if is_ok {
            return Ok((headers, body.into()));
        }
        match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => Err(problem.into()),
            Err(_) => {
                Err(CommandError::Failed(anyhow::anyhow!("{} answered {status}; is it a Dwell server?", self.url)))
            }
        }
    }

    /// A certificate that is not accepted is another matter than a server that does not run.
    fn unreachable_because(&self, error: &(dyn std::error::Error + 'static)) -> CommandError {
        match authorities::certificate_fault(error) {
            Some(fault) => CommandError::Unreachable(format!(
                "the certificate of {} is not accepted: {fault}; name its authority with --ca FILE",
                self.url
            )),
            None => self.unreachable(),
        }
    }

    fn unreachable(&self) -> CommandError {
        CommandError::Unreachable(format!("cannot reach the server at {}; is `dwell serve` running?", self.url))
    }
}
