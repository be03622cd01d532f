//! The home that a connection follows, by a task of its own.

use engine::HomeNews;
use protocol::{NoticeBody, Problem};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use super::{
    connection::{Connection, notice},
    dispatch::answer,
    outbox::Outbox,
};
use crate::app::App;

/// The task that tells of changes. Dropping it ends the telling.
#[derive(Default)]
pub(super) struct HomeFollower(Option<AbortOnDropHandle<()>>);

impl HomeFollower {
    /// Tells of changes from now on, in place of an earlier telling. The home is answered before this is called: a change
    /// that overtook it would be lost under it.
    pub(super) async fn begin(&mut self, app: App, outbox: Outbox, news: Box<dyn HomeNews>) {
        self.end().await;
        self.0 = Some(AbortOnDropHandle::new(tokio::spawn(tell(app, outbox, news))));
    }

    /// Tells nothing any more once this returns.
    pub(super) async fn end(&mut self) {
        if let Some(task) = self.0.take() {
            task.abort();
            // It was aborted, or had ended because the client is gone.
            let _ = task.await;
        }
    }
}

async fn tell(app: App, outbox: Outbox, mut news: Box<dyn HomeNews>) {
    loop {
        let changed = news.next().await;
        if notice(&app, &outbox, None, NoticeBody::HomeChanged(changed)).await.is_err() {
            return;
        }
    }
}

/// The home as it stands, and what is to be told once that is answered.
pub(super) fn follow(connection: &Connection) -> Result<(Value, Box<dyn HomeNews>), Problem> {
    let (view, news) = connection.app.hub.follow_home()?;
    Ok((answer(Ok(view))?, news))
}

pub(super) async fn unfollow(connection: &mut Connection) -> Result<Value, Problem> {
    connection.home.end().await;
    Ok(json!({}))
}
