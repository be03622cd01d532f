//! `start`: the first event of a session.

use std::collections::BTreeSet;

use protocol::{Body, Event, OwnerId, SessionId, SessionStart, SessionStarted, Settings, Timestamp};

use super::{check_budgets, check_models, check_title};
use crate::refusal::Refusal;

/// The first event of a new session.
pub fn start(id: SessionId, owner: OwnerId, asked: SessionStart, now: Timestamp) -> Result<Event, Refusal> {
    let settings = Settings {
        model: asked.model,
        model_settings: asked.model_settings.unwrap_or_default(),
        agent_settings: asked.agent_settings.unwrap_or_default(),
        model_overrides: asked.model_overrides.unwrap_or_default(),
        pinned_tools: asked.pinned_tools.unwrap_or_default(),
        budgets: asked.budgets.unwrap_or_default(),
        policy: asked.policy.unwrap_or_default(),
        preferences: asked.preferences,
        imported: BTreeSet::new(),
    };
    check_budgets(&settings.budgets)?;
    check_models(&settings)?;
    check_title(&settings)?;
    let started = SessionStarted {
        owner,
        key: asked.key,
        settings,
        forked_from: None,
        imported: None,
        temporary: asked.temporary,
    };
    Ok(Event { seq: 1, session_id: id, turn_id: None, agent_id: None, at: now, body: Body::SessionStarted(started) })
}
