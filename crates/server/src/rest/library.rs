//! The library: its folders, and what is found in them.

use axum::{Json, extract::State, http::StatusCode};
use protocol::{AddFolder, Code, FolderId, FolderView, LibraryHits, LibrarySearch, LibraryView, OwnerId, Problem};

use super::extract::{Body, Id, Params};
use crate::{access::Principal, app::App, problem::Outcome};

pub(crate) async fn view(State(app): State<App>, Principal(owner): Principal) -> Outcome<Json<LibraryView>> {
    Ok(Json(app.hub.library(&owner).await?))
}

pub(crate) async fn add(
    State(app): State<App>,
    Principal(owner): Principal,
    Body(asked): Body<AddFolder>,
) -> Outcome<(StatusCode, Json<FolderView>)> {
    if !is_operator(&app, &owner) {
        return Err(operator_alone().into());
    }
    Ok((StatusCode::CREATED, Json(app.hub.add_folder(&owner, asked).await?)))
}

pub(crate) async fn remove(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<FolderId>,
) -> Outcome<Json<FolderView>> {
    // Whether there is a folder is the business of those alone who see it.
    if !is_operator(&app, &owner) && app.hub.library(&owner).await?.folders.iter().any(|it| it.folder_id == id) {
        return Err(operator_alone().into());
    }
    Ok(Json(app.hub.remove_folder(&owner, id).await?))
}

pub(crate) async fn rescan(State(app): State<App>, Principal(owner): Principal) -> Outcome<Json<LibraryView>> {
    Ok(Json(app.hub.rescan_library(&owner).await?))
}

pub(crate) async fn search(
    State(app): State<App>,
    Principal(owner): Principal,
    Params(asked): Params<LibrarySearch>,
) -> Outcome<Json<LibraryHits>> {
    Ok(Json(app.hub.search_library(&owner, asked).await?))
}

/// Folders are paths on the server's machine, where only the operator is at home.
fn is_operator(app: &App, owner: &OwnerId) -> bool {
    app.operator.as_ref().is_some_and(|operator| operator.owner == *owner)
}

fn operator_alone() -> Problem {
    let hint = "Use the token of the file `token` in the data folder, or ask whoever runs the server.";
    Problem::new(Code::Forbidden, "folders are added and removed by the operator alone", hint)
}
