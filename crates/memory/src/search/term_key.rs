//! Terms as numbers. The index compares and stores numbers of fixed size instead of words, so that
//! loading it needs no word, and a word cannot be read from what is stored.

/// The hash of a term. It is stored, so it must not change; two of a million terms share one with a
/// probability of less than one in ten million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TermKey(u64);

impl TermKey {
    /// FNV-1a, mixed at the end so that every bit depends on every byte.
    pub(super) fn of(term: &str) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        let hash = term.bytes().fold(0xCBF2_9CE4_8422_2325, step);
        let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        Self(mixed ^ (mixed >> 33))
    }

    pub(super) const fn to_bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    pub(super) const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_le_bytes(bytes))
    }
}
