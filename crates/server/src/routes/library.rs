//! The routes of the library.

use axum::{
    http::Method,
    routing::{delete, get, post},
};
use protocol::{AddFolder, FolderView, LibraryHits, LibraryView};

use super::{Route, route};
use crate::rest::library;

/// Folders of documents, and search.
pub(super) fn of_library() -> Vec<Route> {
    vec![
        route(
            Method::GET,
            "/api/v1/library",
            "The library's folders that the owner can see, and how far they are indexed.",
            || get(library::view),
        )
        .answers::<LibraryView>(200),
        route(
            Method::POST,
            "/api/v1/library/folders",
            "Adds a folder of the server's machine, and answers when it is indexed. For the operator only.",
            || post(library::add),
        )
        .takes::<AddFolder>()
        .answers::<FolderView>(201),
        route(
            Method::DELETE,
            "/api/v1/library/folders/{folder_id}",
            "Removes a folder from the library; its files stay. For the operator only.",
            || delete(library::remove),
        )
        .answers::<FolderView>(200),
        route(Method::POST, "/api/v1/library/rescan", "Scans all folders now, and answers when that is done.", || {
            post(library::rescan)
        })
        .answers::<LibraryView>(200),
        route(Method::GET, "/api/v1/library/search", "Searches the documents for passages, best first.", || {
            get(library::search)
        })
        .query(&[
            ("query", "required text 1-4096", "the search text"),
            ("limit", "integer 1-100", "maximum number of passages: 10 by default, up to 100"),
        ])
        .answers::<LibraryHits>(200),
    ]
}
