//! Spoken approval questions. Only the same speaker can answer, within a short time.
//!
//! Other sentences leave the question open. A later yes, one from another place, or one after
//! another question is not an answer to it.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use protocol::{ApprovalId, SessionId};
use tokio::time::Instant;

/// How long a question can be answered.
const STANDS: Duration = Duration::from_secs(30);

/// Identifies a speaker: by session, peer, and satellite or device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SpeakerKey {
    pub(super) session_id: SessionId,
    pub(super) peer: IpAddr,
    pub(super) at: String,
}

/// The open questions.
#[derive(Debug, Default)]
pub(super) struct PendingQuestions {
    open: Mutex<HashMap<SpeakerKey, (ApprovalId, Instant)>>,
}

impl PendingQuestions {
    /// Records that a speaker was just asked.
    pub(super) fn note(&self, speaker_key: SpeakerKey, approval_id: ApprovalId, now: Instant) {
        let mut standing = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        standing.retain(|_, (_, at)| now.duration_since(*at) < STANDS);
        standing.insert(speaker_key, (approval_id, now));
    }

    /// The question that a yes or no of the speaker answers.
    pub(super) fn find(&self, speaker_key: &SpeakerKey, now: Instant) -> Option<ApprovalId> {
        let standing = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let (approval_id, at) = standing.get(speaker_key)?;
        (now.duration_since(*at) < STANDS).then_some(*approval_id)
    }

    /// Removes the speaker's question: it is answered, or a yes could mean something else by now.
    pub(super) fn remove(&self, speaker_key: &SpeakerKey) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(speaker_key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speaker_key(at: &str) -> SpeakerKey {
        let session_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        SpeakerKey { session_id, peer: "192.168.1.7".parse().unwrap(), at: at.to_owned() }
    }

    #[test]
    fn only_the_asked_speaker_answers_and_only_soon() {
        let (asked, now) = (PendingQuestions::default(), Instant::now());
        let id: ApprovalId = "01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap();
        asked.note(speaker_key("kitchen"), id, now);
        assert_eq!(asked.find(&speaker_key("attic"), now), None, "no question was asked there");
        for _ in 0..2 {
            assert_eq!(asked.find(&speaker_key("kitchen"), now + Duration::from_secs(5)), Some(id));
        }
        asked.remove(&speaker_key("kitchen"));
        assert_eq!(asked.find(&speaker_key("kitchen"), now), None);

        asked.note(speaker_key("kitchen"), id, now);
        assert_eq!(asked.find(&speaker_key("kitchen"), now + STANDS), None);
        asked.note(speaker_key("attic"), id, now + STANDS);
        assert_eq!(asked.open.lock().unwrap().len(), 1, "old questions are removed");
    }
}
