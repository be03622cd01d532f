//! Tickets: a way in that is good once and not for long. By one a browser's stream comes in, which cannot set a header; by
//! another, in an address that somebody opens, the browser itself.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use protocol::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::Pass;

/// How long a ticket for a stream is good for.
pub(crate) const STREAM_LIFETIME: Duration = Duration::from_secs(30);
/// How long an invitation is good for: somebody has to find the browser first.
pub(crate) const INVITATION_LIFETIME: Duration = Duration::from_secs(10 * 60);
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

/// The tickets of one kind that are out.
pub(crate) struct Tickets {
    lifetime: Duration,
    out: Mutex<HashMap<String, (Pass, Timestamp)>>,
}

impl Tickets {
    /// Tickets that are good for this long.
    pub(crate) fn new(lifetime: Duration) -> Self {
        Self { lifetime, out: Mutex::default() }
    }

    /// Gives out a ticket under a secret that the caller has drawn. It is worth no more than the pass it was asked for with.
    pub(crate) fn issue(&self, pass: Pass, secret: String, now: Timestamp) -> Ticket {
        let expires_at = now.plus(self.lifetime);
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.retain(|_, (_, expires_at)| *expires_at > now);
        if out.len() >= TICKETS_MAX
            && let Some(oldest) = out.iter().min_by_key(|(_, (_, expires_at))| *expires_at).map(|(key, _)| key.clone())
        {
            out.remove(&oldest);
        }
        out.insert(secret.clone(), (pass, expires_at));
        Ticket { ticket: secret, expires_at }
    }

    /// The pass behind a ticket; it is used up by asking.
    pub(crate) fn redeem(&self, ticket: &str, now: Timestamp) -> Option<Pass> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let (pass, expires_at) = out.remove(ticket)?;
        (expires_at > now && pass.is_good()).then_some(pass)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Tokens, *};
    use crate::Credential;

    fn pass() -> Pass {
        let ada = Credential { owner: "ada".parse().unwrap(), token: "token".into() };
        Tokens::new(&[ada], None).pass("token").unwrap()
    }

    fn redeem(tickets: &Tickets, ticket: &str, now: Timestamp) -> Option<String> {
        tickets.redeem(ticket, now).map(|pass| pass.owner.to_string())
    }

    #[test]
    fn a_ticket_is_good_once() {
        let (tickets, now) = (Tickets::new(STREAM_LIFETIME), Timestamp::from_millis(0));
        tickets.issue(pass(), "secret".to_owned(), now);
        assert_eq!(redeem(&tickets, "other", now), None);
        assert_eq!(redeem(&tickets, "secret", now).as_deref(), Some("ada"));
        assert_eq!(redeem(&tickets, "secret", now), None);
    }

    #[test]
    fn and_for_a_while() {
        let now = Timestamp::from_millis(0);
        for lifetime in [STREAM_LIFETIME, INVITATION_LIFETIME] {
            let tickets = Tickets::new(lifetime);
            let ticket = tickets.issue(pass(), "secret".to_owned(), now);
            assert_eq!(ticket.expires_at, now.plus(lifetime));
            assert_eq!(redeem(&tickets, "secret", now.plus(lifetime)), None);
            tickets.issue(pass(), "secret".to_owned(), now);
            let almost = now.plus(lifetime - Duration::from_millis(1));
            assert_eq!(redeem(&tickets, "secret", almost).as_deref(), Some("ada"));
        }
    }
}
