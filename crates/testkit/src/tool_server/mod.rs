//! A tool server for tests of effects: a local HTTP server with four tools, one of each class of
//! effect, and a ledger of every call.
//!
//! A test can hold an answer before or after the effect, kill the program in between, and check the
//! ledger afterwards.

mod handlers;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::AbortOnDropHandle;

pub use tools::ToolServerTool;

/// How long [`ToolServer::until`] waits before it fails the test.
const PATIENCE: Duration = Duration::from_secs(10);

/// A call that took effect.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    /// The tool, by its name.
    pub tool: String,
    /// The call's idempotency key.
    pub key: String,
    /// The call's arguments.
    pub arguments: Value,
    /// Whether the tool had been called with that key before. For `set_label` the second call then
    /// does nothing; the others took effect twice.
    pub is_repeat: bool,
}

/// A local HTTP server with a ledger of its calls.
pub struct ToolServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    _stop: DropGuard,
    _accept: AbortOnDropHandle<()>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    change: Notify,
    stop: CancellationToken,
}

#[derive(Default)]
struct State {
    ledger: Vec<LedgerEntry>,
    /// The result of each call, by tool and key.
    results: BTreeMap<(String, String), Value>,
    look_ups: Vec<String>,
    held: BTreeSet<String>,
    held_before: BTreeSet<String>,
    failing: BTreeMap<String, u16>,
    failing_after: BTreeMap<String, u16>,
    /// How many calls are held at the moment, by tool.
    waiting: BTreeMap<String, usize>,
}

impl ToolServer {
    /// Starts a tool server on a free local port.
    ///
    /// # Panics
    /// When no local port can be bound.
    pub async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free local port");
        let address = listener.local_addr().expect("a bound port");
        let shared = Arc::new(Shared::default());
        let routes = handlers::routes(Arc::clone(&shared));
        let stop = shared.stop.clone();
        let serve = axum::serve(listener, routes).with_graceful_shutdown(stop.clone().cancelled_owned());
        let accept = tokio::spawn(async move {
            let _ = serve.await;
        });
        Self { address, shared, _stop: stop.drop_guard(), _accept: AbortOnDropHandle::new(accept) }
    }

    /// Its address: `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The declarations of its four tools, as an owner would write them.
    pub fn tools_toml(&self) -> String {
        self.tools_toml_with(|_| {})
    }

    /// The same with changes to each tool.
    pub fn tools_toml_with(&self, change: impl Fn(&mut ToolServerTool)) -> String {
        tools::toml(&self.base_url(), change)
    }

    /// All calls that took effect, in order.
    pub fn ledger(&self) -> Vec<LedgerEntry> {
        self.shared.lock().ledger.clone()
    }

    /// How often this tool has had an effect: a repeat of `set_label` has none.
    pub fn effects(&self, tool: &str) -> usize {
        let has_effect = |entry: &&LedgerEntry| entry.tool == tool && !(tool == tools::SET_LABEL && entry.is_repeat);
        self.shared.lock().ledger.iter().filter(has_effect).count()
    }

    /// The keys that were looked up, in order.
    pub fn look_ups(&self) -> Vec<String> {
        self.shared.lock().look_ups.clone()
    }

    /// How many calls of this tool are held at the moment.
    pub fn waiting(&self, tool: &str) -> usize {
        self.shared.lock().waiting.get(tool).copied().unwrap_or_default()
    }

    /// From now on, calls of this tool take effect, and their answers are held.
    pub fn hold(&self, tool: &str) {
        self.shared.lock().held.insert(tool.to_owned());
    }

    /// From now on, calls of this tool are held before they take effect. A call whose caller
    /// disconnects never takes effect.
    pub fn hold_before(&self, tool: &str) {
        self.shared.lock().held_before.insert(tool.to_owned());
    }

    /// Releases all held calls of this tool, and holds no more.
    pub fn release(&self, tool: &str) {
        let mut state = self.shared.lock();
        state.held.remove(tool);
        state.held_before.remove(tool);
        drop(state);
        self.shared.change.notify_waiters();
    }

    /// From now on, calls of this tool are answered with this status and have no effect. `look_up`
    /// is accepted as a name too.
    pub fn fail(&self, tool: &str, status: u16) {
        self.shared.lock().failing.insert(tool.to_owned(), status);
    }

    /// From now on, calls of this tool take effect, and are answered with this status.
    pub fn fail_after(&self, tool: &str, status: u16) {
        self.shared.lock().failing_after.insert(tool.to_owned(), status);
    }

    /// Calls of this tool no longer fail.
    pub fn recover(&self, tool: &str) {
        let mut state = self.shared.lock();
        state.failing.remove(tool);
        state.failing_after.remove(tool);
    }

    /// Waits until the condition holds. It is checked again after every change.
    ///
    /// # Panics
    /// When the condition does not hold after ten seconds.
    pub async fn until(&self, condition: impl Fn(&Self) -> bool) {
        let holds = self.shared.until(|| condition(self));
        if tokio::time::timeout(PATIENCE, holds).await.is_err() {
            panic!("gave up waiting for the tool server: {self:?}");
        }
    }
}

impl Shared {
    async fn until(&self, condition: impl Fn() -> bool) {
        loop {
            // Registers before the check, or a change in between would be missed.
            let mut change = pin!(self.change.notified());
            change.as_mut().enable();
            if condition() {
                return;
            }
            change.await;
        }
    }

    /// Every change is a single step, so a test that panicked with the lock held left nothing half
    /// done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ToolServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("address", &self.address)
            .field("ledger", &self.ledger())
            .field("waiting", &self.shared.lock().waiting)
            .finish()
    }
}
