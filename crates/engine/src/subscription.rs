//! Following a session: the numbered events after a given one, then everything live, without gap or repeat.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::{Event, Live, MonitorId, OwnerId, SessionId};
use tokio::sync::broadcast::{self, error::RecvError};

use crate::{
    Error,
    hub::Hub,
    pool::{Background, Look},
};

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

/// The monitors a follower looks at. What happens on others is left out; numbers count all of it. As long as somebody
/// looks at a monitor by name, what is done on it is not held back.
#[derive(Default)]
pub struct Watched {
    watching: Mutex<Watching>,
}

#[derive(Default)]
struct Watching {
    /// None looks at all, and at none in particular.
    monitors: Option<BTreeSet<MonitorId>>,
    background: Option<Background>,
    looks: Vec<Look>,
}

impl Watched {
    /// Looks at these monitors, or at all if there are none.
    pub fn new(monitors: impl IntoIterator<Item = MonitorId>) -> Self {
        let monitors: BTreeSet<MonitorId> = monitors.into_iter().collect();
        let monitors = (!monitors.is_empty()).then_some(monitors);
        Self { watching: Mutex::new(Watching { monitors, ..Watching::default() }) }
    }

    /// Looks at one more; from the first one on, only at those that were asked for.
    pub fn add(&self, monitor_id: MonitorId) {
        let mut watching = self.lock();
        if watching.monitors.get_or_insert_default().insert(monitor_id.clone()) {
            let look = watching.background.as_ref().map(|background| background.look(&monitor_id));
            watching.looks.extend(look);
        }
    }

    /// The session is loaded, or loaded anew: it is told who looks where.
    fn look(&self, background: &Background) {
        let mut watching = self.lock();
        watching.looks = watching.monitors.iter().flatten().map(|monitor_id| background.look(monitor_id)).collect();
        watching.background = Some(background.clone());
    }

    fn takes(&self, delivery: &Delivery) -> bool {
        let watching = self.lock();
        let Some(monitors) = &watching.monitors else { return true };
        match delivery {
            Delivery::Event(event) => event.monitor().is_none_or(|monitor_id| monitors.contains(&monitor_id)),
            Delivery::Live(live) => monitors.contains(&live.monitor()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Watching> {
        self.watching.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a follower joined a live session.
pub(crate) struct Joined {
    /// The number of the newest event at that moment.
    pub(crate) head: u64,
    /// Words that are out but not yet numbered.
    pub(crate) live: Vec<Live>,
    /// Everything from that moment on.
    pub(crate) feed: broadcast::Receiver<Delivery>,
    /// What may be done on monitors that nobody looks at.
    pub(crate) background: Background,
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
    watched: Arc<Watched>,
}

impl Subscription {
    pub(crate) fn new(
        hub: Hub,
        owner: OwnerId,
        session_id: SessionId,
        after: u64,
        joined: Joined,
        watched: Arc<Watched>,
    ) -> Self {
        watched.look(&joined.background);
        Self { hub, owner, session_id, cursor: after, joined, page: VecDeque::new(), watched }
    }

    /// The number of the newest event when this subscription began, or began anew.
    pub const fn head(&self) -> u64 {
        self.joined.head
    }

    /// The next thing to tell. Waits for as long as nothing happens; an error ends the subscription.
    pub async fn next(&mut self) -> Result<Delivery, Error> {
        loop {
            let delivery = self.next_of_all().await.map_err(|error| match error {
                // It was there when this subscription began.
                Error::NoSession => Error::Deleted,
                other => other,
            })?;
            if self.watched.takes(&delivery) {
                return Ok(delivery);
            }
        }
    }

    async fn next_of_all(&mut self) -> Result<Delivery, Error> {
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
                    self.watched.look(&self.joined.background);
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
