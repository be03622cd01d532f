//! Decisions that share one commit, and the callers that wait for it.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use journal::{Append, BackgroundEntry, Lease, ScheduleEntry, SessionSummary, Store};
use protocol::{AgentKind, AlertEvent, Body, Event, ScheduleId, TurnId, TurnStatus};
use schedule::ScheduleStatus;
use session::{Effect, State};
use tokio::time::Instant;

use super::{mail::ReplySender, triggers};
use crate::{Error, plans::EndedTurn};

/// The longest delay of events that no caller waits for. Usually something urgent follows sooner,
/// and one flush of the disk serves both.
const WAIT_MAX: Duration = Duration::from_millis(20);

/// Answers one caller, once it is known whether the batch was written.
type CommitCallback = Box<dyn FnOnce(&Result<(), Error>) + Send>;

/// Decisions that are not written yet. Neither they nor anything that depends on them is published
/// before they are.
#[derive(Default)]
pub(super) struct CommitBatch {
    events: Vec<Arc<Event>>,
    effects: Vec<Effect>,
    answers: Vec<CommitCallback>,
    /// Turns that it ends.
    ended: Vec<EndedTurn>,
    is_urgent: bool,
    /// The latest time to write it.
    due: Option<Instant>,
    /// Turns with text in it that subscribers see only with the event.
    unpublished_text: BTreeSet<TurnId>,
}

impl CommitBatch {
    /// Whether it contains no decisions, no effects and no waiting callers. What a restart starts
    /// again has effects and nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.answers.is_empty() && self.effects.is_empty()
    }

    /// Adds an event.
    pub(super) fn push(&mut self, event: Event) {
        self.due.get_or_insert_with(|| Instant::now() + WAIT_MAX);
        self.events.push(Arc::new(event));
    }

    /// Adds effects to run after the write, which makes the batch urgent.
    pub(super) fn then(&mut self, effects: Vec<Effect>) {
        self.is_urgent |= !effects.is_empty();
        self.effects.extend(effects);
    }

    /// Other sessions are told of an ended turn after the write.
    pub(super) fn tell_ended(&mut self, ended: Option<EndedTurn>) {
        self.ended.extend(ended);
    }

    /// Takes the ended turns, now that the batch is written.
    pub(super) fn take_ended(&mut self) -> Vec<EndedTurn> {
        std::mem::take(&mut self.ended)
    }

    /// Makes the batch urgent.
    pub(super) const fn hurry(&mut self) {
        self.is_urgent = true;
    }

    /// When it is to be written; `None` while there is nothing to write.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.is_empty() {
            return None;
        }
        if self.is_urgent || !self.answers.is_empty() { Some(Instant::now()) } else { self.due }
    }

    /// Whether it is to be written now.
    pub(super) fn is_due(&self) -> bool {
        self.due().is_some_and(|due| due <= Instant::now())
    }

    /// Whether it has no events.
    pub(super) fn has_no_events(&self) -> bool {
        self.events.is_empty()
    }

    /// Whether it contains events of a turn that clients must receive before the text that follows.
    pub(super) fn holds_text(&self, turn_id: TurnId) -> bool {
        self.unpublished_text.contains(&turn_id) || has_other_than_text(&self.events, turn_id)
    }

    /// Holds later text of a turn until the batch is written: it has text that was not published.
    pub(super) fn hold_text(&mut self, turn_id: TurnId) {
        self.unpublished_text.insert(turn_id);
    }

    /// How many callers wait.
    pub(super) fn waiting(&self) -> usize {
        self.answers.len()
    }

    /// Answers a caller once the batch is written; a caller that has gone by then needs no answer.
    pub(super) fn answer_later<T: Send + 'static>(&mut self, reply: ReplySender<T>, answer: Result<T, Error>) {
        self.answers.push(Box::new(move |written| {
            let _ = reply.send(written.clone().and(answer));
        }));
    }

    /// Answers all waiting callers.
    pub(super) fn answer(&mut self, written: &Result<(), Error>) {
        for answer in self.answers.drain(..) {
            answer(written);
        }
    }

    /// Starts to write the batch; `state` is the state after it.
    pub(super) fn write(
        mut self,
        store: &Arc<dyn Store>,
        lease: Lease,
        state: &State,
        is_followed: bool,
    ) -> PendingWrite {
        let count = self.events.len() as u64;
        if count == 0 {
            let written = Box::pin(async { Ok(()) });
            return PendingWrite { written, count, published: Arc::default(), is_followed, batch: self };
        }
        let changes_catalog = self.events.iter().any(|event| event.body.changes_catalog());
        let summary = changes_catalog.then(|| Box::new(summarize(state, &self.events)));
        let events: Arc<[Arc<Event>]> = std::mem::take(&mut self.events).into();
        let published = events.clone();
        let append = Append { expected_head: state.head - count, events, summary };
        let store = store.clone();
        let written = Box::pin(async move { Ok(store.append(lease, append).await?) });
        PendingWrite { written, count, published, is_followed, batch: self }
    }

    /// Takes the effects to run now that the batch is written.
    pub(super) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }
}

