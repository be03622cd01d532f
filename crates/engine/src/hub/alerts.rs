//! Alerts: the owner's list, what was seen, and following them.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use protocol::{Alert, AlertEvent, AlertId, AlertList, AlertPage, AlertView, OwnerId, SessionId};
use session::{Alerts, Command};
use tokio::sync::broadcast;

use super::Hub;
use crate::{Error, live::Mail, plans::TimerNotice};

/// Default and maximum number of alerts in a list.
const LIST_DEFAULT: u32 = 50;
const LIST_MAX: u32 = 200;

impl Hub {
    /// The changes of timers that were set at voice satellites, from now on.
    pub fn follow_timers(&self) -> broadcast::Receiver<Arc<TimerNotice>> {
        self.services().timers.follow()
    }

    /// The owner's alerts, newest first.
    pub async fn alerts(&self, owner: &OwnerId, list: AlertList) -> Result<AlertPage, Error> {
        let limit = list.limit.unwrap_or(LIST_DEFAULT).clamp(1, LIST_MAX);
        let found = self.services().store.newest_alerts(owner, limit as usize).await?;
        let mut sessions: BTreeMap<SessionId, Option<Alerts>> = BTreeMap::new();
        let mut data = Vec::new();
        for (alert_id, session_id) in found {
            let known = match sessions.entry(session_id) {
                Entry::Occupied(known) => known.into_mut(),
                // A session that is gone or cannot be loaded does not hide the others.
                Entry::Vacant(unknown) => unknown.insert(self.alerts_of(owner, session_id).await.ok()),
            };
            // A session remembers its latest alerts only.
            data.extend(known.as_ref().and_then(|alerts| alerts.get(alert_id)).map(session::AlertEntry::view));
        }
        Ok(AlertPage { data })
    }

    /// A person has seen an alert.
    pub async fn see_alert(&self, owner: &OwnerId, alert_id: AlertId) -> Result<AlertView, Error> {
        let session_id = self.services().store.alert_session(alert_id).await?.ok_or(Error::NoAlert)?;
        let seen = Command::Alert(AlertEvent::Seen { alert_id });
        match self.command(owner, session_id, seen).await {
            Err(Error::NoSession | Error::Refused(session::Refusal::NoAlert(_))) => Err(Error::NoAlert),
            other => other.map(drop),
        }?;
        let alerts = self.alerts_of(owner, session_id).await?;
        alerts.get(alert_id).map(session::AlertEntry::view).ok_or(Error::NoAlert)
    }

    /// The owner's alerts from now on. A receiver that falls behind misses some, and lists them.
    pub fn follow_alerts(&self, owner: &OwnerId) -> broadcast::Receiver<Arc<Alert>> {
        self.services().alerts.follow(owner)
    }

    /// Records something that the engine itself has done in a session.
    pub(crate) async fn record(&self, owner: &OwnerId, session_id: SessionId, command: Command) -> Result<(), Error> {
        self.directory.command(owner, session_id, command).await.map(drop)
    }

    async fn alerts_of(&self, owner: &OwnerId, session_id: SessionId) -> Result<Alerts, Error> {
        self.ask(session_id, |reply| Mail::Alerts { owner: owner.clone(), reply }).await
    }
}
