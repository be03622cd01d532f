//! Events as a store has them, and the check that they are what was written.

use protocol::{AgentId, Body, CURRENT_FORMAT, Event, SessionId, Timestamp, TurnId};
use sha2::{Digest, Sha256};

use super::head::BODY_BYTES_MAX;
use crate::{
    Checksum, Damage, Error,
    checksum::{BodyRef, ChecksumInput},
};

/// An event as its row has it, byte for byte, so that damage reaches the check and does not fail
/// before.
#[derive(Debug)]
pub(crate) struct StoredEvent {
    pub(crate) session_id: SessionId,
    pub(crate) seq: u64,
    pub(crate) format: u32,
    pub(crate) at: i64,
    pub(crate) turn: Option<Vec<u8>>,
    pub(crate) agent: Option<Vec<u8>>,
    pub(crate) inline: Option<Vec<u8>>,
    pub(crate) digest: Option<Vec<u8>>,
    pub(crate) sum: Vec<u8>,
    /// The body, if it is in the table of blobs.
    pub(crate) beside: Option<Vec<u8>>,
}

impl StoredEvent {
    /// Sets the body of a store that has all bodies in the event's row. The checksum covers a large
    /// one by its digest, as in every store.
    pub(crate) fn set_body(&mut self, body: Vec<u8>) {
        if body.len() > BODY_BYTES_MAX {
            self.digest = Some(Sha256::digest(&body).to_vec());
            self.beside = Some(body);
        } else {
            self.inline = Some(body);
        }
    }

    pub(crate) const fn session_id(&self) -> SessionId {
        self.session_id
    }

    pub(crate) const fn seq(&self) -> u64 {
        self.seq
    }

    /// Its checksum, if the row and its body are what was written after the event with the checksum
    /// `before`.
    pub(crate) fn verify(&self, before: Checksum) -> Result<Checksum, Damage> {
        let sum = before.next(&self.stamp());
        if Checksum::from_slice(&self.sum) != Some(sum) {
            return Err(self.damaged("it is not what was written"));
        }
        match (&self.digest, &self.beside) {
            (None, _) => Ok(sum),
            (Some(_), None) => Err(self.damaged("its body is missing")),
            (Some(digest), Some(body)) if Sha256::digest(body).as_slice() == digest.as_slice() => Ok(sum),
            (Some(_), Some(_)) => Err(self.damaged("its body is not what was written")),
        }
    }

    /// Its checksum as the successor of the event with the checksum `before`.
    pub(crate) fn chained(&self, before: Checksum) -> Checksum {
        before.next(&self.stamp())
    }

    fn stamp(&self) -> ChecksumInput<'_> {
        let body = match (&self.inline, &self.digest) {
            (Some(text), _) => BodyRef::Inline(text),
            (None, digest) => BodyRef::Beside(digest.as_deref().unwrap_or_default()),
        };
        ChecksumInput {
            session_id: self.session_id,
            seq: self.seq,
            format: self.format,
            at: self.at,
            turn: self.turn.as_deref(),
            agent: self.agent.as_deref(),
            body,
        }
    }

    fn damaged(&self, detail: &str) -> Damage {
        Damage { session_id: self.session_id, seq: self.seq, detail: detail.to_owned() }
    }

    /// Parses the event.
    pub(crate) fn event(self) -> Result<Event, Error> {
        let Self { session_id, seq, format, .. } = self;
        let text = self.inline.or(self.beside).unwrap_or_default();
        let body = body(format, &text).map_err(|cause| Error::Storage {
            action: "read an event",
            cause: format!("event {seq} of session {session_id}: {cause}"),
        })?;
        let agent = self.agent.and_then(|name| String::from_utf8(name).ok());
        let turn = self.turn.and_then(|id| <[u8; 16]>::try_from(id).ok());
        Ok(Event {
            seq,
            session_id,
            turn_id: turn.map(TurnId::from_bytes),
            agent_id: agent.and_then(|name| AgentId::try_from(name).ok()),
            at: Timestamp::from_millis(self.at),
            body,
        })
    }
}

/// Parses a body of any format up to the current one. Format 1 is the only one so far; a later one
/// is translated here.
fn body(format: u32, text: &[u8]) -> Result<Body, String> {
    if format > CURRENT_FORMAT {
        return Err(format!("it has format {format}, written by a newer Dwell; this one knows {CURRENT_FORMAT}"));
    }
    serde_json::from_slice(text).map_err(|error| error.to_string())
}
