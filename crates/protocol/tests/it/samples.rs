//! A sample of every kind of event and step.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{
    AgentId, Alert, AlertEvent, AlertId, AlertKind, ApprovalDecision, ApprovalId, ApprovalRequest, ApprovalResolved,
    ArtifactId, Body, Budgets, CallStatus, CatchUp, ChunkStatus, Citation, Clarification, ClientRead, ClientTool,
    ClientToolOffer, Contradiction, DirectCall, DoubtfulCall, Effect, EntityBase, Event, ExportFormat, ForkOrigin,
    Image, ImportOrigin, Level, MemoryUsed, MemoryWritten, MessageAccepted, MessageChannel, MessageQueued,
    MessageSteered, ModelOverrides, ModelSettings, Observation, ObservationKind, Origin, OutcomeQuestion, Passage,
    PassageId, Plan, PlannedCall, PlannerHints, ReasoningEffort, Request, ResearchChunk, ResearchDone, ResearchStarted,
    Response, ResponseSchema, RunCause, RunKey, Safety, ScheduleEvent, ScheduleId, ScheduleSpec, ScheduledAction,
    Score, Section, ServedEffect, ServedTool, SessionEnded, SessionId, SessionReset, SessionStarted, Settings,
    SettingsChanged, SettledBy, SourceKind, Stage, StageEntered, StatusChanged, Step, StepError, StopReason, Summary,
    SummaryCreated, Tags, TextDelta, Timestamp, ToolCall, ToolChoice, ToolResult, Transition, TurnError, TurnId, Usage,
    UsedItem, When, WindowPress, WindowRequest,
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
        model_settings: ModelSettings { temperature: Some(0.5), ..ModelSettings::default() },
        agent_settings: BTreeMap::from([(
            "window-*".to_owned(),
            ModelSettings { seed: Some(7), ..Default::default() },
        )]),
        model_overrides: BTreeMap::from([("ollama/qwen3".to_owned(), overrides())]),
        pinned_tools: vec!["home_*".to_owned()],
        preferences: BTreeMap::from([("tone".to_owned(), json!("dry"))]),
        budgets: Budgets { context_tokens: Some(8_000), max_cost: Some(0.25), ..Budgets::default() },
        imported: BTreeSet::from(["tone".to_owned()]),
        ..Settings::default()
    }
}

fn overrides() -> ModelOverrides {
    ModelOverrides { context_tokens: Some(40_960), tools: Some(true), price_in: Some(0.0), ..Default::default() }
}

fn offer() -> ClientToolOffer {
    let input_schema = json!({ "type": "object", "properties": { "room": { "type": "string" } } });
    let tool = ClientTool { name: "look".to_owned(), description: "Looks.".to_owned(), input_schema };
    ClientToolOffer {
        tools: vec![tool],
        tool_choice: ToolChoice::Tool("look".to_owned()),
        parallel_tool_calls: Some(false),
        response_schema: Some(ResponseSchema::any_object()),
    }
}

fn served_tool() -> ServedTool {
    let input_schema = json!({ "type": "object" });
    let (name, description) = ("weigh".to_owned(), "Weighs.".to_owned());
    ServedTool { name, description, input_schema, effect: ServedEffect::Idempotent }
}

/// What begins by itself, and what needs a person.
fn plans() -> Vec<Body> {
    vec![
        Body::Schedule(scheduled()),
        Body::Schedule(ScheduleEvent::Fired {
            key: RunKey { schedule_id: ScheduleId::from_bytes([7; 16]), planned_at: Timestamp::from_millis(60_000) },
            late_ms: 12,
            stands_for: 2,
            next_at: None,
            cause: Some(RunCause { id: "hook:1".to_owned(), text: "{}".to_owned(), origin: Origin::Untrusted }),
        }),
        Body::Alert(AlertEvent::Raised { alert: alert() }),
        Body::Alert(AlertEvent::Failed {
            alert_id: AlertId::from_bytes([9; 16]),
            channel: "webhook".to_owned(),
            message: "503".to_owned(),
            retry_at: Some(Timestamp::from_millis(70_000)),
        }),
    ]
}

fn scheduled() -> ScheduleEvent {
    ScheduleEvent::Created {
        schedule_id: ScheduleId::from_bytes([7; 16]),
        spec: ScheduleSpec {
            name: Some("weather".to_owned()),
            when: When::Cron { expression: "0 7 * * 1-5".to_owned() },
            zone: Some("Europe/Berlin".to_owned()),
            action: ScheduledAction::Turn { message: "Tell me the weather.".to_owned() },
            catch_up: CatchUp::Once,
            runs_max: Some(9),
            limits: None,
            satellite: Some("kitchen".to_owned()),
            origin: Origin::Trusted,
        },
        owner_zone: "UTC".to_owned(),
        generation: 1,
        needs_approval: true,
        next_at: Some(Timestamp::from_millis(60_000)),
    }
}

