//! A turn as doors tell it that know words and an end, and nothing between: first its words, then how it stands.

use std::time::Duration;

use engine::{Delivery, Error, Hub, Subscription};
use protocol::{Body, Live, OwnerId, SessionId, Text, Transition, TurnId, TurnView};

/// Something to tell of a turn.
pub(crate) enum Told {
    /// More of the answer.
    Words(String),
    /// It has ended, or waits for somebody.
    Settled(Box<TurnView>),
}

/// A turn that is followed until it ends or waits for somebody.
pub(crate) struct Telling {
    hub: Hub,
    owner: OwnerId,
    turn_id: TurnId,
    feed: Subscription,
    /// Code points of its text that are known, once there is any.
    chars: u64,
    is_joined: bool,
    /// What was looked at before it was told.
    ahead: Option<Result<Told, Error>>,
}

impl Telling {
    /// Follows a turn from a number on; words before it are not told.
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

    /// Looks at what is to be told next, for as long as the caller has patience. It is told all the same.
    pub(crate) async fn peek(&mut self, patience: Duration) -> Option<&Result<Told, Error>> {
        if self.ahead.is_none() {
            self.ahead = tokio::time::timeout(patience, self.next()).await.ok();
        }
        self.ahead.as_ref()
    }

    /// What is to be told next. Dropping this loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Told, Error> {
        if let Some(ahead) = self.ahead.take() {
            return ahead;
        }
        loop {
            match self.feed.next().await? {
                Delivery::Live(Live::Text(live)) if live.turn_id == self.turn_id => {
                    if let Some(words) = self.fresh(&live.data) {
                        return Ok(Told::Words(words));
                    }
                }
                Delivery::Event(event) if event.turn_id == Some(self.turn_id) => match &event.body {
                    Body::Text(range) => {
                        if let Some(words) = self.fresh(range) {
                            return Ok(Told::Words(words));
                        }
                    }
                    Body::TurnStatus(change) if change.status == Transition::Resumed => {
                        self.chars = self.chars.min(change.text_offset.unwrap_or(self.chars));
                    }
                    Body::TurnStatus(_) => {
                        let turn = self.hub.turn(&self.owner, self.turn_id).await?;
                        // What is read from the journal may be over by now.
                        if !turn.status.is_moving() {
                            return Ok(Told::Settled(Box::new(turn)));
                        }
                    }
                    _ => {}
                },
                Delivery::Live(_) | Delivery::Event(_) => {}
            }
        }
    }

    /// What a range adds to what is known: live words come again with their number.
    fn fresh(&mut self, range: &Text) -> Option<String> {
        // Whoever joins in the middle has not missed what was said before.
        self.chars = if self.is_joined { self.chars } else { range.offset };
        self.is_joined = true;
        let known = usize::try_from(self.chars.saturating_sub(range.offset)).unwrap_or(usize::MAX);
        let fresh: String = range.delta.chars().skip(known).collect();
        self.chars += fresh.chars().count() as u64;
        (!fresh.is_empty()).then_some(fresh)
    }
}
