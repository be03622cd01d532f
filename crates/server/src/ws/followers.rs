//! The sessions a connection follows, each by a task of its own.

use std::{collections::HashMap, sync::Arc};

use engine::{Delivery, Subscription, Watched};
use protocol::{Answer, Code, NoticeBody, Problem, ServerMessage, SessionId};
use tokio::task::{AbortHandle, JoinSet};

use super::{connection::notice, outbox::Outbox};
use crate::app::App;

/// The sessions a connection follows. Dropping it ends the following, never the turns.
pub(super) struct Followers {
    app: App,
    outbox: Outbox,
    tasks: JoinSet<()>,
    by_session: HashMap<SessionId, Following>,
}

/// A session that is followed.
struct Following {
    task: AbortHandle,
    watched: Arc<Watched>,
}

impl Followers {
    pub(super) fn new(app: App, outbox: Outbox) -> Self {
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

    /// Follows a session, in place of an earlier following of the same one.
    pub(super) fn follow(&mut self, session_id: SessionId, subscription: Subscription, watched: Arc<Watched>) {
        if let Some(earlier) = self.by_session.remove(&session_id) {
            earlier.task.abort();
        }
        let task = self.tasks.spawn(pass_on(self.app.clone(), session_id, subscription, self.outbox.clone()));
        self.by_session.insert(session_id, Following { task, watched });
    }

    /// Follows nothing any more.
    pub(super) fn clear(&mut self) {
        self.tasks.abort_all();
        self.by_session.clear();
    }

    /// The monitors of a session that are looked at, if it is followed.
    pub(super) fn watched(&self, session_id: SessionId) -> Option<&Watched> {
        self.by_session.get(&session_id).map(|following| following.watched.as_ref())
    }
}

async fn pass_on(app: App, session_id: SessionId, mut subscription: Subscription, outbox: Outbox) {
    loop {
        let message = match subscription.next().await {
            Ok(Delivery::Event(event)) => ServerMessage::Event(event),
            Ok(Delivery::Live(live)) => ServerMessage::Live(live),
            Err(error) => {
                if matches!(error, engine::Error::Deleted) {
                    // If the client is gone, nobody needs to be told, here and below.
                    let _ = notice(&app, &outbox, Some(session_id), NoticeBody::SessionDeleted {}).await;
                }
                let _ = outbox.send(&ServerMessage::Answer(Answer::Error { re: None, data: error.into() })).await;
                return;
            }
        };
        if outbox.send(&message).await.is_err() {
            return;
        }
    }
}
