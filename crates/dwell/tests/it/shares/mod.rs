//! Fair shares: one owner reaches a limit and gets an error that names it, the other works on, and
//! deleting frees the quota.

mod agents;
mod import;
mod large;
mod memory;
mod sessions;
mod shown;

use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply, RestClient, RestResponse, RunningServer};

use crate::{owners::add, program};

/// Two owners of one server, and a model that never answers messages with the word "slow".
struct TwoOwners {
    model: ModelServer,
    program: Program,
    server: RunningServer,
    ada: RestClient,
    bob: RestClient,
}

impl TwoOwners {
    /// With these settings.
    async fn with(settings: &[(&str, &str)]) -> Self {
        let model = ModelServer::start().await;
        model.respond_with(|request| match request.last_user().contains("slow") {
            true => Reply::hang(),
            false => Reply::text("Heard."),
        });
        let program = settings
            .iter()
            .fold(program().with_model(&model), |program, (name, value)| program.with(&format!("DWELL_{name}"), value));
        let server = program.start().await;
        let (ada, bob) = (add(&program, "ada").await, add(&program, "bob").await);
        let (ada, bob) = (server.rest_as(Some(&ada)), server.rest_as(Some(&bob)));
        Self { model, program, server, ada, bob }
    }
}

/// Sends a message; returns the response.
async fn say(rest: &RestClient, session: &str, message: &str) -> RestResponse {
    rest.post(&format!("/api/v1/sessions/{session}/turns"), json!({ "message": message })).await
}

/// Checks that the response is refused and names the limit.
#[track_caller]
fn assert_refused(answer: &RestResponse, setting: &str) {
    assert_eq!(answer.code(403), "quota_exceeded", "{}", answer.body);
    let message = answer.body["message"].as_str().unwrap();
    assert!(message.contains(&format!("`{setting}`")), "{message}");
}

/// An owner's own usage.
async fn own(rest: &RestClient) -> Value {
    rest.get("/api/v1/stats").await.ok()["usage"]["own"].clone()
}

/// Creates a temporary session, which is removed at its end.
async fn temporary(rest: &RestClient) -> RestResponse {
    rest.post("/api/v1/sessions", json!({ "temporary": true })).await
}

async fn end(rest: &RestClient, session: &str) {
    rest.call(reqwest::Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await.ok();
    while rest.get(&format!("/api/v1/sessions/{session}")).await.status != 404 {
        tokio::task::yield_now().await;
    }
}

fn id(session: &Value) -> &str {
    session["session_id"].as_str().unwrap()
}

/// Checks that a message is answered.
async fn works(rest: &RestClient) {
    let session = rest.session().await;
    let turn = rest.send(&session, "How is the weather in Linz?").await;
    assert_eq!(rest.ended(&turn).await["status"], "completed");
}
