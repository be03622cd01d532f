//! Removing a session, by the one actor that may write to it, so that nothing is written to it
//! meanwhile.

use std::path::PathBuf;

use journal::Lease;
use protocol::{SessionStatus, Timestamp};
use session::State;

use super::mail::ReplySender;
use crate::{
    Error,
    hub::{Services, archive},
};

/// The condition on which a session is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Removal {
    /// The owner asked for it. Running turns are stopped.
    Asked,
    /// It has been expired for long enough, and its owner has not asked to keep it since.
    Expired(ExpiryTerms),
}

/// The condition on which an expired session is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpiryTerms {
    /// It expired before this time.
    pub(crate) before: Timestamp,
    /// The folder it is archived to first.
    pub(crate) archive: Option<PathBuf>,
}

impl Removal {
    /// Whether the condition holds.
    pub(super) fn fits(&self, state: &State) -> bool {
        match self {
            Self::Asked => true,
            Self::Expired(ExpiryTerms { before, .. }) => {
                state.status == SessionStatus::Expired
                    && state.ended_at.is_some_and(|at| at < *before)
                    && !state.settings.is_kept()
            }
        }
    }
}

/// A removal, and the caller that waits for it.
pub(super) struct RemoveRequest {
    pub(super) removal: Removal,
    pub(super) reply: ReplySender<bool>,
}

impl RemoveRequest {
    /// Removes the session if the condition holds. Returns the result, or `None` if the session was
    /// not changed.
    pub(super) async fn carry_out(self, services: &Services, lease: Lease, state: &State) -> Option<Result<(), Error>> {
        // A caller that has gone needs no answer, here and below.
        let answer = |told: Result<bool, Error>| drop(self.reply.send(told));
        if !self.removal.fits(state) {
            answer(Ok(false));
            return None;
        }
        if let Removal::Expired(ExpiryTerms { archive: Some(folder), .. }) = &self.removal
            && let Err(error) = archive::write(services.store.as_ref(), state, folder).await
        {
            answer(Err(error));
            return None;
        }
        let removed = services.store.remove(lease).await.map_err(Error::from);
        answer(removed.clone().map(|()| true));
        Some(removed)
    }
}
