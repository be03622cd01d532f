//! The home that a connection follows, in a task of its own.

use engine::HomeChanges;
use protocol::{NoticeBody, Problem};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use super::{
    connection::{WebSocketConnection, notice},
    dispatch::answer,
    outbox::Outbox,
};
use crate::app::AppState;

/// The task that sends changes. Dropping it stops the task.
#[derive(Default)]
pub(super) struct HomeFollower(Option<AbortOnDropHandle<()>>);

impl HomeFollower {
    /// Sends changes from now on; replaces an earlier task. The home must be answered before this
    /// is called: the answer would overwrite a change that overtakes it.
    pub(super) async fn begin(&mut self, app: AppState, outbox: Outbox, news: Box<dyn HomeChanges>) {
        self.end().await;
        self.0 = Some(AbortOnDropHandle::new(tokio::spawn(tell(app, outbox, news))));
    }

    /// Stops the task. Nothing more is sent once this returns.
    pub(super) async fn end(&mut self) {
        if let Some(task) = self.0.take() {
            task.abort();
            // It was aborted, or had ended because the client is gone.
            let _ = task.await;
        }
    }
}

async fn tell(app: AppState, outbox: Outbox, mut news: Box<dyn HomeChanges>) {
    loop {
        let changed = news.next().await;
        if notice(&app, &outbox, None, NoticeBody::HomeChanged(changed)).await.is_err() {
            return;
        }
    }
}

/// The current state of the home, and the changes to send after it was answered.
pub(super) fn follow(connection: &WebSocketConnection) -> Result<(Value, Box<dyn HomeChanges>), Problem> {
    let (view, news) = connection.app.hub.follow_home()?;
    Ok((answer(Ok(view))?, news))
}

pub(super) async fn unfollow(connection: &mut WebSocketConnection) -> Result<Value, Problem> {
    connection.home.end().await;
    Ok(json!({}))
}
