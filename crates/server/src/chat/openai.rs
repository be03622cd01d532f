//! OpenAI's wire: `/v1/models` and `/v1/chat/completions`.

use std::{convert::Infallible, time::Duration};

use axum::{
    Json,
    extract::State,
    http::HeaderMap,
    response::{
        IntoResponse, Response, Sse,
        sse::{Event as Frame, KeepAlive},
    },
};
use engine::Hub;
use futures::Stream;
use protocol::{OwnerId, Problem, SessionRef, TurnView};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::OwnedSemaphorePermit;

use super::{
    conversation::{Asked, Begun, begin, by_header, by_name},
    dialect::Dialect,
    message::{Message, Told},
    model, model_names,
};
use crate::{
    access::Principal,
    app::App,
    outcome::{By, Outcome, outcome},
    problem::{Failure, Outcome as HttpOutcome},
    rest::{Body, idempotency_key},
    telling::Told as Next,
};

const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What is asked. What is not named here is passed over: Dwell's model, tools and budgets are its own.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Completion {
    /// `dwell`, or a model that is configured.
    #[serde(default)]
    model: String,
    /// The conversation; its last message is the user's.
    messages: Vec<Message>,
    /// Whether the answer comes in pieces.
    #[serde(default)]
    stream: Option<bool>,
    /// How the pieces come.
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    /// Whose conversation it is: all that one user says is one session.
    #[serde(default)]
    user: Option<String>,
    /// `session_id` names the session, by its id or a name of the client's own.
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

/// How the pieces come.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct StreamOptions {
    /// Whether the last piece says what it took.
    #[serde(default)]
    include_usage: bool,
}

pub(crate) async fn models(State(app): State<App>) -> Json<Value> {
    let model = |id: String| json!({ "id": id, "object": "model", "created": 0, "owned_by": "dwell" });
    let data: Vec<Value> = model_names(&app.hub).into_iter().map(model).collect();
    Json(json!({ "object": "list", "data": data }))
}

pub(crate) async fn completions(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    body: HttpOutcome<Body<Completion>>,
) -> Response {
    match complete(&app, owner, &headers, body).await {
        Ok(response) => response,
        Err(Failure(problem)) => Dialect::OpenAi.refuse(&problem),
    }
}

async fn complete(
    app: &App,
    owner: OwnerId,
    headers: &HeaderMap,
    body: HttpOutcome<Body<Completion>>,
) -> HttpOutcome<Response> {
    let Body(asked) = body?;
    let session = session(headers, &asked)?;
    let idempotency_key = idempotency_key(headers, None)?;
    let Completion { model: name, messages, stream, stream_options, .. } = asked;
    let told = Told::read(messages)?;
    let permit = if stream.unwrap_or(false) { Some(app.stream_permit()?) } else { None };
    let asked = Asked { door: "openai", told, session, model: model(&name), idempotency_key };
    let begun = begin(&app.hub, &owner, asked).await?;
    let names = [("x-dwell-session", begun.session_id.to_string()), ("x-dwell-turn", begun.turn_id.to_string())];
    let sheet = Sheet {
        id: format!("chatcmpl-{}", begun.turn_id),
        created: app.hub.now().as_millis() / 1000,
        model: name,
        with_usage: stream_options.unwrap_or_default().include_usage,
    };
    let response = match permit {
        Some(permit) => {
            let frames = sheet.frames(app.clone(), owner, begun, permit);
            Sse::new(frames).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
        }
        None => sheet.whole(app, &owner, begun).await?,
    };
    Ok((names, response).into_response())
}

/// The session that is named: by the header, in the metadata, or by the user.
fn session(headers: &HeaderMap, asked: &Completion) -> Result<Option<SessionRef>, Problem> {
    if let Some(session) = by_header(headers)? {
        return Ok(Some(session));
    }
    let named = asked.metadata.as_ref().and_then(|data| data.get("session_id")).and_then(Value::as_str);
    let user = asked.user.as_deref().filter(|user| !user.is_empty()).map(|user| format!("user:{user}"));
    named.or(user.as_deref()).map(by_name).transpose()
}

