//! Following a session: the numbered events after a given one, then everything live, without gap or repeat.

use std::{collections::VecDeque, sync::Arc};

use protocol::{Event, Live, OwnerId, SessionId};
use tokio::sync::broadcast::{self, error::RecvError};

use crate::{Error, hub::Hub};

/// Events read from the journal at a time.
const PAGE: usize = 256;

/// Something a follower is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Delivery {
    /// A numbered event.
    Event(Arc<Event>),
    /// Words or progress on their way.
    Live(Live),
}

/// How a follower joined a live session.
pub(crate) struct Joined {
    /// The number of the newest event at that moment.
    pub(crate) head: u64,
    /// Words that are out but not yet numbered.
    pub(crate) live: Vec<Live>,
    /// Everything from that moment on.
    pub(crate) feed: broadcast::Receiver<Delivery>,
}

/// A follower of a session. It never holds the session up: if it falls behind, it reads the journal.
pub struct Subscription {
    hub: Hub,
    owner: OwnerId,
    session_id: SessionId,
    /// The newest number that was delivered, or that the follower has from before.
    cursor: u64,
    joined: Joined,
    page: VecDeque<Event>,
}

impl Subscription {
    pub(crate) const fn new(hub: Hub, owner: OwnerId, session_id: SessionId, after: u64, joined: Joined) -> Self {
        Self { hub, owner, session_id, cursor: after, joined, page: VecDeque::new() }
    }

    /// The number of the newest event when this subscription began, or began anew.
    pub const fn head(&self) -> u64 {
        self.joined.head
    }

    /// The next thing to tell. Waits for as long as nothing happens; an error ends the subscription.
    pub async fn next(&mut self) -> Result<Delivery, Error> {
        loop {
            if let Some(delivery) = self.catch_up().await? {
                return Ok(delivery);
            }
            match self.joined.feed.recv().await {
                Ok(Delivery::Event(event)) if event.seq <= self.cursor => {}
                Ok(Delivery::Event(event)) => {
                    self.cursor = event.seq;
                    return Ok(Delivery::Event(event));
                }
                Ok(live) => return Ok(live),
                // Too far behind, or the session was unloaded: the journal has what was missed.
                Err(RecvError::Lagged(_) | RecvError::Closed) => {
                    self.joined = self.hub.join(&self.owner, self.session_id).await?;
                }
            }
        }
    }

    /// What lies between the cursor and the moment of joining.
    async fn catch_up(&mut self) -> Result<Option<Delivery>, Error> {
        if self.page.is_empty() && self.cursor < self.joined.head {
            let mut page = self.hub.page(self.session_id, self.cursor, PAGE).await?;
            // The text of the moment of joining belongs right after the head of that moment, before anything later.
            page.retain(|event| event.seq <= self.joined.head);
            self.page = page.into();
        }
        if let Some(event) = self.page.pop_front() {
            self.cursor = event.seq;
            return Ok(Some(Delivery::Event(Arc::new(event))));
        }
        Ok(self.joined.live.pop().map(Delivery::Live))
    }
}
