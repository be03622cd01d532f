//! Memory layout of the hash table. The build script writes it and the crate reads it with these
//! functions.

/// Numbers in the table are little-endian and have four bytes.
pub(crate) const SLOT_BYTES: usize = 4;
/// A power of two, about a third more than the number of tokens.
pub(crate) const SLOTS: usize = 1 << 18;

/// The number at an index.
pub(crate) fn read(numbers: &[u8], index: usize) -> u32 {
    let at = index * SLOT_BYTES;
    u32::from_le_bytes([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]])
}

/// The first slot of a token: FNV-1a, with the upper bits folded in, since only the lower ones
/// count.
pub(crate) fn first_slot(token: &[u8]) -> usize {
    let hash = token
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash ^ (hash >> 32)) as usize & (SLOTS - 1)
}

/// The next slot, if the slot has another token.
pub(crate) const fn next_slot(slot: usize) -> usize {
    (slot + 1) & (SLOTS - 1)
}
