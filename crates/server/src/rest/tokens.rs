//! The scoped tokens of an owner: list, make, revoke. The operator does so for all owners.

use std::time::Duration;

use axum::{Json, extract::State, http::StatusCode};
use protocol::{Code, IssuedToken, OwnerId, Problem, TokenId, TokenPage, TokenSpec, TokenView};

use super::extract::{JsonBody, PathId, invalid};
use crate::{
    access::{AccessGrant, Principal, ScopedTokens},
    app::AppState,
    problem::HttpResult,
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest lifetime of a token that ends by itself.
const DAYS_MAX: u32 = 3_650;
/// Characters of a token's name.
const NAME_CHARS_MAX: usize = 100;

/// The owner's tokens; the operator sees those of all owners.
pub(crate) async fn list(State(app): State<AppState>, Principal(owner): Principal) -> HttpResult<Json<TokenPage>> {
    let tokens = scoped(&app)?;
    let of = (!is_operator(&app, &owner)).then_some(&owner);
    Ok(Json(TokenPage { data: tokens.list(of) }))
}

/// Makes a token. It may do no more than the token that makes it.
pub(crate) async fn create(
    State(app): State<AppState>,
    grant: AccessGrant,
    JsonBody(asked): JsonBody<TokenSpec>,
) -> HttpResult<(StatusCode, Json<IssuedToken>)> {
    let TokenSpec { name, scope, expires_in_days, owner } = asked;
    if name.trim().is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        let message = format!("the name of a token has 1 to {NAME_CHARS_MAX} characters without control characters");
        return Err(invalid(message));
    }
    if expires_in_days.is_some_and(|days| days == 0 || days > DAYS_MAX) {
        return Err(invalid(format!("`expires_in_days` is a number from 1 to {DAYS_MAX}")));
    }
    let name = name.trim().to_owned();
    let owner = owner.unwrap_or_else(|| grant.owner.clone());
    check_owner(&app, &grant.owner, &owner)?;
    let (id, lifetime) = (TokenId::new(app.hub.ulid()), expires_in_days.map(|days| DAY * days));
    let issued = stored(&app, move |tokens| tokens.create(id, owner, name, scope, lifetime)).await?;
    Ok((StatusCode::CREATED, Json(issued)))
}

/// Revokes a token: its connections are closed at once.
pub(crate) async fn revoke(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<TokenId>,
) -> HttpResult<Json<TokenView>> {
    let of = (!is_operator(&app, &owner)).then_some(owner);
    let revoked = stored(&app, move |tokens| tokens.revoke(id, of.as_ref())).await?;
    app.tokens.look();
    Ok(Json(revoked))
}

fn check_owner(app: &AppState, asks: &OwnerId, owner: &OwnerId) -> Result<(), Problem> {
    if asks == owner {
        return Ok(());
    }
    if !is_operator(app, asks) {
        let hint = "Leave `owner` out, or ask the operator.";
        return Err(Problem::new(Code::Forbidden, "only the operator can make tokens for other owners", hint));
    }
    if !app.tokens.has_owner(owner) {
        let hint = "`dwell owners list` shows the owners, `dwell owners add` adds one.";
        return Err(Problem::new(Code::NotFound, format!("there is no owner `{owner}`"), hint));
    }
    Ok(())
}

fn is_operator(app: &AppState, owner: &OwnerId) -> bool {
    app.operator.as_ref().is_some_and(|operator| operator.owner == *owner)
}

/// Changes the list of tokens, which waits for the disk.
async fn stored<T: Send + 'static>(
    app: &AppState,
    change: impl FnOnce(&ScopedTokens) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let app = app.clone();
    let changed = tokio::task::spawn_blocking(move || change(scoped(&app)?)).await;
    changed.unwrap_or_else(|_| {
        Err(Problem::new(Code::Internal, "changing the tokens panicked", "This is a bug: please report it."))
    })
}

fn scoped(app: &AppState) -> Result<&ScopedTokens, Problem> {
    app.tokens
        .scoped()
        .ok_or_else(|| Problem::new(Code::NotFound, "this server has no scoped tokens", "Use the token of the owner."))
}
