//! The newest event of a session, and how the next one follows from it.

use protocol::{CURRENT_FORMAT, SessionId};
use sha2::{Digest, Sha256};

use super::PreparedEvent;
use crate::{
    Checksum,
    checksum::{BodyRef, ChecksumInput},
};

/// The checksum of an event covers a larger body by its digest only, so that a store can have such
/// bodies in another place.
pub(crate) const BODY_BYTES_MAX: usize = 16 * 1024;

/// The newest event of a session: its number, and the checksum of all events up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) seq: u64,
    pub(crate) sum: Checksum,
}

impl Head {
    /// A session before its first event.
    pub(crate) const START: Self = Self { seq: 0, sum: Checksum::START };

    /// The head of a session after an event. `digest` is set if the body is in the table of blobs.
    pub(crate) fn then(self, session_id: SessionId, event: &PreparedEvent, digest: Option<&[u8]>) -> Self {
        let turn = event.turn.map(protocol::TurnId::to_bytes);
        let stamp = ChecksumInput {
            session_id,
            seq: event.seq,
            format: CURRENT_FORMAT,
            at: event.at.as_millis(),
            turn: turn.as_ref().map(<[u8; 16]>::as_slice),
            agent: event.agent.as_deref().map(str::as_bytes),
            body: digest.map_or_else(|| BodyRef::Inline(event.body.get().as_bytes()), BodyRef::Beside),
        };
        Self { seq: event.seq, sum: self.sum.next(&stamp) }
    }
}

/// The digest that the checksum of an event covers instead of its body; `None` for a small body.
pub(crate) fn digest(text: &str) -> Option<Vec<u8>> {
    (text.len() > BODY_BYTES_MAX).then(|| Sha256::digest(text.as_bytes()).to_vec())
}