/// The catalog entry of a session after these events.
pub(crate) fn summarize<E: std::borrow::Borrow<Event>>(state: &State, events: &[E]) -> SessionSummary {
    let bodies = || events.iter().map(|event| &event.borrow().body);
    let changed: BTreeSet<ScheduleId> = bodies()
        .filter_map(|body| match body {
            Body::Schedule(happened) => Some(happened.schedule_id()),
            _ => None,
        })
        .collect();
    let schedules = changed.into_iter().filter_map(|id| {
        let schedule = state.schedules.get(id)?;
        let is_active = schedule.status == ScheduleStatus::Active;
        let entity = triggers::key(&state.owner, schedule).filter(|_| is_active).map(|key| key.to_string());
        Some(ScheduleEntry { id, entity })
    });
    let alerts = bodies().filter_map(|body| match body {
        Body::Alert(AlertEvent::Raised { alert }) => Some(alert.alert_id),
        _ => None,
    });
    let background = events.iter().filter_map(|event| {
        let event = event.borrow();
        let turn_id = event.turn_id?;
        let is_background = event.agent_id.as_ref()?.kind() == Some(AgentKind::Background);
        let is_change = match &event.body {
            Body::MessageAccepted(_) => true,
            Body::TurnStatus(change) => change.status.status().is_final(),
            _ => false,
        };
        let is_open = state.open_turn(turn_id).is_some();
        (is_background && is_change).then_some(BackgroundEntry { turn_id, is_open })
    });
    SessionSummary {
        background: background.collect(),
        wake_at: state.wake_at(),
        schedules: schedules.collect(),
        alerts: alerts.collect(),
        ..SessionSummary::new(state.view(), state.needs_recovery())
    }
}

/// A batch that is being written.
pub(super) struct PendingWrite {
    written: BoxFuture<'static, Result<(), Error>>,
    /// The number of its events.
    pub(super) count: u64,
    /// The events.
    published: Arc<[Arc<Event>]>,
    /// Whether a client follows the session.
    is_followed: bool,
    /// The callers and effects that wait for it.
    pub(super) batch: CommitBatch,
}

/// Whether there are events of a turn other than its text.
fn has_other_than_text(events: &[Arc<Event>], turn_id: TurnId) -> bool {
    let is_words = |event: &Event| matches!(event.body, Body::Text(_) | Body::Thinking(_));
    events.iter().any(|event| event.turn_id == Some(turn_id) && !is_words(event))
}

impl PendingWrite {
    /// Whether later text of a turn has to wait for it.
    pub(super) fn holds_text(&self, turn_id: TurnId) -> bool {
        self.batch.holds_text(turn_id) || has_other_than_text(&self.published, turn_id)
    }

    /// The turns that end in it, and how.
    pub(super) fn endings(&self) -> Vec<(TurnId, &'static str)> {
        let ending = |event: &Arc<Event>| {
            let Body::TurnStatus(change) = &event.body else { return None };
            let how = match change.status.status() {
                TurnStatus::Completed => "completed",
                TurnStatus::Cancelled => "cancelled",
                TurnStatus::Expired => "expired",
                TurnStatus::Failed => "failed",
                _ => return None,
            };
            Some((event.turn_id?, how))
        };
        self.published.iter().filter_map(ending).collect()
    }

    /// Whether it changes when the session has to be woken.
    pub(super) fn changes_plans(&self) -> bool {
        let is_plan = |body: &Body| matches!(body, Body::Schedule(_) | Body::Alert(_) | Body::SessionEnded(_));
        self.published.iter().any(|event| is_plan(&event.body))
    }

    /// Its events.
    pub(super) fn events(&self) -> &[Arc<Event>] {
        &self.published
    }

    /// The events for subscribers.
    pub(super) fn take_published(&mut self) -> Arc<[Arc<Event>]> {
        let published = std::mem::take(&mut self.published);
        if self.is_followed { published } else { Arc::default() }
    }

    /// Waits until it is written or has failed. Cancel safe.
    pub(super) async fn written(writing: &mut Option<Self>) -> Result<(), Error> {
        match writing {
            Some(writing) => (&mut writing.written).await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The actor waits until a batch is due; an empty batch that is due would make it spin.
    #[test]
    fn a_batch_without_anything_to_write_is_never_due() {
        let mut batch = CommitBatch::default();
        batch.hurry();
        assert!(batch.due().is_none() && !batch.is_due());
        let (reply, _answer) = tokio::sync::oneshot::channel();
        batch.answer_later(reply, Ok(()));
        assert!(batch.is_due(), "a caller waits");
    }

    /// Text that was numbered while it was held is seen with its event only; text after it must not
    /// overtake it.
    #[test]
    fn numbered_text_that_was_not_published_holds_later_text() {
        let (one, other) = (TurnId::from_bytes([1; 16]), TurnId::from_bytes([2; 16]));
        let mut batch = CommitBatch::default();
        assert!(!batch.holds_text(one));
        batch.hold_text(one);
        assert!(batch.holds_text(one) && !batch.holds_text(other));
    }
}
