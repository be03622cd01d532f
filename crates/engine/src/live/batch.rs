//! Decisions that share one commit, and who waits for it.

use futures::future::BoxFuture;
use journal::{Append, Lease, Store, Summary};
use protocol::{Body, Event};
use session::{Effect, State};
use std::sync::Arc;

use super::mail::Reply;
use crate::Error;

/// Tells one caller, once it is known whether the batch was written.
type Answer = Box<dyn FnOnce(&Result<(), Error>) + Send>;

/// Decisions taken but not yet written. Nobody hears of them, nor of anything seen in their light, before they are.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) events: Vec<Event>,
    pub(super) effects: Vec<Effect>,
    answers: Vec<Answer>,
}

impl Batch {
    /// Whether nothing has been decided and nobody waits.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.answers.is_empty()
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
            return Writing { written: Box::pin(async { Ok(()) }), count, published: Vec::new(), batch: self };
        }
        let summary =
            self.changes_catalog().then(|| Box::new(Summary { view: state.view(), is_moving: state.needs_care() }));
        let events = std::mem::take(&mut self.events);
        let published = if is_followed { events.clone() } else { Vec::new() };
        let append = Append { expected_head: state.head - count, events, summary };
        let store = store.clone();
        let written = Box::pin(async move { Ok(store.append(lease, append).await?) });
        Writing { written, count, published, batch: self }
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
    /// The events, if anybody follows.
    pub(super) published: Vec<Event>,
    /// What waits for them.
    pub(super) batch: Batch,
}

impl Writing {
    /// Waits until it is written, or has failed. Can be given up and waited for again.
    pub(super) async fn written(writing: &mut Option<Self>) -> Result<(), Error> {
        match writing {
            Some(writing) => (&mut writing.written).await,
            None => std::future::pending().await,
        }
    }
}
