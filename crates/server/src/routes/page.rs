//! Routes of the page, and of browser sign-in.

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
            Method::GET,
            page::SERVICE_WORKER,
            "The page's service worker, which shows notifications and keeps the page for offline use. Needs no token.",
            || get(page::service_worker),
        )
        .answers_with(200, "text/javascript"),
        route(Method::GET, page::MANIFEST, "How the page is installed as an app. Needs no token.", || {
            get(page::manifest)
        })
        .answers_with(200, "application/manifest+json"),
        route(
            Method::POST,
            "/api/v1/invitations",
            "Creates an invitation for a browser, which works once, within ten minutes.",
            || post(entry::invite),
        )
        .answers::<entry::Invitation>(201),
        route(
            Method::POST,
            ENTRY,
            "Signs a browser in with an invitation or the token, and sets its cookie. Needs no token, but the page's `Origin`.",
            || post(entry::enter),
        )
        .takes::<entry::Proof>()
        .answers::<entry::EntryView>(200),
        route(Method::GET, ENTRY, "The signed-in owner, and when the cookie expires. Renews a cookie that is older than a day.", || {
            get(entry::view)
        })
        .answers::<entry::EntryView>(200),
        route(Method::DELETE, ENTRY, "Signs the browser out: it deletes its cookie.", || delete(entry::leave))
            .answers_empty(204),
    ]
}
