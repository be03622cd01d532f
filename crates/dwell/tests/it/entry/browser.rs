//! A browser as the server sees it: it keeps the cookie it is given, and says where its requests come from.

use reqwest::{Method, header::HeaderMap};
use serde_json::{Value, json};
use testkit::Running;

/// What came back.
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Got {
    /// The body of an answer that is a success.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.body);
        self.body
    }

    /// The cookie that it sets, whole.
    pub(crate) fn cookie(&self) -> Option<&str> {
        self.headers.get("set-cookie").map(|value| value.to_str().unwrap())
    }
}

/// A browser with a page of the server's open.
#[derive(Clone)]
pub(crate) struct Browser {
    pub(crate) url: String,
    /// The `Cookie` that it sends.
    pub(crate) cookie: Option<String>,
    http: reqwest::Client,
}

impl Browser {
    /// One that nobody has let in yet.
    pub(crate) fn new(server: &Running) -> Self {
        Self { url: server.url().to_owned(), cookie: None, http: reqwest::Client::new() }
    }

    /// One that has come in by a token.
    pub(crate) async fn of(server: &Running, token: &str) -> Self {
        let mut browser = Self::new(server);
        browser.enter(json!({ "token": token })).await.ok();
        browser
    }

    /// The same browser, at another server.
    pub(crate) fn at(&self, server: &Running) -> Self {
        Self { url: server.url().to_owned(), ..self.clone() }
    }

    /// The same with another cookie.
    pub(crate) fn with(&self, cookie: &str) -> Self {
        Self { cookie: Some(cookie.to_owned()), ..self.clone() }
    }

    /// Comes in, and keeps the cookie.
    pub(crate) async fn enter(&mut self, proof: Value) -> Got {
        let got = self.send(Method::POST, "/api/v1/entry", Some(proof), &[("origin", &self.url)]).await;
        if let Some(cookie) = got.cookie() {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        got
    }

    /// Reads, as a page does.
    pub(crate) async fn get(&self, path: &str) -> Got {
        self.send(Method::GET, path, None, &[("sec-fetch-site", "same-origin")]).await
    }

    /// Anything else, as the server's own page does.
    pub(crate) async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Got {
        let headers = [("origin", self.url.as_str()), ("sec-fetch-site", "same-origin")];
        self.send(method, path, body, &headers).await
    }

    /// Anything, with these headers and the cookie.
    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<Value>, headers: &[(&str, &str)]) -> Got {
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
        Got { status, headers, body }
    }

    /// The headers by which it opens a WebSocket.
    pub(crate) fn for_socket(&self) -> [(&'static str, &str); 2] {
        [("origin", &self.url), ("cookie", self.cookie.as_deref().unwrap())]
    }
}
