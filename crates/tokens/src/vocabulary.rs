//! The tokens and their ranks, which decide the order of merges.

use crate::layout;

/// The tokens ordered by rank, each preceded by its length.
static TOKENS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tokens"));
/// For each rank, the position of its token in `TOKENS`.
static PLACES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/places"));
/// The hash table: rank + 1, or 0 for an empty slot.
static SLOTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/slots"));

/// The rank of these bytes, if they are a token.
pub(crate) fn rank(bytes: &[u8]) -> Option<u32> {
    let mut slot = layout::first_slot(bytes);
    loop {
        let rank = layout::read(SLOTS, slot).checked_sub(1)?;
        if token(rank) == bytes {
            return Some(rank);
        }
        slot = layout::next_slot(slot);
    }
}

fn token(rank: u32) -> &'static [u8] {
    let at = layout::read(PLACES, rank as usize) as usize;
    &TOKENS[at + 1..at + 1 + usize::from(TOKENS[at])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_by_its_bytes() {
        let count = PLACES.len() / layout::SLOT_BYTES;
        assert_eq!(count, 199_998);
        for index in 0..u32::try_from(count).unwrap() {
            assert_eq!(rank(token(index)), Some(index));
        }
    }

    #[test]
    fn every_byte_is_a_token_so_that_nothing_is_uncountable() {
        assert!((0..=u8::MAX).all(|byte| rank(&[byte]).is_some()));
        assert_eq!(rank(b""), None);
        assert_eq!(rank("no such token".as_bytes()), None);
    }
}
