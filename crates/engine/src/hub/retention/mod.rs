//! Retention: sessions that nobody uses expire, and after a while are archived or deleted, as the settings say.
//!
//! The sweeper calls [`Hub::sweep_sessions`] with the moment that it trusts; nothing else here asks a clock whether
//! something is to be removed.

pub(crate) mod archive;
mod delete;
mod said;

use std::time::Duration;

use journal::Cursor;
use protocol::{OwnerId, SessionStatus, SessionView, Swept, Timestamp};
use said::Said;
use session::{Command, Outcome};

use super::Hub;
use crate::{
    AfterExpiry, Error,
    live::{Expired, Mail, Removal},
};

/// How often sessions are looked through: the first time at the start. What is counted are days.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Sessions that are read at once.
const PAGE: usize = 200;
/// Sessions that expire or are removed in one run at most; the others come next time.
const ACTS_MAX: u64 = 500;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) fn spawn(hub: &Hub) {
    let own = hub.clone();
    hub.house().tasks.spawn(async move {
        let stopping = own.house().stopping.clone();
        match own.house().store.finish_erasing().await {
            Ok(true) => tracing::info!("finished erasing what a crash had cut off"),
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "failed to finish erasing; trying again at the next start"),
        }
        loop {
            let swept = tokio::select! {
                () = stopping.cancelled() => return,
                swept = own.sweep_idle_sessions() => swept,
            };
            if let Err(error) = swept {
                tracing::warn!(%error, "failed to look for idle sessions; trying again later");
            }
            tokio::select! {
                () = stopping.cancelled() => return,
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
    });
}

impl Hub {
    /// The same as [`Hub::sweep_sessions`] by the clock, or nothing while it is in doubt.
    async fn sweep_idle_sessions(&self) -> Result<Swept, Error> {
        match self.check_clock().await? {
            Ok(now) => self.sweep_sessions(now).await,
            Err(doubt) => Ok(Swept { clock: Some(doubt), ..Swept::default() }),
        }
    }

    /// Lets sessions expire that are idle for too long, and archives or deletes those that have expired long enough ago.
    /// `now` comes from a clock that may be trusted with removing things.
    pub(super) async fn sweep_sessions(&self, now: Timestamp) -> Result<Swept, Error> {
        let mut swept = Swept::default();
        let mut said = Said::default();
        let mut after: Option<(OwnerId, Cursor)> = None;
        loop {
            // Nothing is due before it was idle for a day.
            let page = self.house().store.idle(days_before(now, 1), after.take(), PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some((last.owner.clone(), Cursor { updated_at: last.updated_at, session_id: last.session_id }));
            for view in page {
                let acts = swept.expired + swept.archived + swept.deleted;
                if acts >= ACTS_MAX || self.house().stopping.is_cancelled() {
                    self.scrub(said).await?;
                    return Ok(swept);
                }
                let (owner, session_id) = (view.owner.clone(), view.session_id);
                if let Err(error) = self.sweep_session(view, now, &mut swept, &mut said).await {
                    // One that cannot be read or archived must not keep the others from it.
                    tracing::warn!(%owner, session = %session_id, %error, "failed to retire a session; trying again later");
                }
            }
        }
        self.scrub(said).await?;
        Ok(swept)
    }

    async fn sweep_session(
        &self,
        mut view: SessionView,
        now: Timestamp,
        swept: &mut Swept,
        said: &mut Said,
    ) -> Result<(), Error> {
        if view.settings.is_kept() {
            return Ok(());
        }
        let retention = &self.house().options.retention;
        let days = view.settings.expires_after_days().or(retention.session_idle_days);
        if let Some(before) = days.map(|days| days_before(now, days))
            && view.status != SessionStatus::Expired
            && view.updated_at < before
        {
            let expiring = self.command(&view.owner, view.session_id, Command::ExpireIdle { before }).await;
            match expiring {
                Ok(Outcome::Done) => {}
                Ok(_) | Err(Error::NoSession) => return Ok(()),
                Err(error) => return Err(error),
            }
            swept.expired += 1;
            self.house().counters.session_expired();
            tracing::info!(owner = %view.owner, session = %view.session_id, days, "a session has expired");
            view = self.view(&view.owner, view.session_id).await?;
        }
        // With no days in between, what has expired just now is removed at once.
        let until = days_before(now, retention.expired_days).plus(Duration::from_millis(1));
        let is_over = view.status == SessionStatus::Expired && view.ended_at.is_some_and(|at| at < until);
        let archive = match &retention.after_expiry {
            AfterExpiry::Archive(folder) if is_over => Some(folder.clone()),
            AfterExpiry::Delete if is_over => None,
            _ => return Ok(()),
        };
        self.retire(&view, Expired { before: until, archive }, swept, said).await
    }

    async fn retire(
        &self,
        view: &SessionView,
        terms: Expired,
        swept: &mut Swept,
        said: &mut Said,
    ) -> Result<(), Error> {
        let (owner, session_id, is_archived) = (&view.owner, view.session_id, terms.archive.is_some());
        let gone = self.measure(owner, session_id, if is_archived { None } else { Some(said) }).await?;
        if !is_archived && !said.is_begun() {
            self.house().store.begin_erasing().await?;
            said.begin();
        }
        self.room().mark_session_deleted(owner, session_id).await?;
        let removal = Removal::Expired(terms);
        let removed = self.ask(session_id, |reply| Mail::Remove { owner: owner.clone(), removal, reply }).await?;
        if removed {
            self.room().mark_session_deleted(owner, session_id).await?;
            *(if is_archived { &mut swept.archived } else { &mut swept.deleted }) += 1;
            self.note_removed(owner, &gone, is_archived);
        }
        Ok(())
    }
}

fn days_before(now: Timestamp, days: u32) -> Timestamp {
    Timestamp::from_millis(now.as_millis().saturating_sub(i64::from(days) * DAY_MS))
}
