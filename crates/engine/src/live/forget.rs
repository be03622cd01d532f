//! Redaction of a session's events, by the one actor that may write to it.

use journal::{Lease, RedactedEvent};
use protocol::TurnId;
use session::{Redaction, State, redact_events};

use super::{batch::summarize, mail::ReplySender};
use crate::{Error, hub::Services};

/// Events read at once.
const PAGE: usize = 1_000;

/// A redaction, and the caller that waits for it.
pub(super) struct ForgetRequest {
    pub(super) redaction: Redaction,
    /// The turn that asks for it, which stays open.
    pub(super) within: Option<TurnId>,
    pub(super) reply: ReplySender<u64>,
}

impl ForgetRequest {
    /// Carries out the redaction. Returns whether the state in memory is no longer valid.
    /// Within an open turn the state is replaced by that of the redacted events, so that the turn
    /// goes on.
    pub(super) async fn carry_out(self, services: &Services, lease: Lease, state: &mut State) -> bool {
        let result = redact_records(services, lease, state, &self.redaction, self.within).await;
        let mut is_rewritten = !matches!(result, Ok((0, _)) | Err(Error::InUse { .. }));
        let result = result.map(|(count, fresh)| {
            if let (Some(_), Some(fresh)) = (self.within, fresh) {
                *state = *fresh;
                is_rewritten = false;
            }
            count
        });
        // A caller that has gone needs no answer.
        let _ = self.reply.send(result);
        is_rewritten
    }
}

/// The number of redacted events, and the state after them.
type RedactedState = (u64, Option<Box<State>>);

async fn redact_records(
    services: &Services,
    lease: Lease,
    state: &State,
    forgetting: &Redaction,
    within: Option<TurnId>,
) -> Result<RedactedState, Error> {
    if let Some(turn) = state.open_turns().find(|turn| Some(turn.id) != within) {
        return Err(Error::InUse { session_id: state.id, turn_id: turn.id });
    }
    let mut events = Vec::new();
    loop {
        let after = events.last().map_or(0, |event: &protocol::Event| event.seq);
        let page = services.store.read(state.id, after, PAGE).await?;
        let is_last = page.len() < PAGE;
        events.extend(page);
        if is_last {
            break;
        }
    }
    let mut struck = redact_events(&events, forgetting);
    let is_within = |seq: u64| events.iter().any(|event| event.seq == seq && event.turn_id == within);
    struck.retain(|(seq, _)| within.is_none() || !is_within(*seq));
    if struck.is_empty() {
        return Ok((0, None));
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
    let fresh = fresh.map(Box::new);
    let summary = fresh.as_deref().map(|state| Box::new(summarize(state, &events)));
    let count = struck.len() as u64;
    let strikes = struck.into_iter().map(|(seq, body)| RedactedEvent { seq, body }).collect();
    services.store.redact(lease, strikes, summary).await?;
    Ok((count, fresh))
}
