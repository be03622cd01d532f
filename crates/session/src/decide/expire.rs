//! `expire`: silence becomes an answer, from the user and from apps.

use protocol::Timestamp;

use super::{app, approve, dialog};
use crate::{decision::Decision, state::State};

pub(super) fn decide(state: &State, now: Timestamp) -> Decision {
    let mut decision = approve::expire(state, now);
    dialog::expire(state, &mut decision, now);
    app::expire(state, &mut decision, now);
    decision
}
