//! Two owners: nothing of one exists for the other, over any API.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::{Reply, RestClient, RestResponse, ToolCall};

use super::add;
use crate::{
    access::{NOWHERE, filled, templates},
    harness::{ToolHarness, harness_with, session_with, told},
};

/// Ada, who has one of everything, and Bob, who knows all her ids.
struct OwnersHarness {
    harness: ToolHarness,
    ada: RestClient,
    bob: RestClient,
    bobs_token: String,
    /// The ids, by their names in paths.
    things: BTreeMap<&'static str, String>,
}

impl OwnersHarness {
    async fn new() -> Self {
        let harness = harness_with(|_| {}, |program| program.with("DWELL_TOOLS_CONFIRM", "book_table")).await;
        let (ada, bobs_token) = (add(&harness.program, "ada").await, add(&harness.program, "bob").await);
        let (ada, bob) = (harness.server.rest_as(Some(&ada)), harness.server.rest_as(Some(&bobs_token)));
        let mut owners_harness = Self { harness, ada, bob, bobs_token, things: BTreeMap::new() };
        owners_harness.talk().await;
        owners_harness.remember().await;
        owners_harness
    }

    /// Creates a session with an ended turn, an artifact, a window, an open dialog and an open
    /// approval.
    async fn talk(&mut self) {
        let (model, rest) = (&self.harness.model, &self.ada);
        let session = session_with(rest, json!({ "key": "diary" })).await;
        model.push(Reply::tool_calls([
            ToolCall::new("c1", "artifact_save", json!({ "name": "plan.md", "content": "Plant the maple." })),
            ToolCall::new(
                "c2",
                "window_open",
                json!({ "window_id": "garden", "title": "Garden", "content": { "type": "markdown", "text": "maple" } }),
            ),
        ]));
        model.push(Reply::text("The maple it is."));
        let ended = told(rest, &session, json!({ "message": "Plan the garden and show it." })).await;
        assert_eq!(ended["status"], "completed", "{ended}");
        model.push(Reply::tool_calls([ToolCall::new(
            "c3",
            "ask_user",
            json!({ "title": "Where?", "choices": ["here"] }),
        )]));
        let asks = told(rest, &session, json!({ "message": "Ask me where the maple goes." })).await;
        assert_eq!(asks["reason"], "dialog", "{asks}");
        let booking = rest.session().await;
        model.push(Reply::tool_calls([ToolCall::new("c4", "book_table", json!({ "note": "for two" }))]));
        let waits = told(rest, &booking, json!({ "message": "Book a table for two." })).await;
        assert_eq!(waits["reason"], "approval", "{waits}");

        let desktop = rest.get(&format!("/api/v1/sessions/{session}/desktop")).await.ok();
        let artifacts = rest.get(&format!("/api/v1/sessions/{session}/artifacts")).await.ok();
        let approvals = rest.get("/api/v1/approvals").await.ok();
        self.keep("session_id", &json!(session));
        self.keep("turn_id", &asks["turn_id"]);
        self.keep("window_id", &desktop["windows"][0]["window_id"]);
        self.keep("dialog_id", &desktop["dialogs"][0]["dialog_id"]);
        self.keep("artifact_id", &artifacts["data"][0]["artifact_id"]);
        self.keep("approval_id", &approvals["data"][0]["approval_id"]);
    }

