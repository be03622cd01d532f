//! Memory: profile, lists and search, corrections, forgetting, consistency, import and export.

use axum::{Json, extract::State, http::HeaderMap};
use protocol::{
    Audit, AwaitConsistency, Consistency, Fact, ForgetResult, Ingest, IngestResult, ItemId, Level, MemoryArchive,
    MemoryCorrect, MemoryForget, MemoryGet, MemoryGraph, MemoryGraphQuery, MemoryImport, MemoryImportResult,
    MemoryItem, MemorySearch, MemorySet, MemorySnapshot, SearchScope, SessionId, SessionName, SessionRef,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{JsonBody, Params, PathId, idempotency_key, invalid};
use crate::{
    access::Principal,
    app::AppState,
    problem::{HttpResult, ProblemResponse},
};

/// Entries of the profile, or all values of one key.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FactPage {
    /// The facts.
    data: Vec<Fact>,
}

pub(crate) async fn profile(State(app): State<AppState>, Principal(owner): Principal) -> HttpResult<Json<FactPage>> {
    Ok(Json(FactPage { data: app.hub.profile(&owner).await? }))
}

pub(crate) async fn profile_history(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(key): PathId<String>,
) -> HttpResult<Json<FactPage>> {
    Ok(Json(FactPage { data: app.hub.profile_history(&owner, &key).await? }))
}

/// An entry of the profile.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProfileBody {
    /// The value of the key.
    #[schemars(length(max = 2_000), regex(pattern = protocol::patterns::LINE))]
    value: String,
    /// 0 to 100, 50 by default; the highest come first.
    #[serde(default)]
    #[schemars(range(max = 100))]
    priority: Option<u8>,
    /// Seconds after which it expires.
    #[serde(default)]
    ttl_s: Option<u64>,
}

pub(crate) async fn set(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    PathId(key): PathId<String>,
    JsonBody(ProfileBody { value, priority, ttl_s }): JsonBody<ProfileBody>,
) -> HttpResult<Json<Fact>> {
    let idempotency_key = idempotency_key(&headers, None)?;
    let asked = MemorySet { key, value, priority, ttl_s, idempotency_key };
    Ok(Json(app.hub.memory_set(&owner, asked).await?))
}

pub(crate) async fn forget_key(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(key): PathId<String>,
) -> HttpResult<Json<ForgetResult>> {
    let asked = MemoryForget { key: Some(key), ..MemoryForget::default() };
    Ok(Json(app.hub.memory_forget(&owner, &asked).await?))
}

/// Which memories to list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MemoryQuery {
    query: Option<String>,
    scope: SearchScope,
    session_id: Option<SessionId>,
    conversation_id: Option<SessionName>,
    level: Option<String>,
    key: Option<String>,
    history: bool,
    limit: Option<u32>,
    cursor: Option<String>,
}

impl TryFrom<MemoryQuery> for MemoryGet {
    type Error = ProblemResponse;

    fn try_from(which: MemoryQuery) -> HttpResult<Self> {
        let MemoryQuery { query, scope, session_id, conversation_id, level, key, history, limit, cursor } = which;
        let names = level.as_deref().unwrap_or_default().split(',').filter(|name| !name.is_empty());
        let levels = names.map(read_level).collect::<HttpResult<Vec<_>>>()?;
        let session = SessionRef { session_id, conversation_id };
        Ok(Self { session, query, scope, levels, key, history, cursor, limit })
    }
}

fn read_level(name: &str) -> HttpResult<Level> {
    serde_json::from_value(name.into())
        .map_err(|_| invalid(format!("`{name}` is not a level; use `pin`, `profile`, `fact`, `entry` or `context`")))
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(which): Params<MemoryQuery>,
) -> HttpResult<Json<MemorySnapshot>> {
    Ok(Json(app.hub.memory_get(&owner, &which.try_into()?).await?))
}

pub(crate) async fn search(
    State(app): State<AppState>,
    Principal(owner): Principal,
    JsonBody(asked): JsonBody<MemorySearch>,
) -> HttpResult<Json<MemorySnapshot>> {
    Ok(Json(app.hub.memory_search(&owner, &asked).await?))
}

pub(crate) async fn graph(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(asked): Params<MemoryGraphQuery>,
) -> HttpResult<Json<MemoryGraph>> {
    Ok(Json(app.hub.memory_graph(&owner, &asked).await?))
}

pub(crate) async fn item(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<ItemId>,
) -> HttpResult<Json<MemoryItem>> {
    Ok(Json(app.hub.memory_item(&owner, id).await?))
}

/// A correction.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorrectionBody {
    /// The new value of a fact, or the new text of an entry.
    #[schemars(regex(pattern = protocol::patterns::NOT_BLANK))]
    text: String,
    /// Sending again with the same key changes nothing.
    #[serde(default)]
    #[schemars(length(min = 1, max = 200), regex(pattern = protocol::patterns::NO_CONTROL))]
    idempotency_key: Option<String>,
}

pub(crate) async fn correct(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    PathId(id): PathId<ItemId>,
    JsonBody(CorrectionBody { text, idempotency_key: in_body }): JsonBody<CorrectionBody>,
) -> HttpResult<Json<MemoryItem>> {
    let idempotency_key = idempotency_key(&headers, in_body)?;
    Ok(Json(app.hub.memory_correct(&owner, MemoryCorrect { id, text, idempotency_key }).await?))
}

pub(crate) async fn forget_item(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<ItemId>,
) -> HttpResult<Json<ForgetResult>> {
    let asked = MemoryForget { ids: vec![id], ..MemoryForget::default() };
    Ok(Json(app.hub.memory_forget(&owner, &asked).await?))
}

pub(crate) async fn forget(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    JsonBody(asked): JsonBody<MemoryForget>,
) -> HttpResult<Json<ForgetResult>> {
    let key = idempotency_key(&headers, None)?;
    Ok(Json(app.hub.memory_forget_once(&owner, &asked, key.as_deref()).await?))
}

pub(crate) async fn await_consistency(
    State(app): State<AppState>,
    Principal(owner): Principal,
    JsonBody(asked): JsonBody<AwaitConsistency>,
) -> HttpResult<Json<Consistency>> {
    Ok(Json(app.hub.await_consistency(&owner, &asked).await?))
}

pub(crate) async fn ingest(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    JsonBody(asked): JsonBody<Ingest>,
) -> HttpResult<Json<IngestResult>> {
    let key = idempotency_key(&headers, None)?;
    Ok(Json(app.hub.ingest_once(&owner, asked, key.as_deref()).await?))
}

pub(crate) async fn export(
    State(app): State<AppState>,
    Principal(owner): Principal,
) -> HttpResult<Json<MemoryArchive>> {
    Ok(Json(app.hub.memory_export(&owner).await?))
}

pub(crate) async fn import(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    JsonBody(mut asked): JsonBody<MemoryImport>,
) -> HttpResult<Json<MemoryImportResult>> {
    asked.idempotency_key = idempotency_key(&headers, asked.idempotency_key)?;
    Ok(Json(app.hub.memory_import(&owner, asked).await?))
}

pub(crate) async fn audit(State(app): State<AppState>, Principal(owner): Principal) -> HttpResult<Json<Audit>> {
    Ok(Json(app.hub.memory_audit(&owner).await?))
}