fn alert() -> Alert {
    Alert {
        alert_id: AlertId::from_bytes([9; 16]),
        session_id: SessionId::from_bytes([1; 16]),
        at: Timestamp::from_millis(60_000),
        kind: AlertKind::Reminder,
        title: "the pizza".to_owned(),
        text: String::new(),
        turn_id: None,
        approval_id: None,
        schedule_id: Some(ScheduleId::from_bytes([7; 16])),
        satellite: None,
        language: None,
    }
}

fn request() -> Request {
    Request {
        message: "Is the oven on?".to_owned(),
        model: Some("large".to_owned()),
        model_settings: ModelSettings {
            stop: Some(vec!["END".to_owned()]),
            reasoning_effort: Some(ReasoningEffort::Low),
            ..ModelSettings::default()
        },
        allow_tools: false,
        max_steps: Some(3),
        time_budget_ms: Some(5_000),
        offer: offer(),
        served: vec![served_tool()],
        planner_hints: Some(PlannerHints { focus_areas: vec!["kitchen".to_owned()], ..PlannerHints::default() }),
        images: vec![Image::Inline { media_type: "image/png".to_owned(), data: "AAAA".to_owned() }],
        use_web_search: Some(false),
        context_window: Some(4_000),
        tags: Tags::from(["context:kitchen".parse().unwrap(), "important".parse().unwrap()]),
        context_tags: Tags::from(["context:kitchen".parse().unwrap()]),
        early_wait_ms: Some(800),
        background: true,
        monitor_id: "work".parse().unwrap(),
        window: Some(WindowRequest {
            window_id: "settings".parse().unwrap(),
            act: Some(WindowPress {
                action: "save".to_owned(),
                action_id: Some("1".to_owned()),
                form_data: BTreeMap::from([("name".to_owned(), "Ada".to_owned())]),
                component_path: Some("0/1".to_owned()),
                parallel: true,
            }),
        }),
        calls: vec![DirectCall { tool: "lamp".to_owned(), arguments: serde_json::Map::new() }],
        origin: Origin::Untrusted,
        via: MessageChannel::Client("assistant".to_owned()),
        approved: vec!["d1".to_owned()],
        reads_only: true,
    }
}

fn error() -> TurnError {
    let details = Some(json!({ "model": "small" }));
    TurnError { code: "model_failed".to_owned(), message: "it broke".to_owned(), recoverable: true, details }
}

fn entity_base() -> Body {
    let states = BTreeMap::from([("light.kitchen".to_owned(), "off".to_owned())]);
    Body::EntityBase(EntityBase { text: "Kitchen: 1 light.".to_owned(), states })
}

fn started() -> Body {
    Body::SessionStarted(SessionStarted {
        owner: "ada".parse().unwrap(),
        key: Some("kitchen".parse().unwrap()),
        settings: settings(),
        forked_from: Some(ForkOrigin { session_id: session(), turn_id: turn() }),
        imported: Some(ImportOrigin {
            format: ExportFormat::Langchain,
            digest: "5f".to_owned(),
            session_id: Some(session()),
        }),
        temporary: true,
    })
}

