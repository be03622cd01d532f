//! What a server's tools share: the connection while there is one, and why not while there is none.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use rmcp::{Peer, RoleClient, model::ProgressToken};
use tokio::sync::{Notify, mpsc};
use tools::redaction::Redactor;

use crate::words;

/// How many remarks on its progress one call is heard with.
const REMARKS_MAX: u32 = 200;

/// A connection that stands. Whoever holds a clone is using it.
#[derive(Clone)]
pub(crate) struct Way {
    pub(crate) peer: Peer<RoleClient>,
    /// Which one it is, counted from the start.
    pub(crate) number: u64,
    users: Arc<()>,
}

impl Way {
    /// Whether nobody uses it but who asks.
    pub(crate) fn is_idle(&self) -> bool {
        Arc::strong_count(&self.users) <= 1
    }
}

/// What a server's tools share.
pub(crate) struct Link {
    server: String,
    redactor: Redactor,
    state: RwLock<State>,
    broken: Notify,
    listeners: Mutex<HashMap<ProgressToken, Listener>>,
}

enum State {
    Up {
        way: Way,
    },
    /// For this reason, after so many connections.
    Away {
        because: String,
        number: u64,
    },
}

struct Listener {
    said: mpsc::UnboundedSender<String>,
    left: u32,
}

impl Link {
    pub(crate) fn new(server: &str, redactor: Redactor) -> Arc<Self> {
        let state = State::Away { because: "it is being started".to_owned(), number: 0 };
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

    /// A remark of the server's, fit to be told: short, in one line, without secrets.
    pub(crate) fn remark(&self, text: &str) -> String {
        words::remark(&self.redactor.redact(text))
    }

    /// Longer words of the server's.
    pub(crate) fn words(&self, text: &str, chars_max: usize) -> String {
        words::clean(&self.redactor.redact(text), chars_max)
    }

    /// A document of the server's without secrets.
    pub(crate) fn document(&self, value: serde_json::Value) -> serde_json::Value {
        self.redactor.redact_json(value)
    }

    /// The connection. The error says why there is none.
    pub(crate) fn way(&self) -> Result<Way, String> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Up { way } => Ok(way.clone()),
            State::Away { because, .. } => Err(because.clone()),
        }
    }

    /// Why there is no connection, if there is none.
    pub(crate) fn away_because(&self) -> Option<String> {
        self.way().err()
    }

    /// There is a connection.
    pub(crate) fn up(&self, peer: Peer<RoleClient>) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let number = state.number() + 1;
        *state = State::Up { way: Way { peer, number, users: Arc::new(()) } };
    }

    /// There is none.
    pub(crate) fn away(&self, because: &str) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        *state = State::Away { because: because.to_owned(), number: state.number() };
    }

    /// Somebody has found that this connection is of no use any more.
    pub(crate) fn broke(&self, found: u64, because: &str) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // By now there may be another.
        if matches!(&*state, State::Up { way } if way.number == found) {
            *state = State::Away { because: because.to_owned(), number: found };
            self.broken.notify_one();
        }
    }

    /// Waits until somebody has found that.
    pub(crate) async fn broken(&self) {
        self.broken.notified().await;
    }

    /// Passes on what is said of a call's progress, as long as the guard lives.
    pub(crate) fn hear(self: &Arc<Self>, token: ProgressToken, said: mpsc::UnboundedSender<String>) -> Hearing {
        self.listeners().insert(token.clone(), Listener { said, left: REMARKS_MAX });
        Hearing { link: self.clone(), token }
    }

    pub(crate) fn progressed(&self, token: &ProgressToken, text: &str) {
        let text = self.remark(text);
        if let Some(listener) = self.listeners().get_mut(token)
            && listener.left > 0
        {
            listener.left -= 1;
            // Nobody need listen.
            let _ = listener.said.send(text);
        }
    }

    fn listeners(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, Listener>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn number(&self) -> u64 {
        match self {
            Self::Up { way } => way.number,
            Self::Away { number, .. } => *number,
        }
    }
}

/// Somebody who listens to a call's progress.
pub(crate) struct Hearing {
    link: Arc<Link>,
    token: ProgressToken,
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.link.listeners().remove(&self.token);
    }
}
