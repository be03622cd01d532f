//! Vaults, and the memories, entries and context documents in them.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use protocol::{
    AddEntry, Context, ContextPage, Entry, EntryPage, Forgotten, ItemId, List, Memory, MemoryForget, MemoryId,
    MemoryPage, NewMemory, NewVault, Origin, PutContext, Vault, VaultId, VaultPage,
};
use serde::Deserialize;

use super::extract::{Body, Id, Ids, Params, idempotency_key};
use crate::{access::Principal, app::App, problem::Outcome};

pub(crate) async fn list(
    State(app): State<App>,
    Principal(owner): Principal,
    Params(list): Params<List>,
) -> Outcome<Json<VaultPage>> {
    Ok(Json(app.hub.vaults(&owner, &list).await?))
}

pub(crate) async fn create(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Body(asked): Body<NewVault>,
) -> Outcome<(StatusCode, Json<Vault>)> {
    let key = idempotency_key(&headers, None)?;
    Ok((StatusCode::CREATED, Json(app.hub.create_vault(&owner, asked, Origin::Trusted, key.as_deref()).await?)))
}

pub(crate) async fn get(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<VaultId>,
) -> Outcome<Json<Vault>> {
    Ok(Json(app.hub.vault(&owner, id).await?))
}

pub(crate) async fn memories(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<VaultId>,
    Params(list): Params<List>,
) -> Outcome<Json<MemoryPage>> {
    Ok(Json(app.hub.memories(&owner, id, &list).await?))
}

pub(crate) async fn create_memory(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Id(id): Id<VaultId>,
    Body(asked): Body<NewMemory>,
) -> Outcome<(StatusCode, Json<Memory>)> {
    let key = idempotency_key(&headers, None)?;
    Ok((StatusCode::CREATED, Json(app.hub.create_memory(&owner, id, asked, Origin::Trusted, key.as_deref()).await?)))
}

pub(crate) async fn memory(
    State(app): State<App>,
    Principal(owner): Principal,
    Ids((vault_id, id)): Ids<(VaultId, MemoryId)>,
) -> Outcome<Json<Memory>> {
    Ok(Json(app.hub.memory(&owner, vault_id, id).await?))
}

pub(crate) async fn forget(
    State(app): State<App>,
    Principal(owner): Principal,
    Ids((vault_id, id)): Ids<(VaultId, MemoryId)>,
) -> Outcome<Json<Forgotten>> {
    app.hub.memory(&owner, vault_id, id).await?;
    let asked = MemoryForget { memory_id: Some(id), ..MemoryForget::default() };
    Ok(Json(app.hub.memory_forget(&owner, &asked).await?))
}

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Order {
    #[default]
    Newest,
    Oldest,
}

/// Which entries.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Range {
    order: Order,
    cursor: Option<String>,
    limit: Option<u32>,
}

pub(crate) async fn entries(
    State(app): State<App>,
    Principal(owner): Principal,
    Ids((vault_id, id)): Ids<(VaultId, MemoryId)>,
    Params(Range { order, cursor, limit }): Params<Range>,
) -> Outcome<Json<EntryPage>> {
    let list = List { cursor, limit };
    Ok(Json(app.hub.entries(&owner, vault_id, id, &list, order == Order::Oldest).await?))
}

pub(crate) async fn add_entry(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Ids((vault_id, id)): Ids<(VaultId, MemoryId)>,
    Body(mut asked): Body<AddEntry>,
) -> Outcome<(StatusCode, Json<Entry>)> {
    asked.idempotency_key = idempotency_key(&headers, asked.idempotency_key)?;
    Ok((StatusCode::CREATED, Json(app.hub.add_entry(&owner, vault_id, id, asked, Origin::Trusted).await?)))
}

pub(crate) async fn entry(
    State(app): State<App>,
    Principal(owner): Principal,
    Ids((vault_id, memory_id, id)): Ids<(VaultId, MemoryId, ItemId)>,
) -> Outcome<Json<Entry>> {
    Ok(Json(app.hub.entry(&owner, vault_id, memory_id, id).await?))
}

pub(crate) async fn contexts(
    State(app): State<App>,
    Principal(owner): Principal,
    Ids((vault_id, id)): Ids<(VaultId, MemoryId)>,
) -> Outcome<Json<ContextPage>> {
    Ok(Json(app.hub.contexts(&owner, vault_id, id).await?))
}

pub(crate) async fn put_context(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Ids((vault_id, id)): Ids<(VaultId, MemoryId)>,
    Body(asked): Body<PutContext>,
) -> Outcome<(StatusCode, Json<Context>)> {
    let key = idempotency_key(&headers, None)?;
    Ok((
        StatusCode::CREATED,
        Json(app.hub.put_context(&owner, vault_id, id, asked, Origin::Trusted, key.as_deref()).await?),
    ))
}

pub(crate) async fn latest_context(
    State(app): State<App>,
    Principal(owner): Principal,
    Ids((vault_id, id)): Ids<(VaultId, MemoryId)>,
) -> Outcome<Json<Context>> {
    Ok(Json(app.hub.context(&owner, vault_id, id, None).await?))
}

pub(crate) async fn context(
    State(app): State<App>,
    Principal(owner): Principal,
    Ids((vault_id, id, version)): Ids<(VaultId, MemoryId, u32)>,
) -> Outcome<Json<Context>> {
    Ok(Json(app.hub.context(&owner, vault_id, id, Some(version)).await?))
}