/// Every kind of event, with all fields set.
pub(crate) fn bodies() -> Vec<Body> {
    let usage = Some(Usage { cost_micros: Some(31), ..Usage::of(12, 7) });
    vec![
        started(),
        Body::SessionUpdated(SettingsChanged { settings: Settings::default() }),
        Body::SessionReset(SessionReset { reason: Some("start over".to_owned()) }),
        Body::SessionEnded(SessionEnded { reason: None, expired: false }),
        Body::ClientRead(ClientRead { client: "assistant".to_owned(), what: "page_read".to_owned() }),
        Body::MessageAccepted(MessageAccepted {
            turn_id: turn(),
            agent_id: AgentId::main(),
            request: request(),
            idempotency_key: Some("k1".to_owned()),
            retry_of: Some(turn()),
            answers: Some(turn()),
        }),
        Body::MessageQueued(MessageQueued { turn_id: turn(), position: 2 }),
        Body::TurnStage(StageEntered { stage: Stage::Execute, detail: None }),
        Body::Step(Step::Error(StepError {
            code: "model_failed".to_owned(),
            message: "it broke".to_owned(),
            model: Some("openai/small".to_owned()),
            retry_in_ms: Some(500),
            fallback: Some("ollama/tiny".to_owned()),
        })),
        Body::Text(TextDelta { offset: 4, delta: "Grüße".to_owned() }),
        Body::Final(Response {
            usage,
            reasoning_summary: Some("I looked.".to_owned()),
            citations: vec![citation()],
            suggestions: vec!["And the stove?".to_owned()],
            artifacts: vec![artifact()],
            intent: Some("question".to_owned()),
            confidence: Some(0.75),
            late: true,
            ..Response::text("It is off.", "openai/small")
        }),
        Body::TurnStatus(StatusChanged {
            attempt: Some(2),
            text_offset: Some(0),
            ..StatusChanged::to(Transition::Resumed)
        }),
        Body::ToolsChanged(offer()),
        Body::TurnStatus(StatusChanged {
            error: Some(error()),
            usage: Some(Usage::of(7, 2)),
            ..StatusChanged::to(Transition::Failed)
        }),
        Body::TurnStatus(StatusChanged::to(Transition::Cancelled).because("enough")),
        Body::TurnStatus(StatusChanged { question: Some(question()), ..StatusChanged::to(Transition::Waiting) }),
        Body::MessageSteered(MessageSteered {
            turn_id: turn(),
            request: Request::text("the stove, I meant"),
            idempotency_key: Some("k2".to_owned()),
        }),
        Body::MemoryUsed(MemoryUsed {
            items: vec![
                UsedItem { source: Some(turn()), ..UsedItem::text(Level::Pin, "be brief") },
                UsedItem {
                    session_id: Some(session()),
                    id: Some("01HF7YAT00TEST1TEMAAAAAAAA".parse().unwrap()),
                    key: Some("5k time".to_owned()),
                    at: Some(at()),
                    valid_until: Some(at()),
                    score: Some(Score { total: 0.5, relevance: 0.5, ..Score::default() }),
                    ..UsedItem::text(Level::Fact, "I ran 5k in 27:12.")
                },
            ],
            sections: vec![Section { name: "system".to_owned(), tokens: 40 }],
            tokens: 55,
            tokens_max: 16_000,
            tainted: false,
            tainted_once: true,
            digest: Some("00ff".to_owned()),
            entities: "light.kitchen is on now".to_owned(),
            notices: vec!["Meaning could not be looked at.".to_owned()],
        }),
        entity_base(),
        Body::Clarification(Clarification {
            question: "Which oven?".to_owned(),
            confidence: 0.25,
            intent: "unclear".to_owned(),
        }),
        Body::ApprovalRequested(approval()),
        Body::ApprovalResolved(ApprovalResolved {
            approval_id: approval().approval_id,
            decision: ApprovalDecision::Once,
            by: SettledBy::Owner,
        }),
        Body::MemoryWritten(MemoryWritten {
            level: Level::Pin,
            key: "style".to_owned(),
            value: Some("be brief".to_owned()),
            origin: Origin::Trusted,
            id: None,
            source: None,
        }),
        Body::MemoryWritten(MemoryWritten {
            level: Level::Profile,
            key: "diet".to_owned(),
            value: Some("vegan".to_owned()),
            origin: Origin::Trusted,
            id: Some("01HF7YAT00TEST1TEMAAAAAAAA".parse().unwrap()),
            source: Some("01HF7YAT00TESTTVRNAAAAAAAA".parse().unwrap()),
        }),
        Body::SummaryCreated(SummaryCreated {
            id: "01HF7YAT00TEST1TEMBBBBBBBB".parse().unwrap(),
            level: Level::Context,
            memory_id: "01HF7YAT00TESTMEM0RYAAAAAA".parse().unwrap(),
            version: 2,
            value: "What was said: ovens.".to_owned(),
            written_by: "extract".to_owned(),
            origin: Origin::Trusted,
        }),
        Body::Thinking(TextDelta { offset: 0, delta: "Let me look.".to_owned() }),
    ]
    .into_iter()
    .chain(steps().into_iter().map(Body::Step))
    .chain(plans())
    .chain(research())
    .collect()
}

fn passage_id() -> PassageId {
    "01HF7YAT00TESTPASSAGEAAAAA".parse().unwrap()
}

fn citation() -> Citation {
    Citation {
        mark: Some("1".to_owned()),
        passage_id: Some(passage_id()),
        ..Citation::of("Manual", "library:manual.md")
    }
}

