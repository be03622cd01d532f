//! Scoped tokens: what each may do over every API, how it is made and listed, and how it ends.

use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{McpWire, RestClient, RunningServer, Socket};

use crate::{
    access::{filled, templates},
    harness::{calls, harness, last, shown, steps, told},
    owners::add,
    program, started,
};

const SCOPES: [&str; 4] = ["read", "talk", "act", "admin"];

/// Makes a token; its text and its id.
async fn make(rest: &RestClient, asked: Value) -> (String, String) {
    let made = rest.post("/api/v1/tokens", asked).await.ok();
    (made["token"].as_str().unwrap().to_owned(), made["token_id"].as_str().unwrap().to_owned())
}

async fn one_of_each(server: &RunningServer) -> BTreeMap<&'static str, String> {
    let mut tokens = BTreeMap::new();
    for scope in SCOPES {
        tokens.insert(scope, make(&server.rest(), json!({ "name": scope, "scope": scope })).await.0);
    }
    tokens
}

/// Whether an answer says that the token's scope is too little.
fn is_beyond(status: u16, body: &Value) -> bool {
    status == 403 && body.to_string().contains("needs a token with the scope")
}

/// The least scope with which a route answers.
async fn least(server: &RunningServer, tokens: &BTreeMap<&'static str, String>, method: &str, path: &str) -> String {
    let mut allowed = Vec::new();
    for scope in SCOPES {
        let rest = server.rest_as(Some(&tokens[scope]));
        let answer = rest.call(method.parse().unwrap(), path, None, &[("origin", server.url())]).await;
        if !is_beyond(answer.status, &answer.body) {
            assert!(![401, 403].contains(&answer.status), "{method} {path} as {scope}: {}", answer.body);
            allowed.push(scope);
        }
    }
    let least = allowed.first().unwrap_or_else(|| panic!("{method} {path}: not even with everything"));
    let from = SCOPES.iter().position(|scope| scope == least).unwrap();
    assert_eq!(allowed, SCOPES[from..], "{method} {path}: each scope includes the ones before it");
    (*least).to_owned()
}

#[tokio::test]
async fn every_route_answers_from_its_scope_on() {
    let server = program().start().await;
    let tokens = one_of_each(&server).await;
    let mut found = BTreeMap::new();
    for (method, path) in templates(&server).await {
        // Webhooks are signed, and Ollama's path has a key of its own.
        if path.starts_with("/hooks/") || path.starts_with("/ollama/") {
            continue;
        }
        let scope = least(&server, &tokens, &method, &filled(&path, &[])).await;
        found.insert(format!("{method} {path}"), scope);
    }
    for (route, scope) in [
        ("GET /api/v1/sessions", "read"),
        ("GET /ws", "read"),
        ("POST /mcp", "read"),
        ("POST /api/v1/memories/search", "read"),
        ("POST /api/v1/sessions", "talk"),
        ("POST /api/v1/sessions/{session_id}/turns", "talk"),
        ("POST /v1/chat/completions", "talk"),
        ("POST /v1/messages", "talk"),
        ("POST /v1/responses", "talk"),
        ("POST /api/chat", "talk"),
        ("PATCH /api/v1/sessions/{session_id}", "act"),
        ("DELETE /api/v1/sessions/{session_id}", "act"),
        ("POST /api/v1/approvals/{approval_id}", "act"),
        ("POST /api/v1/turns/{turn_id}/resume", "act"),
        ("POST /api/v1/schedules", "act"),
        ("GET /api/v1/schedules/{schedule_id}/hook", "act"),
        ("PUT /api/v1/profile/{key}", "act"),
        ("POST /api/v1/memories/forget", "act"),
    ] {
        assert_eq!(found[route], scope, "{route}");
    }
    // A new route needs everything until it is put into a scope.
    let admin: Vec<&str> =
        found.iter().filter(|(_, scope)| *scope == "admin").map(|(route, _)| route.as_str()).collect();
    assert_eq!(
        admin,
        [
            "DELETE /api/v1/library/folders/{folder_id}",
            "DELETE /api/v1/models/providers/{provider}",
            "DELETE /api/v1/tokens/{token_id}",
            "GET /api/v1/config",
            "GET /api/v1/logs",
            "GET /api/v1/nodes",
            "GET /api/v1/tokens",
            "GET /metrics",
            "POST /api/v1/library/folders",
            "POST /api/v1/models/refresh",
            "POST /api/v1/models/try",
            "POST /api/v1/sweep",
            "POST /api/v1/tokens",
            "PUT /api/v1/models/default",
            "PUT /api/v1/models/providers/{provider}",
        ]
    );
    let refused = server.rest_as(Some(&tokens["read"])).post("/api/v1/sessions", json!({})).await;
    assert_eq!(refused.code(403), "forbidden");
    let said = refused.body["message"].as_str().unwrap();
    assert!(said.contains("`talk`") && said.contains("`read`"), "it says what is needed: {said}");
    assert_eq!(server.rest().get("/api/v1/config").await.status, 200, "the owner's own token does everything");
}

