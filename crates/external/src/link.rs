//! The state that the tools of a server share: the connection, or why there is none.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use rmcp::{Peer, RoleClient, model::ProgressToken};
use tokio::sync::{Notify, mpsc};
use tools::redaction::Redactor;

use crate::sanitize;

/// The number of progress reports accepted for one call.
const REMARKS_MAX: u32 = 200;

/// The current connection. Holding a clone means using it.
#[derive(Clone)]
pub(crate) struct ActiveConnection {
    pub(crate) peer: Peer<RoleClient>,
    /// The number of the connection, counted from the start.
    pub(crate) number: u64,
    users: Arc<()>,
}

impl ActiveConnection {
    /// Whether the caller holds the only clone.
    pub(crate) fn is_idle(&self) -> bool {
        Arc::strong_count(&self.users) <= 1
    }
}

/// The state that the tools of a server share.
pub(crate) struct ServerLink {
    server: String,
    redactor: Redactor,
    state: RwLock<LinkState>,
    broken: Notify,
    listeners: Mutex<HashMap<ProgressToken, ProgressListener>>,
}

enum LinkState {
    Up {
        active: ActiveConnection,
    },
    /// The reason, and the number of connections so far.
    Away {
        because: String,
        number: u64,
    },
}

struct ProgressListener {
    said: mpsc::Sender<String>,
    left: u32,
}

impl ServerLink {
    pub(crate) fn new(server: &str, redactor: Redactor) -> Arc<Self> {
        let state = LinkState::Away { because: "it is being started".to_owned(), number: 0 };
        Arc::new(Self {
            server: server.to_owned(),
            redactor,
            state: RwLock::new(state),
            broken: Notify::new(),
            listeners: Mutex::default(),
        })
    }

    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// A text of the server, made safe to show: short, on one line, without secrets.
    pub(crate) fn remark(&self, text: &str) -> String {
        sanitize::remark(&self.redactor.redact(text))
    }

    /// A longer text of the server, made safe to show.
    pub(crate) fn words(&self, text: &str, chars_max: usize) -> String {
        sanitize::clean(&self.redactor.redact(text), chars_max)
    }

    /// A JSON document of the server without secrets.
    pub(crate) fn document(&self, value: serde_json::Value) -> serde_json::Value {
        self.redactor.redact_json(value)
    }

    /// The connection. The error says why there is none.
    pub(crate) fn active(&self) -> Result<ActiveConnection, String> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            LinkState::Up { active } => Ok(active.clone()),
            LinkState::Away { because, .. } => Err(because.clone()),
        }
    }

    /// Why there is no connection, if there is none.
    pub(crate) fn away_because(&self) -> Option<String> {
        self.active().err()
    }

    /// Records a new connection.
    pub(crate) fn up(&self, peer: Peer<RoleClient>) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let number = state.number() + 1;
        *state = LinkState::Up { active: ActiveConnection { peer, number, users: Arc::new(()) } };
    }

    /// Records that there is no connection.
    pub(crate) fn away(&self, because: &str) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        *state = LinkState::Away { because: because.to_owned(), number: state.number() };
    }

    /// Reports that this connection is unusable.
    pub(crate) fn broke(&self, found: u64, because: &str) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // There may be a newer connection by now.
        if matches!(&*state, LinkState::Up { active } if active.number == found) {
            *state = LinkState::Away { because: because.to_owned(), number: found };
            self.broken.notify_one();
        }
    }

    /// Waits for such a report.
    pub(crate) async fn broken(&self) {
        self.broken.notified().await;
    }

    /// Passes on the progress of a call for as long as the guard lives.
    pub(crate) fn subscribe_progress(
        self: &Arc<Self>,
        token: ProgressToken,
        said: mpsc::Sender<String>,
    ) -> ProgressSubscription {
        self.listeners().insert(token.clone(), ProgressListener { said, left: REMARKS_MAX });
        ProgressSubscription { link: self.clone(), token }
    }

    pub(crate) fn progressed(&self, token: &ProgressToken, text: &str) {
        let text = self.remark(text);
        if let Some(listener) = self.listeners().get_mut(token)
            && listener.left > 0
        {
            listener.left -= 1;
            let _ = listener.said.try_send(text);
        }
    }

    fn listeners(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, ProgressListener>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LinkState {
    fn number(&self) -> u64 {
        match self {
            Self::Up { active } => active.number,
            Self::Away { number, .. } => *number,
        }
    }
}

/// A subscription to the progress of a call.
pub(crate) struct ProgressSubscription {
    link: Arc<ServerLink>,
    token: ProgressToken,
}

impl Drop for ProgressSubscription {
    fn drop(&mut self) {
        self.link.listeners().remove(&self.token);
    }
}
