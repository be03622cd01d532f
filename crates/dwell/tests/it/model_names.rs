//! An unknown model name is refused at once on every API, with the nearest names.

use serde_json::json;
use testkit::{ModelCatalog, ModelServer};

use crate::program;

const LISTED: [&str; 3] = ["gpt-4.1-mini", "gpt-4.1", "text-embedding-3-small"];

#[tokio::test]
async fn unknown_models_are_refused_by_every_api_with_the_nearest_names() {
    let model = ModelServer::start().await;
    model.offers(ModelCatalog::names(&LISTED));
    let program = program().with_model(&model);
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for (name, meant) in [
        ("openai/gpt-4.1-mni", "openai/gpt-4.1-mini"),
        ("gpt-4.1-nini", "openai/gpt-4.1-mini"),
        ("opnai/gpt-4.1", "openai/gpt-4.1"),
        ("antropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("nosuch/x", "`dwell models`"),
    ] {
        let turns = format!("/api/v1/sessions/{session}/turns");
        for (path, body) in [
            ("/api/v1/sessions", json!({ "model": name })),
            (turns.as_str(), json!({ "message": "hello", "model": name })),
        ] {
            let refused = rest.post(path, body).await;
            assert_eq!(refused.code(422), "unknown_model");
            assert!(refused.body.to_string().contains(meant), "{name}: {}", refused.body);
        }
        let messages = json!([{ "role": "user", "content": "hello" }]);
        let refused = rest.post("/v1/chat/completions", json!({ "model": name, "messages": messages })).await;
        assert_eq!((refused.status, &refused.body["error"]["code"]), (404, &json!("model_not_found")));
        assert!(refused.body["error"]["message"].as_str().unwrap().contains(meant), "{}", refused.body);
        let refused = rest.post("/api/chat", json!({ "model": name, "messages": messages })).await;
        let said = refused.body["error"].as_str().unwrap();
        assert!(refused.status == 404 && said.contains(name) && said.contains("not found"), "{said}");
        let mut socket = server.socket().await;
        for (kind, body) in [
            ("provider.set", json!({ "session_id": session, "model": name })),
            ("session.update", json!({ "session_id": session, "model": name })),
            ("session.start", json!({ "model": name })),
            ("chat.send", json!({ "session_id": session, "message": "hello", "model": name })),
        ] {
            let refused = socket.ask(kind, body).await.unwrap_err();
            assert!(refused.to_string().contains("unknown_model"), "{kind}: {refused}");
        }
        let asked = program.run(&["ask", "--model", name, "hello"]).await;
        assert!(asked.code() != 0 && asked.stderr.contains(meant), "{name}: {asked:?}");
    }
    assert_eq!(model.requests().len(), 0, "nothing was sent to another model");
    let tags = rest.get("/api/tags").await.ok();
    let names: Vec<&str> = tags["models"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["dwell:latest", "openai/gpt-4.1-mini:latest", "openai/gpt-4.1:latest"],
        "what there is to talk to"
    );
}

#[tokio::test]
async fn without_a_provider_only_the_offline_model_is_there() {
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    for name in ["nosuch/x", "gpt-4o", "offlin"] {
        let refused = rest.post("/api/v1/sessions", json!({ "model": name })).await;
        assert_eq!(refused.code(422), "unknown_model");
        assert!(refused.body.to_string().contains("only `offline`"), "{}", refused.body);
    }
    let asked = program.run(&["ask", "--model", "nosuchmodel", "What is 6 times 7?"]).await;
    assert!(asked.code() != 0 && asked.stdout.is_empty() && asked.stderr.contains("nosuchmodel"), "{asked:?}");
    assert_eq!(rest.get("/api/v1/models").await.ok()["data"], json!(["offline"]));
    let asked = program.run(&["ask", "--model", "offline", "What is 6 times 7?"]).await;
    assert!(asked.code() == 0 && asked.stdout.contains("42"), "{asked:?}");
}
