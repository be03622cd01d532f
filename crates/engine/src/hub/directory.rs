//! The live sessions, and the delivery of mail to them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use memory::long_term::OpenWindows;
use protocol::{OwnerId, SessionId};
use session::{Command, CommandOutcome, Desktop};
use tokio::sync::{mpsc::error::SendError, oneshot};

use super::Services;
use crate::{
    Error, QuotaExceeded,
    live::{self, Mail, Mailbox},
};

/// The live sessions.
pub(crate) struct Directory {
    pub(crate) services: Arc<Services>,
    live: Mutex<HashMap<SessionId, Mailbox>>,
}

impl Directory {
    pub(super) fn new(services: Arc<Services>) -> Self {
        Self { services, live: Mutex::default() }
    }

    /// Sends mail to a session, loading it if needed.
    pub(crate) async fn post(self: &Arc<Self>, session_id: SessionId, mut mail: Mail) -> Result<(), Error> {
        loop {
            if self.services.stopping.is_cancelled() {
                return Err(Error::Stopping);
            }
            let mailbox = self.mailbox(session_id);
            match mailbox.send(mail).await {
                Ok(()) => return Ok(()),
                // It was unloaded a moment ago: the next actor takes the mail.
                Err(SendError(unsent)) => {
                    self.remove(session_id, &mailbox);
                    mail = unsent;
                }
            }
        }
    }

    /// Sends a request to a session and waits for the answer, loading the session if needed.
    pub(crate) async fn ask<T>(
        self: &Arc<Self>,
        session_id: SessionId,
        mail: impl FnOnce(oneshot::Sender<Result<T, Error>>) -> Mail,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.post(session_id, mail(reply)).await?;
        // An actor that exits answers its commands and forwards its other mail; everything else has
        // to be requested again.
        let unanswered = || if self.services.stopping.is_cancelled() { Error::Stopping } else { Error::Unanswered };
        answer.await.unwrap_or_else(|_| Err(unanswered()))
    }

    /// The open windows of a session, for memory.
    pub(crate) async fn open_windows(
        self: &Arc<Self>,
        owner: &OwnerId,
        session_id: SessionId,
    ) -> Result<OpenWindows, Error> {
        let desktop = self.ask(session_id, |reply| Mail::Windows { owner: owner.clone(), reply }).await?;
        Ok(opened(&desktop))
    }

    /// Sends a command of the owner to a session.
    pub(crate) async fn command(
        self: &Arc<Self>,
        owner: &OwnerId,
        session_id: SessionId,
        command: Command,
    ) -> Result<CommandOutcome, Error> {
        self.command_unless(owner, session_id, command, None).await
    }

    /// The same, unless it would write something and the quota is used up.
    pub(super) async fn command_unless(
        self: &Arc<Self>,
        owner: &OwnerId,
        session_id: SessionId,
        command: Command,
        full: Option<QuotaExceeded>,
    ) -> Result<CommandOutcome, Error> {
        let (owner, command) = (owner.clone(), Box::new(command));
        self.ask(session_id, |reply| Mail::Command { owner, command, full, reply }).await
    }

    /// Sends on the mail that reached a session while it was being unloaded.
    pub(crate) async fn post_again(self: &Arc<Self>, session_id: SessionId, leftover: Vec<Mail>) {
        for mail in leftover {
            // A turn's report is useless to the next actor, and a new actor needs no wake-up. If
            // the server is stopping, the caller learns it from the dropped reply.
            if !matches!(mail, Mail::Report { .. } | Mail::Progress { .. } | Mail::Wake) {
                let _ = self.post(session_id, mail).await;
            }
        }
    }

    /// Forgets an actor that has ended, unless another has replaced it.
    pub(crate) fn remove(&self, session_id: SessionId, mailbox: &Mailbox) {
        let mut live = self.lock();
        if live.get(&session_id).is_some_and(|current| current.same_channel(mailbox)) {
            live.remove(&session_id);
        }
    }

    pub(super) fn is_live(&self, session_id: SessionId) -> bool {
        // An actor that panicked could not remove itself.
        self.lock().get(&session_id).is_some_and(|mailbox| !mailbox.is_closed())
    }

    pub(super) fn live_count(&self) -> usize {
        self.lock().values().filter(|mailbox| !mailbox.is_closed()).count()
    }

    fn mailbox(self: &Arc<Self>, session_id: SessionId) -> Mailbox {
        self.lock().entry(session_id).or_insert_with(|| live::spawn(self.clone(), session_id)).clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Mailbox>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The open windows, with the time at which each was opened.
pub(crate) fn opened(desktop: &Desktop) -> OpenWindows {
    desktop.windows().map(|window| (window.window_id.clone(), window.opened_at)).collect()
}
