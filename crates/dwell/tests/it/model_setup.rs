//! The operator chooses providers and models while the server runs, as the page does.

use std::os::unix::fs::PermissionsExt;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{ModelCatalog, ModelServer, Reply, RestClient, RestResponse};

use crate::{harness::told, program};

const PROVIDER: &str = "/api/v1/models/providers/openai";
const KEY: &str = "sk-typed-into-the-page";

async fn put(rest: &RestClient, path: &str, body: Value) -> RestResponse {
    rest.call(Method::PUT, path, Some(body), &[]).await
}

async fn delete(rest: &RestClient, path: &str) -> RestResponse {
    rest.call(Method::DELETE, path, None, &[]).await
}

async fn answer(rest: &RestClient, session: &str) -> Value {
    told(rest, session, json!({ "message": "What is the capital of France?" })).await
}

#[tokio::test]
async fn a_provider_is_tried_stored_used_at_once_and_after_a_restart() {
    let model = ModelServer::start().await;
    model.offers(ModelCatalog::names(&["small-1", "large-1"]));
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    assert_eq!(rest.get("/api/v1/models").await.ok()["default"], "offline");

    let account = json!({ "provider": "openai", "address": model.base_url(), "api_key": KEY, "model": "large-1" });
    let tried = rest.post("/api/v1/models/try", account).await.ok();
    assert_eq!(tried["model"], "openai/large-1", "{tried}");
    assert!(tried["answered_ms"].is_u64() && tried["models"].as_array().unwrap().len() == 2, "{tried}");
    assert_eq!(rest.get("/api/v1/models").await.ok()["default"], "offline", "nothing was stored");

    let body = json!({ "address": model.base_url(), "api_key": KEY, "model": "large-1", "is_default": true });
    let changed = put(&rest, PROVIDER, body).await.ok();
    assert_eq!(changed["page"]["default"], "openai/large-1", "{changed}");
    assert_eq!(changed["overridden"], json!([]));
    assert!(!changed.to_string().contains(KEY), "a key is never shown");
    let turn = answer(&rest, &session).await;
    assert_eq!(turn["response"]["model"], "openai/large-1", "the next turn of the same session: {turn}");
    let asked = model.requests().pop().unwrap();
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));

    // It is a secret from now on.
    let said = told(&rest, &session, json!({ "message": format!("my key is {KEY}") })).await;
    let journal = rest.get(&format!("/api/v1/sessions/{session}/events")).await.ok();
    assert!(!journal.to_string().contains(KEY) && !said.to_string().contains(KEY));

    let file = program.folder().join("setup.toml");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&file).unwrap().contains(KEY));
    drop(server);
    let server = program.start().await;
    let rest = server.rest();
    assert_eq!(answer(&rest, &session).await["response"]["model"], "openai/large-1", "after a restart");

    // Without a key it keeps the stored one, and sends it to no other address.
    let body = json!({ "address": model.base_url(), "model": "small-1", "is_default": true });
    assert_eq!(put(&rest, PROVIDER, body).await.ok()["page"]["default"], "openai/small-1");
    answer(&rest, &session).await;
    assert_eq!(model.requests().pop().unwrap().header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let other = ModelServer::start().await;
    other.offers(ModelCatalog::names(&["small-1"]));
    let elsewhere = json!({ "provider": "openai", "address": other.base_url() });
    rest.post("/api/v1/models/try", elsewhere).await.ok();
    assert!(other.requests().iter().all(|asked| !asked.header("authorization").unwrap_or_default().contains(KEY)));

    let removed = delete(&rest, PROVIDER).await.ok();
    assert_eq!(removed["page"]["default"], "offline", "{removed}");
    assert!(!std::fs::read_to_string(&file).unwrap().contains(KEY));
    assert_eq!(answer(&rest, &session).await["response"]["model"], "offline");
    assert_eq!(delete(&rest, PROVIDER).await.status, 404);
}

#[tokio::test]
async fn what_does_not_work_is_not_stored_and_what_takes_precedence_is_said() {
    let model = ModelServer::start().await;
    model.offers(ModelCatalog::names(&["small-1", "large-1"]));
    let program = program().with("OPENAI_BASE_URL", &model.base_url()).with("DWELL_MODEL", "openai/small-1");
    let server = program.start().await;
    let rest = server.rest();
    rest.post("/api/v1/models/refresh", json!({})).await.ok();

    model.push(Reply::status(401).error_message("no such key"));
    let wrong = json!({ "provider": "openai", "address": model.base_url(), "api_key": "wrong" });
    let refused = rest.post("/api/v1/models/try", wrong).await;
    assert_eq!(refused.code(400), "invalid_request");
    for (path, body, part) in [
        ("/api/v1/models/providers/anthropic", json!({}), "needs a key"),
        (PROVIDER, json!({ "address": "somewhere" }), "no address"),
        (PROVIDER, json!({ "api_key": "two words" }), "no spaces"),
        (PROVIDER, json!({ "kee": "x" }), "kee"),
        (PROVIDER, json!({ "api_key": KEY }), "`openai.base_url` is set by environment OPENAI_BASE_URL"),
        ("/api/v1/models/providers/nobody", json!({}), "openai, anthropic"),
        ("/api/v1/models/default", json!({ "model": "openai/small-2" }), "small-1"),
        ("/api/v1/models/default", json!({ "model": "anthropic/claude" }), "ANTHROPIC_API_KEY"),
    ] {
        let refused = put(&rest, path, body.clone()).await;
        let text = refused.body.to_string();
        assert!((400..500).contains(&refused.status) && text.contains(part), "{path} {body}: {text}");
    }
    assert!(!program.folder().join("setup.toml").exists());

    let changed = put(&rest, "/api/v1/models/default", json!({ "model": "openai/large-1", "fallbacks": ["offline"] }));
    let changed = changed.await.ok();
    assert_eq!(changed["overridden"][0]["key"], "model.name", "{changed}");
    assert_eq!(changed["overridden"][0]["from"], "environment DWELL_MODEL");
    assert_eq!(changed["page"]["default"], "openai/small-1");
    assert_eq!(changed["page"]["fallbacks"], json!(["offline"]));
}

