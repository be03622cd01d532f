//! Tickets: a way in for those who cannot set a header, good once and for half a minute.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use protocol::{OwnerId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

const LIFETIME: Duration = Duration::from_secs(30);
/// Tickets that are out at once; beyond it the oldest are worth nothing any more.
const TICKETS_MAX: usize = 1024;

/// A ticket for one WebSocket or event stream, passed as `?ticket=`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Ticket {
    /// The ticket.
    pub(crate) ticket: String,
    /// Until when it is good.
    pub(crate) expires_at: Timestamp,
}

/// The tickets that are out.
#[derive(Default)]
pub(crate) struct Tickets {
    out: Mutex<HashMap<String, (OwnerId, Timestamp)>>,
}

impl Tickets {
    /// Gives out a ticket under a secret that the caller has drawn.
    pub(crate) fn issue(&self, owner: OwnerId, secret: String, now: Timestamp) -> Ticket {
        let expires_at = now.plus(LIFETIME);
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.retain(|_, (_, expires_at)| *expires_at > now);
        if out.len() >= TICKETS_MAX
            && let Some(oldest) = out.iter().min_by_key(|(_, (_, expires_at))| *expires_at).map(|(key, _)| key.clone())
        {
            out.remove(&oldest);
        }
        out.insert(secret.clone(), (owner, expires_at));
        Ticket { ticket: secret, expires_at }
    }

    /// Whose ticket this is; it is used up by asking.
    pub(crate) fn redeem(&self, ticket: &str, now: Timestamp) -> Option<OwnerId> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let (owner, expires_at) = out.remove(ticket)?;
        (expires_at > now).then_some(owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> OwnerId {
        "ada".parse().unwrap()
    }

    #[test]
    fn a_ticket_is_good_once() {
        let (tickets, now) = (Tickets::default(), Timestamp::from_millis(0));
        tickets.issue(owner(), "secret".to_owned(), now);
        assert_eq!(tickets.redeem("other", now), None);
        assert_eq!(tickets.redeem("secret", now), Some(owner()));
        assert_eq!(tickets.redeem("secret", now), None);
    }

    #[test]
    fn and_for_half_a_minute() {
        let (tickets, now) = (Tickets::default(), Timestamp::from_millis(0));
        tickets.issue(owner(), "secret".to_owned(), now);
        assert_eq!(tickets.redeem("secret", now.plus(LIFETIME)), None);
    }
}
