//! Schedules that wait for something outside of their session: tells sessions when an entity of the
//! home changes, when the home reports an event, or when a turn ends that one of their schedules
//! waits for. The home is followed only while there is such a schedule.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use ports::{HomeEvent, HomeFeed, HomeHappening};
use protocol::{SessionId, Timestamp};
use tokio::sync::watch;

use super::WatchKey;
use crate::{hub::Directory, live::Mail};

/// A change of an entity.
#[derive(Debug, Clone)]
pub(crate) struct EntityChange {
    pub(crate) entity_id: String,
    pub(crate) name: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) at: Timestamp,
}

/// Which sessions wait for what, by the texts of their [`WatchKey`]s.
#[derive(Default)]
pub(crate) struct HomeTriggers {
    by_session: Mutex<HashMap<SessionId, BTreeSet<String>>>,
    changed: watch::Sender<()>,
}

impl HomeTriggers {
    /// Sets what a session waits for.
    pub(crate) fn set(&self, session_id: SessionId, keys: BTreeSet<String>) {
        let is_new = {
            let mut by_session = self.by_session.lock().unwrap_or_else(PoisonError::into_inner);
            if keys.is_empty() {
                by_session.remove(&session_id).is_some()
            } else {
                by_session.insert(session_id, keys.clone()).as_ref() != Some(&keys)
            }
        };
        if is_new {
            self.changed.send_replace(());
        }
    }

    /// The sessions that wait for it.
    pub(crate) fn sessions(&self, key: &str) -> Vec<SessionId> {
        let by_session = self.by_session.lock().unwrap_or_else(PoisonError::into_inner);
        by_session.iter().filter(|(_, keys)| keys.contains(key)).map(|(id, _)| *id).collect()
    }

    /// What of the home is waited for: whether anything, and the types of events.
    fn of_home(&self) -> (bool, BTreeSet<String>) {
        let by_session = self.by_session.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut is_any, mut events) = (false, BTreeSet::new());
        for key in by_session.values().flatten().filter_map(|key| key.parse().ok()) {
            match key {
                WatchKey::Entity(_) => is_any = true,
                WatchKey::Event(event_type) => {
                    is_any = true;
                    events.insert(event_type);
                }
                WatchKey::Turns { .. } => {}
            }
        }
        (is_any, events)
    }
}

/// Reads what all schedules wait for.
pub(crate) async fn load(directory: &Directory) -> Vec<WatchKey> {
    let found = match directory.services.store.home_triggers().await {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(%error, "failed to read what schedules wait for; trying again");
            directory.services.ends_missed.notify_one();
            return Vec::new();
        }
    };
    let keys = found.iter().filter_map(|(_, key)| key.parse().ok()).collect();
    let mut by_session: BTreeMap<SessionId, BTreeSet<String>> = BTreeMap::new();
    for (session_id, key) in found {
        by_session.entry(session_id).or_default().insert(key);
    }
    by_session.into_iter().for_each(|(id, keys)| directory.services.home_triggers.set(id, keys));
    keys
}

/// Follows the home for the schedules that wait for it.
pub(crate) fn spawn(directory: Arc<Directory>) {
    let services = directory.services.clone();
    let Some(home) = services.home_feed.clone() else { return };
    services.tasks.clone().spawn(async move {
        let stopping = services.stopping.clone();
        tokio::select! {
            () = stopping.cancelled() => {}
            () = run(&directory, home.as_ref()) => {}
        }
    });
}

async fn run(directory: &Arc<Directory>, home: &dyn HomeFeed) {
    let triggers = &directory.services.home_triggers;
    let mut changed = triggers.changed.subscribe();
    let mut happenings = None;
    loop {
        let (is_any, events) = triggers.of_home();
        home.want_events(events);
        if is_any {
            happenings.get_or_insert_with(|| home.happenings());
        } else {
            happenings = None;
        }
        loop {
            let happening = async {
                match &mut happenings {
                    Some(happenings) => happenings.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // The sender is a part of the services, which live as long as this task.
                _ = changed.changed() => break,
                happening = happening => tell(directory, happening).await,
            }
        }
    }
}

async fn tell(directory: &Arc<Directory>, happening: HomeHappening) {
    let key = match &happening {
        HomeHappening::Changed(change) => WatchKey::Entity(change.entity_id.clone()),
        HomeHappening::Event(event) => WatchKey::Event(event.event_type.clone()),
    };
    for session_id in directory.services.home_triggers.sessions(&key.to_string()) {
        let mail = match happening.clone() {
            HomeHappening::Changed(change) => {
                let ports::StateChange { entity_id, name, from, to, at } = change;
                Mail::HomeChanged(Box::new(EntityChange { entity_id, name, from, to, at }))
            }
            HomeHappening::Event(event) => Mail::HomeEvent(Box::<HomeEvent>::new(event)),
        };
        // Refused only while the server stops.
        let _ = directory.post(session_id, mail).await;
    }
}
