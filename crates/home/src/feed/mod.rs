//! The feed of a home for clients: its state and its changes.

mod sent_state;
mod views;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use async_trait::async_trait;
use ports::{HomeChanges, HomeFeed, HomeHappening, HomeHappenings};
use protocol::{HomeChanged, HomeConnection, HomeKind, HomeView};
use tokio::{
    sync::{
        broadcast::{self, error::RecvError},
        watch,
    },
    time::Instant,
};

use crate::{
    custom_sentences::ReloadedReflexes,
    port::{ConnectionStatus, HomePort},
};
use sent_state::SentState;

/// Changes within this time are sent together: at most four times a second.
const PAUSE: Duration = Duration::from_millis(250);

/// The feed of a home for clients.
pub struct LiveHomeFeed {
    home: Arc<dyn HomePort>,
    reflexes: Option<Arc<ReloadedReflexes>>,
}

impl LiveHomeFeed {
    /// The feed of a home.
    pub fn new(home: Arc<dyn HomePort>) -> Self {
        Self { home, reflexes: None }
    }

    /// The feed also says what is wrong with the sentences of these reflexes.
    #[must_use]
    pub fn with_reflexes(mut self, reflexes: Option<Arc<ReloadedReflexes>>) -> Self {
        self.reflexes = reflexes;
        self
    }

    fn with_notices(&self, view: HomeView) -> HomeView {
        HomeView { notices: self.reflexes.as_ref().map(|reflexes| reflexes.notices()).unwrap_or_default(), ..view }
    }
}

impl HomeFeed for LiveHomeFeed {
    fn view(&self) -> HomeView {
        let mut told = SentState::default();
        told.look(self.home.as_ref());
        self.with_notices(told.view(self.home.as_ref()))
    }

    fn follow(&self) -> (HomeView, Box<dyn HomeChanges>) {
        // Listening starts before reading, so that no change is missed in between.
        let changes = self.home.index().changes();
        let mut told = SentState::default();
        told.look(self.home.as_ref());
        let view = self.with_notices(told.view(self.home.as_ref()));
        (view, Box::new(FeedChanges { home: self.home.clone(), changes, told, last: None }))
    }

    fn happenings(&self) -> Box<dyn HomeHappenings> {
        Box::new(FeedHappenings(self.home.index().happenings()))
    }

    fn want_events(&self, types: BTreeSet<String>) {
        self.home.want_events(types);
    }
}

/// All that happens at home.
struct FeedHappenings(broadcast::Receiver<HomeHappening>);

#[async_trait]
impl HomeHappenings for FeedHappenings {
    async fn next(&mut self) -> HomeHappening {
        loop {
            match self.0.recv().await {
                Ok(happening) => return happening,
                Err(RecvError::Lagged(count)) => {
                    tracing::warn!(count, "too much has happened at home at once: schedules may have missed it");
                }
                // The home is closed.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}

/// The changes since the state that a client has.
struct FeedChanges {
    home: Arc<dyn HomePort>,
    changes: watch::Receiver<u64>,
    told: SentState,
    /// When the last change was sent.
    last: Option<Instant>,
}

#[async_trait]
impl HomeChanges for FeedChanges {
    async fn next(&mut self) -> HomeChanged {
        loop {
            if self.changes.changed().await.is_err() {
                // The home is closed and does not change any more.
                std::future::pending::<()>().await;
            }
            if let Some(last) = self.last {
                tokio::time::sleep_until(last + PAUSE).await;
            }
            // Everything up to here is part of this change; later changes wake the task again.
            self.changes.mark_unchanged();
            let changed = self.told.look(self.home.as_ref());
            if !changed.is_empty() {
                self.last = Some(Instant::now());
                return changed;
            }
        }
    }
}

/// The kind of the home.
fn kind(home: &dyn HomePort) -> HomeKind {
    if home.about().simulated { HomeKind::Simulated } else { HomeKind::HomeAssistant }
}

/// The status of the connection, with the reason if it is not connected.
fn connection(home: &dyn HomePort) -> (HomeConnection, Option<String>) {
    match home.about().connection {
        ConnectionStatus::Connected { .. } => (HomeConnection::Connected, None),
        ConnectionStatus::Reconnecting { since: None, why } => (HomeConnection::Connecting, Some(why)),
        ConnectionStatus::Reconnecting { since: Some(_), why } => (HomeConnection::Reconnecting, Some(why)),
        ConnectionStatus::Refused { why } => (HomeConnection::Refused, Some(why)),
    }
}
