//! Spoken approval questions. Only the same speaker can answer, within a short time.
//!
//! Other sentences leave the question open. A later yes, one from another place, or one after
//! another question is not an answer to it. Home Assistant up to 2025.4 names no satellite, so all
//! of them are one speaker: if two are asked at once, a yes could be meant for either question.

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
    /// Whether the peer names the conversation, the satellite or the device. Otherwise several
    /// people may speak under this key.
    pub(super) is_named: bool,
}

/// A question that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PendingQuestion {
    pub(super) approval_id: ApprovalId,
    /// Whether a yes could be meant for another question, too.
    pub(super) is_ambiguous: bool,
}

/// The open questions.
#[derive(Debug, Default)]
pub(super) struct PendingQuestions {
    open: Mutex<HashMap<SpeakerKey, (PendingQuestion, Instant)>>,
}

impl PendingQuestions {
    /// Records that a speaker was just asked.
    pub(super) fn note(&self, speaker_key: SpeakerKey, approval_id: ApprovalId, now: Instant) {
        let mut standing = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        standing.retain(|_, (_, at)| now.duration_since(*at) < STANDS);
        let before = standing.get(&speaker_key);
        let is_ambiguous = !speaker_key.is_named && before.is_some_and(|(other, _)| other.approval_id != approval_id);
        standing.insert(speaker_key, (PendingQuestion { approval_id, is_ambiguous }, now));
    }

    /// The question that a yes or no of the speaker answers.
    pub(super) fn find(&self, speaker_key: &SpeakerKey, now: Instant) -> Option<PendingQuestion> {
        let standing = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let (asked, at) = standing.get(speaker_key)?;
        (now.duration_since(*at) < STANDS).then_some(*asked)
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
        SpeakerKey { session_id, peer: "192.168.1.7".parse().unwrap(), at: at.to_owned(), is_named: true }
    }

    #[test]
    fn only_the_asked_speaker_answers_and_only_soon() {
        let (asked, now) = (PendingQuestions::default(), Instant::now());
        let id: ApprovalId = "01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap();
        asked.note(speaker_key("kitchen"), id, now);
        assert_eq!(asked.find(&speaker_key("attic"), now), None, "no question was asked there");
        for _ in 0..2 {
            let found = asked.find(&speaker_key("kitchen"), now + Duration::from_secs(5));
            assert_eq!(found, Some(PendingQuestion { approval_id: id, is_ambiguous: false }));
        }
        asked.remove(&speaker_key("kitchen"));
        assert_eq!(asked.find(&speaker_key("kitchen"), now), None);

        asked.note(speaker_key("kitchen"), id, now);
        assert_eq!(asked.find(&speaker_key("kitchen"), now + STANDS), None);
        asked.note(speaker_key("attic"), id, now + STANDS);
        assert_eq!(asked.open.lock().unwrap().len(), 1, "old questions are removed");
    }

    #[test]
    fn of_two_questions_to_speakers_without_a_name_a_yes_is_ambiguous_until_it_is_asked_once_more() {
        let now = Instant::now();
        let ids = ["01ARZ3NDEKTSV4RRFFQ69G5FAW", "01ARZ3NDEKTSV4RRFFQ69G5FAX"].map(|id| id.parse().unwrap());
        for is_named in [true, false] {
            let asked = PendingQuestions::default();
            let key = SpeakerKey { is_named, ..speaker_key("192.168.1.7") };
            ids.iter().for_each(|id| asked.note(key.clone(), *id, now));
            let found = asked.find(&key, now).unwrap();
            assert_eq!((found.approval_id, found.is_ambiguous), (ids[1], !is_named));
            asked.note(key.clone(), ids[1], now);
            assert!(!asked.find(&key, now).unwrap().is_ambiguous);
        }
    }
}
