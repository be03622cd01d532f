//! A desktop port that records its calls, and contexts for calls.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use desktop::add_desktop;
use ports::{DesktopPort, PinChange, PinStore, ToolFailure, UserQuestion};
use protocol::{
    Action, AgentId, AppOutcome, AppRegistered, AppRequest, Bounds, DesktopView, DialogAnswer, MonitorId, MonitorView,
    Origin, SessionId, Timestamp, TurnId, Window, WindowContent, WindowId, WindowState,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tools::{CallContext, Output, Registry, run};

/// A recorded call with its key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DesktopCall {
    Acted(String, Vec<Action>),
    Replayed(String, TurnId),
    Asked(String, UserQuestion),
    AskedApp(String, WindowId, AppRequest),
}

/// A desktop that only records.
pub(crate) struct RecordingDesktop {
    agent_id: AgentId,
    pub(crate) windows: Mutex<Vec<Window>>,
    pub(crate) done: Mutex<Vec<DesktopCall>>,
    pub(crate) answers: Mutex<VecDeque<DialogAnswer>>,
    pub(crate) outcomes: Mutex<VecDeque<AppOutcome>>,
    pub(crate) refusal: Mutex<Option<ToolFailure>>,
    replayed: Vec<Action>,
}

impl RecordingDesktop {
    pub(crate) fn new(windows: Vec<Window>) -> Self {
        Self {
            agent_id: AgentId::main(),
            windows: Mutex::new(windows),
            done: Mutex::default(),
            answers: Mutex::default(),
            outcomes: Mutex::default(),
            refusal: Mutex::default(),
            replayed: Vec::new(),
        }
    }

    /// A desktop whose earlier turns performed these actions.
    pub(crate) fn that_replays(actions: Vec<Action>) -> Self {
        Self { replayed: actions, ..Self::new(Vec::new()) }
    }

    /// Calls a tool as a turn does: checks the call first.
    pub(crate) async fn call(self: &Arc<Self>, tool: &str, arguments: Value) -> Result<Output, ToolFailure> {
        self.call_as(tool, arguments, "call-1", Origin::Trusted).await
    }

    pub(crate) async fn call_as(
        self: &Arc<Self>,
        tool: &str,
        arguments: Value,
        key: &str,
        origin: Origin,
    ) -> Result<Output, ToolFailure> {
        let registry = registry();
        let checked = registry.check(tool, &arguments).map_err(ToolFailure::Invalid)?;
        run(&checked.entry, arguments, CallContext { desktop: self.clone(), origin, ..context(key) }).await
    }

    /// The output of a call.
    pub(crate) async fn value(self: &Arc<Self>, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).await.unwrap().value
    }

    /// Why a call was refused: its arguments are invalid.
    pub(crate) async fn refusal(self: &Arc<Self>, tool: &str, arguments: Value) -> String {
        match self.call(tool, arguments).await {
            Err(ToolFailure::Invalid(why)) => why,
            other => panic!("expected a refusal: {other:?}"),
        }
    }

    /// The actions of the only recorded call.
    pub(crate) fn acted(&self) -> Vec<Action> {
        match self.done.lock().unwrap().as_slice() {
            [DesktopCall::Acted(_, actions)] => actions.clone(),
            other => panic!("expected one act: {other:?}"),
        }
    }

    fn note(&self, done: DesktopCall) {
        self.done.lock().unwrap().push(done);
    }
}

#[async_trait]
impl DesktopPort for RecordingDesktop {
    fn agent_id(&self) -> &AgentId {
        &self.agent_id
    }

    fn monitor_id(&self) -> MonitorId {
        MonitorId::primary()
    }

    async fn view(&self) -> Result<DesktopView, ToolFailure> {
        let monitor_id = MonitorId::primary();
        let windows = self.windows.lock().unwrap().clone();
        let focused = windows.last().map(|window| window.window_id.clone());
        Ok(DesktopView {
            session_id: SessionId::from_bytes([1; 16]),
            as_of: 1,
            monitors: vec![MonitorView { agent_id: AgentId::main_of(&monitor_id), monitor_id, focused }],
            windows,
            toasts: Vec::new(),
            notifications: Vec::new(),
            dialogs: Vec::new(),
            approvals: Vec::new(),
            app_requests: Vec::new(),
            agents: Vec::new(),
            timeline: Vec::new(),
        })
    }

