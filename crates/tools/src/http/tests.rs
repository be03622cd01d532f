//! HTTP endpoints as tools, against a test server that keeps a ledger.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use ports::{PinChange, PinStore, ToolFailure};
use protocol::{Effect, Origin, OwnerId, Safety, SessionId, Timestamp, TurnId};
use secrecy::SecretString;
use serde_json::{Value, json};
use testkit::ToolServer;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::{load, schema};
use crate::{AnyTool, CallContext, CallLookup};

struct NoPins;

#[async_trait]
impl PinStore for NoPins {
    async fn pins(&self) -> Result<Vec<(String, String)>, ToolFailure> {
        Ok(Vec::new())
    }

    async fn change(&self, _: PinChange) -> Result<(), ToolFailure> {
        Ok(())
    }
}

fn context(key: &str) -> CallContext {
    CallContext {
        owner: "local".parse::<OwnerId>().unwrap(),
        session_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse::<SessionId>().unwrap(),
        turn_id: "01ARZ3NDEKTSV4RRFFQ69G5FAW".parse::<TurnId>().unwrap(),
        call_id: "call_1".to_owned(),
        place: 0,
        key: key.to_owned(),
        now: Timestamp::from_millis(0),
        origin: Origin::Trusted,
        schedule_id: None,
        satellite: None,
        pin_store: Arc::new(NoPins),
        desktop: Arc::new(ports::NoDesktop::default()),
        research: Arc::new(ports::NoResearch),
        hold: Default::default(),
        progress: tokio::sync::mpsc::channel(1).0,
    }
}

fn tools(toml: &str) -> Vec<Arc<dyn AnyTool>> {
    load(toml, |_| None).unwrap().tools
}

fn named(tools: &[Arc<dyn AnyTool>], name: &str) -> Arc<dyn AnyTool> {
    Arc::clone(tools.iter().find(|tool| tool.declaration().name == name).unwrap())
}

/// A tool at this address, with further TOML lines.
fn one(url: &str, more: &str) -> Arc<dyn AnyTool> {
    let toml = format!(
        "[[tool]]\nname = \"t\"\ndescription = \"d\"\nurl = \"{url}\"\n{more}\n\
         input_schema = '{{\"type\":\"object\",\"properties\":{{\"service\":{{\"type\":\"string\"}}}}}}'"
    );
    named(&tools(&toml), "t")
}

/// A server that answers every request with these bytes; returns its address.
async fn serve(answer: impl Into<Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (url, answer) = (format!("http://{}/", listener.local_addr().unwrap()), answer.into());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 8192]).await;
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
                // Unread input would reset the connection before the response arrives.
                while stream.read(&mut [0; 8192]).await.is_ok_and(|length| length > 0) {}
            });
        }
    });
    url
}

fn answer(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

#[tokio::test]
async fn the_tools_of_the_world_are_called_with_their_keys() {
    let tool_server = ToolServer::start().await;
    let tools = tools(&tool_server.tools_toml());
    for (name, effect, safety) in [
        ("look_at_sky", Effect::Pure, Safety::Observes),
        ("set_label", Effect::Idempotent, Safety::Keeps),
        ("book_table", Effect::Verifiable, Safety::Acts),
        ("send_letter", Effect::AtMostOnce, Safety::Sends),
    ] {
        let tool = named(&tools, name);
        assert_eq!((tool.declaration().effect, tool.declaration().safety), (effect, safety));
        let output = tool.call(json!({ "note": "n" }), &context("key-1")).await.unwrap();
        assert_eq!(output.value, json!({ "tool": name, "number": 1, "note": "n" }));
    }
    assert!(tool_server.ledger().iter().all(|entry| entry.key == "key-1" && !entry.is_repeat));
    let again = named(&tools, "set_label").call(json!({ "note": "n" }), &context("key-1")).await.unwrap();
    assert_eq!((again.value["number"].clone(), tool_server.effects("set_label")), (json!(1), 1));
}

#[tokio::test]
async fn a_call_can_be_looked_up() {
    let tool_server = ToolServer::start().await;
    let tool = named(&tools(&tool_server.tools_toml()), "book_table");
    assert_eq!(tool.look_up(Value::Null, &context("k&1")).await.unwrap(), CallLookup::DidNotHappen);
    let output = tool.call(json!({ "note": "n" }), &context("k&1")).await.unwrap();
    assert_eq!(tool.look_up(Value::Null, &context("k&1")).await.unwrap(), CallLookup::Happened(output));
    assert_eq!(tool_server.look_ups(), ["k&1", "k&1"]);
    tool_server.fail("look_up", 500);
    assert_eq!(tool.look_up(Value::Null, &context("k&1")).await.unwrap(), CallLookup::Unknown);
}

#[tokio::test]
async fn a_failure_is_unknown_where_a_second_time_would_matter() {
    let tool_server = ToolServer::start().await;
    let tools = tools(&tool_server.tools_toml_with(|tool| tool.more = "timeout_ms = 200".to_owned()));
    for (name, is_harmless) in
        [("look_at_sky", true), ("set_label", false), ("book_table", false), ("send_letter", false)]
    {
        let tool = named(&tools, name);
        let call = async || tool.call(json!({ "note": "n" }), &context("k")).await.unwrap_err();
        tool_server.fail(name, 422);
        let refused = call().await;
        assert_eq!(refused, ToolFailure::Failed(format!("`{name}` refused (422): the world will not have it")));
        tool_server.fail(name, 503);
        assert_eq!(matches!(call().await, ToolFailure::Failed(_)), is_harmless, "{name} fails");
        tool_server.recover(name);
        tool_server.hold(name);
        let late = call().await;
        assert_eq!(matches!(late, ToolFailure::Failed(_)), is_harmless, "{name} is late: {late}");
        tool_server.release(name);
    }
}

#[tokio::test]
async fn what_was_never_sent_has_failed_and_what_broke_off_is_unknown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let none = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let failure = one(&none, "").call(json!({}), &context("k")).await.unwrap_err();
    assert_eq!(failure, ToolFailure::Failed("`t` cannot be reached; nothing was sent to it".to_owned()));

    for broken in ["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", "nonsense\r\n\r\n"] {
        let url = serve(broken).await;
        let failure = one(&url, "").call(json!({}), &context("k")).await.unwrap_err();
        assert!(matches!(failure, ToolFailure::Unknown(_)), "{broken}: {failure}");
        let failure = one(&url, "effect = \"pure\"").call(json!({}), &context("k")).await.unwrap_err();
        assert!(matches!(failure, ToolFailure::Failed(_)), "{broken}: {failure}");
    }
}

