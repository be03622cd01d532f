//! Receive: the message is taken up, and who answers it is looked up. That it was taken up is in the journal already.

use std::sync::Arc;

use model::Model;
use protocol::TurnError;

use super::{Halt, model_call, work::Work};

/// The models to ask, in order. A name that nothing answers to ends the turn with what to do about it.
pub(super) async fn enter(work: &mut Work) -> Result<Vec<Arc<dyn Model>>, Halt> {
    work.listen();
    let request = &work.job.turn.request;
    let asked = request.model.as_deref().or(work.job.settings.model.as_deref());
    work.house.models.ready(asked, work.house.world.now()).await;
    let chain = work
        .house
        .models
        .find_in(asked, &work.job.settings.model_overrides, work.job.settings.budgets.context_tokens)
        .map_err(|error| {
            Halt::from(TurnError {
                code: error.code().to_owned(),
                message: error.to_string(),
                recoverable: false,
                details: Some(serde_json::json!({ "model": asked })),
            })
        })?;
    let Some(first) = chain.first() else { return Err(model_call::nobody().into()) };
    work.model = first.name().to_owned();
    Ok(chain)
}
