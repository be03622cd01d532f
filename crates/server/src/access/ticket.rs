//! Tickets: a way in that is good once and not for long. By one a browser's stream comes in, which cannot set a header; by
//! another, in an address that the user opens, the browser itself. The server keeps their digests only.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use protocol::{Code, Problem, Timestamp};
use schemars::JsonSchema;
use secret::{NoEntropy, Secret, SecretDigest};
use serde::Serialize;

use super::Pass;

/// How long a ticket for a stream is good for.
pub(crate) const STREAM_LIFETIME: Duration = Duration::from_secs(30);
/// How long an invitation is good for: the user has to find the browser first.
pub(crate) const INVITATION_LIFETIME: Duration = Duration::from_secs(10 * 60);
/// Tickets of one owner that are out at once; beyond it that owner's oldest is worth nothing any more.
const OWNER_TICKETS_MAX: usize = 256;

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
    /// Oldest first.
    out: Mutex<Vec<Issued>>,
}

struct Issued {
    digest: SecretDigest,
    pass: Pass,
    expires_at: Timestamp,
}

impl Tickets {
    /// Tickets that are good for this long.
    pub(crate) fn new(lifetime: Duration) -> Self {
        Self { lifetime, out: Mutex::default() }
    }

    /// Gives out a new ticket. It is worth no more than the pass it was asked for with.
    pub(crate) fn issue(&self, pass: Pass, now: Timestamp) -> Result<(Secret, Timestamp), Problem> {
        let secret = Secret::draw().map_err(no_entropy)?;
        let expires_at = self.issue_drawn(pass, &secret, now);
        Ok((secret, expires_at))
    }

    /// Makes a secret that was drawn elsewhere a ticket; gives until when it is good.
    pub(crate) fn issue_drawn(&self, pass: Pass, secret: &Secret, now: Timestamp) -> Timestamp {
        let expires_at = now.plus(self.lifetime);
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.retain(|issued| issued.expires_at > now);
        let own = |issued: &Issued| issued.pass.owner == pass.owner;
        if out.iter().filter(|issued| own(issued)).count() >= OWNER_TICKETS_MAX
            && let Some(oldest) = out.iter().position(own)
        {
            out.remove(oldest);
        }
        out.push(Issued { digest: secret.digest(), pass, expires_at });
        expires_at
    }

    /// The pass behind a ticket; it is used up by asking. It is compared with all of them, so that the time it takes says
    /// nothing.
    pub(crate) fn redeem(&self, presented: SecretDigest, now: Timestamp) -> Option<Pass> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = None;
        for (at, issued) in out.iter().enumerate() {
            if issued.digest.matches(&presented) {
                found = Some(at);
            }
        }
        let Issued { pass, expires_at, .. } = out.remove(found?);
        (expires_at > now && pass.is_good()).then_some(pass)
    }
}

fn no_entropy(error: NoEntropy) -> Problem {
    Problem::new(Code::Unavailable, error.to_string(), "Try again shortly; if it stays so, look at the machine.")
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::{super::Tokens, *};
    use crate::Credential;

    fn pass(owner: &str) -> Pass {
        let credential = Credential { owner: owner.parse().unwrap(), token: "token".into() };
        Tokens::new(&[credential], None).pass("token").unwrap()
    }

    fn redeem(tickets: &Tickets, ticket: &Secret, now: Timestamp) -> Option<String> {
        tickets.redeem(ticket.digest(), now).map(|pass| pass.owner.to_string())
    }

    #[test]
    fn a_ticket_is_good_once() {
        let (tickets, now) = (Tickets::new(STREAM_LIFETIME), Timestamp::from_millis(0));
        let (ticket, _) = tickets.issue(pass("ada"), now).unwrap();
        assert_eq!(redeem(&tickets, &Secret::draw().unwrap(), now), None);
        assert_eq!(redeem(&tickets, &ticket, now).as_deref(), Some("ada"));
        assert_eq!(redeem(&tickets, &ticket, now), None);
    }

    #[test]
    fn and_for_a_while() {
        let now = Timestamp::from_millis(0);
        for lifetime in [STREAM_LIFETIME, INVITATION_LIFETIME] {
            let tickets = Tickets::new(lifetime);
            let (ticket, expires_at) = tickets.issue(pass("ada"), now).unwrap();
            assert_eq!(expires_at, now.plus(lifetime));
            assert_eq!(redeem(&tickets, &ticket, now.plus(lifetime)), None);
            let (ticket, _) = tickets.issue(pass("ada"), now).unwrap();
            let almost = now.plus(lifetime - Duration::from_millis(1));
            assert_eq!(redeem(&tickets, &ticket, almost).as_deref(), Some("ada"));
        }
    }

    #[test]
    fn an_owner_who_takes_many_pushes_out_their_own_alone() {
        let (tickets, now) = (Tickets::new(STREAM_LIFETIME), Timestamp::from_millis(0));
        let (adas, _) = tickets.issue(pass("ada"), now).unwrap();
        let bobs: Vec<Secret> = (0..=OWNER_TICKETS_MAX).map(|_| tickets.issue(pass("bob"), now).unwrap().0).collect();
        assert_eq!(redeem(&tickets, &bobs[0], now), None, "the oldest of bob's has gone");
        assert_eq!(redeem(&tickets, &bobs[1], now).as_deref(), Some("bob"));
        assert_eq!(redeem(&tickets, &adas, now).as_deref(), Some("ada"));
    }

    #[test]
    fn what_is_kept_does_not_hold_the_ticket() {
        let (tickets, now) = (Tickets::new(STREAM_LIFETIME), Timestamp::from_millis(0));
        let (ticket, _) = tickets.issue(pass("ada"), now).unwrap();
        let kept = tickets.out.lock().unwrap().iter().map(|issued| format!("{:?}", issued.digest)).collect::<String>();
        assert!(!kept.contains(ticket.text().expose_secret()));
    }
}