    /// Creates a profile line, and a vault with a memory that has an entry and a document.
    async fn remember(&mut self) {
        let rest = &self.ada;
        let line = rest.call(reqwest::Method::PUT, "/api/v1/profile/tree", Some(json!({ "value": "maple" })), &[]);
        let line = line.await.ok();
        let vault = rest.post("/api/v1/vaults", json!({ "title": "garden" })).await.ok();
        let path = format!("/api/v1/vaults/{}/memories", vault["vault_id"].as_str().unwrap());
        let memory = rest.post(&path, json!({ "title": "trees" })).await.ok();
        let path = format!("{path}/{}", memory["memory_id"].as_str().unwrap());
        let entry = rest.post(&format!("{path}/entries"), entry()).await.ok();
        rest.post(&format!("{path}/contexts"), json!({ "content": "All about the maple." })).await.ok();
        let schedule = json!({ "when": { "kind": "event", "trigger": { "on": "hook" } },
                               "action": { "do": "remind", "text": "water the maple" } });
        let schedule = rest.post("/api/v1/schedules", schedule).await.ok();
        let token = rest.post("/api/v1/tokens", json!({ "name": "maple", "scope": "read" })).await.ok();
        self.keep("token_id", &token["token_id"]);
        self.keep("schedule_id", &schedule["schedule_id"]);
        self.keep("item_id", &line["fact_id"]);
        self.keep("vault_id", &vault["vault_id"]);
        self.keep("memory_id", &memory["memory_id"]);
        self.keep("entry_id", &entry["entry_id"]);
        self.keep("key", &json!("tree"));
    }

    fn keep(&mut self, name: &'static str, id: &Value) {
        self.things.insert(name, id.as_str().unwrap_or_else(|| panic!("{name}: {id}")).to_owned());
    }

    fn things(&self) -> Vec<(&str, &str)> {
        self.things.iter().map(|(name, id)| (*name, id.as_str())).collect()
    }

    /// Everything of Ada's that Bob could have changed.
    async fn all_of_adas(&self) -> Vec<Value> {
        // By then memory has processed the conversation.
        self.ada.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
        let session = &self.things["session_id"];
        let mut all = self.ada.log(session).await;
        for path in
            ["/api/v1/sessions", "/api/v1/approvals", "/api/v1/profile", "/api/v1/memories/export", "/api/v1/tokens"]
        {
            let mut answer = self.ada.get(path).await.ok();
            // The time of the export changes with every request.
            answer.as_object_mut().unwrap().remove("exported_at");
            all.push(answer);
        }
        all
    }

    /// Sends a request as Bob.
    async fn as_bob(&self, method: &str, path: &str, body: Option<Value>) -> RestResponse {
        self.bob.call(method.parse().unwrap(), path, body, &[]).await
    }
}

fn entry() -> Value {
    json!({ "raw_entry": "The maple was planted.", "conversation_time": "2026-05-01T10:00:00Z" })
}

/// A valid body for a route, with which it would change the object if that existed.
fn body(method: &str, path: &str, turn: &str) -> Option<Value> {
    let last = path.rsplit('/').next().unwrap_or_default();
    let body = match (method, last) {
        ("GET" | "DELETE", _) => return None,
        ("PATCH", "{vault_id}" | "{memory_id}") => json!({ "title": "bobs" }),
        ("PATCH", "{schedule_id}") => json!({ "name": "bobs" }),
        (_, "do") => json!({ "do": "pause" }),
        ("PATCH", _) => json!({ "model": "bobs" }),
        (_, "control") => json!({ "control": "start_session" }),
        (_, "fork") => json!({ "turn_id": turn }),
        (_, "turns") => json!({ "message": "Hello" }),
        (_, "{approval_id}") => json!({ "decision": "once" }),
        (_, "tool-results") => json!({ "results": [{ "call_id": "c1", "content": "oak" }] }),
        (_, "messages") => json!({ "content": "Hello" }),
        (_, "actions") => json!({ "action": "press" }),
        (_, "interactions") => json!({ "interactions": [{ "type": "window.close", "window_id": "garden" }] }),
        (_, "{dialog_id}") => json!({ "choice": "here" }),
        (_, "correct") => json!({ "text": "oak" }),
        (_, "memories") => json!({ "title": "bobs" }),
        (_, "entries") => entry(),
        (_, "contexts") => json!({ "content": "Bob was here." }),
        _ => json!({}),
    };
    Some(body)
}

