//! Decisions that share one commit, and who waits for it.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use journal::{Append, Lease, Store, Summary};
use protocol::{Body, Event, TurnId};
use session::{Effect, State};
use tokio::time::Instant;

use super::mail::Reply;
use crate::Error;

/// What no caller waits for is written this long after it was decided at the latest: mostly something comes before that which has
/// to be written at once, and one flush of the disk serves both.
const WAIT_MAX: Duration = Duration::from_millis(20);

/// Tells one caller, once it is known whether the batch was written.
type Answer = Box<dyn FnOnce(&Result<(), Error>) + Send>;

/// Decisions taken but not yet written. Nobody hears of them, nor of anything seen in their light, before they are.
#[derive(Default)]
pub(super) struct Batch {
    events: Vec<Arc<Event>>,
    effects: Vec<Effect>,
    answers: Vec<Answer>,
    is_urgent: bool,
    /// When it is written at the latest.
    due: Option<Instant>,
}

impl Batch {
    /// Whether nothing has been decided and nobody waits.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.answers.is_empty()
    }

    /// Adds what was decided.
    pub(super) fn push(&mut self, event: Event) {
        self.due.get_or_insert_with(|| Instant::now() + WAIT_MAX);
        self.events.push(Arc::new(event));
    }

    /// Adds what is to be done once it is written, which must not wait.
    pub(super) fn then(&mut self, effects: Vec<Effect>) {
        self.is_urgent |= !effects.is_empty();
        self.effects.extend(effects);
    }

    /// Lets it be written as soon as possible.
    pub(super) const fn hurry(&mut self) {
        self.is_urgent = true;
    }

    /// When it is to be written; none while there is nothing to write.
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

    /// Whether it has something of a turn that clients are told before the words that came after it.
    pub(super) fn holds_text(&self, turn_id: TurnId) -> bool {
        holds_text(&self.events, turn_id)
    }

    /// How many callers wait.
    pub(super) fn waiting(&self) -> usize {
        self.answers.len()
    }

    /// Answers a caller once the batch is written; a caller that has gone by then needs no answer.
    pub(super) fn answer_later<T: Send + 'static>(&mut self, reply: Reply<T>, answer: Result<T, Error>) {
        self.answers.push(Box::new(move |written| {
            let _ = reply.send(written.clone().and(answer));
        }));
    }

    /// Tells everybody who waits.
    pub(super) fn answer(&mut self, written: &Result<(), Error>) {
        for answer in self.answers.drain(..) {
            answer(written);
        }
    }

    /// Starts to write the batch; the state is the one after it.
    pub(super) fn write(mut self, store: &Arc<dyn Store>, lease: Lease, state: &State, is_followed: bool) -> Writing {
        let count = self.events.len() as u64;
        if count == 0 {
            let written = Box::pin(async { Ok(()) });
            return Writing { written, count, published: Arc::default(), is_followed, batch: self };
        }
        let summary =
            self.changes_catalog().then(|| Box::new(Summary { view: state.view(), is_moving: state.needs_care() }));
        let events: Arc<[Arc<Event>]> = std::mem::take(&mut self.events).into();
        let published = events.clone();
        let append = Append { expected_head: state.head - count, events, summary };
        let store = store.clone();
        let written = Box::pin(async move { Ok(store.append(lease, append).await?) });
        Writing { written, count, published, is_followed, batch: self }
    }

    /// Takes what is to be done now that it is written.
    pub(super) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether the session's entry in the catalog changes with it. What a turn does on its way leaves it as it is.
    fn changes_catalog(&self) -> bool {
        self.events.iter().any(|event| {
            !matches!(
                event.body,
                Body::Text(_)
                    | Body::Thinking(_)
                    | Body::Step(_)
                    | Body::TurnStage(_)
                    | Body::MemoryUsed(_)
                    | Body::EntityBase(_)
                    | Body::ResearchStarted(_)
                    | Body::ResearchChunk(_)
                    | Body::ResearchDone(_)
                    | Body::MemoryWritten(_)
                    | Body::SummaryCreated(_)
                    | Body::Final(_)
                    | Body::MessageQueued(_)
                    | Body::Actions(_)
                    | Body::Interacted(_)
                    | Body::WindowAgent(_)
                    | Body::RenderFailed(_)
                    | Body::DialogAnswered(_)
                    | Body::ToastActed(_)
                    | Body::AppReady(_)
                    | Body::AppRequested(_)
                    | Body::AppAnswered(_)
            )
        })
    }
}

/// A batch on its way to the disk.
pub(super) struct Writing {
    written: BoxFuture<'static, Result<(), Error>>,
    /// How many events it has.
    pub(super) count: u64,
    /// The events.
    published: Arc<[Arc<Event>]>,
    /// Whether a client follows the session.
    is_followed: bool,
    /// What waits for them.
    pub(super) batch: Batch,
}

/// Whether there is something of a turn other than its words.
fn holds_text(events: &[Arc<Event>], turn_id: TurnId) -> bool {
    let is_words = |event: &Event| matches!(event.body, Body::Text(_) | Body::Thinking(_));
    events.iter().any(|event| event.turn_id == Some(turn_id) && !is_words(event))
}

impl Writing {
    /// Whether words of a turn that came after it wait for it.
    pub(super) fn holds_text(&self, turn_id: TurnId) -> bool {
        holds_text(&self.published, turn_id)
    }

    /// The events that followers are told.
    pub(super) fn take_published(&mut self) -> Arc<[Arc<Event>]> {
        let published = std::mem::take(&mut self.published);
        if self.is_followed { published } else { Arc::default() }
    }

    /// Waits until it is written, or has failed. Can be given up and waited for again.
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

    /// The actor waits until a batch is due; one that is due without anything to write would keep it busy.
    #[test]
    fn a_batch_without_anything_to_write_is_never_due() {
        let mut batch = Batch::default();
        batch.hurry();
        assert!(batch.due().is_none() && !batch.is_due());
        let (reply, _answer) = tokio::sync::oneshot::channel();
        batch.answer_later(reply, Ok(()));
        assert!(batch.is_due(), "a caller waits");
    }
}