    async fn act(&self, key: &str, actions: Vec<Action>) -> Result<(), ToolFailure> {
        if let Some(refusal) = self.refusal.lock().unwrap().take() {
            return Err(refusal);
        }
        self.note(DesktopCall::Acted(key.to_owned(), actions));
        Ok(())
    }

    async fn replay(&self, key: &str, turn_id: TurnId) -> Result<Vec<Action>, ToolFailure> {
        self.note(DesktopCall::Replayed(key.to_owned(), turn_id));
        Ok(self.replayed.clone())
    }

    async fn ask(&self, key: &str, question: UserQuestion) -> Result<DialogAnswer, ToolFailure> {
        self.note(DesktopCall::Asked(key.to_owned(), question));
        Ok(self.answers.lock().unwrap().pop_front().unwrap())
    }

    async fn ask_app(&self, key: &str, window_id: WindowId, request: AppRequest) -> Result<AppOutcome, ToolFailure> {
        self.note(DesktopCall::AskedApp(key.to_owned(), window_id, request));
        Ok(self.outcomes.lock().unwrap().pop_front().unwrap())
    }
}

struct NoPins;

#[async_trait]
impl PinStore for NoPins {
    async fn pins(&self) -> Result<Vec<(String, String)>, ToolFailure> {
        Ok(Vec::new())
    }

    async fn change(&self, _keeping: PinChange) -> Result<(), ToolFailure> {
        Ok(())
    }
}

fn context(key: &str) -> CallContext {
    CallContext {
        owner: "ada".parse().unwrap(),
        session_id: SessionId::from_bytes([1; 16]),
        turn_id: TurnId::from_bytes([9; 16]),
        call_id: key.to_owned(),
        place: 0,
        key: key.to_owned(),
        now: now(),
        origin: Origin::Trusted,
        schedule_id: None,
        satellite: None,
        pin_store: Arc::new(NoPins),
        desktop: Arc::new(RecordingDesktop::new(Vec::new())),
        research: Arc::new(ports::NoResearch),
        hold: Default::default(),
        progress: mpsc::channel(1).0,
    }
}

pub(crate) fn registry() -> Registry {
    let mut registry = Registry::default();
    add_desktop(&mut registry).unwrap();
    registry
}

pub(crate) fn now() -> Timestamp {
    "2024-02-28T23:30:00Z".parse().unwrap()
}

pub(crate) fn id(name: &str) -> WindowId {
    name.parse().unwrap()
}

/// A window on the primary monitor with trusted text.
pub(crate) fn window(name: &str) -> Window {
    Window {
        window_id: id(name),
        monitor_id: MonitorId::primary(),
        group: id(name),
        title: name.to_uppercase(),
        bounds: Bounds { x: 10, y: 20, width: 1_000, height: 800 },
        state: WindowState::Normal,
        content: WindowContent::Text { text: "hello".to_owned() },
        origin: Origin::Trusted,
        locked_by: None,
        opened_by: Some(AgentId::main()),
        opened_at: now(),
        updated_at: now(),
        app: None,
    }
}

/// A window with an app that is ready.
pub(crate) fn app_window(name: &str) -> Window {
    let manifest = serde_json::from_value(json!({
        "name": "timer",
        "state": [{"key": "label", "description": "What it is for."}, {"key": "running"}],
        "commands": [{"name": "set", "input": {"type": "object"}, "keep": "last"}, {"name": "start"}],
    }));
    let app = AppRegistered { token: "secret".to_owned(), manifest: Some(manifest.unwrap()), restore: Vec::new() };
    Window {
        content: WindowContent::App { app: "timer".to_owned(), params: Value::Null },
        app: Some(app),
        ..window(name)
    }
}
