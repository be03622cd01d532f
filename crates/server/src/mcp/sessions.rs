//! The sessions of MCP's older protocol versions, which begin with a handshake: limited per owner
//! and in total, and ended when idle.
//!
//! The protocol's library holds them; this module counts them per owner. When a limit is reached,
//! the session that was idle for longest ends, of the owner with the most. A client whose session
//! has ended gets 404 and starts another, as the protocol requires.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::{Stream, StreamExt};
use protocol::OwnerId;
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        ServerSseMessage, SessionId, SessionManager,
        local::{LocalSessionManager, LocalSessionManagerError},
    },
};
use tokio::time::Instant;

use crate::Limits;

/// The sessions of all owners.
pub(super) struct McpSessions {
    max: usize,
    owner_max: usize,
    idle: Duration,
    live: Mutex<HashMap<SessionId, OpenSession>>,
}

/// An open session.
struct OpenSession {
    owner: OwnerId,
    manager: Arc<LocalSessionManager>,
    used_at: Instant,
    /// Responses and event streams that are being sent.
    streams: usize,
}

/// A session to end, and the manager that holds it.
type ExpiredSession = (SessionId, Arc<LocalSessionManager>);

impl McpSessions {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            max: limits.mcp_sessions_max.max(1),
            owner_max: limits.owner_mcp_sessions_max.max(1),
            idle: limits.mcp_idle,
            live: Mutex::default(),
        }
    }

    /// The number of open sessions of each owner.
    pub(super) fn owners(&self) -> BTreeMap<OwnerId, usize> {
        count(&self.lock())
    }

    /// Ends the sessions that were idle for too long.
    pub(super) async fn end_idle(&self) {
        let now = Instant::now();
        let ended: Vec<ExpiredSession> = {
            let mut live = self.lock();
            let is_idle = |_: &SessionId, live: &mut OpenSession| live.streams == 0 && now - live.used_at >= self.idle;
            live.extract_if(is_idle).map(|(id, live)| (id, live.manager)).collect()
        };
        close(ended).await;
    }

    /// Counts a new session; returns those that have to end for it.
    fn begin(&self, id: SessionId, owner: OwnerId, manager: Arc<LocalSessionManager>) -> Vec<ExpiredSession> {
        let mut live = self.lock();
        let mut ended = Vec::new();
        while count(&live).get(&owner).is_some_and(|has| *has >= self.owner_max) {
            ended.extend(end_oldest(&mut live, &owner));
        }
        while live.len() >= self.max {
            let greediest = count(&live).into_iter().max_by_key(|(_, has)| *has).map(|(owner, _)| owner);
            ended.extend(greediest.and_then(|greediest| end_oldest(&mut live, &greediest)));
        }
        live.insert(id, OpenSession { owner, manager, used_at: Instant::now(), streams: 0 });
        ended
    }

    fn end(&self, id: &SessionId) {
        self.lock().remove(id);
    }

    /// Marks a session as in use until the guard is dropped.
    fn using(self: &Arc<Self>, id: &SessionId) -> SessionGuard {
        if let Some(live) = self.lock().get_mut(id) {
            live.streams += 1;
        }
        SessionGuard { sessions: self.clone(), id: id.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, OpenSession>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count(live: &HashMap<SessionId, OpenSession>) -> BTreeMap<OwnerId, usize> {
    live.values().fold(BTreeMap::new(), |mut counts, live| {
        *counts.entry(live.owner.clone()).or_default() += 1;
        counts
    })
}

/// Removes the owner's session that was idle for longest; if all are in use, the least recently
/// used one.
fn end_oldest(live: &mut HashMap<SessionId, OpenSession>, owner: &OwnerId) -> Option<ExpiredSession> {
    let of_owner = live.iter().filter(|(_, live)| live.owner == *owner);
    let oldest = of_owner.min_by_key(|(_, live)| (live.streams > 0, live.used_at)).map(|(id, _)| id.clone())?;
    live.remove(&oldest).map(|live| (oldest, live.manager))
}

async fn close(ended: Vec<ExpiredSession>) {
    for (id, manager) in ended {
        if let Err(error) = manager.close_session(&id).await {
            tracing::warn!(%error, "failed to end an MCP session");
        }
    }
}

/// A session in use.
struct SessionGuard {
    sessions: Arc<McpSessions>,
    id: SessionId,
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        if let Some(live) = self.sessions.lock().get_mut(&self.id) {
            live.streams = live.streams.saturating_sub(1);
            live.used_at = Instant::now();
        }
    }
}

/// The library's sessions of one owner, with counting.
pub(super) struct OwnerSessions {
    owner: OwnerId,
    all: Arc<McpSessions>,
    inner: Arc<LocalSessionManager>,
}

impl OwnerSessions {
    pub(super) fn new(owner: OwnerId, all: Arc<McpSessions>) -> Self {
        let mut inner = LocalSessionManager::default();
        // The lifetime is managed here: the library would treat a client that only listens as gone.
        inner.session_config.keep_alive = None;
        Self { owner, all, inner: Arc::new(inner) }
    }

    fn held<S: Stream<Item = ServerSseMessage> + Send + Sync + 'static>(
        &self,
        id: &SessionId,
        stream: S,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<S> + 'static {
        let using = self.all.using(id);
        stream.map(move |message| {
            let _using = &using;
            message
        })
    }
}