fn research() -> [Body; 3] {
    let (call_id, title, source) = ("call_1".to_owned(), "Manual".to_owned(), "library:manual.md".to_owned());
    [
        Body::ResearchStarted(ResearchStarted {
            call_id: call_id.clone(),
            query: "How hot does the stove get?".to_owned(),
            questions: vec!["What is its highest heat?".to_owned()],
            sources: vec!["library".to_owned(), "searxng".to_owned()],
            sources_max: 15,
        }),
        Body::ResearchChunk(ResearchChunk {
            call_id: call_id.clone(),
            status: ChunkStatus::Read,
            number: 1,
            round: 1,
            kind: SourceKind::Library,
            title: title.clone(),
            source: source.clone(),
            passages: Some(4),
            cached: true,
            reason: Some("none".to_owned()),
        }),
        Body::ResearchDone(ResearchDone {
            call_id,
            notes: "It gets 300 degrees hot [1].".to_owned(),
            citations: vec![citation()],
            passages: vec![Passage {
                passage_id: passage_id(),
                mark: "1".to_owned(),
                title,
                source,
                kind: SourceKind::Library,
                text: "The stove gets 300 degrees hot.".to_owned(),
                published: Some("2026-03-03".to_owned()),
                read_at: at(),
            }],
            contradictions: vec![Contradiction { about: "the heat".to_owned(), marks: vec!["1".to_owned()] }],
            open_questions: vec!["And the oven?".to_owned()],
            found: 2,
            read: 1,
            failed: 1,
            rounds: 2,
            notices: vec!["The web was not searched.".to_owned()],
            usage: Some(Usage::of(3, 4)),
        }),
    ]
}

fn artifact() -> ArtifactId {
    "01HF7YAT00TESTART1FACTAAAA".parse().unwrap()
}

fn question() -> OutcomeQuestion {
    let call =
        DoubtfulCall { call_id: "call_1".to_owned(), tool: "send_letter".to_owned(), arguments: json!({ "to": "Bo" }) };
    OutcomeQuestion { text: "Did it happen?".to_owned(), calls: vec![call] }
}

fn approval() -> ApprovalRequest {
    ApprovalRequest {
        approval_id: "01HF7YAT00TESTAPPR0VAAAAAA".parse::<ApprovalId>().unwrap(),
        turn_id: turn(),
        call_id: "call_1".to_owned(),
        tool: "send_letter".to_owned(),
        arguments: json!({ "to": "Bo" }),
        digest: "00ff".to_owned(),
        safety: Safety::Sends,
        effect: Effect::AtMostOnce,
        reason: "the turn has read text from outside".to_owned(),
        question: None,
        expires_at: at(),
    }
}

fn steps() -> Vec<Step> {
    let planned = PlannedCall {
        call_id: "call_1".to_owned(),
        tool: "calculator".to_owned(),
        arguments: json!({ "expression": "1+1" }),
        signatures: vec!["sig".to_owned()],
        looked_up: false,
    };
    vec![
        Step::Plan(Plan {
            round: 1,
            calls: vec![planned],
            steers: 1,
            model: Some("openai/small".to_owned()),
            usage: Some(Usage::of(9, 4)),
            stop_reason: StopReason::Length,
        }),
        Step::ToolCall(ToolCall {
            call_id: "call_1".to_owned(),
            tool: "calculator".to_owned(),
            arguments: json!({ "expression": "1+1" }),
            effect: Effect::Pure,
            key: "k".to_owned(),
            approval_id: Some(approval().approval_id),
            client_until: Some(at()),
            served: true,
        }),
        Step::ToolResult(ToolResult {
            call_id: "call_1".to_owned(),
            tool: "calculator".to_owned(),
            status: CallStatus::Ok,
            content: "2".to_owned(),
            origin: Origin::Trusted,
            artifact_id: Some(artifact()),
            sources: vec![citation()],
            duration_ms: Some(3),
        }),
        Step::Retrieval(json!({ "found": 2 })),
        Step::ObservedEvent(Observation {
            kind: ObservationKind::CallDidNotHappen,
            call_id: Some("call_1".to_owned()),
            message: "the user says so".to_owned(),
            worker: None,
        }),
        Step::ObservedEvent(Observation {
            kind: ObservationKind::CallDelivered,
            call_id: Some("call_1".to_owned()),
            message: "`kitchen` gets the call".to_owned(),
            worker: Some("kitchen".to_owned()),
        }),
        Step::Summary(Summary { kind: "transfer".to_owned(), text: "They spoke of ovens.".to_owned() }),
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
