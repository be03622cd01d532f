//! A subscriber that acts like a careful client: it checks every number, and assembles the text by
//! its offsets.

use std::{collections::HashMap, time::Duration};

use engine::{Delivery, Error, Hub, Subscription};
use protocol::{Body, Event, LiveUpdate, OwnerId, SessionId, StatusChanged, TextDelta, Transition, TurnId};

use crate::harness::within_patience;

/// A subscriber that fails on any inconsistent delivery.
pub(crate) struct Subscriber {
    hub: Hub,
    owner: OwnerId,
    session_id: SessionId,
    subscription: Subscription,
    after: u64,
    events: Vec<Event>,
    /// Text by code point, as offsets count.
    texts: HashMap<TurnId, Vec<char>>,
}

impl Subscriber {
    pub(crate) async fn new(hub: &Hub, owner: &OwnerId, session_id: SessionId) -> Self {
        let subscription = hub.subscribe(owner, session_id, 0).await.unwrap();
        Self {
            hub: hub.clone(),
            owner: owner.clone(),
            session_id,
            subscription,
            after: 0,
            events: Vec::new(),
            texts: HashMap::new(),
        }
    }

    /// The sequence number of the newest event at the moment of joining.
    pub(crate) const fn head(&self) -> u64 {
        self.subscription.head()
    }

    /// The events received, in order.
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// A turn's text received so far.
    pub(crate) fn text(&self, turn_id: TurnId) -> String {
        self.texts.get(&turn_id).into_iter().flatten().collect()
    }

    /// The number of code points of a turn's text received so far.
    pub(crate) fn text_chars(&self, turn_id: TurnId) -> usize {
        self.texts.get(&turn_id).map_or(0, Vec::len)
    }

    /// The status changes of a turn received so far.
    pub(crate) fn changes(&self, turn_id: TurnId) -> Vec<&StatusChanged> {
        changes(&self.events, turn_id)
    }

    /// The next delivery.
    pub(crate) async fn next(&mut self) -> Delivery {
        self.try_next().await.unwrap()
    }

    /// The next delivery, or the error.
    pub(crate) async fn try_next(&mut self) -> Result<Delivery, Error> {
        let delivery = within_patience("something is told", self.subscription.next()).await?;
        match &delivery {
            Delivery::Event(event) => self.take_in(event),
            Delivery::Live(LiveUpdate::Text(live)) => self.put_together(live.turn_id, &live.data),
            Delivery::Live(LiveUpdate::Thinking(_) | LiveUpdate::Progress(_)) => {}
        }
        Ok(delivery)
    }

    /// Receives until the condition holds. After a failure of the store it reconnects as a client
    /// does: from the last number.
    pub(crate) async fn until(&mut self, is_enough: impl Fn(&Self) -> bool) {
        let listening = async {
            while !is_enough(self) {
                match self.try_next().await {
                    Ok(_) => {}
                    Err(Error::Journal(_) | Error::Unanswered) => self.follow_anew().await,
                    Err(error) => panic!("following: {error}"),
                }
            }
        };
        within_patience("the follower has heard enough", listening).await;
    }

    pub(crate) async fn until_ended(&mut self, turn_id: TurnId) {
        self.until(|it| changes(&it.events, turn_id).last().is_some_and(|change| change.status.status().is_final()))
            .await;
    }

    pub(crate) async fn until_text(&mut self, turn_id: TurnId, text: &str) {
        self.until(|it| it.text(turn_id) == text).await;
    }

    /// Receives until the text so far has its number.
    pub(crate) async fn until_numbered(&mut self, turn_id: TurnId, text: &str) {
        self.until(|it| numbered_text(&it.events, turn_id) == text).await;
    }

    async fn follow_anew(&mut self) {
        loop {
            match self.hub.subscribe(&self.owner, self.session_id, self.after).await {
                Ok(subscription) => return self.subscription = subscription,
                Err(Error::Journal(_) | Error::Unanswered) => tokio::time::sleep(Duration::from_millis(5)).await,
                Err(error) => panic!("following anew: {error}"),
            }
        }
    }

    fn take_in(&mut self, event: &Event) {
        assert_eq!(event.seq, self.after + 1, "numbers come without gap and repeat");
        self.after = event.seq;
        if let Some(turn_id) = event.turn_id {
            match &event.body {
                Body::Text(range) => self.put_together(turn_id, range),
                Body::TurnStatus(change) if change.status == Transition::Resumed => {
                    let kept = usize::try_from(change.text_offset.unwrap()).unwrap();
                    self.texts.entry(turn_id).or_default().truncate(kept);
                }
                _ => {}
            }
        }
        self.events.push(event.clone());
    }

    /// Adds the new part of a range; the known part must be identical.
    fn put_together(&mut self, turn_id: TurnId, range: &TextDelta) {
        let text = self.texts.entry(turn_id).or_default();
        let offset = usize::try_from(range.offset).unwrap();
        assert!(offset <= text.len(), "text is missing before {range:?}; {} code points are known", text.len());
        for (index, said) in (offset..).zip(range.delta.chars()) {
            match text.get(index) {
                Some(known) => assert_eq!(*known, said, "{range:?} contradicts what is known at {index}"),
                None => text.push(said),
            }
        }
    }
}

/// The status changes of a turn among these events.
pub(crate) fn changes(events: &[Event], turn_id: TurnId) -> Vec<&StatusChanged> {
    let of_turn = events.iter().filter(|event| event.turn_id == Some(turn_id));
    of_turn
        .filter_map(|event| match &event.body {
            Body::TurnStatus(change) => Some(change),
            _ => None,
        })
        .collect()
}

/// The numbered text of a turn, one attempt after the other.
pub(crate) fn numbered_text(events: &[Event], turn_id: TurnId) -> String {
    let of_turn = events.iter().filter(|event| event.turn_id == Some(turn_id));
    of_turn
        .filter_map(|event| match &event.body {
            Body::Text(range) => Some(range.delta.as_str()),
            _ => None,
        })
        .collect()
}
