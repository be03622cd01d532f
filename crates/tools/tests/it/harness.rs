//! A test harness: a registry with the built-in tools over a real store, and contexts for calls.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use journal::{Journal, SessionSummary, sqlite::Sqlite};
use ports::{PinChange, PinStore, ToolFailure};
use protocol::{
    Body, Event, Origin, OwnerId, SessionId, SessionStarted, SessionStatus, SessionView, Settings, Stats, Timestamp,
    TurnId,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tools::{CallContext, Output, Registry, add_builtins, run};

/// A Wednesday in a leap year, 23:30 UTC: the next day in Berlin.
pub(crate) const NOW: &str = "2024-02-28T23:30:00Z";

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn owner(name: &str) -> OwnerId {
    name.parse().unwrap()
}

pub(crate) fn session(n: u8) -> SessionId {
    SessionId::from_bytes([n; 16])
}

/// The built-in tools over a temporary store.
pub(crate) struct Harness {
    pub(crate) store: Arc<Sqlite>,
    pub(crate) registry: Registry,
    _folder: TempDir,
}

impl Harness {
    /// A harness in Berlin, where `ada` has session 1 and `bob` session 2.
    pub(crate) async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(Sqlite::open(folder.path()).unwrap());
        for (n, who) in [(1, "ada"), (2, "bob"), (3, "ada")] {
            begin(&store, session(n), owner(who)).await;
        }
        let mut registry = Registry::default();
        add_builtins(&mut registry, store.clone(), "Europe/Berlin").unwrap();
        Self { store, registry, _folder: folder }
    }

    /// Calls a tool as a turn does: checks the call first.
    pub(crate) async fn call(&self, tool: &str, arguments: Value, context: CallContext) -> Result<Output, ToolFailure> {
        let checked = self.registry.check(tool, &arguments).map_err(ToolFailure::Invalid)?;
        run(&checked.entry, arguments, context).await
    }

    /// The output of a call.
    pub(crate) async fn value(&self, tool: &str, arguments: Value, context: CallContext) -> Value {
        self.call(tool, arguments, context).await.unwrap().value
    }

    /// Why a call was refused: its arguments are invalid.
    pub(crate) async fn refusal(&self, tool: &str, arguments: Value, context: CallContext) -> String {
        match self.call(tool, arguments, context).await {
            Err(ToolFailure::Invalid(why)) => why,
            other => panic!("expected a refusal: {other:?}"),
        }
    }
}

async fn begin(store: &Sqlite, session_id: SessionId, owner: OwnerId) {
    let now = at(NOW);
    let settings = Settings::default();
    let started = SessionStarted {
        owner: owner.clone(),
        key: None,
        settings,
        forked_from: None,
        imported: None,
        temporary: false,
    };
    let body = Body::SessionStarted(started);
    let event = Event { seq: 1, session_id, turn_id: None, agent_id: None, at: now, body };
    let view = SessionView {
        session_id,
        owner,
        key: None,
        status: SessionStatus::Active,
        version: 1,
        last_seq: 1,
        created_at: now,
        updated_at: now,
        ended_at: None,
        settings: Settings::default(),
        stats: Stats::default(),
        open_turns: Vec::new(),
        title: None,
        forked_from: None,
        imported: None,
        origin: Origin::Trusted,
        tainted: false,
        read_by: std::collections::BTreeMap::new(),
    };
    store.create(vec![event], SessionSummary::new(view, false)).await.unwrap();
}

/// The context of a call by `ada` in session 1; each key is a separate call.
pub(crate) fn context(key: &str) -> CallContext {
    CallContext {
        owner: owner("ada"),
        session_id: session(1),
        turn_id: TurnId::from_bytes([9; 16]),
        call_id: key.to_owned(),
        place: 0,
        key: key.to_owned(),
        now: at(NOW),
        origin: Origin::Trusted,
        schedule_id: None,
        satellite: None,
        pin_store: Arc::new(MemoryPins::default()),
        desktop: Arc::new(ports::NoDesktop::default()),
        research: Arc::new(ports::NoResearch),
        hold: Default::default(),
        progress: mpsc::channel(1).0,
    }
}

/// The pins of a session, in memory.
#[derive(Default)]
pub(crate) struct MemoryPins(pub(crate) Mutex<Vec<(String, String)>>);

#[async_trait]
impl PinStore for MemoryPins {
    async fn pins(&self) -> Result<Vec<(String, String)>, ToolFailure> {
        Ok(self.0.lock().unwrap().clone())
    }

    async fn change(&self, keeping: PinChange) -> Result<(), ToolFailure> {
        let mut pins = self.0.lock().unwrap();
        let (PinChange::Pin { key: name, .. } | PinChange::Unpin { key: name }) = &keeping;
        pins.retain(|(key, _)| key != name);
        if let PinChange::Pin { key, text } = keeping {
            pins.push((key, text));
        }
        Ok(())
    }
}
