//! The routes of the library.

use axum::{
    http::Method,
    routing::{delete, get, post},
};
use protocol::{AddFolder, FolderView, LibraryHits, LibraryView};

use super::{Route, route};
use crate::rest::library;

/// Folders of documents, and what is found in them.
pub(super) fn of_library() -> Vec<Route> {
    vec![
        route(
            Method::GET,
            "/api/v1/library",
            "The library's folders that the owner sees, and how far they were read.",
            || get(library::view),
        )
        .answers::<LibraryView>(200),
        route(
            Method::POST,
            "/api/v1/library/folders",
            "Adds a folder of the server's machine, and answers when it was looked through. For the operator alone.",
            || post(library::add),
        )
        .takes::<AddFolder>()
        .answers::<FolderView>(201),
        route(
            Method::DELETE,
            "/api/v1/library/folders/{folder_id}",
            "Gives a folder up; its files stay where they are. For the operator alone.",
            || delete(library::remove),
        )
        .answers::<FolderView>(200),
        route(
            Method::POST,
            "/api/v1/library/rescan",
            "Looks through all folders now, and answers when that is done.",
            || post(library::rescan),
        )
        .answers::<LibraryView>(200),
        route(Method::GET, "/api/v1/library/search", "Passages of documents that fit a question, best first.", || {
            get(library::search)
        })
        .query(&[
            ("query", "string", "the question, in plain words"),
            ("limit", "integer", "how many passages at most, 10 unless told, 100 at most"),
        ])
        .answers::<LibraryHits>(200),
    ]
}
