//! Traces: one tree of spans per turn, below the span of its client and above those of the servers
//! that it asks.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{McpWire, ReceivedSpan, Reply, Socket, ToolCall};

use super::WatchedServer;
use crate::{harness::told, program};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SOCKET_TRACE: &str = "ccccccccccccccccccccccccccccccc1";
const ONE_MCP_TRACE: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb1";
const OTHER_MCP_TRACE: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb2";
const CLIENT: &str = "00f067aa0ba902b7";
const SECRET_WORDS: &str = "marmalade";

fn parent(trace_id: &str) -> String {
    format!("00-{trace_id}-{CLIENT}-01")
}

fn named<'a>(spans: &'a [ReceivedSpan], name: &str) -> Vec<&'a ReceivedSpan> {
    spans.iter().filter(|span| span.name == name).collect()
}

#[tokio::test]
async fn a_turn_is_one_tree_below_its_clients_span_and_passes_its_trace_on() {
    let watched = WatchedServer::start(|program, collector| {
        let program = program.with("OTEL_EXPORTER_OTLP_ENDPOINT", collector).with_log();
        program.with("DWELL_LOG_FORMAT", "json").with("DWELL_LOG_FILTER", "info,engine=debug")
    })
    .await;
    let (model, collector, rest) = (&watched.model, &watched.collector, watched.server.rest());
    let session = rest.session().await;
    let sky = ToolCall::new("c1", "look_at_sky", json!({ "note": SECRET_WORDS }));
    model.push(Reply::tool_calls([sky]).usage(100, 10));
    model.push(Reply::text("It is blue.").usage(200, 20));
    let body = json!({ "message": format!("What colour is the {SECRET_WORDS} sky?") });
    let path = format!("/api/v1/sessions/{session}/turns");
    let accepted = rest.call(Method::POST, &path, Some(body), &[("traceparent", &parent(TRACE))]).await.ok();
    let turn_id = accepted["turn_id"].as_str().unwrap();
    assert_eq!(rest.ended(turn_id).await["status"], "completed");

    let spans = collector.trace(TRACE, &["turn", "complete"]).await;
    let turn = named(&spans, "turn")[0];
    assert_eq!(turn.parent_id, CLIENT, "{turn:?}");
    assert_eq!(turn.attribute("dwell.turn.id"), turn_id);
    assert_eq!(turn.attribute("gen_ai.conversation.id"), session);
    assert_eq!((turn.attribute("dwell.turn.outcome"), turn.is_error), (json!("completed"), false));
    for stage in ["receive", "understand", "plan", "execute", "complete"] {
        let stages = named(&spans, stage);
        assert!(!stages.is_empty(), "{stage}: {spans:?}");
        assert!(stages.iter().all(|span| span.parent_id == turn.span_id), "{stages:?}");
    }
    assert_eq!(named(&spans, "plan")[0].attribute("dwell.turn.way"), "tool_loop");
    assert_eq!(named(&spans, "recall")[0].parent_id, named(&spans, "understand")[0].span_id);

    let chats: Vec<&ReceivedSpan> = spans.iter().filter(|span| span.name.starts_with("chat ")).collect();
    let is_of_execute =
        |span: &ReceivedSpan| named(&spans, "execute").iter().any(|stage| stage.span_id == span.parent_id);
    assert_eq!(chats.len(), 2, "{spans:?}");
    assert!(chats.iter().all(|span| is_of_execute(span)), "{chats:?}");
    assert_eq!(chats[0].attribute("gen_ai.operation.name"), "chat");
    assert_eq!(chats[0].attribute("gen_ai.provider.name"), "openai");
    assert_eq!(chats[0].attribute("gen_ai.usage.input_tokens"), 100);
    assert_eq!(chats[0].attribute("gen_ai.usage.output_tokens"), 10);
    assert_eq!(chats[0].attribute("gen_ai.response.finish_reasons"), json!([{ "stringValue": "tool_calls" }]));
    let call = named(&spans, "execute_tool look_at_sky")[0];
    assert!(is_of_execute(call), "{call:?}");
    assert_eq!(call.attribute("gen_ai.tool.call.id"), "c1");

    // The servers that it asks belong to the same trace, each below the span of its request.
    assert_eq!(collector.calls(), [format!("00-{TRACE}-{}-01", call.span_id)]);
    let asked = model.requests();
    let headers: Vec<&str> = asked.iter().filter_map(|request| request.header("traceparent")).collect();
    let expected: Vec<String> = chats.iter().map(|span| format!("00-{TRACE}-{}-01", span.span_id)).collect();
    assert_eq!(headers, expected);
    let requests = collector.requests();
    let service = &requests[0].body["resourceSpans"][0]["resource"]["attributes"][0];
    assert_eq!(service, &json!({ "key": "service.name", "value": { "stringValue": "dwell" } }));
    assert!(!format!("{requests:?}").contains(SECRET_WORDS), "no text of messages and arguments");

    // A turn without a client's span is a trace of its own; its failure is in its spans and its
    // log.
    model.push(Reply::status(400));
    let failed = told(&rest, &session, json!({ "message": "And at night?" })).await;
    let id = failed["turn_id"].as_str().unwrap();
    let trace_id = format!("{:032x}", id.parse::<ulid::Ulid>().unwrap().0);
    let spans = collector.trace(&trace_id, &["turn", "chat "]).await;
    let turn = named(&spans, "turn")[0];
    assert_eq!((turn.parent_id.as_str(), turn.is_error), ("", true), "{turn:?}");
    assert_eq!(turn.attribute("error.type"), "model_refused");
    let chat = spans.iter().find(|span| span.name.starts_with("chat ")).unwrap();
    assert_eq!((chat.attribute("error.type"), chat.is_error), (json!("model_refused"), true));
    let log = std::fs::read_to_string(watched.program.folder().join("log")).unwrap();
    let line = log.lines().find(|line| line.contains("a model failed")).unwrap_or_else(|| panic!("{log}"));
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!((&line["span"]["trace_id"], &line["span"]["turn_id"]), (&json!(trace_id), &json!(id)), "{line}");
    a_cancelled_turn_and_another_api(&watched).await;
}

