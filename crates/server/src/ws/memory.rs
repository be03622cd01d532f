//! Messages about memory. Searching and forgetting can take a while, so the reader does not wait
//! for them.

use futures::FutureExt;
use protocol::{
    Code, MemoryForget, MemoryGet, MemoryGraphQuery, MemoryImport, MemorySearch, MemorySnapshot, MemoryTitleUpdate,
    NoticeBody, Origin, OwnerId, Problem, SessionId, TitleUpdate, VaultUpdate,
};
use serde_json::Value;

use super::{
    connection::{WebSocketConnection, notice},
    dispatch::{AnswerFuture, answer},
    outbox::Outbox,
};
use crate::app::AppState;

/// Most items that one message can carry; larger memories are exported over REST.
const EXPORT_MAX: usize = 5_000;

pub(super) fn get(connection: &WebSocketConnection, asked: MemoryGet) -> AnswerFuture {
    let (app, owner, outbox) = parts(connection);
    async move {
        let snapshot = app.hub.memory_get(&owner, &asked).await?;
        shown(&app, &outbox, asked.session.session_id, snapshot).await
    }
    .boxed()
}

pub(super) fn search(connection: &WebSocketConnection, asked: MemorySearch) -> AnswerFuture {
    let (app, owner, outbox) = parts(connection);
    async move {
        let snapshot = app.hub.memory_search(&owner, &asked).await?;
        shown(&app, &outbox, asked.session.session_id, snapshot).await
    }
    .boxed()
}

pub(super) fn graph(connection: &WebSocketConnection, asked: MemoryGraphQuery) -> AnswerFuture {
    let (app, owner, _) = parts(connection);
    async move { answer(app.hub.memory_graph(&owner, &asked).await) }.boxed()
}

pub(super) fn forget(connection: &WebSocketConnection, asked: MemoryForget) -> AnswerFuture {
    let (app, owner, _) = parts(connection);
    async move { answer(app.hub.memory_forget(&owner, &asked).await) }.boxed()
}

pub(super) async fn update(connection: &WebSocketConnection, asked: MemoryTitleUpdate) -> Result<Value, Problem> {
    let MemoryTitleUpdate { vault_id, memory_id, title, description } = asked;
    let (hub, update) = (&connection.app.hub, TitleUpdate { title, description });
    answer(hub.update_memory(&connection.owner, vault_id, memory_id, update, Origin::Trusted).await)
}

pub(super) async fn update_vault(connection: &WebSocketConnection, asked: VaultUpdate) -> Result<Value, Problem> {
    let VaultUpdate { vault_id, title, description } = asked;
    let (hub, update) = (&connection.app.hub, TitleUpdate { title, description });
    answer(hub.update_vault(&connection.owner, vault_id, update, Origin::Trusted).await)
}

pub(super) fn export(connection: &WebSocketConnection) -> AnswerFuture {
    let (app, owner, _) = parts(connection);
    async move {
        let archive = app.hub.memory_export(&owner).await?;
        let count = archive.entries.len() + archive.contexts.len() + archive.facts.len();
        if count > EXPORT_MAX {
            let message = format!("memory has {count} items");
            return Err(Problem::new(Code::TooLarge, message, "Use GET /api/v1/memories/export."));
        }
        answer(Ok(archive))
    }
    .boxed()
}

pub(super) fn import(connection: &WebSocketConnection, asked: MemoryImport) -> AnswerFuture {
    let (app, owner, _) = parts(connection);
    async move { answer(app.hub.memory_import(&owner, asked).await) }.boxed()
}

fn parts(connection: &WebSocketConnection) -> (AppState, OwnerId, Outbox) {
    (connection.app.clone(), connection.owner.clone(), connection.outbox.clone())
}

/// Sends the snapshot as a notice, for clients that follow notices, and returns it as the answer.
async fn shown(
    app: &AppState,
    outbox: &Outbox,
    session_id: Option<SessionId>,
    snapshot: MemorySnapshot,
) -> Result<Value, Problem> {
    let body = NoticeBody::MemorySnapshot(snapshot.clone());
    // If the client is gone, sending the answer will fail too.
    let _ = notice(app, outbox, session_id, body).await;
    answer(Ok(snapshot))
}
