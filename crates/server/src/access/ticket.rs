//! Tickets: credentials that are valid once and for a short time. One kind authenticates a
//! browser's stream, which cannot set headers. The other, the invitation, signs in a browser
//! through a link that the user opens. The server stores only their digests.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use protocol::{Code, Problem, Timestamp};
use schemars::JsonSchema;
use secret::{NoEntropy, Secret, SecretDigest};
use serde::Serialize;

use super::AccessGrant;

/// How long a ticket for a stream is valid.
pub(crate) const STREAM_LIFETIME: Duration = Duration::from_secs(30);
/// How long an invitation is valid; the user has to open the browser first.
pub(crate) const INVITATION_LIFETIME: Duration = Duration::from_secs(10 * 60);
/// Most valid tickets of one owner; beyond that the owner's oldest becomes invalid.
const OWNER_TICKETS_MAX: usize = 256;

/// A ticket for one WebSocket or event stream, passed as `?ticket=`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Ticket {
    /// The ticket.
    pub(crate) ticket: String,
    /// When it expires.
    pub(crate) expires_at: Timestamp,
}

/// The valid tickets of one kind.
pub(crate) struct Tickets {
    lifetime: Duration,
    /// Oldest first.
    out: Mutex<Vec<IssuedTicket>>,
}

struct IssuedTicket {
    digest: SecretDigest,
    grant: AccessGrant,
    expires_at: Timestamp,
}

impl Tickets {
    /// Tickets with this lifetime.
    pub(crate) fn new(lifetime: Duration) -> Self {
        Self { lifetime, out: Mutex::default() }
    }

    /// Issues a new ticket. It carries the grant of the request that asked for it.
    pub(crate) fn issue(&self, grant: AccessGrant, now: Timestamp) -> Result<(Secret, Timestamp), Problem> {
        let secret = Secret::generate().map_err(no_entropy)?;
        let expires_at = self.issue_drawn(grant, &secret, now);
        Ok((secret, expires_at))
    }

    /// Registers a secret that was generated elsewhere as a ticket; returns when it expires.
    pub(crate) fn issue_drawn(&self, grant: AccessGrant, secret: &Secret, now: Timestamp) -> Timestamp {
        let expires_at = now.plus(self.lifetime);
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.retain(|issued| issued.expires_at > now);
        let own = |issued: &IssuedTicket| issued.grant.owner == grant.owner;
        if out.iter().filter(|issued| own(issued)).count() >= OWNER_TICKETS_MAX
            && let Some(oldest) = out.iter().position(own)
        {
            out.remove(oldest);
        }
        out.push(IssuedTicket { digest: secret.digest(), grant, expires_at });
        expires_at
    }

    /// The grant of a ticket, which is used up by this. It is compared with all tickets, so that
    /// the time taken reveals nothing.
    pub(crate) fn redeem(&self, presented: SecretDigest, now: Timestamp) -> Option<AccessGrant> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = None;
        for (at, issued) in out.iter().enumerate() {
            if issued.digest.matches(&presented) {
                found = Some(at);
            }
        }
        let IssuedTicket { grant, expires_at, .. } = out.remove(found?);
        (expires_at > now && grant.is_good()).then_some(grant)
    }
}

pub(super) fn no_entropy(error: NoEntropy) -> Problem {
    Problem::new(Code::Unavailable, error.to_string(), "Try again shortly; if it persists, check the machine.")
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::{super::Tokens, *};
    use crate::Credential;

    fn grant(owner: &str) -> AccessGrant {
        let credential = Credential { owner: owner.parse().unwrap(), token: "token".into() };
        Tokens::new(&[credential], None).grant("token").unwrap()
    }

    fn redeem(tickets: &Tickets, ticket: &Secret, now: Timestamp) -> Option<String> {
        tickets.redeem(ticket.digest(), now).map(|grant| grant.owner.to_string())
    }

    #[test]
    fn a_ticket_is_good_once() {
        let (tickets, now) = (Tickets::new(STREAM_LIFETIME), Timestamp::from_millis(0));
        let (ticket, _) = tickets.issue(grant("ada"), now).unwrap();
        assert_eq!(redeem(&tickets, &Secret::generate().unwrap(), now), None);
        assert_eq!(redeem(&tickets, &ticket, now).as_deref(), Some("ada"));
        assert_eq!(redeem(&tickets, &ticket, now), None);
    }

    #[test]
    fn and_for_a_while() {
        let now = Timestamp::from_millis(0);
        for lifetime in [STREAM_LIFETIME, INVITATION_LIFETIME] {
            let tickets = Tickets::new(lifetime);
            let (ticket, expires_at) = tickets.issue(grant("ada"), now).unwrap();
            assert_eq!(expires_at, now.plus(lifetime));
            assert_eq!(redeem(&tickets, &ticket, now.plus(lifetime)), None);
            let (ticket, _) = tickets.issue(grant("ada"), now).unwrap();
            let almost = now.plus(lifetime - Duration::from_millis(1));
            assert_eq!(redeem(&tickets, &ticket, almost).as_deref(), Some("ada"));
        }
    }

    #[test]
    fn an_owner_who_takes_many_pushes_out_their_own_alone() {
        let (tickets, now) = (Tickets::new(STREAM_LIFETIME), Timestamp::from_millis(0));
        let (adas, _) = tickets.issue(grant("ada"), now).unwrap();
        let bobs: Vec<Secret> = (0..=OWNER_TICKETS_MAX).map(|_| tickets.issue(grant("bob"), now).unwrap().0).collect();
        assert_eq!(redeem(&tickets, &bobs[0], now), None, "bob's oldest ticket is gone");
        assert_eq!(redeem(&tickets, &bobs[1], now).as_deref(), Some("bob"));
        assert_eq!(redeem(&tickets, &adas, now).as_deref(), Some("ada"));
    }

    #[test]
    fn what_is_kept_does_not_hold_the_ticket() {
        let (tickets, now) = (Tickets::new(STREAM_LIFETIME), Timestamp::from_millis(0));
        let (ticket, _) = tickets.issue(grant("ada"), now).unwrap();
        let kept = tickets.out.lock().unwrap().iter().map(|issued| format!("{:?}", issued.digest)).collect::<String>();
        assert!(!kept.contains(ticket.text().expose_secret()));
    }
}
