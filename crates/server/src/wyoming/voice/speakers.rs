//! The loudspeakers of connected satellites, for what Dwell says by itself: alerts and timers.
//!
//! Each connection takes the orders for its satellite one after the other, while no sentence is
//! under way there. An order that a connection has not begun when it ends was certainly not heard.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use protocol::ScheduleId;
use serde_json::json;
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::timeout,
};

use super::super::frame::WyomingEvent;

/// Orders that wait for a satellite.
const ORDERS_MAX: usize = 16;
/// How long a satellite may take to be connected again. The server may have started just now.
const JOIN_MAX: Duration = Duration::from_secs(3);
/// How long a sentence may wait and be spoken.
const SPEAK_MAX: Duration = Duration::from_secs(120);

/// Why a sentence was not spoken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpeakError {
    /// Nothing was heard.
    #[error("{0}")]
    NotSpoken(String),
    /// It is unknown whether it was heard.
    #[error("{0}")]
    Unknown(String),
}

/// A sentence for a satellite.
#[derive(Debug)]
pub(in crate::wyoming) struct SpokenOrder {
    /// The timer that has ended, so that the satellite can ring by itself.
    timer: Option<ScheduleId>,
    pub(super) text: String,
    pub(super) language: Option<String>,
    done: oneshot::Sender<Result<(), SpeakError>>,
}

impl SpokenOrder {
    /// The event for a satellite that rings by itself.
    pub(super) fn ring(&self) -> Option<WyomingEvent> {
        self.timer.map(|id| WyomingEvent::new("timer-finished", json!({ "id": id })))
    }

    /// Whether it is still wanted: its sender may have given up.
    pub(in crate::wyoming) fn is_wanted(&self) -> bool {
        !self.done.is_closed()
    }

    /// Tells its sender how it went. One that has given up is told nothing.
    pub(super) fn end(self, outcome: Result<(), SpeakError>) {
        let _ = self.done.send(outcome);
    }
}

/// What a satellite is sent without having asked.
#[derive(Debug)]
pub(in crate::wyoming) enum SatelliteOrder {
    /// An event about a timer.
    Tell(WyomingEvent),
    /// A sentence.
    Speak(SpokenOrder),
}

/// The loudspeakers of satellites. Cheap to clone. It is made before the server, since alerts are
/// delivered as soon as that starts.
#[derive(Clone, Default)]
pub struct SatelliteSpeakers {
    names: Arc<BTreeSet<String>>,
    queues: Arc<Mutex<HashMap<String, mpsc::Sender<SatelliteOrder>>>>,
    joined: Arc<watch::Sender<()>>,
}

impl SatelliteSpeakers {
    /// The speakers of satellites with these names.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        Self { names: Arc::new(names.into_iter().collect()), ..Self::default() }
    }

    /// Whether Dwell connects to a satellite of this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Has a sentence spoken, once no other is under way there. With a timer the satellite is told
    /// first that it has ended.
    pub async fn speak(
        &self,
        name: &str,
        timer: Option<ScheduleId>,
        text: String,
        language: Option<String>,
    ) -> Result<(), SpeakError> {
        let not_spoken = |why: &str| SpeakError::NotSpoken(format!("the satellite `{name}` {why}"));
        let queue = timeout(JOIN_MAX, self.queue(name)).await.map_err(|_| not_spoken("is not connected"))?;
        let (done, spoken) = oneshot::channel();
        let order = SatelliteOrder::Speak(SpokenOrder { timer, text, language, done });
        queue.try_send(order).map_err(|_| not_spoken("has too much to say already"))?;
        match timeout(SPEAK_MAX, spoken).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(SpeakError::Unknown(format!("the satellite `{name}` was interrupted while it spoke"))),
            Err(_) => Err(SpeakError::Unknown(format!("the satellite `{name}` has not finished in time"))),
        }
    }

    /// Tells a satellite of a timer. One that is away is told nothing.
    pub(in crate::wyoming) fn tell(&self, name: &str, event: WyomingEvent) {
        let queue = self.queues.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if let Some(queue) = queue {
            // What a satellite shows of its timers is worth less than a sentence.
            let _ = queue.try_send(SatelliteOrder::Tell(event));
        }
    }

    /// A satellite is connected, and takes orders from now on.
    pub(in crate::wyoming) fn join(&self, name: &str) -> SatelliteQueue {
        let (send, orders) = mpsc::channel(ORDERS_MAX);
        self.queues.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), send);
        self.joined.send_replace(());
        SatelliteQueue { speakers: self.clone(), name: name.to_owned(), orders }
    }

    async fn queue(&self, name: &str) -> mpsc::Sender<SatelliteOrder> {
        let mut joined = self.joined.subscribe();
        loop {
            let queue = self.queues.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
            if let Some(queue) = queue {
                return queue;
            }
            // The sender lives as long as this.
            let _ = joined.changed().await;
        }
    }
}

/// The orders for a connected satellite.
pub(in crate::wyoming) struct SatelliteQueue {
    speakers: SatelliteSpeakers,
    name: String,
    orders: mpsc::Receiver<SatelliteOrder>,
}

impl SatelliteQueue {
    /// The next order.
    pub(in crate::wyoming) async fn next(&mut self) -> SatelliteOrder {
        match self.orders.recv().await {
            Some(order) => order,
            // Another connection has taken its place.
            None => std::future::pending().await,
        }
    }
}

impl Drop for SatelliteQueue {
    fn drop(&mut self) {
        {
            let mut queues = self.speakers.queues.lock().unwrap_or_else(PoisonError::into_inner);
            // Senders that have a clone see that it is closed.
            self.orders.close();
            if queues.get(&self.name).is_some_and(mpsc::Sender::is_closed) {
                queues.remove(&self.name);
            }
        }
        while let Ok(order) = self.orders.try_recv() {
            if let SatelliteOrder::Speak(order) = order {
                order.end(Err(SpeakError::NotSpoken(format!("the satellite `{}` has left", self.name))));
            }
        }
    }
}
