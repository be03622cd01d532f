//! The library: its folders, and search.

use axum::{Json, extract::State, http::StatusCode};
use protocol::{AddFolder, Code, FolderId, FolderView, LibraryHits, LibrarySearch, LibraryView, OwnerId, Problem};

use super::extract::{JsonBody, Params, PathId};
use crate::{access::Principal, app::AppState, problem::HttpResult};

pub(crate) async fn view(State(app): State<AppState>, Principal(owner): Principal) -> HttpResult<Json<LibraryView>> {
    Ok(Json(app.hub.library(&owner).await?))
}

pub(crate) async fn add(
    State(app): State<AppState>,
    Principal(owner): Principal,
    JsonBody(asked): JsonBody<AddFolder>,
) -> HttpResult<(StatusCode, Json<FolderView>)> {
    if !is_operator(&app, &owner) {
        return Err(operator_alone().into());
    }
    Ok((StatusCode::CREATED, Json(app.hub.add_folder(&owner, asked).await?)))
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<FolderId>,
) -> HttpResult<Json<FolderView>> {
    // Other owners must not learn whether a folder exists.
    if !is_operator(&app, &owner) && app.hub.library(&owner).await?.folders.iter().any(|it| it.folder_id == id) {
        return Err(operator_alone().into());
    }
    Ok(Json(app.hub.remove_folder(&owner, id).await?))
}

pub(crate) async fn rescan(State(app): State<AppState>, Principal(owner): Principal) -> HttpResult<Json<LibraryView>> {
    Ok(Json(app.hub.rescan_library(&owner).await?))
}

pub(crate) async fn search(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(asked): Params<LibrarySearch>,
) -> HttpResult<Json<LibraryHits>> {
    Ok(Json(app.hub.search_library(&owner, asked).await?))
}

/// Folders are paths on the server's machine, which only the operator may choose.
fn is_operator(app: &AppState, owner: &OwnerId) -> bool {
    app.operator.as_ref().is_some_and(|operator| operator.owner == *owner)
}

fn operator_alone() -> Problem {
    let hint = "Use the token of the file `token` in the data folder, or ask the operator.";
    Problem::new(Code::Forbidden, "only the operator can add and remove folders", hint)
}
