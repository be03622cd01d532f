//! Schedules that wait for the home: tells sessions when an entity changes that one of their
//! schedules waits for. The home is followed only while there is such a schedule.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use protocol::{EntityView, SessionId, Timestamp};
use tokio::sync::Notify;
use tools::HomeFeed;

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

/// Which sessions wait for which entities.
#[derive(Default)]
pub(crate) struct HomeTriggers {
    by_session: Mutex<HashMap<SessionId, BTreeSet<String>>>,
    changed: Notify,
}

impl HomeTriggers {
    /// Sets the entities that a session waits for.
    pub(crate) fn set(&self, session_id: SessionId, entities: BTreeSet<String>) {
        {
            let mut by_session = self.by_session.lock().unwrap_or_else(PoisonError::into_inner);
            if entities.is_empty() {
                by_session.remove(&session_id);
                return;
            }
            by_session.insert(session_id, entities);
        }
        self.changed.notify_one();
    }

    fn is_empty(&self) -> bool {
        self.by_session.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn sessions(&self, entity_id: &str) -> Vec<SessionId> {
        let by_session = self.by_session.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = by_session.iter().filter(|(_, entities)| entities.contains(entity_id));
        waits.map(|(id, _)| *id).collect()
    }
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
    match directory.services.store.home_triggers().await {
        Ok(found) => {
            let mut by_session: BTreeMap<SessionId, BTreeSet<String>> = BTreeMap::new();
            for (session_id, entity_id) in found {
                by_session.entry(session_id).or_default().insert(entity_id);
            }
            by_session.into_iter().for_each(|(id, entities)| triggers.set(id, entities));
        }
        Err(error) => tracing::warn!(%error, "failed to read which schedules wait for the home"),
    }
    loop {
        while triggers.is_empty() {
            triggers.changed.notified().await;
        }
        let (view, mut changes) = home.follow();
        let mut states: HashMap<String, String> = HashMap::new();
        view.entities.into_iter().for_each(|entity| drop(states.insert(entity.entity_id, entity.state)));
        while !triggers.is_empty() {
            for entity in changes.next().await.entities {
                tell(directory, &mut states, entity).await;
            }
        }
    }
}

async fn tell(directory: &Arc<Directory>, states: &mut HashMap<String, String>, entity: EntityView) {
    let before = states.insert(entity.entity_id.clone(), entity.state.clone());
    // An entity that was unknown has not changed, and one that is away says nothing.
    let Some(from) = before.filter(|from| *from != entity.state && entity.available) else { return };
    for session_id in directory.services.home_triggers.sessions(&entity.entity_id) {
        let change = EntityChange {
            entity_id: entity.entity_id.clone(),
            name: entity.name.clone(),
            from: from.clone(),
            to: entity.state.clone(),
            at: entity.changed_at,
        };
        // Refused only while the server stops.
        let _ = directory.post(session_id, Mail::HomeChanged(Box::new(change))).await;
    }
}
