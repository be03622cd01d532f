//! What is asked of memory. Looking and forgetting can take a while, so the reader does not wait for them.

use futures::FutureExt;
use protocol::{
    Code, MemoryForget, MemoryGet, MemoryImport, MemorySearch, MemorySnapshot, NoticeBody, OwnerId, Problem, SessionId,
};
use serde_json::Value;

use super::{
    connection::{Connection, notice},
    dispatch::{Answering, answer},
    outbox::Outbox,
};
use crate::app::App;

/// Things that one message can carry; what is more is exported over REST.
const EXPORT_MAX: usize = 5_000;

pub(super) fn get(connection: &Connection, asked: MemoryGet) -> Answering {
    let (app, owner, outbox) = parts(connection);
    async move {
        let snapshot = app.hub.memory_get(&owner, &asked).await?;
        shown(&app, &outbox, asked.session.session_id, snapshot).await
    }
    .boxed()
}

pub(super) fn search(connection: &Connection, asked: MemorySearch) -> Answering {
    let (app, owner, outbox) = parts(connection);
    async move {
        let snapshot = app.hub.memory_search(&owner, &asked).await?;
        shown(&app, &outbox, asked.session.session_id, snapshot).await
    }
    .boxed()
}

pub(super) fn forget(connection: &Connection, asked: MemoryForget) -> Answering {
    let (app, owner, _) = parts(connection);
    async move { answer(app.hub.memory_forget(&owner, &asked).await) }.boxed()
}

pub(super) fn export(connection: &Connection) -> Answering {
    let (app, owner, _) = parts(connection);
    async move {
        let archive = app.hub.memory_export(&owner).await?;
        let count = archive.entries.len() + archive.contexts.len() + archive.facts.len();
        if count > EXPORT_MAX {
            let message = format!("memory holds {count} things");
            return Err(Problem::new(Code::TooLarge, message, "Use GET /api/v1/memories/export."));
        }
        answer(Ok(archive))
    }
    .boxed()
}

pub(super) fn import(connection: &Connection, asked: MemoryImport) -> Answering {
    let (app, owner, _) = parts(connection);
    async move { answer(app.hub.memory_import(&owner, asked).await) }.boxed()
}

fn parts(connection: &Connection) -> (App, OwnerId, Outbox) {
    (connection.app.clone(), connection.owner.clone(), connection.outbox.clone())
}

/// The snapshot as a notice of its own, for clients that listen rather than ask, and then as the answer.
async fn shown(
    app: &App,
    outbox: &Outbox,
    session_id: Option<SessionId>,
    snapshot: MemorySnapshot,
) -> Result<Value, Problem> {
    let body = NoticeBody::MemorySnapshot(snapshot.clone());
    // If the client is gone, the answer that follows finds that out.
    let _ = notice(app, outbox, session_id, body).await;
    answer(Ok(snapshot))
}
