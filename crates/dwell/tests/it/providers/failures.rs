//! Failures of a provider: retried, answered by a fallback, or reported by name.

use serde_json::{Value, json};
use testkit::{ModelServer, Program, ProviderReply, ProviderServer, ProviderWire, Reply};
use tokio::net::TcpListener;

use super::{WIRES, ask, led_to, provider};
use crate::{program, started};

/// The errors that a turn recovered from: code, model, wait, fallback.
fn errors(turn: &Value) -> Vec<(&str, &str, Option<u64>, Option<&str>)> {
    let steps = turn["steps"].as_array().unwrap().iter().filter(|step| step["type"] == "error");
    steps
        .map(|step| &step["detail"])
        .map(|error| {
            let text = |field: &str| error[field].as_str();
            (text("code").unwrap(), text("model").unwrap(), error["retry_in_ms"].as_u64(), text("fallback"))
        })
        .collect()
}

fn assert_failed(turn: &Value, code: &str, provider: &str, text: &str) {
    assert_eq!((&turn["status"], &turn["text"]), (&json!("failed"), &json!(text)), "{turn}");
    let error = &turn["error"];
    assert_eq!((&error["code"], &error["details"]["provider"]), (&json!(code), &json!(provider)), "{error}");
    assert!(error["message"].as_str().unwrap().starts_with(provider), "it names the provider: {error}");
    assert!(error["details"]["model"].as_str().unwrap().starts_with(&format!("{provider}/")), "and the model: {error}");
}

#[tokio::test]
async fn a_rate_limit_is_waited_out_for_as_long_as_it_says() {
    for (wire, model) in WIRES {
        let (provider, program) = provider(wire).await;
        provider.push(ProviderReply::status(429).header("retry-after", 1));
        let server = program.start().await;
        let turn = ask(&server.rest(), "hello").await;
        assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("You said: hello")), "{turn}");
        assert_eq!(errors(&turn), [("model_rate_limited", model, Some(1_000), None)]);
        assert_eq!(provider.requests().len(), 2);
    }
    let (model, _program, server) = started().await;
    model.push(Reply::status(429).retry_after_s(1));
    let turn = ask(&server.rest(), "hello").await;
    assert_eq!(turn["status"], "completed");
    assert_eq!(errors(&turn), [("model_rate_limited", "openai/gpt-4.1-mini", Some(1_000), None)]);
}

#[tokio::test]
async fn overload_and_faults_of_theirs_are_tried_again() {
    for (wire, model, status) in [
        (ProviderWire::Anthropic, "anthropic/claude-sonnet-4-5", 529),
        (ProviderWire::Anthropic, "anthropic/claude-sonnet-4-5", 500),
        (ProviderWire::Anthropic, "anthropic/claude-sonnet-4-5", 408),
        (ProviderWire::Gemini, "gemini/gemini-2.5-flash", 503),
        (ProviderWire::Ollama, "ollama/llama3.2", 500),
    ] {
        let (provider, program) = provider(wire).await;
        provider.push(ProviderReply::status(status));
        let server = program.start().await;
        let turn = ask(&server.rest(), "hello").await;
        assert_eq!(turn["status"], "completed", "{turn}");
        assert_eq!(errors(&turn), [("model_failed", model, Some(500), None)]);
        let told = turn["steps"][0]["detail"]["message"].as_str().unwrap();
        assert!(told.contains(&status.to_string()), "it says what came back: {told}");
    }
}

/// Two providers: one with that wire format, and OpenAI's as the fallback.
async fn with_reserve(wire: ProviderWire, model: &str) -> (ProviderServer, ModelServer, Program) {
    let (provider, program) = provider(wire).await;
    let reserve = ModelServer::start().await;
    let program = program.with_model(&reserve).with("DWELL_MODEL", model);
    (provider, reserve, program.with("DWELL_MODEL_FALLBACKS", "openai/gpt-4o-mini,offline"))
}

#[tokio::test]
async fn a_model_that_goes_on_failing_is_replaced_and_the_turn_says_by_whom() {
    let (wire, model) = WIRES[0];
    let (provider, reserve, program) = with_reserve(wire, model).await;
    for _ in 0..3 {
        provider.push(ProviderReply::status(529));
    }
    let server = program.start().await;
    let rest = server.rest();
    let turn = ask(&rest, "hello").await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("You said: hello")), "{turn}");
    let expected = [
        ("model_failed", model, Some(500), None),
        ("model_failed", model, Some(2_000), None),
        ("model_failed", model, None, Some("openai/gpt-4o-mini")),
    ];
    assert_eq!(errors(&turn), expected);
    assert_eq!(turn["response"]["model"], "openai/gpt-4o-mini");
    assert_eq!((provider.requests().len(), reserve.requests().len()), (3, 1));
    assert_eq!(turn["stats"]["errors"], 3);
    let stats = rest.get("/api/v1/stats").await.ok();
    assert_eq!((&stats["models"][model]["errors"], &stats["models"][model]["calls"]), (&json!(3), &json!(3)));
}

