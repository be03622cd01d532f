//! A browser as the server sees it: it keeps its cookie and sends the origin of its requests.

use reqwest::{Method, header::HeaderMap};
use serde_json::{Value, json};
use testkit::RunningServer;

/// An HTTP response.
pub(crate) struct BrowserResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl BrowserResponse {
    /// The body of a successful response.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.body);
        self.body
    }

    /// The whole `set-cookie` header.
    pub(crate) fn cookie(&self) -> Option<&str> {
        self.headers.get("set-cookie").map(|value| value.to_str().unwrap())
    }
}

/// A browser that shows a page of the server.
#[derive(Clone)]
pub(crate) struct Browser {
    pub(crate) url: String,
    /// The `Cookie` that it sends.
    pub(crate) cookie: Option<String>,
    http: reqwest::Client,
}

impl Browser {
    /// A browser that is not signed in.
    pub(crate) fn new(server: &RunningServer) -> Self {
        Self { url: server.url().to_owned(), cookie: None, http: reqwest::Client::new() }
    }

    /// A browser that has signed in with a token.
    pub(crate) async fn of(server: &RunningServer, token: &str) -> Self {
        let mut browser = Self::new(server);
        browser.enter(json!({ "token": token })).await.ok();
        browser
    }

    /// The same browser, at another server.
    pub(crate) fn at(&self, server: &RunningServer) -> Self {
        Self { url: server.url().to_owned(), ..self.clone() }
    }

    /// The same with another cookie.
    pub(crate) fn with(&self, cookie: &str) -> Self {
        Self { cookie: Some(cookie.to_owned()), ..self.clone() }
    }

    /// Signs in and keeps the cookie.
    pub(crate) async fn enter(&mut self, proof: Value) -> BrowserResponse {
        let got = self.send(Method::POST, "/api/v1/entry", Some(proof), &[("origin", &self.url)]).await;
        if let Some(cookie) = got.cookie() {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        got
    }

    /// Sends a GET request like a page.
    pub(crate) async fn get(&self, path: &str) -> BrowserResponse {
        self.send(Method::GET, path, None, &[("sec-fetch-site", "same-origin")]).await
    }

    /// Sends any other request like the server's own page.
    pub(crate) async fn call(&self, method: Method, path: &str, body: Option<Value>) -> BrowserResponse {
        let headers = [("origin", self.url.as_str()), ("sec-fetch-site", "same-origin")];
        self.send(method, path, body, &headers).await
    }

    /// Sends any request with these headers and the cookie.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> BrowserResponse {
        let mut request = self.http.request(method, format!("{}{path}", self.url));
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or(Value::Null);
        BrowserResponse { status, headers, body }
    }

    /// The headers for opening a WebSocket.
    pub(crate) fn for_socket(&self) -> [(&'static str, &str); 2] {
        [("origin", &self.url), ("cookie", self.cookie.as_deref().unwrap())]
    }
}