/// What stands on every sheet of one answer.
struct Sheet {
    id: String,
    created: i64,
    model: String,
    with_usage: bool,
}

impl Sheet {
    async fn whole(&self, app: &App, owner: &OwnerId, mut begun: Begun) -> HttpOutcome<Response> {
        let turn = loop {
            let next = tokio::select! {
                next = begun.telling.next() => next,
                () = app.stopping.cancelled() => Err(engine::Error::Stopping),
            };
            match next {
                Ok(Next::Words(_)) => {}
                Ok(Next::Settled(turn)) => break turn,
                Err(error) => return Ok(Dialect::OpenAi.fail(&Problem::from(error).message)),
            }
        };
        let text = match outcome(&app.hub, owner, &turn, By::Command).await? {
            Outcome::Answered(text) | Outcome::Waits(text) | Outcome::Asks(_, text) => text,
            Outcome::Failed(why) => return Ok(Dialect::OpenAi.fail(&why)),
        };
        let message = json!({ "role": "assistant", "content": text, "refusal": null });
        Ok(Json(json!({
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": "stop" }],
            "usage": usage(&turn),
        }))
        .into_response())
    }

    /// The pieces: the first carries the role, the last is empty, and then it is done.
    fn frames(
        self,
        app: App,
        owner: OwnerId,
        mut begun: Begun,
        permit: OwnedSemaphorePermit,
    ) -> impl Stream<Item = Result<Frame, Infallible>> {
        async_stream::stream! {
            let _permit = permit;
            yield Ok(self.piece(&json!({ "role": "assistant", "content": "" }), None));
            let mut is_said = false;
            loop {
                let next = tokio::select! {
                    next = begun.telling.next() => next,
                    () = app.stopping.cancelled() => Err(engine::Error::Stopping),
                };
                match next {
                    Ok(Next::Words(words)) => {
                        is_said = true;
                        yield Ok(self.piece(&json!({ "content": words }), None));
                    }
                    Ok(Next::Settled(turn)) => {
                        for frame in self.last(&app.hub, &owner, &turn, is_said).await {
                            yield Ok(frame);
                        }
                        return;
                    }
                    Err(error) => {
                        yield Ok(data(&Dialect::OpenAi.interjection(&Problem::from(error).message)));
                        return;
                    }
                }
            }
        }
    }

    /// What comes after the words of a turn.
    async fn last(&self, hub: &Hub, owner: &OwnerId, turn: &TurnView, is_said: bool) -> Vec<Frame> {
        let said = match outcome(hub, owner, turn, By::Command).await {
            Ok(Outcome::Answered(text)) => Some(text).filter(|_| !is_said),
            Ok(Outcome::Waits(words) | Outcome::Asks(_, words)) => {
                Some(if is_said { format!("\n\n{words}") } else { words })
            }
            Ok(Outcome::Failed(why)) => return vec![data(&Dialect::OpenAi.interjection(&why))],
            Err(error) => return vec![data(&Dialect::OpenAi.interjection(&Problem::from(error).message))],
        };
        let mut frames: Vec<Frame> =
            said.into_iter().map(|text| self.piece(&json!({ "content": text }), None)).collect();
        frames.push(self.piece(&json!({}), Some("stop")));
        if self.with_usage {
            let mut last = self.sheet(json!([]));
            last["usage"] = usage(turn);
            frames.push(data(&last));
        }
        frames.push(Frame::default().data("[DONE]"));
        frames
    }

    fn piece(&self, delta: &Value, finish: Option<&str>) -> Frame {
        data(&self.sheet(json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }])))
    }

    fn sheet(&self, choices: Value) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        })
    }
}

fn data(value: &Value) -> Frame {
    Frame::default().data(value.to_string())
}

fn usage(turn: &TurnView) -> Value {
    let usage = turn.stats.usage;
    json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.tokens(),
    })
}
