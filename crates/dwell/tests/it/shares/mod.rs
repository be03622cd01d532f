//! Fair shares: one owner fills a limit and is refused by its name, the other works on, and what is removed makes room.

mod agents;
mod import;
mod large;
mod memory;
mod sessions;
mod shown;

use serde_json::{Value, json};
use testkit::{Answer, ModelServer, Program, Reply, Rest, Running};

use crate::{owners::add, program};

/// Two owners of one server, and a model that says back what it is told; of what is slow it never ends.
struct Two {
    model: ModelServer,
    program: Program,
    server: Running,
    ada: Rest,
    bob: Rest,
}

impl Two {
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

/// Says something; gives the answer as it comes.
async fn say(rest: &Rest, session: &str, message: &str) -> Answer {
    rest.post(&format!("/api/v1/sessions/{session}/turns"), json!({ "message": message })).await
}

/// An answer that is refused by the name of a limit, with what to do about it.
#[track_caller]
fn assert_refused(answer: &Answer, setting: &str) {
    assert_eq!(answer.code(403), "quota_exceeded", "{}", answer.body);
    let message = answer.body["message"].as_str().unwrap();
    assert!(message.contains(&format!("`{setting}`")), "{message}");
}

/// What an owner is told of what they use.
async fn own(rest: &Rest) -> Value {
    rest.get("/api/v1/stats").await.ok()["usage"]["own"].clone()
}

/// A session that is gone when it ends.
async fn temporary(rest: &Rest) -> Answer {
    rest.post("/api/v1/sessions", json!({ "temporary": true })).await
}

async fn end(rest: &Rest, session: &str) {
    rest.call(reqwest::Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await.ok();
    while rest.get(&format!("/api/v1/sessions/{session}")).await.status != 404 {
        tokio::task::yield_now().await;
    }
}

fn id(session: &Value) -> &str {
    session["session_id"].as_str().unwrap()
}

/// One works and is answered.
async fn works(rest: &Rest) {
    let session = rest.session().await;
    let turn = rest.send(&session, "How is the weather in Linz?").await;
    assert_eq!(rest.ended(&turn).await["status"], "completed");
}