async fn a_cancelled_turn_and_another_api(watched: &WatchedServer) {
    let (model, collector, rest) = (&watched.model, &watched.collector, watched.server.rest());
    let session = rest.session().await;
    model.push(Reply::hang());
    let open = rest.send(&session, "Wait for me, please.").await;
    model.until(|model| model.in_flight() == 1).await;
    rest.post(&format!("/api/v1/turns/{open}/cancel"), json!({})).await.ok();
    let trace_id = format!("{:032x}", open.parse::<ulid::Ulid>().unwrap().0);
    let spans = collector.trace(&trace_id, &["turn", "chat "]).await;
    let turn = named(&spans, "turn")[0];
    let chat = spans.iter().find(|span| span.name.starts_with("chat ")).unwrap();
    assert_eq!(chat.attribute("error.type"), "cancelled");
    assert_eq!((turn.attribute("dwell.turn.outcome"), turn.is_error), (json!("cancelled"), false));

    let chat_trace = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1";
    model.push(Reply::text("Hello."));
    let body = json!({ "model": "dwell", "messages": [{ "role": "user", "content": "Say hello." }] });
    let headers = [("traceparent", parent(chat_trace))];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    rest.call(Method::POST, "/v1/chat/completions", Some(body), &headers).await.ok();
    assert_eq!(named(&collector.trace(chat_trace, &["turn"]).await, "turn")[0].parent_id, CLIENT);

    let trace = parent(SOCKET_TRACE);
    let headers = [("authorization", "Bearer test-token-0123456789"), ("traceparent", trace.as_str())];
    let (mut socket, _) = Socket::connect_with(watched.server.url(), "", &headers).await.unwrap();
    model.push(Reply::text("Hello."));
    let message = json!({ "conversation_id": "c", "message": "Say hello over there." });
    socket.ask("chat.send", message).await.unwrap();
    assert_eq!(named(&collector.trace(SOCKET_TRACE, &["turn"]).await, "turn")[0].parent_id, CLIENT);

    for (wire, mcp_trace) in McpWire::BOTH.into_iter().zip([ONE_MCP_TRACE, OTHER_MCP_TRACE]) {
        let mcp = watched.server.mcp(wire, json!({})).await;
        model.push(Reply::text("Hello."));
        let arguments = json!({ "session_id": session, "message": "Say hello again.", "timeout_ms": 30000 });
        let meta = json!({ "traceparent": parent(mcp_trace) });
        let request = json!({ "name": "send_message", "arguments": arguments, "_meta": meta });
        mcp.ask("tools/call", request).await.unwrap();
        assert_eq!(named(&collector.trace(mcp_trace, &["turn"]).await, "turn")[0].parent_id, CLIENT);
    }
}

#[tokio::test]
async fn without_a_collector_no_trace_is_passed_on_and_wrong_settings_are_refused() {
    let watched = WatchedServer::start(|program, _| program).await;
    let rest = watched.server.rest();
    let session = rest.session().await;
    watched.model.push(Reply::text("Yes."));
    let path = format!("/api/v1/sessions/{session}/turns");
    let body = json!({ "message": "Are you there?" });
    let accepted = rest.call(Method::POST, &path, Some(body), &[("traceparent", &parent(TRACE))]).await.ok();
    rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    assert!(watched.model.requests().iter().all(|request| request.header("traceparent").is_none()));
    for (name, value, said) in [
        ("DWELL_TELEMETRY_SAMPLE_RATIO", "1.5", "`telemetry.sample_ratio` is wrong"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "http://HOST:4318"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "hush", "`telemetry.headers` is wrong"),
    ] {
        let program = program().with("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1").with(name, value);
        let refused = program.run(&["serve", "--listen", "127.0.0.1:0"]).await;
        assert!(refused.code() != 0 && refused.stderr.contains(said), "{name}: {}", refused.stderr);
        assert!(!refused.stderr.contains("hush"), "{}", refused.stderr);
    }
}
