//! The routes of models and their providers.

use axum::{
    http::Method,
    routing::{delete, get, post, put},
};
use protocol::{DefaultModelPut, ModelPage, ModelsChanged, ProviderPut, ProviderTried, ProviderTry};

use super::{Route, route};
use crate::rest::{meta, model_setup};

/// The models, and the operator's choice of them.
pub(super) fn of_models() -> Vec<Route> {
    vec![
        route(
            Method::GET,
            "/api/v1/models",
            "The models, with their figures and where each figure comes from.",
            || get(meta::models),
        )
        .answers::<ModelPage>(200),
        route(
            Method::POST,
            "/api/v1/models/refresh",
            "Asks every provider for its models again, and lists them. For the operator only.",
            || post(meta::refresh_models),
        )
        .answers::<ModelPage>(200),
        route(
            Method::POST,
            "/api/v1/models/try",
            "Tries a provider out with a real request, and stores nothing. For the operator only.",
            || post(model_setup::try_out),
        )
        .takes::<ProviderTry>()
        .answers::<ProviderTried>(200),
        route(
            Method::PUT,
            "/api/v1/models/providers/{provider}",
            "Stores a provider with its key, which holds from the next turn on. For the operator only.",
            || put(model_setup::put),
        )
        .takes::<ProviderPut>()
        .answers::<ModelsChanged>(200),
        route(
            Method::DELETE,
            "/api/v1/models/providers/{provider}",
            "Forgets a stored provider and its key. For the operator only.",
            || delete(model_setup::remove),
        )
        .answers::<ModelsChanged>(200),
        route(
            Method::PUT,
            "/api/v1/models/default",
            "Stores the models that answer wherever none is named. For the operator only.",
            || put(model_setup::put_default),
        )
        .takes::<DefaultModelPut>()
        .answers::<ModelsChanged>(200),
    ]
}
