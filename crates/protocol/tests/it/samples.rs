//! One of everything.

use std::collections::BTreeMap;

use protocol::{
    AgentId, Body, Ended, Event, ForkOrigin, MessageAccepted, MessageQueued, PlannerHints, Request, Reset, Response,
    SessionId, Settings, SettingsChanged, Stage, StageEntered, Started, StatusChanged, Step, StepKind, Text, Timestamp,
    Transition, TurnError, TurnId, Usage,
};
use serde_json::json;

pub(crate) fn session() -> SessionId {
    "01HF7YAT00TESTSESS10NAAAAA".parse().unwrap()
}

pub(crate) fn turn() -> TurnId {
    "01HF7YAT00TESTTVRNAAAAAAAA".parse().unwrap()
}

pub(crate) fn at() -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000)
}

fn settings() -> Settings {
    Settings {
        model: Some("openai/small".to_owned()),
        preferences: BTreeMap::from([("tone".to_owned(), json!("dry"))]),
        ..Settings::default()
    }
}

fn request() -> Request {
    Request {
        message: "Is the oven on?".to_owned(),
        model: Some("large".to_owned()),
        allow_tools: false,
        max_steps: Some(3),
        time_budget_ms: Some(5_000),
        planner_hints: Some(PlannerHints { focus_areas: vec!["kitchen".to_owned()], ..PlannerHints::default() }),
    }
}

fn error() -> TurnError {
    let details = Some(json!({ "model": "small" }));
    TurnError { code: "model_failed".to_owned(), message: "it broke".to_owned(), recoverable: true, details }
}

/// Every kind of event, in its fullest form.
pub(crate) fn bodies() -> Vec<Body> {
    let owner = "ada".parse().unwrap();
    let forked_from = Some(ForkOrigin { session_id: session(), turn_id: turn() });
    let usage = Some(Usage { input_tokens: 12, output_tokens: 7 });
    vec![
        Body::SessionStarted(Started {
            owner,
            key: Some("kitchen".parse().unwrap()),
            settings: settings(),
            forked_from,
        }),
        Body::SessionUpdated(SettingsChanged { settings: Settings::default() }),
        Body::SessionReset(Reset { reason: Some("start over".to_owned()) }),
        Body::SessionEnded(Ended { reason: None }),
        Body::MessageAccepted(MessageAccepted {
            turn_id: turn(),
            agent_id: AgentId::main(),
            request: request(),
            idempotency_key: Some("k1".to_owned()),
            retry_of: Some(turn()),
        }),
        Body::MessageQueued(MessageQueued { turn_id: turn(), position: 2 }),
        Body::TurnStage(StageEntered { stage: Stage::Execute, detail: None }),
        Body::Step(Step { kind: StepKind::Error, detail: json!({ "code": "model_failed", "retry_in_ms": 500 }) }),
        Body::Text(Text { offset: 4, delta: "Grüße".to_owned() }),
        Body::Final(Response { message: "It is off.".to_owned(), model: "small".to_owned(), usage }),
        Body::TurnStatus(StatusChanged {
            attempt: Some(2),
            text_offset: Some(0),
            ..StatusChanged::to(Transition::Resumed)
        }),
        Body::TurnStatus(StatusChanged { error: Some(error()), ..StatusChanged::to(Transition::Failed) }),
        Body::TurnStatus(StatusChanged::to(Transition::Cancelled).because("enough")),
    ]
}

pub(crate) fn events() -> Vec<Event> {
    let numbered = bodies().into_iter().zip(1..);
    numbered
        .map(|(body, seq)| Event {
            seq,
            session_id: session(),
            turn_id: (seq > 4).then(turn),
            agent_id: (seq > 4).then(AgentId::main),
            at: at(),
            body,
        })
        .collect()
}
