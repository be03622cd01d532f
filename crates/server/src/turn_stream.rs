//! A turn as a stream of text and a final state, for APIs that know nothing else of a turn.

use std::time::Duration;

use engine::{Delivery, Error, Hub, Subscription};
use protocol::{Body, LiveUpdate, OwnerId, SessionId, TextDelta, Transition, TurnId, TurnView};

/// The next item of the stream.
pub(crate) enum TurnUpdate {
    /// More of the answer.
    Words(String),
    /// It has ended, or waits for a decision.
    Settled(Box<TurnView>),
}

/// A turn that is followed until it ends or waits for a decision.
pub(crate) struct TurnStream {
    hub: Hub,
    owner: OwnerId,
    turn_id: TurnId,
    feed: Subscription,
    /// Number of code points of its text that are known.
    chars: u64,
    is_joined: bool,
    /// An item that was peeked at.
    ahead: Option<Result<TurnUpdate, Error>>,
}

impl TurnStream {
    /// Follows a turn from an event number on; earlier text is skipped.
    pub(crate) async fn of(
        hub: &Hub,
        owner: &OwnerId,
        session_id: SessionId,
        turn_id: TurnId,
        after: u64,
    ) -> Result<Self, Error> {
        let feed = hub.subscribe(owner, session_id, after).await?;
        Ok(Self { hub: hub.clone(), owner: owner.clone(), turn_id, feed, chars: 0, is_joined: false, ahead: None })
    }

    /// Peeks at the next item, for at most this long. `next` still returns it.
    pub(crate) async fn peek(&mut self, patience: Duration) -> Option<&Result<TurnUpdate, Error>> {
        if self.ahead.is_none() {
            self.ahead = tokio::time::timeout(patience, self.next()).await.ok();
        }
        self.ahead.as_ref()
    }

    /// The next item. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<TurnUpdate, Error> {
        if let Some(ahead) = self.ahead.take() {
            return ahead;
        }
        loop {
            match self.feed.next().await? {
                Delivery::Live(LiveUpdate::Text(live)) if live.turn_id == self.turn_id => {
                    if let Some(words) = self.fresh(&live.data) {
                        return Ok(TurnUpdate::Words(words));
                    }
                }
                Delivery::Event(event) if event.turn_id == Some(self.turn_id) => match &event.body {
                    Body::Text(range) => {
                        if let Some(words) = self.fresh(range) {
                            return Ok(TurnUpdate::Words(words));
                        }
                    }
                    Body::TurnStatus(change) if change.status == Transition::Resumed => {
                        self.chars = self.chars.min(change.text_offset.unwrap_or(self.chars));
                    }
                    Body::TurnStatus(_) => {
                        let turn = self.hub.turn(&self.owner, self.turn_id).await?;
                        // The turn may have ended since the event was journaled.
                        if !turn.status.is_moving() {
                            return Ok(TurnUpdate::Settled(Box::new(turn)));
                        }
                    }
                    _ => {}
                },
                Delivery::Live(_) | Delivery::Event(_) => {}
            }
        }
    }

    /// The part of a range that is not known yet: live text arrives again as a numbered event.
    fn fresh(&mut self, range: &TextDelta) -> Option<String> {
        // A client that joins in the middle starts at the first range.
        self.chars = if self.is_joined { self.chars } else { range.offset };
        self.is_joined = true;
        let known = usize::try_from(self.chars.saturating_sub(range.offset)).unwrap_or(usize::MAX);
        let fresh: String = range.delta.chars().skip(known).collect();
        self.chars += fresh.chars().count() as u64;
        (!fresh.is_empty()).then_some(fresh)
    }
}