#[tokio::test]
async fn answers_are_json_or_text_and_redirects_are_not_followed() {
    for (kind, body, expected) in [
        ("application/json", "{\"a\":1}", json!({ "a": 1 })),
        ("text/plain", "hello", json!("hello")),
        ("text/plain", "", Value::Null),
    ] {
        let url = serve(answer("200 OK", kind, body)).await;
        assert_eq!(one(&url, "").call(json!({}), &context("k")).await.unwrap().value, expected);
    }
    let url = serve("HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n").await;
    let failure = one(&url, "").call(json!({}), &context("k")).await.unwrap_err();
    assert!(matches!(&failure, ToolFailure::Unknown(text) if text.contains("307")), "{failure}");
    let url = serve(answer("200 OK", "text/plain", &"x".repeat(5 << 20))).await;
    let failure = one(&url, "").call(json!({}), &context("k")).await.unwrap_err();
    assert!(matches!(&failure, ToolFailure::Unknown(text) if text.contains("4 MiB")), "{failure}");
}

#[tokio::test]
async fn arguments_and_scopes_are_checked_before_anything_is_sent() {
    let tool_server = ToolServer::start().await;
    let tool = named(&tools(&tool_server.tools_toml()), "send_letter");
    for (arguments, problem) in [
        (json!({}), "`note` is missing"),
        (Value::Null, "`note` is missing"),
        (json!({ "note": 1 }), "`note` must be of the type string"),
        (json!({ "note": "n", "x": 1 }), "there is no `x`"),
    ] {
        let failure = tool.call(arguments.clone(), &context("k")).await.unwrap_err();
        assert_eq!(failure, ToolFailure::Invalid(format!("the arguments do not fit: {problem}")));
        assert_eq!(tool.scope(&arguments).unwrap_err(), failure);
    }
    assert!(tool_server.ledger().is_empty());
    let scoped = one("http://127.0.0.1:1/", "scope_field = \"service\"");
    assert_eq!(scoped.scope(&json!({ "service": "light.turn_on" })), Ok(Some("light.turn_on".to_owned())));
    assert!(scoped.scope(&json!({})).is_err());
}