#[tokio::test]
async fn a_refusal_is_not_tried_again_but_answered_by_the_next() {
    let (wire, model) = WIRES[0];
    let (provider, reserve, program) = with_reserve(wire, model).await;
    let server = program.start().await;
    let rest = server.rest();
    provider.push(ProviderReply::status(401));
    reserve.push(Reply::status(403).error_message("no access for sk-test"));
    let turn = ask(&rest, "Who was Ada Lovelace?").await;
    assert_eq!(turn["status"], "completed", "{turn}");
    let expected = [
        ("model_refused", model, None, Some("openai/gpt-4o-mini")),
        ("model_refused", "openai/gpt-4o-mini", None, Some("offline")),
    ];
    let found = errors(&turn);
    assert_eq!(found.len(), 2);
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.0, found.1, found.2), (expected.0, expected.1, expected.2));
        assert!(found.3.unwrap().starts_with(expected.3.unwrap()), "{found:?}");
    }
    assert!(turn["response"]["model"].as_str().unwrap().starts_with("offline"), "{turn}");
    assert!(!turn.to_string().contains("sk-test"), "no key is repeated");

    // An error in the request itself would be the same with every provider.
    provider.push(ProviderReply::status(400));
    let turn = ask(&rest, "hello").await;
    assert_failed(&turn, "model_refused", "anthropic", "");
    assert_eq!(turn["error"]["recoverable"], false);
}

/// An address where no server listens.
async fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn a_provider_that_cannot_be_reached_is_named() {
    // Each turn waits before it retries, so they run at the same time.
    let failing = WIRES.map(|(wire, model)| async move {
        let address = nowhere().await;
        let program = led_to(program(), wire, &address);
        let server = program.start().await;
        let mut socket = server.socket().await;
        let accepted = socket.ask("chat.send", json!({ "conversation_id": "c", "message": "hello" })).await.unwrap();
        let messages = socket.until_end_of(&accepted["turn_id"]).await;
        let status = messages.last().unwrap();
        assert_eq!((&status["turn_id"], &status["data"]["status"]), (&accepted["turn_id"], &json!("failed")));
        let turn = server.rest().ended(accepted["turn_id"].as_str().unwrap()).await;
        assert_eq!(turn["error"], status["data"]["error"], "the turn and its last event have the same error");
        let name = model.split('/').next().unwrap();
        assert_failed(&turn, "model_unreachable", name, "");
        assert!(turn["error"]["message"].as_str().unwrap().contains(&address), "and says where: {}", turn["error"]);
        assert_eq!(turn["error"]["recoverable"], true);
        assert_eq!(errors(&turn).len(), 2, "it was tried again");
    });
    futures::future::join_all(failing).await;
}

#[tokio::test]
async fn a_provider_that_cannot_be_reached_is_replaced() {
    let program = led_to(program(), ProviderWire::Anthropic, &nowhere().await).with("DWELL_MODEL_FALLBACKS", "offline");
    let server = program.start().await;
    let turn = ask(&server.rest(), "Who was Ada Lovelace?").await;
    assert_eq!(turn["status"], "completed", "{turn}");
    let last = *errors(&turn).last().unwrap();
    assert_eq!((last.0, last.1), ("model_unreachable", WIRES[0].1));
    assert!(last.3.is_some_and(|fallback| fallback.starts_with("offline")), "{last:?}");
}

#[tokio::test]
async fn a_stream_that_is_cut_is_tried_again_before_its_first_word_only() {
    for (wire, model) in WIRES {
        let (provider, program) = provider(wire).await;
        // A fallback must not change that: its words would follow the words of another model.
        let program = program.with("DWELL_MODEL_FALLBACKS", "offline");
        let server = program.start().await;
        let rest = server.rest();
        provider.push(ProviderReply::text("one two three").cut_after(0));
        let turn = ask(&rest, "hello").await;
        assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("You said: hello")), "{turn}");
        assert_eq!(errors(&turn), [("model_cut_off", model, Some(500), None)]);

        provider.push(ProviderReply::text("one two three").cut_after(2));
        let turn = ask(&rest, "hello").await;
        assert_failed(&turn, "model_cut_off", model.split('/').next().unwrap(), "one two ");
        assert_eq!((errors(&turn).len(), &turn["error"]["recoverable"]), (0, &json!(true)));
        assert_eq!(provider.requests().len(), 3);
    }
}

#[tokio::test]
async fn whatever_openai_does_before_its_first_word_is_tried_again() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for (reply, code) in [
        (Reply::text("one two").cut_after(0), "model_cut_off"),
        (Reply::text("one two").end_early(0), "model_cut_off"),
        (Reply::malformed(), "model_malformed"),
        (Reply::status(500), "model_failed"),
        (Reply::status(408), "model_failed"),
    ] {
        model.push(reply);
        let turn = ask(&rest, "hello").await;
        assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("You said: hello")), "{turn}");
        assert_eq!(errors(&turn), [(code, "openai/gpt-4.1-mini", Some(500), None)]);
    }
}

#[tokio::test]
async fn an_error_inside_the_stream_is_an_error() {
    for (wire, model) in WIRES {
        let (provider, program) = provider(wire).await;
        let server = program.start().await;
        let rest = server.rest();
        provider.push(ProviderReply::text("one two three").error_after(0, "Overloaded"));
        let turn = ask(&rest, "hello").await;
        assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("You said: hello")), "{turn}");
        assert_eq!(errors(&turn), [("model_failed", model, Some(500), None)]);

        provider.push(ProviderReply::text("one two three").error_after(2, "Overloaded"));
        let turn = ask(&rest, "hello").await;
        assert_failed(&turn, "model_failed", model.split('/').next().unwrap(), "one two ");
        assert!(turn["error"]["message"].as_str().unwrap().contains("Overloaded"), "{}", turn["error"]);
    }
}

#[tokio::test]
async fn silence_ends_with_the_turns_own_time() {
    let (model, _program, server) = started().await;
    model.push(Reply::hang());
    let rest = server.rest();
    let turn = super::ask_with(&rest, json!({ "message": "hello", "time_budget_ms": 2_000 })).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("expired"), &json!("time_budget")), "{turn}");
    model.until(|model| model.aborted() == 1).await;
}
