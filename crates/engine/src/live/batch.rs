//! Decisions that share one commit.

use protocol::{Body, Event};
use session::{Effect, Outcome};

use super::mail::Reply;
use crate::Error;

/// Decisions taken but not yet committed. Nobody hears of them before they are.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) events: Vec<Event>,
    pub(super) effects: Vec<Effect>,
    replies: Vec<(Reply<Outcome>, Outcome)>,
}

impl Batch {
    pub(super) fn answer_later(&mut self, reply: Reply<Outcome>, outcome: Outcome) {
        self.replies.push((reply, outcome));
    }

    /// Whether the session's entry in the catalog changes with it. What a turn does on its way leaves it as it is.
    pub(super) fn changes_catalog(&self) -> bool {
        self.events.iter().any(|event| {
            !matches!(
                event.body,
                Body::Text(_) | Body::Step(_) | Body::TurnStage(_) | Body::Final(_) | Body::MessageQueued(_)
            )
        })
    }

    /// Tells everybody who waits. A caller that has gone needs no answer.
    pub(super) fn answer(&mut self, committed: &Result<(), Error>) {
        for (reply, outcome) in self.replies.drain(..) {
            let _ = reply.send(committed.clone().map(|()| outcome));
        }
    }
}
