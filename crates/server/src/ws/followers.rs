//! The sessions that a connection follows, each in a task of its own.

use std::{collections::HashMap, sync::Arc};

use engine::{Delivery, Subscription, WatchedMonitors};
use protocol::{Code, NoticeBody, Problem, ServerAnswer, ServerMessage, SessionId};
use tokio::task::{AbortHandle, JoinSet};

use super::{connection::notice, outbox::Outbox};
use crate::app::AppState;

/// The sessions that a connection follows. Dropping it ends the subscriptions, never the turns.
pub(super) struct Followers {
    app: AppState,
    outbox: Outbox,
    tasks: JoinSet<()>,
    by_session: HashMap<SessionId, SessionSubscription>,
}

/// A session that is followed.
struct SessionSubscription {
    task: AbortHandle,
    watched: Arc<WatchedMonitors>,
}

impl Followers {
    pub(super) fn new(app: AppState, outbox: Outbox) -> Self {
        Self { app, outbox, tasks: JoinSet::new(), by_session: HashMap::new() }
    }

    /// Whether a session is followed.
    pub(super) fn has(&mut self, session_id: SessionId) -> bool {
        while self.tasks.try_join_next().is_some() {}
        self.by_session.retain(|_, following| !following.task.is_finished());
        self.by_session.contains_key(&session_id)
    }

    /// Whether one more session may be followed.
    pub(super) fn check_room(&mut self, session_id: SessionId) -> Result<(), Problem> {
        if self.has(session_id) || self.by_session.len() < self.app.limits.follows_max {
            return Ok(());
        }
        let message =
            format!("this connection follows {} sessions already (`limits.follows_max`)", self.app.limits.follows_max);
        Err(Problem::new(Code::TooManyConnections, message, "Open another connection."))
    }

    /// Follows a session; replaces an earlier subscription to it.
    pub(super) fn follow(&mut self, session_id: SessionId, subscription: Subscription, watched: Arc<WatchedMonitors>) {
        if let Some(earlier) = self.by_session.remove(&session_id) {
            earlier.task.abort();
        }
        let task = self.tasks.spawn(pass_on(self.app.clone(), session_id, subscription, self.outbox.clone()));
        self.by_session.insert(session_id, SessionSubscription { task, watched });
    }

    /// Ends all subscriptions.
    pub(super) fn clear(&mut self) {
        self.tasks.abort_all();
        self.by_session.clear();
    }

    /// The watched monitors of a session, if it is followed.
    pub(super) fn watched(&self, session_id: SessionId) -> Option<&WatchedMonitors> {
        self.by_session.get(&session_id).map(|following| following.watched.as_ref())
    }
}

async fn pass_on(app: AppState, session_id: SessionId, mut subscription: Subscription, outbox: Outbox) {
    loop {
        let message = match subscription.next().await {
            Ok(Delivery::Event(event)) => ServerMessage::Event(event),
            Ok(Delivery::Live(live)) => ServerMessage::Live(live),
            Err(error) => {
                if matches!(error, engine::Error::Deleted) {
                    // If the client is gone, the notice is dropped, here and below.
                    let _ = notice(&app, &outbox, Some(session_id), NoticeBody::SessionDeleted {}).await;
                }
                let _ = outbox.send(&ServerMessage::Answer(ServerAnswer::Error { re: None, data: error.into() })).await;
                return;
            }
        };
        if outbox.send(&message).await.is_err() {
            return;
        }
    }
}
