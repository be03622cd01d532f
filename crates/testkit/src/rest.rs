//! A client of the REST API.

use reqwest::{Client, Method};
use serde_json::Value;

/// A response.
#[derive(Debug, Clone)]
pub struct RestResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body, null if it is not JSON.
    pub body: Value,
}

impl RestResponse {
    /// The body of a successful response.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.body);
        self.body
    }

    /// The error code of a response with this status.
    #[track_caller]
    pub fn code(&self, status: u16) -> &str {
        assert_eq!(self.status, status, "{}", self.body);
        assert!(self.body["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "an error says what to do");
        self.body["code"].as_str().expect("an error has a code")
    }
}

/// A client of the REST API. Cheap to clone.
#[derive(Clone)]
pub struct RestClient {
    client: Client,
    url: String,
    token: Option<String>,
}

impl RestClient {
    pub(crate) fn new(url: &str, token: Option<&str>) -> Self {
        Self { client: Client::new(), url: url.to_owned(), token: token.map(str::to_owned) }
    }

    /// Sends a GET request.
    pub async fn get(&self, path: &str) -> RestResponse {
        self.call(Method::GET, path, None, &[]).await
    }

    /// Sends a POST request.
    pub async fn post(&self, path: &str, body: Value) -> RestResponse {
        self.call(Method::POST, path, Some(body), &[]).await
    }

    /// Sends any request.
    pub async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> RestResponse {
        self.try_call(method, path, body, headers).await.expect("the server answers")
    }

    /// Sends any request to a server that may be gone.
    pub async fn try_call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Result<RestResponse, reqwest::Error> {
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await?;
        let status = response.status().as_u16();
        let body = serde_json::from_slice(&response.bytes().await?).unwrap_or(Value::Null);
        Ok(RestResponse { status, body })
    }

    /// Sends a body that is not JSON.
    pub async fn send_raw(&self, method: Method, url: &str, body: String) -> RestResponse {
        let mut request = self.client.request(method, url).body(body);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.expect("the server answers");
        let status = response.status().as_u16();
        let bytes = response.bytes().await.expect("a body");
        RestResponse { status, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
    }

    /// The body as text.
    pub async fn text(&self, path: &str) -> String {
        let mut request = self.client.get(format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        request.send().await.expect("the server answers").text().await.expect("a text")
    }

    /// Sends a POST request with a text that is not JSON as a whole.
    pub async fn post_text(&self, path: &str, text: String) -> RestResponse {
        let mut request = self.client.post(format!("{}{path}", self.url)).body(text);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.expect("the server answers");
        let status = response.status().as_u16();
        let body = response.bytes().await.expect("a body");
        RestResponse { status, body: serde_json::from_slice(&body).unwrap_or(Value::Null) }
    }

    /// Starts a session; returns its id.
    pub async fn session(&self) -> String {
        let view = self.post("/api/v1/sessions", serde_json::json!({})).await.ok();
        view["session_id"].as_str().expect("an id").to_owned()
    }

    /// Sends a message; returns the id of its turn.
    pub async fn send(&self, session_id: &str, message: &str) -> String {
        let path = format!("/api/v1/sessions/{session_id}/turns");
        let accepted = self.post(&path, serde_json::json!({ "message": message })).await.ok();
        accepted["turn_id"].as_str().expect("an id").to_owned()
    }

    /// A turn, after it has ended or while it waits for the user.
    pub async fn ended(&self, turn_id: &str) -> Value {
        // `wait_ms` waits for the end also when the turn waits for the user. Tests want to see that
        // state too, so they poll.
        for _ in 0..300 {
            let turn = self.get(&format!("/api/v1/turns/{turn_id}?wait_ms=100")).await.ok();
            if !matches!(turn["status"].as_str(), Some("pending" | "running" | "streaming")) {
                return turn;
            }
        }
        panic!("turn {turn_id} is still at work after half a minute")
    }

    /// All events of a session.
    pub async fn log(&self, session_id: &str) -> Vec<Value> {
        let text = self.text(&format!("/api/v1/sessions/{session_id}/export")).await;
        let lines = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
        lines.filter(|line: &Value| line["type"] != "manifest").collect()
    }
}