#[tokio::test]
async fn every_message_and_every_mcp_tool_obeys() {
    let (_model, _program, server) = started().await;
    let tokens = one_of_each(&server).await;
    let session = server.rest().session().await;
    let of = json!({ "session_id": session });
    let mut allowed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for scope in SCOPES {
        let mut socket = server.socket_as(&tokens[scope]).await;
        for (kind, data) in [
            ("ping", json!({})),
            ("session.resume", of.clone()),
            ("memory.search", json!({ "query": "x" })),
            ("session.start", json!({})),
            ("session.fork", json!({ "session_id": session, "turn_id": crate::access::NOWHERE })),
            ("session.update", json!({ "session_id": session, "preferences": { "a": 1 } })),
            ("memory.set", json!({ "key": "diet", "value": "vegan" })),
            ("tool.serve", json!({ "worker": "w", "tools": [] })),
            ("approval.answer", json!({ "approval_id": crate::access::NOWHERE, "decision": "once" })),
        ] {
            let answer = socket.ask(kind, data).await;
            let is_refused = answer.as_ref().is_err_and(|problem| is_beyond(403, problem));
            if !is_refused {
                allowed.entry(kind).or_default().push(scope);
            }
        }
        let mut named = server.socket_as(&tokens[scope]).await;
        let named = named.ask("session.resume", json!({ "conversation_id": format!("new {scope}") })).await;
        assert_eq!(named.is_ok(), scope != "read", "a name that is unknown would start a session");
    }
    for (kind, least) in [
        ("ping", 0),
        ("session.resume", 0),
        ("memory.search", 0),
        ("session.start", 1),
        ("session.fork", 1),
        ("session.update", 2),
        ("memory.set", 2),
        ("tool.serve", 2),
        ("approval.answer", 2),
    ] {
        assert_eq!(allowed[kind], SCOPES[least..], "{kind}");
    }

    for wire in McpWire::BOTH {
        let mut listed = BTreeMap::new();
        for scope in SCOPES {
            let mcp = server.mcp_as(&tokens[scope], wire, json!({})).await;
            let tools = mcp.ask("tools/list", json!({})).await.unwrap();
            let names: Vec<String> = tools["tools"]
                .as_array()
                .unwrap()
                .iter()
                .map(|tool| tool["name"].as_str().unwrap().to_owned())
                .collect();
            for (tool, arguments, least) in [
                ("list_sessions", json!({}), 0),
                ("start_session", json!({}), 1),
                ("calculator", json!({ "expression": "1+1" }), 1),
                ("set_profile", json!({ "key": "diet", "value": "vegan" }), 2),
            ] {
                let may = SCOPES.iter().position(|own| *own == scope).unwrap() >= least;
                assert_eq!(names.contains(&tool.to_owned()), may, "{tool} in the list of {scope}");
                let result = mcp.call(tool, arguments).await.unwrap();
                assert_eq!(is_beyond(403, &result), !may, "{tool} as {scope}: {result}");
            }
            listed.insert(scope, names.len());
        }
        assert!(listed["read"] < listed["talk"] && listed["talk"] < listed["act"], "{listed:?}");
        assert_eq!(listed["act"], listed["admin"], "each tool is in a scope");
    }
}

