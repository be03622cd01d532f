//! The `scripted-model` program.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::client::{post, streamed, whole};

struct Program {
    child: Child,
    base_url: String,
}

impl Program {
    fn start(args: &[&str]) -> Self {
        let mut child =
            Command::new(env!("CARGO_BIN_EXE_scripted-model")).args(args).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let base_url = line.trim_end().strip_prefix("listening on ").expect("the address").to_owned();
        Self { child, base_url }
    }

    async fn message(&self, request: &Value) -> Value {
        let response = post(&self.base_url, request).await;
        let mut document: Value = response.json().await.unwrap();
        document["choices"][0]["message"].take()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It is fine if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn it_echoes_by_default() {
    let program = Program::start(&["--delay-ms", "1"]);
    let message = program.message(&whole("hi")).await;
    assert_eq!(message["content"], "You said: hi");
}

#[tokio::test]
async fn it_answers_with_the_given_text() {
    let program = Program::start(&["--listen", "127.0.0.1:0", "--text", "so be it"]);
    let message = program.message(&whole("hi")).await;
    assert_eq!(message["content"], "so be it");
}

#[tokio::test]
async fn on_the_bench_it_calls_the_first_tool_and_then_answers() {
    let program = Program::start(&["--bench"]);
    let mut request = whole("hi");
    request["tools"] = ["lookup", "other"]
        .map(|name| json!({ "type": "function", "function": { "name": name } }))
        .into_iter()
        .collect();
    let message = program.message(&request).await;
    let calls = message["tool_calls"].as_array().unwrap();
    assert_eq!(calls.len(), 1);
    let expected = json!({ "name": "lookup", "arguments": "{\"key\":\"k\"}" });
    assert_eq!(calls[0]["function"], expected);

    let result = json!({ "role": "tool", "tool_call_id": calls[0]["id"], "content": "v" });
    let messages = request["messages"].as_array_mut().unwrap();
    messages.extend([message, result]);
    let message = program.message(&request).await;
    assert_eq!(message["content"].as_str().unwrap().len(), 400);
}

#[tokio::test]
async fn on_the_bench_a_text_comes_in_a_hundred_chunks() {
    let program = Program::start(&["--bench"]);
    let response = post(&program.base_url, &streamed("hi")).await;
    let body = response.text().await.unwrap();
    assert_eq!(body.matches(r#""delta":{"content":"#).count(), 100);
}