#[tokio::test]
async fn every_route_with_an_id_answers_as_if_the_thing_did_not_exist() {
    let owners_harness = OwnersHarness::new().await;
    let before = owners_harness.all_of_adas().await;
    let turn = owners_harness.things["turn_id"].as_str();
    let mut asked = 0;
    for (method, path) in templates(&owners_harness.harness.server).await {
        // Profile keys are chosen by their owner, and Ollama's key is a credential itself, so those
        // routes are left out.
        let is_somebodys = path.contains("_id}") && !path.starts_with("/apps/");
        if !is_somebodys {
            continue;
        }
        // Responses are turns, and conversations are sessions.
        let path = path.replace("{response_id}", "resp_{turn_id}").replace("{conversation_id}", "conv_{session_id}");
        let of_ada =
            owners_harness.as_bob(&method, &filled(&path, &owners_harness.things()), body(&method, &path, turn)).await;
        let of_no_owner = owners_harness.as_bob(&method, &filled(&path, &[]), body(&method, &path, NOWHERE)).await;
        assert_eq!(of_ada.status, of_no_owner.status, "{method} {path}: {} {}", of_ada.body, of_no_owner.body);
        let names = |answer: &RestResponse| {
            owners_harness.things.values().fold(answer.body.to_string(), |text, id| text.replace(id, NOWHERE))
        };
        assert_eq!(names(&of_ada), names(&of_no_owner), "{method} {path}");
        // Cancelling an unknown turn is no error, and an unknown approval counts as settled.
        let is_unknown = match path.as_str() {
            "/api/v1/turns/{turn_id}/cancel" => of_ada.body["status"] == "not_found",
            // The credential of a webhook is its signature, not a token.
            "/hooks/{schedule_id}" => of_ada.status == 401,
            "/api/v1/approvals/{approval_id}" => of_ada.body["code"] == "approval_settled",
            _ => of_ada.status == 404,
        };
        assert!(is_unknown, "{method} {path}: {} {}", of_ada.status, of_ada.body);
        assert!(!of_ada.body.to_string().contains("maple"), "{method} {path}: {}", of_ada.body);
        asked += 1;
    }
    assert!(asked > 30, "{asked}");
    assert_eq!(owners_harness.all_of_adas().await, before, "and nothing has come of it");
}

#[tokio::test]
async fn what_one_owner_has_is_in_no_list_of_the_other() {
    let owners_harness = OwnersHarness::new().await;
    for path in [
        "/api/v1/sessions",
        "/api/v1/approvals",
        "/api/v1/artifacts",
        "/api/v1/profile",
        "/api/v1/vaults",
        "/api/v1/tokens",
    ] {
        let (hers, his) = (owners_harness.ada.get(path).await.ok(), owners_harness.bob.get(path).await.ok());
        assert_ne!(hers["data"], json!([]), "{path}");
        assert_eq!(his["data"], json!([]), "{path}");
    }
    assert_eq!(owners_harness.bob.get("/api/v1/profile/tree").await.status, 404);
    let search = json!({ "query": "maple", "limit": 50 });
    assert_ne!(owners_harness.ada.post("/api/v1/memories/search", search.clone()).await.ok()["items"], json!([]));
    assert_eq!(owners_harness.bob.post("/api/v1/memories/search", search).await.ok()["items"], json!([]));
    let archive = owners_harness.bob.get("/api/v1/memories/export").await.ok();
    assert!(!archive.to_string().contains("maple"), "{archive}");
    // The same name is a different session for another owner, and the same key a different profile
    // line.
    let his = session_with(&owners_harness.bob, json!({ "key": "diary" })).await;
    assert_ne!(his, owners_harness.things["session_id"]);
    let put = json!({ "value": "oak" });
    owners_harness.bob.call(reqwest::Method::PUT, "/api/v1/profile/tree", Some(put), &[]).await.ok();
    assert_eq!(owners_harness.ada.get("/api/v1/profile/tree").await.ok()["data"][0]["value"], "maple");
    owners_harness.bob.post("/api/v1/memories/forget", json!({ "text": "maple" })).await;
    assert_eq!(owners_harness.ada.get("/api/v1/profile/tree").await.ok()["data"][0]["value"], "maple");
}

