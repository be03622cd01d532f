//! When sessions have to be woken. Nothing is done while none is due.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use protocol::{SessionId, Timestamp};
use schedule::DueQueue;
use tokio::sync::Notify;

use crate::{
    hub::{Directory, OwnersGained, Services},
    live::Mail,
};

/// The longest sleep. The wall clock may be set, and a machine may be suspended; both are noticed
/// after this time.
const SLEEP_MAX: Duration = Duration::from_secs(5);
/// A session that was woken and has not planned anew is woken again after this time.
const AGAIN: Duration = Duration::from_secs(5);
/// Sessions that are woken at once.
const WAKES_MAX: usize = 256;

/// When sessions have to be woken.
#[derive(Default)]
pub(crate) struct Alarms {
    queue: Mutex<DueQueue<SessionId>>,
    changed: Notify,
}

impl Alarms {
    /// Sets or removes the alarm of a session.
    pub(crate) fn set(&self, session_id: SessionId, at: Option<Timestamp>) {
        let is_first = {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            let before = queue.wake_at();
            queue.plan(session_id, at);
            queue.wake_at() != before
        };
        if is_first {
            self.changed.notify_one();
        }
    }

    /// Sets the alarm of a session that has none.
    fn set_unless_planned(&self, session_id: SessionId, at: Timestamp) {
        let is_planned = self.queue.lock().unwrap_or_else(PoisonError::into_inner).planned(session_id).is_some();
        if !is_planned {
            self.set(session_id, Some(at));
        }
    }

    fn wake_at(&self) -> Option<Timestamp> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).wake_at()
    }

    /// The sessions that are due. They are due again a little later, unless they plan anew.
    fn take_due(&self, now: Timestamp) -> Vec<SessionId> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let due: Vec<SessionId> = queue.due(now, WAKES_MAX).into_iter().map(|(id, _)| id).collect();
        for id in &due {
            queue.plan(*id, Some(now.plus(AGAIN)));
        }
        due
    }

    async fn sleep(&self, services: &Services) {
        let wait = self.wake_at().map_or(SLEEP_MAX * 12, |at| at.since(services.world.now()).min(SLEEP_MAX));
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = self.changed.notified() => {}
        }
    }
}

/// Wakes sessions when they are due.
pub(crate) fn spawn(directory: Arc<Directory>) {
    let services = directory.services.clone();
    services.tasks.clone().spawn(async move {
        let stopping = services.stopping.clone();
        tokio::select! {
            () = stopping.cancelled() => {}
            () = run(&directory) => {}
        }
    });
}

async fn run(directory: &Arc<Directory>) {
    load(&directory.services).await;
    tokio::join!(wake_due(directory), look_elsewhere(&directory.services));
}

async fn load(services: &Services) {
    loop {
        match services.store.wakes().await {
            Ok(planned) => return planned.into_iter().for_each(|(id, at)| services.alarms.set(id, Some(at))),
            Err(error) => {
                tracing::warn!(%error, "failed to read what is planned; trying again");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

/// Reads what is planned for owners who come to this node, and looks for what is due in sessions
/// that no living node has.
async fn look_elsewhere(services: &Services) {
    let mut gained = OwnersGained::of(&*services.store);
    if !gained.is_possible() {
        return;
    }
    loop {
        tokio::select! {
            () = gained.next() => load(services).await,
            () = tokio::time::sleep(AGAIN) => match services.store.wakes_before(services.world.now()).await {
                Ok(due) => due.into_iter().for_each(|(id, at)| services.alarms.set_unless_planned(id, at)),
                Err(error) => tracing::warn!(%error, "failed to look for what is due; trying again"),
            },
        }
    }
}

async fn wake_due(directory: &Arc<Directory>) {
    let services = &directory.services;
    loop {
        let due = services.alarms.take_due(services.world.now());
        if due.is_empty() {
            services.alarms.sleep(services).await;
            continue;
        }
        for session_id in due {
            // Refused only while the server stops.
            let _ = directory.post(session_id, Mail::Wake).await;
        }
    }
}