impl SessionManager for OwnerSessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.inner.create_session().await?;
        close(self.all.begin(id.clone(), self.owner.clone(), self.inner.clone())).await;
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        let _using = self.all.using(id);
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.all.end(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.held(id, self.inner.create_stream(id, message).await?))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        let _using = self.all.using(id);
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.held(id, self.inner.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.held(id, self.inner.resume(id, last_event_id).await?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(max: usize, owner_max: usize) -> McpSessions {
        let limits = Limits { mcp_sessions_max: max, owner_mcp_sessions_max: owner_max, ..Limits::default() };
        McpSessions::new(&limits)
    }

    fn begin(sessions: &McpSessions, id: &str, owner: &str) -> Vec<String> {
        let ended = sessions.begin(id.into(), owner.parse().unwrap(), Arc::default());
        ended.into_iter().map(|(id, _)| id.to_string()).collect()
    }

    #[test]
    fn for_one_more_the_one_that_was_idle_for_longest_ends() {
        let sessions = Arc::new(sessions(100, 3));
        for id in ["a", "b", "c"] {
            assert!(begin(&sessions, id, "ada").is_empty());
        }
        drop(sessions.using(&"a".into()));
        assert_eq!(begin(&sessions, "d", "ada"), ["b"]);
        let using = ["c", "a"].map(|id| sessions.using(&id.into()));
        assert_eq!(begin(&sessions, "e", "ada"), ["d"], "sessions in use stay");
        let _more = sessions.using(&"e".into());
        assert_eq!(begin(&sessions, "f", "ada"), ["c"], "unless all of them are");
        drop(using);
        assert!(begin(&sessions, "x", "bob").is_empty());
        assert_eq!(sessions.owners().into_values().collect::<Vec<_>>(), [3, 1]);
    }

    #[test]
    fn when_all_have_too_many_the_greediest_owner_gives_one() {
        let sessions = sessions(4, 3);
        for (id, owner) in [("a", "ada"), ("b", "bob"), ("c", "bob"), ("d", "bob")] {
            assert!(begin(&sessions, id, owner).is_empty());
        }
        assert_eq!(begin(&sessions, "e", "ada"), ["b"]);
        assert_eq!(sessions.owners().into_values().collect::<Vec<_>>(), [2, 2]);
    }

    #[tokio::test]
    async fn what_is_not_used_ends_and_what_is_does_not() {
        let mut sessions = sessions(4, 4);
        sessions.idle = Duration::ZERO;
        let sessions = Arc::new(sessions);
        begin(&sessions, "a", "ada");
        begin(&sessions, "b", "ada");
        let using = sessions.using(&"a".into());
        sessions.end_idle().await;
        assert_eq!(sessions.owners().into_values().collect::<Vec<_>>(), [1]);
        drop(using);
        sessions.end_idle().await;
        assert!(sessions.owners().is_empty());
    }
}
