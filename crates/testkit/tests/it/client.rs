//! The HTTP client of these tests.

use reqwest::Response;
use serde_json::{Value, json};

/// A streaming request of one user message.
pub fn streamed(text: &str) -> Value {
    json!({
        "model": "m",
        "stream": true,
        "messages": [{ "role": "user", "content": text }],
    })
}

/// The same, not streamed.
pub fn whole(text: &str) -> Value {
    let mut body = streamed(text);
    body["stream"] = false.into();
    body
}

/// Sends the request; fails when no response comes.
pub async fn try_post(base_url: &str, body: &Value) -> reqwest::Result<Response> {
    reqwest::Client::new().post(format!("{base_url}/chat/completions")).json(body).send().await
}

pub async fn post(base_url: &str, body: &Value) -> Response {
    try_post(base_url, body).await.unwrap()
}

/// One event of a stream, with `usage` as the text of a whole field.
pub fn event(delta: &str, finish_reason: &str, usage: &str) -> String {
    format!(
        "data: {{\"id\":\"chatcmpl-scripted\",\"object\":\"chat.completion.chunk\",\
         \"created\":1700000000,\"model\":\"m\",\"choices\":[{{\"index\":0,\
         \"delta\":{delta},\"finish_reason\":{finish_reason}}}]{usage}}}\n\n"
    )
}

pub const ROLE: &str = r#"{"role":"assistant","content":""}"#;

/// An event with a delta, in a stream without usage.
pub fn delta(delta: &str) -> String {
    event(delta, "null", "")
}

/// An event with a piece of text.
pub fn content(text: &str) -> String {
    delta(&json!({ "content": text }).to_string())
}

/// The end of a stream without usage.
pub fn finish(reason: &str) -> String {
    event("{}", &format!("\"{reason}\""), "") + "data: [DONE]\n\n"
}

/// All bytes up to the end or the failure of the body, and which it was.
pub async fn read(mut response: Response) -> (String, Result<(), reqwest::Error>) {
    let mut bytes = Vec::new();
    let end = loop {
        match response.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    (String::from_utf8(bytes).unwrap(), end)
}

/// Reads on until the text has been received.
pub async fn read_until(response: &mut Response, end: &str) {
    let mut text = String::new();
    while !text.contains(end) {
        let chunk = response.chunk().await.unwrap().expect("more of the body");
        text.push_str(std::str::from_utf8(&chunk).unwrap());
    }
}
