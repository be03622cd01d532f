//! `start`: the first event of a session.

use protocol::{Body, Event, ForkOrigin, OwnerId, SessionId, Settings, Start, Started, Timestamp};

/// The first event of a new session.
pub fn start(id: SessionId, owner: OwnerId, asked: Start, forked_from: Option<ForkOrigin>, now: Timestamp) -> Event {
    let settings = Settings {
        model: asked.model,
        budgets: asked.budgets.unwrap_or_default(),
        policy: asked.policy.unwrap_or_default(),
        preferences: asked.preferences,
    };
    let started = Started { owner, key: asked.key, settings, forked_from };
    Event { seq: 1, session_id: id, turn_id: None, agent_id: None, at: now, body: Body::SessionStarted(started) }
}
