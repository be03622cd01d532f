//! Quotas of owners.
//!
//! Only new work is refused: a session, a message, an import. A turn that is running when a limit
//! is reached continues to its end; its own budgets bound what it may write. The usage comes from
//! the store, which counts as it writes. Reservations count what is being created, so that
//! concurrent requests cannot exceed a limit together.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::OwnerId;

/// The limits of an owner; `None` means unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quota {
    /// Sessions, including ended ones.
    pub sessions_max: Option<u64>,
    /// Bytes of the events of all sessions.
    pub journal_bytes_max: Option<u64>,
    /// Turns that have not ended.
    pub turns_max: Option<u64>,
    /// Bytes of the values of programs.
    pub value_bytes_max: Option<u64>,
}

/// The kinds of limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuotaKind {
    /// Sessions.
    Sessions,
    /// Bytes of the journal.
    JournalBytes,
    /// Turns that have not ended.
    Turns,
    /// Bytes of artifacts.
    ArtifactBytes,
    /// Bytes of values.
    ValueBytes,
}

impl QuotaKind {
    /// The unit in messages.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::JournalBytes => "bytes in the journal",
            Self::Turns => "open turns",
            Self::ArtifactBytes => "bytes of artifacts",
            Self::ValueBytes => "bytes of values",
        }
    }

    /// The setting with the limit.
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Sessions => "quota.sessions_max",
            Self::JournalBytes => "quota.journal_bytes_max",
            Self::Turns => "quota.turns_max",
            Self::ArtifactBytes => "artifacts.owner_bytes_max",
            Self::ValueBytes => "quota.value_bytes_max",
        }
    }

    /// What the client can do about it.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Sessions | Self::JournalBytes => {
                "Delete sessions that are no longer needed, or have the operator raise the setting."
            }
            Self::Turns => "Wait for turns to end, or cancel some; then send it again.",
            Self::ArtifactBytes => {
                "Remove artifacts (`dwell artifacts remove ID`), or have the operator raise the setting."
            }
            Self::ValueBytes => "Delete values that are no longer needed, or have the operator raise the setting.",
        }
    }
}

/// An owner has reached a limit. Nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are {used} {}{}, and an owner may have at most {max} (`{}`)", .limit.what(), more(.wanted), .limit.setting())]
pub struct QuotaExceeded {
    /// The limit.
    pub limit: QuotaKind,
    /// The current usage.
    pub used: u64,
    /// The requested amount.
    pub wanted: u64,
    /// The maximum.
    pub max: u64,
}

fn more(wanted: &u64) -> String {
    if *wanted > 1 { format!(", {wanted} more are needed") } else { String::new() }
}

/// Amounts that are being created and that the store does not count yet. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Reservations {
    held: Arc<Mutex<HashMap<(OwnerId, QuotaKind), u64>>>,
}

impl Reservations {
    /// Reserves an amount for an owner until the reservation is dropped.
    pub(crate) fn hold(&self, owner: &OwnerId, limit: QuotaKind, amount: u64) -> Reservation {
        let key = (owner.clone(), limit);
        let mut held = Reservation { all: self.clone(), key, amount: 0 };
        held.set(amount);
        held
    }

    /// The amount reserved for an owner.
    pub(crate) fn held(&self, owner: &OwnerId, limit: QuotaKind) -> u64 {
        self.lock().get(&(owner.clone(), limit)).copied().unwrap_or(0)
    }

    /// The reservations of one kind, by owner.
    pub(crate) fn all(&self, limit: QuotaKind) -> Vec<(OwnerId, u64)> {
        let held = self.lock();
        held.iter().filter(|((_, of), _)| *of == limit).map(|((owner, _), held)| (owner.clone(), *held)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(OwnerId, QuotaKind), u64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An amount that is reserved for an owner.
pub(crate) struct Reservation {
    all: Reservations,
    key: (OwnerId, QuotaKind),
    amount: u64,
}

impl Reservation {
    /// Fails if the usage and all reservations together exceed the limit.
    pub(crate) fn check(&self, used: u64, max: Option<u64>) -> Result<(), QuotaExceeded> {
        let (owner, limit) = &self.key;
        let held = self.all.held(owner, *limit);
        match max.filter(|max| used.saturating_add(held) > *max) {
            Some(max) => {
                let used = used.saturating_add(held.saturating_sub(self.amount));
                Err(QuotaExceeded { limit: *limit, used, wanted: self.amount, max })
            }
            None => Ok(()),
        }
    }

    /// Reserves another amount instead.
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

impl Drop for Reservation {
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
        let first = all.hold(&ada, QuotaKind::Sessions, 1);
        assert_eq!(first.check(1, Some(2)), Ok(()));
        let second = all.hold(&ada, QuotaKind::Sessions, 1);
        let exceeded = second.check(1, Some(2)).unwrap_err();
        assert_eq!(exceeded, QuotaExceeded { limit: QuotaKind::Sessions, used: 2, wanted: 1, max: 2 });
        assert_eq!(
            exceeded.to_string(),
            "there are 2 sessions, and an owner may have at most 2 (`quota.sessions_max`)"
        );
        drop(first);
        assert_eq!(second.check(1, Some(2)), Ok(()));
        assert_eq!(second.check(u64::MAX, None), Ok(()), "no limit is none");
        drop(second);
        assert_eq!(all.all(QuotaKind::Sessions), []);
    }

    #[test]
    fn how_much_is_wanted_is_said_where_it_is_much() {
        let all = Reservations::default();
        let held = all.hold(&OwnerId::try_from("ada".to_owned()).unwrap(), QuotaKind::ArtifactBytes, 500);
        let words = held.check(900, Some(1_000)).unwrap_err().to_string();
        assert_eq!(
            words,
            "there are 900 bytes of artifacts, 500 more are needed, and an owner may have at most 1000 \
             (`artifacts.owner_bytes_max`)"
        );
    }
}
