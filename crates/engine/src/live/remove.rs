//! Removing a session, by the one actor that may write to it, so that nothing is written to it meanwhile.

use std::path::PathBuf;

use journal::Lease;
use protocol::{SessionStatus, Timestamp};
use session::State;

use super::mail::Reply;
use crate::{
    Error,
    hub::{House, archive},
};

/// On which terms a session is to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Removal {
    /// Its owner wants it gone. What is under way in it is stopped.
    Asked,
    /// It has expired long enough ago, and its owner has not said since that it is to be kept.
    Expired(Expired),
}

/// The terms on which an expired session is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expired {
    /// It has expired before this moment.
    pub(crate) before: Timestamp,
    /// The folder it is archived to first.
    pub(crate) archive: Option<PathBuf>,
}

impl Removal {
    /// Whether the terms hold.
    pub(super) fn fits(&self, state: &State) -> bool {
        match self {
            Self::Asked => true,
            Self::Expired(Expired { before, .. }) => {
                state.status == SessionStatus::Expired
                    && state.ended_at.is_some_and(|at| at < *before)
                    && !state.settings.is_kept()
            }
        }
    }
}

/// A removal, and who wants to know whether it was done.
pub(super) struct Remove {
    pub(super) removal: Removal,
    pub(super) reply: Reply<bool>,
}

impl Remove {
    /// Removes the session if the terms hold; what came of that, or none if the session is as it was.
    pub(super) async fn carry_out(self, house: &House, lease: Lease, state: &State) -> Option<Result<(), Error>> {
        // A caller that has gone needs no answer, here and below.
        let answer = |told: Result<bool, Error>| drop(self.reply.send(told));
        if !self.removal.fits(state) {
            answer(Ok(false));
            return None;
        }
        if let Removal::Expired(Expired { archive: Some(folder), .. }) = &self.removal
            && let Err(error) = archive::write(house.store.as_ref(), state, folder).await
        {
            answer(Err(error));
            return None;
        }
        let removed = house.store.remove(lease).await.map_err(Error::from);
        answer(removed.clone().map(|()| true));
        Some(removed)
    }
}