#[tokio::test]
async fn the_turns_of_a_talk_token_use_tools_that_only_read() {
    let harness = harness().await;
    let (server, model) = (&harness.server, &harness.model);
    let tokens = one_of_each(server).await;
    let talk = server.rest_as(Some(&tokens["talk"]));
    let session = talk.session().await;

    model.push(calls("c1", "book_table", "please"));
    let turn = told(&talk, &session, json!({ "message": "Book a table, whatever it takes." })).await;
    assert_eq!((&turn["status"], &turn["request"]["reads_only"]), (&json!("completed"), &json!(true)));
    let result = steps(&turn, "tool_result")[0].clone();
    assert_eq!(result["status"], "denied", "{turn}");
    assert!(result.to_string().contains("scope `act`"), "{result}");
    let offered = shown(&last(model));
    assert!(offered.contains(&"look_at_sky".to_owned()) && !offered.contains(&"book_table".to_owned()), "{offered:?}");
    assert!(!offered.contains(&"artifact_save".to_owned()), "nor what writes to the store: {offered:?}");

    // A call of its own, without a model.
    let direct = json!({ "message": "Book", "calls": [{ "tool": "book_table", "arguments": { "note": "x" } }] });
    let turn = told(&talk, &session, direct.clone()).await;
    assert_eq!(steps(&turn, "tool_result")[0]["status"], "denied", "{turn}");

    // The APIs of models, and a question of its own session.
    model.push(calls("c2", "book_table", "please"));
    let chat = json!({ "model": "dwell", "messages": [{ "role": "user", "content": "Book a table for two." }] });
    talk.post("/v1/chat/completions", chat.clone()).await.ok();
    assert!(!shown(&last(model)).contains(&"book_table".to_owned()));
    model.push(calls("c3", "book_table", "please"));
    let asked = talk.post("/api/v1/ask", json!({ "message": "Book a table for three." })).await.ok();
    assert_eq!(steps(&asked, "tool_result")[0]["status"], "denied", "{asked}");
    assert_eq!(harness.tool_server.effects("book_table"), 0, "nothing was done");

    // What was sent with the owner's token does not become less by a repetition of the key, and a
    // retry with a talk token may only read.
    let act = server.rest_as(Some(&tokens["act"]));
    model.push(calls("c4", "book_table", "for two"));
    let turn = told(&act, &session, json!({ "message": "Book a table now." })).await;
    assert_eq!(steps(&turn, "tool_result")[0]["status"], "ok", "{turn}");
    assert_eq!(harness.tool_server.effects("book_table"), 1);
    model.push(calls("c5", "book_table", "again"));
    let path = format!("/api/v1/turns/{}/retry", turn["turn_id"].as_str().unwrap());
    let retried = talk.post(&path, json!({})).await.ok();
    let retried = talk.ended(retried["turn_id"].as_str().unwrap()).await;
    assert_eq!(steps(&retried, "tool_result")[0]["status"], "denied", "{retried}");
    assert_eq!(harness.tool_server.effects("book_table"), 1);
}

#[tokio::test]
async fn a_revoked_or_expired_token_ends_at_once_with_what_it_has_opened() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let (token, id) = make(&rest, json!({ "name": "kitchen tablet", "scope": "talk", "expires_in_days": 30 })).await;
    assert_eq!(token.len(), 64);
    let own = server.rest_as(Some(&token));
    let session = own.session().await;
    let mut socket = server.socket_as(&token).await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    let mut frames = server.frames_as(&token, &format!("/events/{session}")).await;

    let listed = rest.get("/api/v1/tokens").await.ok()["data"][0].clone();
    assert_eq!(
        (&listed["name"], &listed["scope"], &listed["owner"]),
        (&json!("kitchen tablet"), &json!("talk"), &json!("owner"))
    );
    assert!(listed["expires_at"].is_string() && listed["last_used_at"].is_string(), "{listed}");
    assert!(listed.get("token").is_none(), "it is shown once");
    let file = program.folder().join("tokens.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    for entry in fs::read_dir(program.folder()).unwrap() {
        let path = entry.unwrap().path();
        let holds = path.is_file() && String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(&token);
        assert!(!holds, "{} holds the token", path.display());
    }

    // The browser of the tablet.
    let entered = reqwest::Client::new().post(format!("{}/api/v1/entry", server.url())).header("origin", server.url());
    let entered = entered.json(&json!({ "token": token })).send().await.unwrap();
    let cookie = entered.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let entry: Value = entered.json().await.unwrap();
    assert_eq!(entry["scope"], "talk");
    let headers = [("cookie", cookie.as_str()), ("origin", server.url())];
    let by_cookie = server.rest_as(None);
    assert_eq!(by_cookie.call(Method::GET, "/api/v1/sessions", None, &headers).await.status, 200);
    let beyond = by_cookie.call(Method::GET, "/api/v1/tokens", None, &headers).await;
    assert!(is_beyond(beyond.status, &beyond.body), "a cookie is worth what its token is: {beyond:?}");

    rest.call(Method::DELETE, &format!("/api/v1/tokens/{id}"), None, &[]).await.ok();
    assert_eq!(own.get("/api/v1/sessions").await.code(401), "unauthorized");
    assert_eq!(by_cookie.call(Method::GET, "/api/v1/sessions", None, &headers).await.status, 401);
    while socket.try_next().await.is_some() {}
    while frames.next().await.is_some() {}
    assert_eq!(rest.call(Method::DELETE, &format!("/api/v1/tokens/{id}"), None, &[]).await.status, 404);
}

