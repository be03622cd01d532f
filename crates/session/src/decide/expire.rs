//! `expire`: settles questions to the user, to apps and to clients whose deadline has passed.

use protocol::Timestamp;

use super::{app, approve, client, dialog};
use crate::{decision::CommandDecision, state::State};

pub(super) fn decide(state: &State, now: Timestamp) -> CommandDecision {
    let mut decision = approve::expire(state, now);
    dialog::expire(state, &mut decision, now);
    app::expire(state, &mut decision, now);
    client::expire(state, &mut decision, now);
    decision
}
