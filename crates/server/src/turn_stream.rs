//! A turn as a stream of text and a final state, for APIs that know nothing else of a turn. The
//! model's reasoning is part of it for those who want it.

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

/// The next item of a stream with reasoning.
pub(crate) enum TurnPart {
    /// More of the model's reasoning.
    Thought(String),
    /// Anything else.
    Update(TurnUpdate),
}

/// A turn that is followed until it ends or waits for a decision.
pub(crate) struct TurnStream {
    hub: Hub,
    owner: OwnerId,
    turn_id: TurnId,
    feed: Subscription,
    text: KnownRange,
    thoughts: KnownRange,
    /// Whether reasoning is part of the stream.
    has_thoughts: bool,
    /// An item that was peeked at.
    ahead: Option<Result<TurnPart, Error>>,
}

/// How much of a text is known.
#[derive(Default)]
struct KnownRange {
    /// Number of code points.
    chars: u64,
    is_joined: bool,
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
        Ok(Self {
            hub: hub.clone(),
            owner: owner.clone(),
            turn_id,
            feed,
            text: KnownRange::default(),
            thoughts: KnownRange::default(),
            has_thoughts: false,
            ahead: None,
        })
    }

    /// Makes reasoning part of the stream, which [`Self::next_part`] returns.
    pub(crate) fn with_thoughts(&mut self, has_thoughts: bool) {
        self.has_thoughts = has_thoughts;
    }

    /// Peeks at the next item, for at most this long. `next` and `next_part` still return it.
    pub(crate) async fn peek(&mut self, patience: Duration) -> Option<&Result<TurnPart, Error>> {
        if self.ahead.is_none() {
            self.ahead = tokio::time::timeout(patience, self.next_part()).await.ok();
        }
        self.ahead.as_ref()
    }

    /// The next item without reasoning. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<TurnUpdate, Error> {
        loop {
            if let TurnPart::Update(update) = self.next_part().await? {
                return Ok(update);
            }
        }
    }

    /// The next item. Cancel safe.
    pub(crate) async fn next_part(&mut self) -> Result<TurnPart, Error> {
        if let Some(ahead) = self.ahead.take() {
            return ahead;
        }
        loop {
            let fresh = match self.feed.next().await? {
                Delivery::Live(LiveUpdate::Text(live)) if live.turn_id == self.turn_id => self.words(&live.data),
                Delivery::Live(LiveUpdate::Thinking(live)) if live.turn_id == self.turn_id => self.thought(&live.data),
                Delivery::Event(event) if event.turn_id == Some(self.turn_id) => match &event.body {
                    Body::Text(range) => self.words(range),
                    Body::Thinking(range) => self.thought(range),
                    Body::TurnStatus(change) if change.status == Transition::Resumed => {
                        self.text.chars = self.text.chars.min(change.text_offset.unwrap_or(self.text.chars));
                        None
                    }
                    Body::TurnStatus(_) => self.settled().await?,
                    _ => None,
                },
                Delivery::Live(_) | Delivery::Event(_) => None,
            };
            if let Some(fresh) = fresh {
                return Ok(fresh);
            }
        }
    }

    fn words(&mut self, range: &TextDelta) -> Option<TurnPart> {
        self.text.fresh(range).map(|words| TurnPart::Update(TurnUpdate::Words(words)))
    }

    fn thought(&mut self, range: &TextDelta) -> Option<TurnPart> {
        if self.has_thoughts { self.thoughts.fresh(range).map(TurnPart::Thought) } else { None }
    }

    async fn settled(&self) -> Result<Option<TurnPart>, Error> {
        let turn = self.hub.turn(&self.owner, self.turn_id).await?;
        // The turn may have ended since the event was journaled.
        let is_settled = !turn.status.is_moving();
        Ok(is_settled.then(|| TurnPart::Update(TurnUpdate::Settled(Box::new(turn)))))
    }
}

impl KnownRange {
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
