//! Checksums of events, chained per session: a changed, missing or exchanged event is noticed.
//!
//! The sum of an event is made of the event as it is stored and of the sum of the event before it. What a session holds
//! up to some number is therefore known by one sum of sixteen bytes. Sums find damage, not forgery: whoever can write to
//! the store can also make them anew.

use std::fmt;

use protocol::SessionId;
use sha2::{Digest, Sha256};

/// Bytes of a sum: enough that damage does not pass by chance.
pub(crate) const SUM_BYTES: usize = 16;

/// The sum of an event and of all events before it, or of something that stands alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sum([u8; SUM_BYTES]);

/// An event as it is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp<'a> {
    pub(crate) session_id: SessionId,
    pub(crate) seq: u64,
    pub(crate) format: u32,
    pub(crate) at: i64,
    pub(crate) turn: Option<&'a [u8]>,
    pub(crate) agent: Option<&'a [u8]>,
    pub(crate) body: Kept<'a>,
}

/// Where the body of an event is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kept<'a> {
    /// With the event: its bytes.
    Inline(&'a [u8]),
    /// Beside the events: the digest of its bytes, so that they need not be read for the sum.
    Beside(&'a [u8]),
}

impl Sum {
    /// What the first event of a session comes after.
    pub(crate) const START: Self = Self([0; SUM_BYTES]);

    /// The sum of the event that follows. Every part is told apart from the next by its length.
    pub(crate) fn next(self, event: &Stamp<'_>) -> Self {
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
            Kept::Inline(bytes) => (0u8, bytes),
            Kept::Beside(digest) => (1u8, digest),
        };
        hash.update([kind]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
        Self::of_digest(hash)
    }

    /// The sum of some parts that stand alone.
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self::of_digest(hash)
    }

    /// A sum that was stored; none if it cannot be one.
    pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes to store.
    pub(crate) const fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// A sum as it is written in text; none if it is no such text.
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

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sum({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp<'a>() -> Stamp<'a> {
        Stamp {
            session_id: SessionId::from_bytes([7; 16]),
            seq: 3,
            format: 1,
            at: 1_700_000_000_000,
            turn: Some(&[1; 16]),
            agent: Some(b"main"),
            body: Kept::Inline(b"{}"),
        }
    }

    #[test]
    fn every_part_of_an_event_counts() {
        let sum = Sum::START.next(&stamp());
        assert_eq!(sum, Sum::START.next(&stamp()), "the same event has the same sum");
        let others = [
            Stamp { session_id: SessionId::from_bytes([8; 16]), ..stamp() },
            Stamp { seq: 4, ..stamp() },
            Stamp { format: 2, ..stamp() },
            Stamp { at: 0, ..stamp() },
            Stamp { turn: None, ..stamp() },
            Stamp { turn: Some(&[]), agent: Some(b""), ..stamp() },
            Stamp { turn: None, agent: None, ..stamp() },
            Stamp { agent: Some(b"mai"), body: Kept::Inline(b"n{}"), ..stamp() },
            Stamp { body: Kept::Inline(b"[]"), ..stamp() },
            Stamp { body: Kept::Beside(b"{}"), ..stamp() },
        ];
        let mut sums: Vec<Sum> = others.iter().map(|other| Sum::START.next(other)).collect();
        sums.push(sum.next(&stamp()));
        sums.push(sum);
        for (at, sum) in sums.iter().enumerate() {
            assert!(!sums[..at].contains(sum), "number {at}");
        }
    }

    #[test]
    fn a_sum_reads_back_from_its_text() {
        let sum = Sum::of(&[b"a", b"bc"]);
        assert_ne!(sum, Sum::of(&[b"ab", b"c"]));
        assert_eq!(Sum::from_hex(&sum.to_string()), Some(sum));
        assert_eq!(Sum::from_slice(sum.as_bytes()), Some(sum));
        for wrong in ["", "00", &"zz".repeat(16), &"é".repeat(16), &"0".repeat(33)] {
            assert_eq!(Sum::from_hex(wrong), None, "{wrong}");
        }
    }
}
