//! Calls and their results, on both versions of the protocol.

use std::time::Duration;

use ports::ToolFailure;
use protocol::Origin;
use serde_json::json;
use tokio::sync::mpsc;
use tools::CallContext;

use crate::harness::{Harness, context};

#[tokio::test]
async fn a_call_is_answered_on_either_wire() {
    for (switches, version) in [("", "2026-07-28"), ("--old", "2025-11-25"), ("--touchy", "2025-11-25")] {
        let harness = Harness::with_shop(switches, "").await;
        assert_eq!(harness.server("shop").protocol_version.as_deref(), Some(version), "{switches}");
        let said = harness.call("shop_echo", json!({ "text": "hello" })).await.unwrap();
        assert_eq!((said.value, said.origin), (json!("hello"), Origin::Untrusted));
        let sum = harness.call("shop_add", json!({ "a": 2, "b": 3 })).await.unwrap();
        assert_eq!(sum.value, json!({ "sum": 5 }), "what is structured comes first");
        assert_eq!(harness.ledger(), ["echo hello", "add"]);
        harness.external.stop().await;
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_never_sent() {
    let harness = Harness::with_shop("", "").await;
    for arguments in [json!({}), json!({ "a": 1 }), json!({ "a": 1, "b": "2" }), json!({ "a": 1, "b": 2, "c": 3 })] {
        let Err(ToolFailure::Invalid(told)) = harness.call("shop_add", arguments.clone()).await else {
            panic!("{arguments}")
        };
        assert!(told.contains("do not fit") && told.contains("`shop_add` needs `a`"), "{told}");
    }
    assert_eq!(harness.ledger(), Vec::<String>::new());
}

#[tokio::test]
async fn failures_are_told_in_the_servers_words() {
    let harness = Harness::with_shop("", "").await;
    for (tool, expected) in [
        ("shop_fail", "the shelf is empty"),
        ("shop_refuse", "not on a Sunday"),
        ("shop_promise", "its answer does not match its own schema"),
    ] {
        match harness.call(tool, json!({})).await {
            Err(ToolFailure::Failed(told)) => assert!(told.contains(expected) && told.contains(tool), "{told}"),
            other => panic!("{tool}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_no_words_is_said_in_words() {
    let harness = Harness::with_shop("", "").await;
    let shown = harness.call("shop_picture", json!({})).await.unwrap();
    assert_eq!(shown.value, json!("[an image (image/png, about 6 bytes) that cannot be shown here]"));
}

#[tokio::test]
async fn a_call_out_of_time_may_have_happened_and_is_cancelled_at_the_server() {
    for switches in ["", "--old"] {
        let harness = Harness::with_shop(switches, "timeout_ms = 200").await;
        let Err(ToolFailure::Unknown(told)) = harness.call("shop_hang", json!({})).await else { panic!("it hangs") };
        assert!(told.contains("did not answer within 0.2 s"), "{told}");
        harness.until("it is cancelled", |harness| harness.ledger() == ["hang", "cancelled"]).await;
        assert!(harness.call("shop_echo", json!({ "text": "still here" })).await.is_ok());
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_at_the_server() {
    let harness = Harness::with_shop("", "").await;
    let given_up = tokio::time::timeout(Duration::from_millis(300), harness.call("shop_hang", json!({}))).await;
    assert!(given_up.is_err());
    harness.until("it is cancelled", |harness| harness.ledger() == ["hang", "cancelled"]).await;
}

#[tokio::test]
async fn a_harmless_call_out_of_time_has_just_failed() {
    let more = "timeout_ms = 200\n[shop.tools.hang]\neffect = \"pure\"\nsafety = \"observes\"";
    let harness = Harness::with_shop("", more).await;
    assert!(matches!(harness.call("shop_hang", json!({})).await, Err(ToolFailure::Failed(_))));
}

#[tokio::test]
async fn only_idempotent_calls_carry_a_key() {
    let harness = Harness::with_shop("", "[shop.tools.key]\neffect = \"idempotent\"").await;
    let told = harness.call_with("shop_key", json!({}), context("session-turn-0")).await.unwrap();
    assert_eq!(told.value, json!("\"session-turn-0\""));
    let harness = Harness::with_shop("", "").await;
    assert_eq!(harness.call("shop_key", json!({})).await.unwrap().value, json!("none"));
}

#[tokio::test]
async fn a_call_carries_the_trace_that_it_belongs_to() {
    let harness = Harness::with_shop("", "").await;
    let span = observe::TraceContext { trace_id: 0xabc, span_id: 0xd, is_sampled: true };
    let told = observe::scope(span, harness.call("shop_key", json!({}))).await.unwrap();
    assert_eq!(told.value, json!(format!("none {span}")));
}

#[tokio::test]
async fn progress_is_passed_on() {
    let harness = Harness::with_shop("", "").await;
    let (progress, mut heard) = mpsc::channel(tools::PROGRESS_MAX);
    harness.call_with("shop_count", json!({}), CallContext { progress, ..context("c") }).await.unwrap();
    let mut said = Vec::new();
    while let Ok(remark) = heard.try_recv() {
        said.push(remark);
    }
    // The last report may arrive after the call has ended.
    assert!(said.iter().zip(["at 1", "at 2", "at 3"]).all(|(said, expected)| said == expected), "{said:?}");
}

#[tokio::test]
async fn a_server_that_asks_for_things_is_given_nothing() {
    let harness = Harness::with_shop("--old", "").await;
    let told = harness.call("shop_beg", json!({})).await.unwrap().value;
    let told = told.as_str().unwrap();
    let refusals = told.lines().filter(|line| line.starts_with("Err(")).count();
    assert_eq!(refusals, 2, "{told}");
}