#[tokio::test]
async fn tokens_are_made_listed_and_revoked_on_the_command_line_and_survive_restarts() {
    let program = program();
    let server = program.start().await;
    let made = program.run(&["tokens", "create", "backup job", "--scope", "read", "--days", "7"]).await;
    assert_eq!(made.code(), 0, "{made:?}");
    assert!(made.stderr.contains("may read") && made.stderr.contains("shown only once"), "{made:?}");
    let token = made.stdout.trim().to_owned();
    server.rest_as(Some(&token)).get("/api/v1/sessions").await.ok();
    let wrong = program.run(&["tokens", "create", "x", "--scope", "write"]).await;
    assert!(wrong.code() == 2 && wrong.stderr.contains("`read`, `talk`, `act` or `admin`"), "{wrong:?}");
    server.stop().await;

    let server = program.start().await;
    server.rest_as(Some(&token)).get("/api/v1/sessions").await.ok();
    let listed = program.run(&["tokens", "list"]).await.stdout;
    assert!(listed.contains("backup job") && listed.contains("read") && listed.contains("last used"), "{listed}");
    let listed: Value = serde_json::from_str(&program.run(&["tokens", "list", "--json"]).await.stdout).unwrap();
    assert_eq!(listed["data"][0]["scope"], "read");
    // The command line with that token may do what the token may.
    let mut reading = program.command(&["sessions", "list"]);
    assert!(reading.env("DWELL_TOKEN", &token).output().await.unwrap().status.success());
    let mut making = program.command(&["tokens", "list"]);
    let refused = making.env("DWELL_TOKEN", &token).output().await.unwrap();
    assert_eq!(refused.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("scope `admin`"));
    let revoked = program.run(&["tokens", "revoke", "backup job"]).await;
    assert_eq!(revoked.code(), 0, "{revoked:?}");
    assert_eq!(server.rest_as(Some(&token)).get("/api/v1/sessions").await.status, 401);
    assert_eq!(program.run(&["tokens", "revoke", "backup job"]).await.code(), 2);
    server.stop().await;

    fs::write(program.folder().join("tokens.json"), "{").unwrap();
    let broken = program.run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(broken.code() == 1 && broken.stderr.contains("tokens.json"), "{broken:?}");
}

#[tokio::test]
async fn owners_make_tokens_for_themselves_and_the_operator_for_all() {
    let (_model, program, server) = started().await;
    let (ada, operator) = (add(&program, "ada").await, server.rest());
    let ada = server.rest_as(Some(&ada));
    let (own, _) = make(&ada, json!({ "name": "phone", "scope": "admin" })).await;
    let (given, _) = make(&operator, json!({ "name": "from the operator", "scope": "act", "owner": "ada" })).await;
    for token in [&own, &given] {
        let entry = server.rest_as(Some(token)).get("/api/v1/entry").await.ok();
        assert_eq!(entry["owner"], "ada");
    }
    let (own_rest, given_rest) = (server.rest_as(Some(&own)), server.rest_as(Some(&given)));
    assert_eq!(own_rest.get("/api/v1/tokens").await.ok()["data"].as_array().unwrap().len(), 2, "`admin` is hers alone");
    assert_eq!(own_rest.get("/api/v1/config").await.code(403), "forbidden", "it is not the operator's");
    let other = json!({ "name": "x", "scope": "read", "owner": "owner" });
    assert_eq!(ada.post("/api/v1/tokens", other).await.code(403), "forbidden");
    let unknown = json!({ "name": "x", "scope": "read", "owner": "bob" });
    assert_eq!(operator.post("/api/v1/tokens", unknown).await.code(404), "not_found");
    for asked in [
        json!({ "name": "", "scope": "read" }),
        json!({ "name": "x", "scope": "write" }),
        json!({ "name": "x", "scope": "read", "expires_in_days": 0 }),
        json!({ "name": "x" }),
    ] {
        assert_eq!(operator.post("/api/v1/tokens", asked.clone()).await.code(400), "invalid_request", "{asked}");
    }

    let mut socket: Socket = server.socket_as(&given).await;
    socket.ask("ping", json!({})).await.unwrap();
    program.run(&["owners", "remove", "ada"]).await;
    assert_eq!(given_rest.get("/api/v1/sessions").await.code(401), "unauthorized", "it ends with its owner");
    while socket.try_next().await.is_some() {}
    // Otherwise the time of a clock tick would be the same.
    tokio::time::sleep(Duration::from_millis(5)).await;
    add(&program, "ada").await;
    assert_eq!(given_rest.get("/api/v1/sessions").await.status, 401, "and does not come back with the name");
}
