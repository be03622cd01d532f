//! Receive: selects the models that answer. The journal has already recorded that the turn started.

use std::sync::Arc;

use model::Model;
use protocol::TurnError;

use super::{Halt, model_call, state::TurnState};

/// The models to call, in order. An unknown name ends the turn with a hint.
pub(super) async fn enter(state: &mut TurnState) -> Result<Vec<Arc<dyn Model>>, Halt> {
    state.read_inbox();
    let request = &state.input.turn.request;
    let asked = request.model.as_deref().or(state.input.settings.model.as_deref());
    state.services.models.ready(asked, state.services.world.now()).await;
    let chain = state
        .services
        .models
        .find_in(asked, &state.input.settings.model_overrides, state.input.settings.budgets.context_tokens)
        .map_err(|error| {
            Halt::from(TurnError {
                code: error.code().to_owned(),
                message: error.to_string(),
                recoverable: false,
                details: Some(serde_json::json!({ "model": asked })),
            })
        })?;
    let Some(first) = chain.first() else { return Err(model_call::no_model().into()) };
    state.model = first.name().to_owned();
    Ok(chain)
}
