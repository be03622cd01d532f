//! A client of a running server, for the commands: REST for what is asked once, the WebSocket for conversations.

mod conversation;
mod file;
mod socket;
mod text;

use std::path::PathBuf;

use anyhow::Context;
pub(crate) use conversation::{Conversation, Happening};
use protocol::{ApprovalId, Decision, Problem};
use reqwest::{
    Method,
    header::{CONTENT_DISPOSITION, HeaderMap},
};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;

use crate::{
    config::Config,
    failure::Failure,
    serve::{Address, Token},
};

/// A running server and the right to talk to it.
pub(crate) struct Client {
    url: String,
    token: SecretString,
    http: reqwest::Client,
    /// Where the server announces itself; none when its address was given.
    folder: Option<PathBuf>,
}

impl Client {
    /// The configured server, or the one that runs on the data folder.
    pub(crate) fn find(config: &Config) -> Result<Self, Failure> {
        let folder = config.data_dir();
        let is_given = !config.client.url.is_empty();
        let url = if is_given { Some((*config.client.url).to_owned()) } else { Address::find(folder) };
        let url = url.ok_or_else(|| {
            Failure::Unreachable(format!("no server runs on {}; start one with `dwell serve`", folder.display()))
        })?;
        let token = Token::load(config)?.ok_or_else(|| {
            let place = folder.join("token");
            Failure::Refused(format!("there is no token in {}; set DWELL_TOKEN", place.display()))
        })?;
        let http = // A proxy would see the token.
        reqwest::Client::builder().no_proxy().build().context("failed to prepare the connection")?;
        let url = url.trim_end_matches('/').to_owned();
        Ok(Self { url, token, http, folder: (!is_given).then(|| folder.to_owned()) })
    }

    /// Where the server is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Looks again where the server is: after a restart it may have another port.
    fn find_again(&mut self) {
        if let Some(url) = self.folder.as_deref().and_then(Address::find) {
            self.url = url;
        }
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.call(Method::GET, path).await
    }

    pub(crate) async fn call<T: DeserializeOwned>(&self, method: Method, path: &str) -> Result<T, Failure> {
        self.call_with(method, path, &serde_json::json!({})).await
    }

    /// Says yes or no to a call.
    pub(crate) async fn answer_approval(
        &self,
        approval_id: ApprovalId,
        decision: Decision,
        digest: Option<String>,
    ) -> Result<(), Failure> {
        let said = serde_json::json!({ "decision": decision, "digest": digest });
        let path = format!("/approvals/{approval_id}");
        self.call_with::<serde_json::Value>(Method::POST, &path, &said).await.map(drop)
    }

    pub(crate) async fn call_with<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<T, Failure> {
        let has_body = method != Method::GET && method != Method::DELETE;
        let mut request = self.http.request(method, format!("{}/api/v1{path}", self.url));
        if has_body {
            request = request.json(body);
        }
        let body = self.answered(request).await?;
        Ok(serde_json::from_slice(&body).context("the server's answer cannot be read")?)
    }

    /// What the server answers, as it is.
    pub(crate) async fn get_text(&self, path: &str) -> Result<String, Failure> {
        let body = self.answered(self.http.get(format!("{}/api/v1{path}", self.url))).await?;
        Ok(String::from_utf8(body).context("the server's answer cannot be read")?)
    }

    /// Sends a text as it is.
    pub(crate) async fn post_text<T: DeserializeOwned>(&self, path: &str, text: String) -> Result<T, Failure> {
        let body = self.answered(self.http.post(format!("{}/api/v1{path}", self.url)).body(text)).await?;
        Ok(serde_json::from_slice(&body).context("the server's answer cannot be read")?)
    }

    /// A file, and the name that the server has for it.
    pub(crate) async fn get_file(&self, path: &str) -> Result<(Vec<u8>, Option<String>), Failure> {
        let (headers, body) = self.asked(self.http.get(format!("{}/api/v1{path}", self.url))).await?;
        let name = headers.get(CONTENT_DISPOSITION).and_then(|value| file::name(value.to_str().ok()?));
        Ok((body, name))
    }

    /// Takes something away that leaves nothing to tell.
    pub(crate) async fn delete(&self, path: &str) -> Result<(), Failure> {
        self.answered(self.http.delete(format!("{}/api/v1{path}", self.url))).await.map(drop)
    }

    async fn answered(&self, request: reqwest::RequestBuilder) -> Result<Vec<u8>, Failure> {
        self.asked(request).await.map(|(_, body)| body)
    }

    async fn asked(&self, request: reqwest::RequestBuilder) -> Result<(HeaderMap, Vec<u8>), Failure> {
        let response = request.bearer_auth(self.token.expose_secret()).send().await.map_err(|_| self.unreachable())?;
        let is_ok = response.status().is_success();
        let status = response.status();
        let headers = response.headers().clone();
        let body = response.bytes().await.map_err(|_| self.unreachable())?;
        if is_ok {
            return Ok((headers, body.into()));
        }
        match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => Err(problem.into()),
            Err(_) => Err(Failure::Failed(anyhow::anyhow!("{} answered {status}; is it Dwell?", self.url))),
        }
    }

    fn unreachable(&self) -> Failure {
        Failure::Unreachable(format!("cannot reach the server at {}; is `dwell serve` running?", self.url))
    }
}
