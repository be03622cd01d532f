//! Striking words out of a session, by the one actor that may write to it.

use journal::{Lease, Strike, Summary};
use session::{Forgetting, State, strike};

use super::mail::Reply;
use crate::{Error, hub::House};

/// Events read at once.
const PAGE: usize = 1_000;

/// What is to be struck out, and who wants to know.
pub(super) struct Forget {
    pub(super) forgetting: Forgetting,
    pub(super) reply: Reply<u64>,
}

impl Forget {
    /// Strikes the words out; whether the state in memory is worth nothing any more.
    pub(super) async fn carry_out(self, house: &House, lease: Lease, state: &State) -> bool {
        let result = strike_out(house, lease, state, &self.forgetting).await;
        let is_rewritten = !matches!(result, Ok(0) | Err(Error::InUse { .. }));
        // A caller that has gone needs no answer.
        let _ = self.reply.send(result);
        is_rewritten
    }
}

async fn strike_out(house: &House, lease: Lease, state: &State, forgetting: &Forgetting) -> Result<u64, Error> {
    if let Some(turn) = state.open_turns().next() {
        return Err(Error::InUse { session_id: state.id, turn_id: turn.id });
    }
    let mut events = Vec::new();
    loop {
        let after = events.last().map_or(0, |event: &protocol::Event| event.seq);
        let page = house.store.read(state.id, after, PAGE).await?;
        let is_last = page.len() < PAGE;
        events.extend(page);
        if is_last {
            break;
        }
    }
    let struck = strike(&events, forgetting);
    if struck.is_empty() {
        return Ok(0);
    }
    for (seq, body) in &struck {
        if let Some(event) = events.iter_mut().find(|event| event.seq == *seq) {
            event.body = body.clone();
        }
    }
    // The catalog shows the beginning of the first message.
    let mut rest = events.iter();
    let fresh = rest.next().and_then(State::begin).map(|first| {
        rest.fold(first, |mut state, event| {
            state.apply(event);
            state
        })
    });
    let summary = fresh.map(|state| Box::new(Summary { view: state.view(), is_moving: state.needs_care() }));
    let count = struck.len() as u64;
    let strikes = struck.into_iter().map(|(seq, body)| Strike { seq, body }).collect();
    house.store.strike(lease, strikes, summary).await?;
    Ok(count)
}
