//! A registry with the built-in tools over a real store, and what a call is given.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use journal::{Journal, Summary, sqlite::Sqlite};
use protocol::{
    Body, Event, Origin, OwnerId, SessionId, SessionStatus, SessionView, Settings, Started, Stats, Timestamp, TurnId,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tools::{Context, Failure, Keeper, Keeping, Output, Registry, add_builtins, run};

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

/// Built-in tools over a store that goes away with the test.
pub(crate) struct House {
    pub(crate) store: Arc<Sqlite>,
    pub(crate) registry: Registry,
    _folder: TempDir,
}

impl House {
    /// A house in Berlin, where `ada` has session 1 and `bob` session 2.
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

    /// Calls a tool as a turn does: checked first.
    pub(crate) async fn call(&self, tool: &str, arguments: Value, context: Context) -> Result<Output, Failure> {
        let checked = self.registry.check(tool, &arguments).map_err(Failure::Invalid)?;
        run(&checked.entry, arguments, context).await
    }

    /// What a call answers.
    pub(crate) async fn value(&self, tool: &str, arguments: Value, context: Context) -> Value {
        self.call(tool, arguments, context).await.unwrap().value
    }

    /// Why a call came to nothing: its arguments make no sense.
    pub(crate) async fn refusal(&self, tool: &str, arguments: Value, context: Context) -> String {
        match self.call(tool, arguments, context).await {
            Err(Failure::Invalid(why)) => why,
            other => panic!("expected a refusal: {other:?}"),
        }
    }
}

async fn begin(store: &Sqlite, session_id: SessionId, owner: OwnerId) {
    let now = at(NOW);
    let settings = Settings::default();
    let started =
        Started { owner: owner.clone(), key: None, settings, forked_from: None, imported: None, temporary: false };
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
    store.create(vec![event], Summary { view, is_moving: false }).await.unwrap();
}

/// What a call of `ada` in session 1 is given; each key is another call.
pub(crate) fn context(key: &str) -> Context {
    Context {
        owner: owner("ada"),
        session_id: session(1),
        turn_id: TurnId::from_bytes([9; 16]),
        call_id: key.to_owned(),
        place: 0,
        key: key.to_owned(),
        now: at(NOW),
        origin: Origin::Trusted,
        keeper: Arc::new(Pins::default()),
        desktop: Arc::new(tools::NoDesktop::default()),
        study: Arc::new(tools::NoStudy),
        progress: mpsc::unbounded_channel().0,
    }
}

/// Pins of a session that exists in memory only.
#[derive(Default)]
pub(crate) struct Pins(pub(crate) Mutex<Vec<(String, String)>>);

#[async_trait]
impl Keeper for Pins {
    async fn pins(&self) -> Result<Vec<(String, String)>, Failure> {
        Ok(self.0.lock().unwrap().clone())
    }

    async fn keep(&self, keeping: Keeping) -> Result<(), Failure> {
        let mut pins = self.0.lock().unwrap();
        let (Keeping::Pin { key: name, .. } | Keeping::Unpin { key: name }) = &keeping;
        pins.retain(|(key, _)| key != name);
        if let Keeping::Pin { key, text } = keeping {
            pins.push((key, text));
        }
        Ok(())
    }
}