#[tokio::test]
async fn settings_and_the_window_of_the_default_model_hold_at_once_and_after_a_restart() {
    let model = ModelServer::start().await;
    model.offers(ModelCatalog::names(&["small-1", "large-1"]));
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    let body = json!({ "address": model.base_url(), "api_key": KEY, "model": "large-1", "is_default": true });
    put(&rest, PROVIDER, body).await.ok();
    let window = |page: &Value| {
        let models = page["models"].as_array().unwrap();
        models.iter().find(|model| model["name"] == "openai/large-1").unwrap()["context_tokens"].clone()
    };
    let default = "/api/v1/models/default";
    let settings = json!({ "temperature": 0.25, "stop": ["END"] });
    let set = json!({ "model": "openai/large-1", "settings": settings, "overrides": { "context_tokens": 16384 } });
    let changed = put(&rest, default, set).await.ok();
    assert_eq!((&changed["overridden"], &changed["page"]["settings"]), (&json!([]), &settings), "{changed}");
    assert_eq!(window(&changed["page"]), json!({ "value": 16384, "source": "set" }));
    let session = rest.session().await;
    answer(&rest, &session).await;
    let asked = model.requests().pop().unwrap();
    let asked = asked.raw();
    assert_eq!((&asked["temperature"], &asked["stop"]), (&json!(0.25), &json!(["END"])));

    for (wrong, part) in [
        (json!({ "settings": { "temperature": 3 } }), "from 0 to 2"),
        (json!({ "settings": { "warmth": 1 } }), "warmth"),
        (json!({ "overrides": { "context_tokens": 5 } }), "context_tokens"),
    ] {
        let mut body = wrong;
        body["model"] = json!("openai/large-1");
        let refused = put(&rest, default, body).await;
        assert!(refused.status == 400 && refused.body.to_string().contains(part), "{part}: {}", refused.body);
    }
    drop(server);

    let server = program.start().await;
    let rest = server.rest();
    let page = rest.get("/api/v1/models").await.ok();
    assert_eq!((&page["settings"], window(&page)["value"].as_u64()), (&settings, Some(16384)), "after a restart");
    // Another choice leaves them, and an empty one removes them.
    let changed = put(&rest, default, json!({ "model": "openai/small-1" })).await.ok();
    assert_eq!(changed["page"]["settings"], settings);
    let none = json!({ "model": "openai/large-1", "settings": {}, "overrides": {} });
    let changed = put(&rest, default, none).await.ok();
    assert_eq!((&changed["page"]["settings"], &window(&changed["page"])["source"]), (&Value::Null, &json!("assumed")));
}

#[tokio::test]
async fn a_key_is_sent_to_no_address_but_its_own() {
    let model = ModelServer::start().await;
    model.offers(ModelCatalog::names(&["small-1"]));
    // What is meant for a provider's usual address ends here.
    let program = program().with("HTTPS_PROXY", "http://127.0.0.1:9");
    let server = program.start().await;
    let rest = server.rest();
    put(&rest, PROVIDER, json!({ "address": model.base_url(), "api_key": KEY, "model": "small-1" })).await.ok();
    let changed = put(&rest, PROVIDER, json!({ "api_key": "sk-for-the-usual-address" })).await.ok();
    let address = changed["page"]["providers"][0]["address"].as_str().unwrap();
    assert!(address.contains("api.openai.com"), "a new key alone is for the usual address: {changed}");
    assert!(model.requests().iter().all(|it| !it.header("authorization").unwrap_or_default().contains("usual")));
    drop(server);

    // A key of the environment is neither sent to a new address nor written down.
    let program = program.with("OPENAI_API_KEY", "sk-of-the-environment");
    let server = program.start().await;
    let rest = server.rest();
    let refused = put(&rest, PROVIDER, json!({ "address": model.base_url() })).await;
    let said = refused.body["message"].as_str().unwrap().to_owned();
    assert_eq!(refused.code(400), "invalid_request");
    assert!(said.contains("`openai.api_key` is set by environment OPENAI_API_KEY"), "{said}");
    put(&rest, PROVIDER, json!({ "model": "small-1" })).await.ok();
    let file = std::fs::read_to_string(program.folder().join("setup.toml")).unwrap();
    assert!(file.contains("small-1") && !file.contains("sk-of-the-environment"), "{file}");
    assert!(model.requests().iter().all(|it| !it.header("authorization").unwrap_or_default().contains("environment")));
}
