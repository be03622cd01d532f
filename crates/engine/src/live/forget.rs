//! Redaction of a session's events, by the one actor that may write to it.

use journal::{Lease, RedactedEvent, SessionSummary};
use session::{Redaction, State, redact_events};

use super::mail::ReplySender;
use crate::{Error, hub::Services};

/// Events read at once.
const PAGE: usize = 1_000;

/// A redaction, and the caller that waits for it.
pub(super) struct ForgetRequest {
    pub(super) redaction: Redaction,
    pub(super) reply: ReplySender<u64>,
}

impl ForgetRequest {
    /// Carries out the redaction. Returns whether the state in memory is no longer valid.
    pub(super) async fn carry_out(self, services: &Services, lease: Lease, state: &State) -> bool {
        let result = redact_records(services, lease, state, &self.redaction).await;
        let is_rewritten = !matches!(result, Ok(0) | Err(Error::InUse { .. }));
        // A caller that has gone needs no answer.
        let _ = self.reply.send(result);
        is_rewritten
    }
}

async fn redact_records(
    services: &Services,
    lease: Lease,
    state: &State,
    forgetting: &Redaction,
) -> Result<u64, Error> {
    if let Some(turn) = state.open_turns().next() {
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
    let struck = redact_events(&events, forgetting);
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
    let summary = fresh.map(|state| Box::new(SessionSummary { view: state.view(), is_moving: state.needs_recovery() }));
    let count = struck.len() as u64;
    let strikes = struck.into_iter().map(|(seq, body)| RedactedEvent { seq, body }).collect();
    services.store.redact(lease, strikes, summary).await?;
    Ok(count)
}
