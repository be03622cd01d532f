//! `expire`: silence becomes an answer, from the user, from apps and from clients.

use protocol::Timestamp;

use super::{app, approve, client, dialog};
use crate::{decision::Decision, state::State};

pub(super) fn decide(state: &State, now: Timestamp) -> Decision {
    let mut decision = approve::expire(state, now);
    dialog::expire(state, &mut decision, now);
    app::expire(state, &mut decision, now);
    client::expire(state, &mut decision, now);
    decision
}
