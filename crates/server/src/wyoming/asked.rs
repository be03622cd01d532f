//! Questions that were asked aloud, and who may answer them: whoever was asked, with what is said next, and soon.
//!
//! A yes that comes later or from elsewhere was said to somebody else.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use protocol::{ApprovalId, SessionId};
use tokio::time::Instant;

/// How long a question stands in the room.
const STANDS: Duration = Duration::from_secs(30);

/// Who is spoken with: in which session, by which peer, at which satellite or device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Partner {
    pub(super) session_id: SessionId,
    pub(super) peer: IpAddr,
    pub(super) at: String,
}

/// The questions that stand in the room.
#[derive(Debug, Default)]
pub(super) struct Asked {
    standing: Mutex<HashMap<Partner, (ApprovalId, Instant)>>,
}

impl Asked {
    /// Notes that somebody was asked just now.
    pub(super) fn note(&self, partner: Partner, approval_id: ApprovalId, now: Instant) {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        standing.retain(|_, (_, at)| now.duration_since(*at) < STANDS);
        standing.insert(partner, (approval_id, now));
    }

    /// The question that somebody's words can be an answer to. They are the only ones that can.
    pub(super) fn take(&self, partner: &Partner, now: Instant) -> Option<ApprovalId> {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        let (approval_id, at) = standing.remove(partner)?;
        (now.duration_since(at) < STANDS).then_some(approval_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partner(at: &str) -> Partner {
        let session_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        Partner { session_id, peer: "192.168.1.7".parse().unwrap(), at: at.to_owned() }
    }

    #[test]
    fn only_the_next_words_of_whoever_was_asked_answer_and_only_soon() {
        let (asked, now) = (Asked::default(), Instant::now());
        let id: ApprovalId = "01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap();
        asked.note(partner("kitchen"), id, now);
        assert_eq!(asked.take(&partner("attic"), now), None, "nobody was asked there");
        assert_eq!(asked.take(&partner("kitchen"), now + Duration::from_secs(5)), Some(id));
        assert_eq!(asked.take(&partner("kitchen"), now), None, "what is said after that is about something else");

        asked.note(partner("kitchen"), id, now);
        assert_eq!(asked.take(&partner("kitchen"), now + STANDS), None);
        asked.note(partner("kitchen"), id, now);
        asked.note(partner("attic"), id, now + STANDS);
        assert_eq!(asked.standing.lock().unwrap().len(), 1, "old ones are not kept");
    }
}
