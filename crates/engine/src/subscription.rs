//! Following a session: the numbered events after a given one, then all live updates, without gap
//! or repeat.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::{Event, LiveUpdate, MonitorId, OwnerId, SessionId};
use tokio::sync::broadcast::{self, error::RecvError};

use crate::{
    Error,
    hub::Hub,
    pool::{BackgroundLimiter, ViewerGuard},
};

/// Events read from the journal at a time.
const PAGE: usize = 256;

/// What a subscriber receives.
#[derive(Debug, Clone, PartialEq)]
pub enum Delivery {
    /// A numbered event.
    Event(Arc<Event>),
    /// Text or progress that has no number yet.
    Live(LiveUpdate),
}

/// The monitors that a subscriber watches. Events on other monitors are left out; sequence numbers
/// count all events. While a subscriber watches a monitor by name, work on it is not throttled.
#[derive(Default)]
pub struct WatchedMonitors {
    watching: Mutex<WatchState>,
}

#[derive(Default)]
struct WatchState {
    /// `None` means all monitors, without counting as a viewer of any.
    monitors: Option<BTreeSet<MonitorId>>,
    background: Option<BackgroundLimiter>,
    viewers: Vec<ViewerGuard>,
}

impl WatchedMonitors {
    /// Watches these monitors, or all if there are none.
    pub fn new(monitors: impl IntoIterator<Item = MonitorId>) -> Self {
        let monitors: BTreeSet<MonitorId> = monitors.into_iter().collect();
        let monitors = (!monitors.is_empty()).then_some(monitors);
        Self { watching: Mutex::new(WatchState { monitors, ..WatchState::default() }) }
    }

    /// Watches one more monitor; from the first one on, only the requested ones.
    pub fn add(&self, monitor_id: MonitorId) {
        let mut watching = self.lock();
        if watching.monitors.get_or_insert_default().insert(monitor_id.clone()) {
            let look = watching.background.as_ref().map(|background| background.add_viewer(&monitor_id));
            watching.viewers.extend(look);
        }
    }

    /// The session was loaded or reloaded: registers the viewers with it.
    fn look(&self, background: &BackgroundLimiter) {
        let mut watching = self.lock();
        watching.viewers =
            watching.monitors.iter().flatten().map(|monitor_id| background.add_viewer(monitor_id)).collect();
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

    fn lock(&self) -> MutexGuard<'_, WatchState> {
        self.watching.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The connection of a subscriber to a live session.
pub(crate) struct LiveFeed {
    /// The sequence number of the newest event at that moment.
    pub(crate) head: u64,
    /// Text that was published but has no number yet.
    pub(crate) live: Vec<LiveUpdate>,
    /// Everything from that moment on.
    pub(crate) feed: broadcast::Receiver<Delivery>,
    /// The limiter for monitors without viewers.
    pub(crate) background: BackgroundLimiter,
}

/// A subscription to a session. It never blocks the session: if it falls behind, it reads the
/// journal.
pub struct Subscription {
    hub: Hub,
    owner: OwnerId,
    session_id: SessionId,
    /// The newest sequence number that was delivered, or that the client already had.
    cursor: u64,
    joined: LiveFeed,
    page: VecDeque<Event>,
    watched: Arc<WatchedMonitors>,
}

impl Subscription {
    pub(crate) fn new(
        hub: Hub,
        owner: OwnerId,
        session_id: SessionId,
        after: u64,
        joined: LiveFeed,
        watched: Arc<WatchedMonitors>,
    ) -> Self {
        watched.look(&joined.background);
        Self { hub, owner, session_id, cursor: after, joined, page: VecDeque::new(), watched }
    }

    /// The sequence number of the newest event when this subscription started or was restarted.
    pub const fn head(&self) -> u64 {
        self.joined.head
    }

    /// The next delivery. Waits until there is one; an error ends the subscription.
    pub async fn next(&mut self) -> Result<Delivery, Error> {
        loop {
            let delivery = self.next_of_all().await.map_err(|error| match error {
                // It existed when this subscription started.
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
                // Too far behind, or the session was unloaded: the journal contains the missed
                // events.
                Err(RecvError::Lagged(_) | RecvError::Closed) => {
                    self.joined = self.hub.join(&self.owner, self.session_id).await?;
                    self.watched.look(&self.joined.background);
                }
            }
        }
    }

    /// The events between the cursor and the moment of joining.
    async fn catch_up(&mut self) -> Result<Option<Delivery>, Error> {
        if self.page.is_empty() && self.cursor < self.joined.head {
            let mut page = self.hub.page(self.session_id, self.cursor, PAGE).await?;
            // The text at the moment of joining belongs right after the head of that moment, before
            // anything later.
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
