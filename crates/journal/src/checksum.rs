//! Checksums of events, chained per session, by which a changed, missing or exchanged event is
//! noticed.
//!
//! The checksum of an event covers the stored event and the checksum of the event before it. One
//! checksum of sixteen bytes therefore identifies the content of a session up to some number.
//! Checksums find damage, not forgery: a program that can write to the store can also recompute
//! them.

use std::fmt;

use protocol::SessionId;
use sha2::{Digest, Sha256};

/// Bytes of a checksum: enough that damage does not pass by chance.
pub(crate) const SUM_BYTES: usize = 16;

/// The checksum of an event and all events before it, or of a single item.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Checksum([u8; SUM_BYTES]);

/// An event as it is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChecksumInput<'a> {
    pub(crate) session_id: SessionId,
    pub(crate) seq: u64,
    pub(crate) format: u32,
    pub(crate) at: i64,
    pub(crate) turn: Option<&'a [u8]>,
    pub(crate) agent: Option<&'a [u8]>,
    pub(crate) body: BodyRef<'a>,
}

/// Where the body of an event is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BodyRef<'a> {
    /// In the event's row: its bytes.
    Inline(&'a [u8]),
    /// In the table of blobs: the digest of its bytes, so that they need not be read for the
    /// checksum.
    Beside(&'a [u8]),
}

impl Checksum {
    /// The predecessor of a session's first event.
    pub(crate) const START: Self = Self([0; SUM_BYTES]);

    /// The checksum of the next event. Each part is preceded by its length, so that parts cannot
    /// run into each other.
    pub(crate) fn next(self, event: &ChecksumInput<'_>) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(event.session_id.to_bytes());
        hash.update(event.seq.to_be_bytes());
        hash.update(event.format.to_be_bytes());
        hash.update(event.at.to_be_bytes());
        for part in [event.turn, event.agent] {
            hash.update(part.map_or(u64::MAX, |bytes| bytes.len() as u64).to_be_bytes());
            hash.update(part.unwrap_or_default());
        }
        let (kind, bytes) = match event.body {
            BodyRef::Inline(bytes) => (0u8, bytes),
            BodyRef::Beside(digest) => (1u8, digest),
        };
        hash.update([kind]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
        Self::of_digest(hash)
    }

    /// The checksum of the parts of a single item.
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self::of_digest(hash)
    }

    /// A stored checksum; `None` if the length is wrong.
    pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes to store.
    pub(crate) const fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// A checksum in hexadecimal; `None` if the text is not one.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 2 * SUM_BYTES || !text.is_ascii() {
            return None;
        }
        let mut sum = [0; SUM_BYTES];
        for (byte, at) in sum.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
        }
        Some(Self(sum))
    }

    fn of_digest(hash: Sha256) -> Self {
        let digest = hash.finalize();
        let mut sum = [0; SUM_BYTES];
        sum.copy_from_slice(&digest[..SUM_BYTES]);
        Self(sum)
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sum({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp<'a>() -> ChecksumInput<'a> {
        ChecksumInput {
            session_id: SessionId::from_bytes([7; 16]),
            seq: 3,
            format: 1,
            at: 1_700_000_000_000,
            turn: Some(&[1; 16]),
            agent: Some(b"main"),
            body: BodyRef::Inline(b"{}"),
        }
    }

    #[test]
    fn every_part_of_an_event_counts() {
        let sum = Checksum::START.next(&stamp());
        assert_eq!(sum, Checksum::START.next(&stamp()), "the same event has the same sum");
        let others = [
            ChecksumInput { session_id: SessionId::from_bytes([8; 16]), ..stamp() },
            ChecksumInput { seq: 4, ..stamp() },
            ChecksumInput { format: 2, ..stamp() },
            ChecksumInput { at: 0, ..stamp() },
            ChecksumInput { turn: None, ..stamp() },
            ChecksumInput { turn: Some(&[]), agent: Some(b""), ..stamp() },
            ChecksumInput { turn: None, agent: None, ..stamp() },
            ChecksumInput { agent: Some(b"mai"), body: BodyRef::Inline(b"n{}"), ..stamp() },
            ChecksumInput { body: BodyRef::Inline(b"[]"), ..stamp() },
            ChecksumInput { body: BodyRef::Beside(b"{}"), ..stamp() },
        ];
        let mut sums: Vec<Checksum> = others.iter().map(|other| Checksum::START.next(other)).collect();
        sums.push(sum.next(&stamp()));
        sums.push(sum);
        for (at, sum) in sums.iter().enumerate() {
            assert!(!sums[..at].contains(sum), "number {at}");
        }
    }

    #[test]
    fn a_sum_reads_back_from_its_text() {
        let sum = Checksum::of(&[b"a", b"bc"]);
        assert_ne!(sum, Checksum::of(&[b"ab", b"c"]));
        assert_eq!(Checksum::from_hex(&sum.to_string()), Some(sum));
        assert_eq!(Checksum::from_slice(sum.as_bytes()), Some(sum));
        for wrong in ["", "00", &"zz".repeat(16), &"é".repeat(16), &"0".repeat(33)] {
            assert_eq!(Checksum::from_hex(wrong), None, "{wrong}");
        }
    }
}
