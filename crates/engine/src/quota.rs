//! How much each owner may have, and who is refused when they have it.
//!
//! Only what is new is refused: a session, a message, an import. A turn that is at work when a limit is reached goes on to its
//! end; what it may write is bounded by its own budgets. How much there is comes from the store, which counts as it writes, and
//! what is just being made counts too, so that many requests at once do not slip past a limit together.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::OwnerId;

/// What an owner may have; none means any amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quota {
    /// Sessions, also those that have ended.
    pub sessions_max: Option<u64>,
    /// Bytes of the events of all sessions.
    pub journal_bytes_max: Option<u64>,
    /// Turns that have not ended.
    pub turns_max: Option<u64>,
}

/// What there is a limit of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Sessions.
    Sessions,
    /// Bytes of the journal.
    JournalBytes,
    /// Turns that have not ended.
    Turns,
    /// Bytes of artifacts.
    ArtifactBytes,
}

impl Limit {
    /// What it is called.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::JournalBytes => "bytes in the journal",
            Self::Turns => "open turns",
            Self::ArtifactBytes => "bytes of artifacts",
        }
    }

    /// The setting that says how much there may be.
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Sessions => "quota.sessions_max",
            Self::JournalBytes => "quota.journal_bytes_max",
            Self::Turns => "quota.turns_max",
            Self::ArtifactBytes => "artifacts.owner_bytes_max",
        }
    }

    /// What can be done about it.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Sessions | Self::JournalBytes => {
                "Delete sessions that are no longer needed, or have the operator raise the setting."
            }
            Self::Turns => "Wait for turns to end, or cancel some; then send it again.",
            Self::ArtifactBytes => {
                "Remove artifacts (`dwell artifacts remove ID`), or have the operator raise the setting."
            }
        }
    }
}

/// An owner has no room left. Nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are {used} {}{}, and an owner may have at most {max} (`{}`)", .limit.what(), more(.wanted), .limit.setting())]
pub struct Exceeded {
    /// Of what.
    pub limit: Limit,
    /// How much there is.
    pub used: u64,
    /// How much more was wanted.
    pub wanted: u64,
    /// How much there may be.
    pub max: u64,
}

fn more(wanted: &u64) -> String {
    if *wanted > 1 { format!(", {wanted} more are wanted") } else { String::new() }
}

/// What is being made and is not counted by the store yet. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Reservations {
    held: Arc<Mutex<HashMap<(OwnerId, Limit), u64>>>,
}

impl Reservations {
    /// Holds so much for an owner until it is dropped.
    pub(crate) fn hold(&self, owner: &OwnerId, limit: Limit, amount: u64) -> Reserved {
        let key = (owner.clone(), limit);
        let mut held = Reserved { all: self.clone(), key, amount: 0 };
        held.set(amount);
        held
    }

    /// How much is held for an owner.
    pub(crate) fn held(&self, owner: &OwnerId, limit: Limit) -> u64 {
        self.lock().get(&(owner.clone(), limit)).copied().unwrap_or(0)
    }

    /// What is held of one kind, by owner.
    pub(crate) fn all(&self, limit: Limit) -> Vec<(OwnerId, u64)> {
        let held = self.lock();
        held.iter().filter(|((_, of), _)| *of == limit).map(|((owner, _), held)| (owner.clone(), *held)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(OwnerId, Limit), u64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something that is held for an owner.
pub(crate) struct Reserved {
    all: Reservations,
    key: (OwnerId, Limit),
    amount: u64,
}

impl Reserved {
    /// Refuses it if there is not room for all that is held beside what there is.
    pub(crate) fn check(&self, used: u64, max: Option<u64>) -> Result<(), Exceeded> {
        let (owner, limit) = &self.key;
        let held = self.all.held(owner, *limit);
        match max.filter(|max| used.saturating_add(held) > *max) {
            Some(max) => {
                let used = used.saturating_add(held.saturating_sub(self.amount));
                Err(Exceeded { limit: *limit, used, wanted: self.amount, max })
            }
            None => Ok(()),
        }
    }

    /// Holds another amount instead.
    pub(crate) fn set(&mut self, amount: u64) {
        if amount == self.amount {
            return;
        }
        let mut held = self.all.lock();
        let all = held.entry(self.key.clone()).or_default();
        *all = all.saturating_sub(self.amount).saturating_add(amount);
        if *all == 0 {
            held.remove(&self.key);
        }
        self.amount = amount;
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_being_made_counts_until_it_is_made() {
        let (all, ada) = (Reservations::default(), OwnerId::try_from("ada".to_owned()).unwrap());
        let first = all.hold(&ada, Limit::Sessions, 1);
        assert_eq!(first.check(1, Some(2)), Ok(()));
        let second = all.hold(&ada, Limit::Sessions, 1);
        let exceeded = second.check(1, Some(2)).unwrap_err();
        assert_eq!(exceeded, Exceeded { limit: Limit::Sessions, used: 2, wanted: 1, max: 2 });
        assert_eq!(
            exceeded.to_string(),
            "there are 2 sessions, and an owner may have at most 2 (`quota.sessions_max`)"
        );
        drop(first);
        assert_eq!(second.check(1, Some(2)), Ok(()));
        assert_eq!(second.check(u64::MAX, None), Ok(()), "no limit is none");
        drop(second);
        assert_eq!(all.all(Limit::Sessions), []);
    }

    #[test]
    fn how_much_is_wanted_is_said_where_it_is_much() {
        let all = Reservations::default();
        let held = all.hold(&OwnerId::try_from("ada".to_owned()).unwrap(), Limit::ArtifactBytes, 500);
        let words = held.check(900, Some(1_000)).unwrap_err().to_string();
        assert_eq!(
            words,
            "there are 900 bytes of artifacts, 500 more are wanted, and an owner may have at most 1000 \
             (`artifacts.owner_bytes_max`)"
        );
    }
}
