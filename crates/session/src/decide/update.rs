//! `update`: replaces settings as a whole, guarded by the version.

use protocol::{Body, SessionStatus, SettingsChanged, Update};

use super::{check_active, check_budgets, check_models, check_title, check_version};
use crate::{
    decision::{CommandDecision, CommandOutcome},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, change: Update) -> Result<CommandDecision, Refusal> {
    // An expired session can still be kept by its user, and get a title.
    let is_about_keeping = change.model.is_none() && change.budgets.is_none() && change.policy.is_none();
    if state.status != SessionStatus::Expired || !is_about_keeping {
        check_active(state)?;
    }
    check_version(state, change.version)?;
    let mut settings = state.settings.clone();
    let policy = change.policy.as_ref().unwrap_or(&settings.policy);
    let is_other = change.model.as_ref().is_some_and(|model| settings.model.as_ref() != Some(model));
    // The model must be free before and after the update: one update cannot both lift the
    // restriction and change the model.
    if is_other && (settings.policy.fixed_model || policy.fixed_model) {
        return Err(Refusal::FixedModel);
    }
    settings.model = change.model.or(settings.model);
    settings.model_settings = change.model_settings.unwrap_or(settings.model_settings);
    settings.agent_settings = change.agent_settings.unwrap_or(settings.agent_settings);
    settings.model_overrides = change.model_overrides.unwrap_or(settings.model_overrides);
    settings.pinned_tools = change.pinned_tools.unwrap_or(settings.pinned_tools);
    check_models(&settings)?;
    settings.budgets = change.budgets.unwrap_or(settings.budgets);
    check_budgets(&settings.budgets)?;
    settings.policy = change.policy.unwrap_or(settings.policy);
    for (key, value) in change.preferences {
        // A preference that is set here is no longer an imported one.
        settings.imported.remove(&key);
        if value.is_null() {
            settings.preferences.remove(&key);
        } else {
            settings.preferences.insert(key, value);
        }
    }
    check_title(&settings)?;
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    if settings != state.settings {
        decision.session_event(Body::SessionUpdated(SettingsChanged { settings }));
    }
    Ok(decision)
}
