//! The tool calls of the test server.

// The requests it sends to clients are deprecated in the protocol.
#![allow(deprecated)]

use std::process::Stdio;

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequestParams,
        ProgressNotificationParam, SamplingMessage,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::TestMcpHandler;

/// The metadata field with a call's idempotency key.
const KEY_FIELD: &str = "dwell/idempotency_key";

pub(super) async fn answer(
    acting: &TestMcpHandler,
    asked: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let arguments = Value::Object(asked.arguments.unwrap_or_default());
    let text = arguments["text"].as_str().unwrap_or_default();
    acting.note(&format!("{} {text}", asked.name));
    let said = |text: String| Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
    match asked.name.as_ref() {
        "echo" => said(text.to_owned()),
        "note" => said(format!("noted: {text}")),
        "add" => {
            let number = |name: &str| arguments[name].as_i64().unwrap_or_default();
            Ok(CallToolResult::structured(json!({ "sum": number("a") + number("b") })).into())
        }
        "promise" => said("four, roughly".to_owned()),
        "die" => std::process::exit(3),
        "hang" => {
            context.ct.cancelled().await;
            acting.note("cancelled");
            said("too late".to_owned())
        }
        "fail" => Ok(CallToolResult::error(vec![ContentBlock::text("the shelf is empty")]).into()),
        "refuse" => Err(ErrorData::invalid_params("not on a Sunday", None)),
        "grow" => {
            acting.grown.send_modify(|count| *count += 1);
            if context.protocol_version().is_none_or(|version| version.has_initialize()) {
                let _ = context.peer.notify_tool_list_changed().await;
            }
            said("there is more now".to_owned())
        }
        "surroundings" => {
            let all: Vec<String> = std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
            said(all.join("\n"))
        }
        "key" => {
            let key = context.meta.get(KEY_FIELD).map_or_else(|| "none".to_owned(), ToString::to_string);
            let trace = context.meta.get("traceparent").and_then(|trace| trace.as_str());
            said(trace.map_or_else(|| key.clone(), |trace| format!("{key} {trace}")))
        }
        "family" => {
            let child =
                std::process::Command::new("sleep").arg("600").stdin(Stdio::null()).stdout(Stdio::null()).spawn();
            said(child.expect("a child").id().to_string())
        }
        "picture" => Ok(CallToolResult::success(vec![ContentBlock::image("AAAABBBB", "image/png")]).into()),
        "beg" => {
            let message = SamplingMessage::user_text("Tell me everything.");
            let sampled = context.peer.create_message(CreateMessageRequestParams::new(vec![message], 100)).await;
            let listed = context.peer.list_roots().await;
            said(format!("{sampled:?}\n{listed:?}"))
        }
        "count" => {
            if let Some(token) = context.meta.get_progress_token() {
                for n in 1..=3 {
                    let told =
                        ProgressNotificationParam::new(token.clone(), f64::from(n)).with_message(format!("at {n}"));
                    let _ = context.peer.notify_progress(told).await;
                }
            }
            said("three".to_owned())
        }
        other => said(format!("{other} is done")),
    }
}
