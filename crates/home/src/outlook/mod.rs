//! The home as people look at it, and what changes in it.

mod told;
mod views;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use protocol::{HomeChanged, HomeConnection, HomeKind, HomeView};
use tokio::{sync::watch, time::Instant};
use tools::{HomeNews, Outlook};

use crate::house::{Connection, House};
use told::Told;

/// What changes within this time is told at once: at most four times a second.
const PAUSE: Duration = Duration::from_millis(250);

/// Shows people the home.
pub struct HomeOutlook {
    house: Arc<dyn House>,
}

impl HomeOutlook {
    /// For a home.
    pub fn new(house: Arc<dyn House>) -> Self {
        Self { house }
    }
}

impl Outlook for HomeOutlook {
    fn view(&self) -> HomeView {
        let mut told = Told::default();
        told.look(self.house.as_ref());
        told.view(self.house.as_ref())
    }

    fn follow(&self) -> (HomeView, Box<dyn HomeNews>) {
        // Listening begins before looking, so that nothing falls in between.
        let changes = self.house.index().changes();
        let mut told = Told::default();
        told.look(self.house.as_ref());
        let view = told.view(self.house.as_ref());
        (view, Box::new(News { house: self.house.clone(), changes, told, last: None }))
    }
}

/// What changes for somebody who was told how it stood.
struct News {
    house: Arc<dyn House>,
    changes: watch::Receiver<u64>,
    told: Told,
    /// When a change was told last.
    last: Option<Instant>,
}

#[async_trait]
impl HomeNews for News {
    async fn next(&mut self) -> HomeChanged {
        loop {
            if self.changes.changed().await.is_err() {
                // The home is closed; nothing changes in it any more.
                std::future::pending::<()>().await;
            }
            if let Some(last) = self.last {
                tokio::time::sleep_until(last + PAUSE).await;
            }
            // All up to here is part of this change; what comes while it is read wakes us again.
            self.changes.mark_unchanged();
            let changed = self.told.look(self.house.as_ref());
            if !changed.is_empty() {
                self.last = Some(Instant::now());
                return changed;
            }
        }
    }
}

/// Which home it is.
fn kind(house: &dyn House) -> HomeKind {
    if house.about().simulated { HomeKind::Simulated } else { HomeKind::HomeAssistant }
}

/// Whether it can be reached, and if not, why.
fn connection(house: &dyn House) -> (HomeConnection, Option<String>) {
    match house.about().connection {
        Connection::Connected { .. } => (HomeConnection::Connected, None),
        Connection::Reconnecting { since: None, why } => (HomeConnection::Connecting, Some(why)),
        Connection::Reconnecting { since: Some(_), why } => (HomeConnection::Reconnecting, Some(why)),
        Connection::Refused { why } => (HomeConnection::Refused, Some(why)),
    }
}
