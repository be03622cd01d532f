//! Choosing providers and models: for the operator.

use axum::{Json, extract::State};
use protocol::{
    Code, DefaultModelPut, ModelsChanged, OverriddenSetting, Problem, ProviderName, ProviderPut, ProviderTried,
    ProviderTry,
};

use super::{
    extract::{JsonBody, PathId},
    meta::operator,
};
use crate::{ModelSetup, access::Principal, app::AppState, problem::HttpResult};

const REFUSAL: &str = "only the operator can choose providers and models";

pub(crate) async fn try_out(
    State(app): State<AppState>,
    Principal(owner): Principal,
    JsonBody(asked): JsonBody<ProviderTry>,
) -> HttpResult<Json<ProviderTried>> {
    let operator = operator(&app, &owner, REFUSAL)?;
    Ok(Json(configured(operator.models.as_deref())?.try_out(asked).await?))
}

pub(crate) async fn put(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(provider): PathId<ProviderName>,
    JsonBody(asked): JsonBody<ProviderPut>,
) -> HttpResult<Json<ModelsChanged>> {
    let operator = operator(&app, &owner, REFUSAL)?;
    let overridden = configured(operator.models.as_deref())?.put(provider, asked).await?;
    Ok(Json(changed(&app, overridden).await))
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(provider): PathId<ProviderName>,
) -> HttpResult<Json<ModelsChanged>> {
    let operator = operator(&app, &owner, REFUSAL)?;
    let overridden = configured(operator.models.as_deref())?.remove(provider).await?;
    Ok(Json(changed(&app, overridden).await))
}

pub(crate) async fn put_default(
    State(app): State<AppState>,
    Principal(owner): Principal,
    JsonBody(asked): JsonBody<DefaultModelPut>,
) -> HttpResult<Json<ModelsChanged>> {
    let operator = operator(&app, &owner, REFUSAL)?;
    let overridden = configured(operator.models.as_deref())?.put_default(asked).await?;
    Ok(Json(changed(&app, overridden).await))
}

async fn changed(app: &AppState, overridden: Vec<OverriddenSetting>) -> ModelsChanged {
    ModelsChanged { page: app.hub.model_page().await, overridden }
}

fn configured(setup: Option<&dyn ModelSetup>) -> Result<&dyn ModelSetup, Problem> {
    setup.ok_or_else(|| {
        let hint = "Each node has its own configuration; set the providers there, the same on every node.";
        Problem::new(Code::PolicyDenied, "models cannot be chosen here while several nodes share the work", hint)
    })
}
