//! `update`: settings change as a whole, guarded by the version.

use protocol::{Body, SettingsChanged, Update};

use super::{check_active, check_budgets, check_title, check_version};
use crate::{
    decision::{Decision, Outcome},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, change: Update) -> Result<Decision, Refusal> {
    check_active(state)?;
    check_version(state, change.version)?;
    let mut settings = state.settings.clone();
    let policy = change.policy.as_ref().unwrap_or(&settings.policy);
    let is_other = change.model.as_ref().is_some_and(|model| settings.model.as_ref() != Some(model));
    // Both must let go of the model: one update cannot open the lock and slip through.
    if is_other && (settings.policy.fixed_model || policy.fixed_model) {
        return Err(Refusal::FixedModel);
    }
    settings.model = change.model.or(settings.model);
    settings.budgets = change.budgets.unwrap_or(settings.budgets);
    check_budgets(&settings.budgets)?;
    settings.policy = change.policy.unwrap_or(settings.policy);
    for (key, value) in change.preferences {
        if value.is_null() {
            settings.preferences.remove(&key);
        } else {
            settings.preferences.insert(key, value);
        }
    }
    check_title(&settings)?;
    let mut decision = Decision::nothing(Outcome::Done);
    if settings != state.settings {
        decision.session_event(Body::SessionUpdated(SettingsChanged { settings }));
    }
    Ok(decision)
}