#[tokio::test]
async fn headers_carry_secrets_and_whose_call_it_is() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/x?a=b", listener.local_addr().unwrap());
    let toml = format!(
        "[[tool]]\nname = \"t\"\ndescription = \"d\"\nurl = \"{url}\"\nmethod = \"get\"\n\
         headers = {{ authorization = \"env:KEY\", x-plain = \"p\" }}\n\
         input_schema = {{ type = \"object\", properties = {{ q = {{ type = \"string\" }} }} }}"
    );
    let secrets = |name: &str| (name == "KEY").then(|| SecretString::from("Bearer s3cret".to_owned()));
    let tool = named(&load(&toml, secrets).unwrap().tools, "t");
    let call = tokio::spawn(async move { tool.call(json!({ "q": "a b" }), &context("the-key")).await });
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.readable().await.unwrap();
    let mut request = vec![0; 8192];
    tokio::time::sleep(Duration::from_millis(20)).await;
    let length = stream.try_read(&mut request).unwrap();
    stream.write_all(answer("200 OK", "application/json", "1").as_bytes()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap().value, json!(1));
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    assert!(request.starts_with("GET /x?a=b&q=a+b HTTP/1.1\r\n"), "{request}");
    for header in [
        "authorization: Bearer s3cret",
        "x-plain: p",
        "idempotency-key: the-key",
        "dwell-session: 01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "dwell-turn: 01ARZ3NDEKTSV4RRFFQ69G5FAW",
        "dwell-call: call_1",
    ] {
        assert!(request.contains(&format!("{header}\r\n")), "{header} is not in {request}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_tool_and_field() {
    const GOOD: &str = "[[tool]]\nname = \"t\"\ndescription = \"d\"\nurl = \"http://h/\"\n";
    for (toml, expected) in [
        ("[[tool]", "the tools file cannot be read"),
        ("[tool]\nname = \"t\"", "with two brackets"),
        ("[other]", "it contains `other`"),
        ("[[tool]]\ndescription = \"d\"", "tool `number 1`: missing field `name`"),
        ("[[tool]]\nname = \"t\"", "tool `t`: missing field `description`"),
        (&format!("{GOOD}{GOOD}"), "there are two tools named `t`"),
        (&GOOD.replace("\"t\"", "\"T\""), "tool `T`: `name` must be a lower-case letter"),
        (&GOOD.replace("\"d\"", "\" \""), "tool `t`: `description` must not be empty"),
        (&GOOD.replace("http://h/", "h"), "tool `t`: `url` must be a full URL"),
        (&GOOD.replace("http://h/", "ftp://h"), "tool `t`: `url` must begin with http://"),
        (&GOOD.replace("http://h/", "http://u:p@h"), "tool `t`: `url` must not hold a user name"),
        (&format!("{GOOD}efect = \"pure\""), "tool `t`: unknown field `efect`"),
        (&format!("{GOOD}effect = \"often\""), "unknown variant `often`, expected one of `pure`, `idempotent`"),
        (&format!("{GOOD}timeout_ms = \"x\""), "in `timeout_ms`"),
        (&format!("{GOOD}timeout_ms = 0"), "tool `t`: `timeout_ms` must be from 1 to 600000"),
        (&format!("{GOOD}calls_per_minute_max = 0"), "tool `t`: `calls_per_minute_max` must be 1 or more"),
        (&format!("{GOOD}method = \"HEAD\""), "tool `t`: `method` must be GET, POST"),
        (&format!("{GOOD}effect = \"verifiable\""), "tool `t`: `look_up_url` is required"),
        (&format!("{GOOD}look_up_url = \"http://h\""), "tool `t`: `look_up_url` is for verifiable tools only"),
        (&format!("{GOOD}scope_field = \"x\""), "tool `t`: `scope_field` must be one of the properties"),
        (&format!("{GOOD}input_schema = '{{'"), "tool `t`: `input_schema` is not valid JSON"),
        (&format!("{GOOD}input_schema = {{}}"), "tool `t`: `input_schema` must describe an object"),
        (
            &format!("{GOOD}input_schema = {{ type = \"object\", properties = {{ a = {{ type = \"text\" }} }} }}"),
            "tool `t`: `input_schema` has the type \"text\", which does not exist",
        ),
        (
            &format!("{GOOD}headers = {{ a = \"env:NO\" }}"),
            "tool `t`: `headers.a` names the secret `NO`, which is not set",
        ),
        (&format!("{GOOD}headers = {{ \"a b\" = \"c\" }}"), "tool `t`: `headers.a b` is not a valid header name"),
        (&format!("{GOOD}headers = {{ Dwell-Call = \"c\" }}"), "tool `t`: `headers.Dwell-Call` is set by Dwell itself"),
    ] {
        let error = load(toml, |_| None).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(expected), "{toml}\n{error}");
    }
    assert!(tools("").is_empty());
    assert_eq!(tools(GOOD).len(), 1);
}

#[test]
fn values_are_held_against_their_schemas() {
    let schema = json!({
        "type": "object", "required": ["a"],
        "properties": {
            "a": { "type": ["integer", "null"] }, "b": { "enum": ["x", 2] }, "c": { "const": true },
            "d": { "type": "array", "items": { "type": "object", "properties": { "e": { "type": "number" } } } },
        },
    });
    for (value, expected) in [
        (json!({ "a": 1 }), ""),
        (json!({ "a": 2.0, "b": 2.0, "c": true, "d": [{ "e": 1.5 }], "more": 1 }), ""),
        (json!({ "a": null }), ""),
        (json!([]), "the arguments must be of the type object"),
        (json!({}), "`a` is missing"),
        (json!({ "a": 1.5 }), "`a` must be of the type integer or null"),
        (json!({ "a": 1, "b": "y" }), "`b` must be one of \"x\", 2"),
        (json!({ "a": 1, "c": false }), "`c` must be true"),
        (json!({ "a": 1, "d": [{ "e": 1 }, { "e": "1" }] }), "`d[1].e` must be of the type number"),
    ] {
        assert_eq!(schema::validate(&schema, &value).err().unwrap_or_default(), expected, "{value}");
    }
}
