//! Routes of the page, and of how a browser comes in.

use axum::{
    http::Method,
    routing::{delete, get, post},
};

use super::{Route, route};
use crate::{page, rest::entry};

pub(super) fn of_page() -> Vec<Route> {
    const ENTRY: &str = "/api/v1/entry";
    vec![
        route(Method::GET, "/", "The page. Needs no token.", || get(page::index)).answers_with(200, "text/html"),
        route(Method::GET, "/assets/{file}", "A file of the page. Needs no token.", || get(page::asset))
            .answers_with(200, "application/octet-stream"),
        route(
            Method::POST,
            "/api/v1/invitations",
            "An invitation by which a browser comes in, good once and for ten minutes.",
            || post(entry::invite),
        )
        .answers::<entry::Invitation>(201),
        route(
            Method::POST,
            ENTRY,
            "Lets a browser in by an invitation or the token: sets its cookie. Needs no token, but the page's `Origin`.",
            || post(entry::enter),
        )
        .takes::<entry::Proof>()
        .answers::<entry::EntryView>(200),
        route(Method::GET, ENTRY, "Who has come in, and until when. Renews a cookie that is older than a day.", || {
            get(entry::view)
        })
        .answers::<entry::EntryView>(200),
        route(Method::DELETE, ENTRY, "Leaves: the browser forgets its cookie.", || delete(entry::leave))
            .answers_with(204, "text/plain"),
    ]
}
