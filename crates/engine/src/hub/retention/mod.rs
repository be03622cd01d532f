//! Retention: unused sessions expire, and after a while are archived or deleted, as configured.
//!
//! The sweeper calls [`Hub::sweep_sessions`] with a trusted time; nothing else here reads a clock
//! to decide whether something is to be removed.

pub(crate) mod archive;
mod delete;
mod erased_texts;

use std::time::Duration;

use erased_texts::ErasedTexts;
use journal::Cursor;
use protocol::{OwnerId, SessionStatus, SessionView, SweepResult, Timestamp};
use session::{Command, CommandOutcome};

use super::Hub;
use crate::{
    AfterExpiry, Error,
    live::{ExpiryTerms, Mail, Removal},
};

/// How often the sessions are checked, starting at the start of the server. Retention is counted in
/// days.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Sessions that are read at once.
const PAGE: usize = 200;
/// Maximum number of sessions that expire or are removed in one run; the others follow in the next.
const ACTS_MAX: u64 = 500;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) fn spawn(hub: &Hub) {
    let own = hub.clone();
    hub.services().tasks.spawn(async move {
        let stopping = own.services().stopping.clone();
        match own.services().store.finish_erasing().await {
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
    /// Runs [`Hub::sweep_sessions`] with the current time, or does nothing while the clock is in
    /// doubt.
    async fn sweep_idle_sessions(&self) -> Result<SweepResult, Error> {
        match self.check_clock().await? {
            Ok(now) => self.sweep_sessions(now).await,
            Err(doubt) => Ok(SweepResult { clock: Some(doubt), ..SweepResult::default() }),
        }
    }

    /// Expires sessions that are idle for too long, and archives or deletes those that have been
    /// expired for long enough. `now` comes from a clock that is trusted for deletion.
    pub(super) async fn sweep_sessions(&self, now: Timestamp) -> Result<SweepResult, Error> {
        let mut swept = SweepResult::default();
        let mut said = ErasedTexts::default();
        let mut after: Option<(OwnerId, Cursor)> = None;
        loop {
            // Nothing is due before a day of inactivity.
            let page = self.services().store.idle(days_before(now, 1), after.take(), PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some((last.owner.clone(), Cursor { updated_at: last.updated_at, session_id: last.session_id }));
            for view in page {
                let acts = swept.expired + swept.archived + swept.deleted;
                if acts >= ACTS_MAX || self.services().stopping.is_cancelled() {
                    self.scrub(said).await?;
                    return Ok(swept);
                }
                let (owner, session_id) = (view.owner.clone(), view.session_id);
                if let Err(error) = self.sweep_session(view, now, &mut swept, &mut said).await {
                    // A session that cannot be read or archived must not block the others.
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
        swept: &mut SweepResult,
        said: &mut ErasedTexts,
    ) -> Result<(), Error> {
        if view.settings.is_kept() {
            return Ok(());
        }
        let retention = &self.services().options.retention;
        let days = view.settings.expires_after_days().or(retention.session_idle_days);
        if let Some(before) = days.map(|days| days_before(now, days))
            && view.status != SessionStatus::Expired
            && view.updated_at < before
        {
            let expiring = self.command(&view.owner, view.session_id, Command::ExpireIdle { before }).await;
            match expiring {
                Ok(CommandOutcome::Done) => {}
                Ok(_) | Err(Error::NoSession) => return Ok(()),
                Err(error) => return Err(error),
            }
            swept.expired += 1;
            self.services().counters.session_expired();
            tracing::info!(owner = %view.owner, session = %view.session_id, days, "a session has expired");
            view = self.view(&view.owner, view.session_id).await?;
        }
        // With zero days in between, a session that has just expired is removed at once.
        let until = days_before(now, retention.expired_days).plus(Duration::from_millis(1));
        let is_over = view.status == SessionStatus::Expired && view.ended_at.is_some_and(|at| at < until);
        let archive = match &retention.after_expiry {
            AfterExpiry::Archive(folder) if is_over => Some(folder.clone()),
            AfterExpiry::Delete if is_over => None,
            _ => return Ok(()),
        };
        self.retire(&view, ExpiryTerms { before: until, archive }, swept, said).await
    }

    async fn retire(
        &self,
        view: &SessionView,
        terms: ExpiryTerms,
        swept: &mut SweepResult,
        said: &mut ErasedTexts,
    ) -> Result<(), Error> {
        let (owner, session_id, is_archived) = (&view.owner, view.session_id, terms.archive.is_some());
        let gone = self.measure(owner, session_id, if is_archived { None } else { Some(said) }).await?;
        if !is_archived && !said.is_begun() {
            self.services().store.begin_erasing().await?;
            said.begin();
        }
        self.long_term().mark_session_deleted(owner, session_id).await?;
        let removal = Removal::Expired(terms);
        let removed = self.ask(session_id, |reply| Mail::Remove { owner: owner.clone(), removal, reply }).await?;
        if removed {
            self.long_term().mark_session_deleted(owner, session_id).await?;
            *(if is_archived { &mut swept.archived } else { &mut swept.deleted }) += 1;
            self.note_removed(owner, &gone, is_archived);
        }
        Ok(())
    }
}

fn days_before(now: Timestamp, days: u32) -> Timestamp {
    Timestamp::from_millis(now.as_millis().saturating_sub(i64::from(days) * DAY_MS))
}
