//! Vaults, and the memories, entries and context documents in them.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use protocol::{
    AddEntry, ContextDocument, ContextPage, ControlRequest, ControlResult, Entry, EntryPage, ForgetResult, ItemId,
    Memory, MemoryForget, MemoryId, MemoryPage, NewMemory, NewVault, Origin, PageRequest, PutContext, TitleUpdate,
    Vault, VaultId, VaultPage,
};
use serde::Deserialize;

use super::extract::{JsonBody, Params, PathId, PathIds, idempotency_key};
use crate::{access::Principal, app::AppState, problem::HttpResult};

pub(crate) async fn list(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(list): Params<PageRequest>,
) -> HttpResult<Json<VaultPage>> {
    Ok(Json(app.hub.vaults(&owner, &list).await?))
}

pub(crate) async fn create(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    JsonBody(asked): JsonBody<NewVault>,
) -> HttpResult<(StatusCode, Json<Vault>)> {
    let key = idempotency_key(&headers, None)?;
    Ok((StatusCode::CREATED, Json(app.hub.create_vault(&owner, asked, Origin::Trusted, key.as_deref()).await?)))
}

pub(crate) async fn get(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<VaultId>,
) -> HttpResult<Json<Vault>> {
    Ok(Json(app.hub.vault(&owner, id).await?))
}

pub(crate) async fn update(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<VaultId>,
    JsonBody(update): JsonBody<TitleUpdate>,
) -> HttpResult<Json<Vault>> {
    Ok(Json(app.hub.update_vault(&owner, id, update, Origin::Trusted).await?))
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<VaultId>,
) -> HttpResult<Json<ForgetResult>> {
    let asked = MemoryForget { vault_id: Some(id), ..MemoryForget::default() };
    Ok(Json(app.hub.memory_forget(&owner, &asked).await?))
}

pub(crate) async fn memories(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<VaultId>,
    Params(list): Params<PageRequest>,
) -> HttpResult<Json<MemoryPage>> {
    Ok(Json(app.hub.memories(&owner, id, &list).await?))
}

pub(crate) async fn create_memory(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    PathId(id): PathId<VaultId>,
    JsonBody(asked): JsonBody<NewMemory>,
) -> HttpResult<(StatusCode, Json<Memory>)> {
    let key = idempotency_key(&headers, None)?;
    Ok((StatusCode::CREATED, Json(app.hub.create_memory(&owner, id, asked, Origin::Trusted, key.as_deref()).await?)))
}

pub(crate) async fn memory(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathIds((vault_id, id)): PathIds<(VaultId, MemoryId)>,
) -> HttpResult<Json<Memory>> {
    Ok(Json(app.hub.memory(&owner, vault_id, id).await?))
}

pub(crate) async fn update_memory(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathIds((vault_id, id)): PathIds<(VaultId, MemoryId)>,
    JsonBody(update): JsonBody<TitleUpdate>,
) -> HttpResult<Json<Memory>> {
    Ok(Json(app.hub.update_memory(&owner, vault_id, id, update, Origin::Trusted).await?))
}

pub(crate) async fn control(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    PathIds((vault_id, id)): PathIds<(VaultId, MemoryId)>,
    JsonBody(mut asked): JsonBody<ControlRequest>,
) -> HttpResult<Json<ControlResult>> {
    asked.idempotency_key = idempotency_key(&headers, asked.idempotency_key)?;
    Ok(Json(app.hub.control_memory(&owner, vault_id, id, asked, Origin::Trusted).await?))
}

pub(crate) async fn forget(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathIds((vault_id, id)): PathIds<(VaultId, MemoryId)>,
) -> HttpResult<Json<ForgetResult>> {
    app.hub.memory(&owner, vault_id, id).await?;
    let asked = MemoryForget { memory_id: Some(id), ..MemoryForget::default() };
    Ok(Json(app.hub.memory_forget(&owner, &asked).await?))
}

/// The order of entries.
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
pub(crate) struct EntryQuery {
    order: Order,
    cursor: Option<String>,
    limit: Option<u32>,
}

pub(crate) async fn entries(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathIds((vault_id, id)): PathIds<(VaultId, MemoryId)>,
    Params(EntryQuery { order, cursor, limit }): Params<EntryQuery>,
) -> HttpResult<Json<EntryPage>> {
    let list = PageRequest { cursor, limit };
    Ok(Json(app.hub.entries(&owner, vault_id, id, &list, order == Order::Oldest).await?))
}

pub(crate) async fn add_entry(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    PathIds((vault_id, id)): PathIds<(VaultId, MemoryId)>,
    JsonBody(mut asked): JsonBody<AddEntry>,
) -> HttpResult<(StatusCode, Json<Entry>)> {
    asked.idempotency_key = idempotency_key(&headers, asked.idempotency_key)?;
    let origin = asked.origin.unwrap_or_default();
    Ok((StatusCode::CREATED, Json(app.hub.add_entry(&owner, vault_id, id, asked, origin).await?)))
}

pub(crate) async fn entry(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathIds((vault_id, memory_id, id)): PathIds<(VaultId, MemoryId, ItemId)>,
) -> HttpResult<Json<Entry>> {
    Ok(Json(app.hub.entry(&owner, vault_id, memory_id, id).await?))
}

pub(crate) async fn contexts(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathIds((vault_id, id)): PathIds<(VaultId, MemoryId)>,
) -> HttpResult<Json<ContextPage>> {
    Ok(Json(app.hub.contexts(&owner, vault_id, id).await?))
}

pub(crate) async fn put_context(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    PathIds((vault_id, id)): PathIds<(VaultId, MemoryId)>,
    JsonBody(asked): JsonBody<PutContext>,
) -> HttpResult<(StatusCode, Json<ContextDocument>)> {
    let key = idempotency_key(&headers, None)?;
    let origin = asked.origin.unwrap_or_default();
    let written = app.hub.put_context(&owner, vault_id, id, asked, origin, key.as_deref()).await?;
    Ok((StatusCode::CREATED, Json(written)))
}

pub(crate) async fn latest_context(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathIds((vault_id, id)): PathIds<(VaultId, MemoryId)>,
) -> HttpResult<Json<ContextDocument>> {
    Ok(Json(app.hub.context(&owner, vault_id, id, None).await?))
}

pub(crate) async fn context(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathIds((vault_id, id, version)): PathIds<(VaultId, MemoryId, u32)>,
) -> HttpResult<Json<ContextDocument>> {
    Ok(Json(app.hub.context(&owner, vault_id, id, Some(version)).await?))
}
