//! Which sessions are live, and how mail finds them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::{OwnerId, SessionId};
use session::{Command, Outcome};
use tokio::sync::{mpsc::error::SendError, oneshot};

use super::House;
use crate::{
    Error, Exceeded,
    live::{self, Mail, Mailbox},
};

/// Which sessions are live.
pub(crate) struct Directory {
    pub(crate) house: Arc<House>,
    live: Mutex<HashMap<SessionId, Mailbox>>,
}

impl Directory {
    pub(super) fn new(house: Arc<House>) -> Self {
        Self { house, live: Mutex::default() }
    }

    /// Sends mail to a session, loading it if needed.
    pub(super) async fn post(self: &Arc<Self>, session_id: SessionId, mut mail: Mail) -> Result<(), Error> {
        loop {
            if self.house.stopping.is_cancelled() {
                return Err(Error::Stopping);
            }
            let mailbox = self.mailbox(session_id);
            match mailbox.send(mail).await {
                Ok(()) => return Ok(()),
                // It was unloaded a moment ago: the next one takes the mail.
                Err(SendError(unsent)) => {
                    self.remove(session_id, &mailbox);
                    mail = unsent;
                }
            }
        }
    }

    /// Asks a session, loading it if needed.
    pub(crate) async fn ask<T>(
        self: &Arc<Self>,
        session_id: SessionId,
        mail: impl FnOnce(oneshot::Sender<Result<T, Error>>) -> Mail,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.post(session_id, mail(reply)).await?;
        // An actor that ends answers its commands and passes on its other mail; what is left has to be asked again.
        let unanswered = || if self.house.stopping.is_cancelled() { Error::Stopping } else { Error::Unanswered };
        answer.await.unwrap_or_else(|_| Err(unanswered()))
    }

    /// Asks a session to do something on behalf of its owner.
    pub(crate) async fn command(
        self: &Arc<Self>,
        owner: &OwnerId,
        session_id: SessionId,
        command: Command,
    ) -> Result<Outcome, Error> {
        self.command_unless(owner, session_id, command, None).await
    }

    /// The same, unless it would write something that there is no room for.
    pub(super) async fn command_unless(
        self: &Arc<Self>,
        owner: &OwnerId,
        session_id: SessionId,
        command: Command,
        full: Option<Exceeded>,
    ) -> Result<Outcome, Error> {
        let (owner, command) = (owner.clone(), Box::new(command));
        self.ask(session_id, |reply| Mail::Command { owner, command, full, reply }).await
    }

    /// Sends on the mail that reached a session while it was being unloaded.
    pub(crate) async fn post_again(self: &Arc<Self>, session_id: SessionId, leftover: Vec<Mail>) {
        for mail in leftover {
            // A turn's report is of no use to the next actor, and whoever comes next is awake. If the server is
            // stopping, the caller learns it from the reply that is dropped.
            if !matches!(mail, Mail::Report { .. } | Mail::Progress { .. } | Mail::Wake) {
                let _ = self.post(session_id, mail).await;
            }
        }
    }

    /// Forgets an actor that has ended, unless another has taken its place.
    pub(crate) fn remove(&self, session_id: SessionId, mailbox: &Mailbox) {
        let mut live = self.lock();
        if live.get(&session_id).is_some_and(|current| current.same_channel(mailbox)) {
            live.remove(&session_id);
        }
    }

    pub(super) fn is_live(&self, session_id: SessionId) -> bool {
        // An actor that fell over could not remove itself.
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
