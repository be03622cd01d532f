//! The routes of scoped tokens.

use axum::{
    http::Method,
    routing::{delete, get, post},
};
use protocol::{IssuedToken, TokenPage, TokenSpec, TokenView};

use super::{Route, route};
use crate::rest::tokens;

pub(super) fn of_tokens() -> Vec<Route> {
    const ALL: &str = "/api/v1/tokens";
    vec![
        route(
            Method::GET,
            ALL,
            "The scoped tokens of the owner, oldest first; for the operator, of all owners.",
            || get(tokens::list),
        )
        .answers::<TokenPage>(200),
        route(
            Method::POST,
            ALL,
            "Makes a token that may only read, talk or act, or do everything. It is shown this once.",
            || post(tokens::create),
        )
        .takes::<TokenSpec>()
        .answers::<IssuedToken>(201),
        route(
            Method::DELETE,
            "/api/v1/tokens/{token_id}",
            "Revokes a token. What was opened with it is closed.",
            || delete(tokens::revoke),
        )
        .answers::<TokenView>(200),
    ]
}