#[tokio::test]
async fn nor_does_the_websocket_know_it() {
    let owners_harness = OwnersHarness::new().await;
    let before = owners_harness.all_of_adas().await;
    let mut socket = owners_harness.harness.server.socket_as(&owners_harness.bobs_token).await;
    let id = |name: &str, is_adas: bool| if is_adas { owners_harness.things[name].clone() } else { NOWHERE.to_owned() };
    let messages = |is_adas: bool| {
        let session = id("session_id", is_adas);
        let turn = id("turn_id", is_adas);
        let of = |more: Value| {
            let mut data = json!({ "session_id": session });
            data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            data
        };
        let interactions = json!({ "interactions": [{ "type": "window.close", "window_id": "garden" }] });
        vec![
            ("session.resume", of(json!({}))),
            ("session.get", of(json!({}))),
            ("session.window", of(json!({}))),
            ("session.update", of(json!({ "model": "bobs" }))),
            ("session.reset", of(json!({}))),
            ("session.end", of(json!({}))),
            ("session.fork", of(json!({ "turn_id": turn }))),
            ("session.export", of(json!({}))),
            ("session.restore", of(json!({}))),
            ("chat.send", of(json!({ "message": "Hello" }))),
            ("agent.cancel", of(json!({}))),
            ("agent.interrupt", of(json!({}))),
            ("provider.set", of(json!({ "model": "bobs" }))),
            ("desktop.get", of(json!({}))),
            ("window.message", of(json!({ "window_id": "garden", "content": "Hello" }))),
            ("window.action", of(json!({ "window_id": "garden", "action": "press" }))),
            ("user.interaction", of(interactions)),
            ("dialog.answer", of(json!({ "dialog_id": id("dialog_id", is_adas), "choice": "here" }))),
            ("monitor.subscribe", of(json!({ "monitor_id": "main" }))),
            ("turn.get", json!({ "turn_id": turn })),
            ("turn.resume", json!({ "turn_id": turn })),
            ("turn.retry", json!({ "turn_id": turn })),
            ("approval.answer", json!({ "approval_id": id("approval_id", is_adas), "decision": "once" })),
            ("memory.correct", json!({ "id": id("item_id", is_adas), "text": "oak" })),
        ]
    };
    for ((kind, of_ada), (_, of_no_owner)) in messages(true).into_iter().zip(messages(false)) {
        let of_ada = socket.ask(kind, of_ada).await.expect_err(kind);
        let of_no_owner = socket.ask(kind, of_no_owner).await.expect_err(kind);
        let of_ada_unnamed = of_ada.to_string().replace(&owners_harness.things["item_id"], NOWHERE);
        assert_eq!(of_ada_unnamed, of_no_owner.to_string(), "{kind}");
        let code = if kind == "approval.answer" { "approval_settled" } else { "not_found" };
        assert_eq!(of_ada["code"], code, "{kind}: {of_ada}");
    }
    assert_eq!(owners_harness.all_of_adas().await, before, "and nothing has come of it");
}

#[tokio::test]
async fn one_hears_nothing_of_what_the_other_says() {
    let owners_harness = OwnersHarness::new().await;
    let his = owners_harness.bob.session().await;
    let mut socket = owners_harness.harness.server.socket_as(&owners_harness.bobs_token).await;
    socket.ask("session.resume", json!({ "session_id": his })).await.unwrap();
    let path = format!("/events/{}", owners_harness.things["session_id"]);
    assert_eq!(owners_harness.bob.get(&path).await.status, 404);
    let booking = owners_harness.ada.session().await;
    told(&owners_harness.ada, &booking, json!({ "message": "The maple is a secret." })).await;
    let turn = owners_harness.bob.send(&his, "Did you hear anything?").await;
    let heard = socket.until_end_of(&json!(turn)).await;
    assert!(!format!("{heard:?}").contains("maple"), "{heard:?}");
    let said = owners_harness.harness.model.requests().pop().unwrap();
    assert!(!said.messages().iter().any(|message| message.to_string().contains("maple")), "nor does his model");
}
