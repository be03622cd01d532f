//! What is remembered: the profile, lists and search, correcting, forgetting, waiting, taking conversations in.

use axum::{Json, extract::State, http::HeaderMap};
use protocol::{
    Audit, AwaitConsistency, Consistency, Fact, Forgotten, Imported, Ingest, Ingested, Item, ItemId, Level,
    MemoryArchive, MemoryCorrect, MemoryForget, MemoryGet, MemoryImport, MemorySearch, MemorySet, MemorySnapshot,
    Scope, SessionId, SessionName, SessionRef,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{Body, Id, Params, idempotency_key, invalid};
use crate::{
    access::Principal,
    app::App,
    problem::{Failure, Outcome},
};

/// Lines of the profile, or all that was stated under one key.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FactPage {
    /// The facts.
    data: Vec<Fact>,
}

pub(crate) async fn profile(State(app): State<App>, Principal(owner): Principal) -> Outcome<Json<FactPage>> {
    Ok(Json(FactPage { data: app.hub.profile(&owner).await? }))
}

pub(crate) async fn profile_history(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(key): Id<String>,
) -> Outcome<Json<FactPage>> {
    Ok(Json(FactPage { data: app.hub.profile_history(&owner, &key).await? }))
}

/// What is stated.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// What is stated of the key.
    value: String,
    /// 0 to 100, 50 unless told; what is more important is told first.
    #[serde(default)]
    priority: Option<u8>,
    /// Seconds after which it is forgotten by itself.
    #[serde(default)]
    ttl_s: Option<u64>,
}

pub(crate) async fn set(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Id(key): Id<String>,
    Body(Line { value, priority, ttl_s }): Body<Line>,
) -> Outcome<Json<Fact>> {
    let idempotency_key = idempotency_key(&headers, None)?;
    let asked = MemorySet { key, value, priority, ttl_s, idempotency_key };
    Ok(Json(app.hub.memory_set(&owner, asked).await?))
}

pub(crate) async fn forget_key(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(key): Id<String>,
) -> Outcome<Json<Forgotten>> {
    let asked = MemoryForget { key: Some(key), ..MemoryForget::default() };
    Ok(Json(app.hub.memory_forget(&owner, &asked).await?))
}

/// What of all that memory holds.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Which {
    query: Option<String>,
    scope: Scope,
    session_id: Option<SessionId>,
    conversation_id: Option<SessionName>,
    level: Option<String>,
    key: Option<String>,
    history: bool,
    limit: Option<u32>,
    cursor: Option<String>,
}

impl TryFrom<Which> for MemoryGet {
    type Error = Failure;

    fn try_from(which: Which) -> Outcome<Self> {
        let Which { query, scope, session_id, conversation_id, level, key, history, limit, cursor } = which;
        let names = level.as_deref().unwrap_or_default().split(',').filter(|name| !name.is_empty());
        let levels = names.map(read_level).collect::<Outcome<Vec<_>>>()?;
        let session = SessionRef { session_id, conversation_id };
        Ok(Self { session, query, scope, levels, key, history, cursor, limit })
    }
}

fn read_level(name: &str) -> Outcome<Level> {
    serde_json::from_value(name.into()).map_err(|_| {
        invalid(format!("`{name}` is no level; there are `pin`, `profile`, `fact`, `entry` and `context`"))
    })
}

pub(crate) async fn list(
    State(app): State<App>,
    Principal(owner): Principal,
    Params(which): Params<Which>,
) -> Outcome<Json<MemorySnapshot>> {
    Ok(Json(app.hub.memory_get(&owner, &which.try_into()?).await?))
}

pub(crate) async fn search(
    State(app): State<App>,
    Principal(owner): Principal,
    Body(asked): Body<MemorySearch>,
) -> Outcome<Json<MemorySnapshot>> {
    Ok(Json(app.hub.memory_search(&owner, &asked).await?))
}

pub(crate) async fn item(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<ItemId>,
) -> Outcome<Json<Item>> {
    Ok(Json(app.hub.memory_item(&owner, id).await?))
}

/// What is right.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Right {
    /// The new value of a fact, the new words of an entry.
    text: String,
    /// Sending again with the same key changes nothing.
    #[serde(default)]
    idempotency_key: Option<String>,
}

pub(crate) async fn correct(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Id(id): Id<ItemId>,
    Body(Right { text, idempotency_key: in_body }): Body<Right>,
) -> Outcome<Json<Item>> {
    let idempotency_key = idempotency_key(&headers, in_body)?;
    Ok(Json(app.hub.memory_correct(&owner, MemoryCorrect { id, text, idempotency_key }).await?))
}

pub(crate) async fn forget_item(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<ItemId>,
) -> Outcome<Json<Forgotten>> {
    let asked = MemoryForget { ids: vec![id], ..MemoryForget::default() };
    Ok(Json(app.hub.memory_forget(&owner, &asked).await?))
}

pub(crate) async fn forget(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Body(asked): Body<MemoryForget>,
) -> Outcome<Json<Forgotten>> {
    let key = idempotency_key(&headers, None)?;
    Ok(Json(app.hub.memory_forget_once(&owner, &asked, key.as_deref()).await?))
}

pub(crate) async fn await_consistency(
    State(app): State<App>,
    Principal(owner): Principal,
    Body(asked): Body<AwaitConsistency>,
) -> Outcome<Json<Consistency>> {
    Ok(Json(app.hub.await_consistency(&owner, &asked).await?))
}

pub(crate) async fn ingest(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Body(asked): Body<Ingest>,
) -> Outcome<Json<Ingested>> {
    let key = idempotency_key(&headers, None)?;
    Ok(Json(app.hub.ingest_once(&owner, asked, key.as_deref()).await?))
}

pub(crate) async fn export(State(app): State<App>, Principal(owner): Principal) -> Outcome<Json<MemoryArchive>> {
    Ok(Json(app.hub.memory_export(&owner).await?))
}

pub(crate) async fn import(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Body(mut asked): Body<MemoryImport>,
) -> Outcome<Json<Imported>> {
    asked.idempotency_key = idempotency_key(&headers, asked.idempotency_key)?;
    Ok(Json(app.hub.memory_import(&owner, asked).await?))
}

pub(crate) async fn audit(State(app): State<App>, Principal(owner): Principal) -> Outcome<Json<Audit>> {
    Ok(Json(app.hub.memory_audit(&owner).await?))
}
