//! Where a passage stands: its document and its place in it, as the one id that the search knows it by.

use protocol::{ItemId, MemoryId};

/// A document by its number in the store.
pub(super) type DocumentNo = i64;

/// A passage's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) document: DocumentNo,
    pub(super) ordinal: u32,
}

impl Spot {
    /// Of passages that fit alike the search tells the largest id first, so earlier ones have larger ids.
    pub(super) fn id(self) -> ItemId {
        let high = u128::from(self.document.cast_unsigned()) << 64;
        ItemId::from_bytes((high | u128::from(u32::MAX - self.ordinal)).to_be_bytes())
    }

    pub(super) fn of(id: ItemId) -> Self {
        let number = u128::from_be_bytes(id.to_bytes());
        let document = ((number >> 64) as u64).cast_signed();
        Self { document, ordinal: u32::MAX - (number as u32) }
    }

    /// The document, as the search knows what belongs together.
    pub(super) fn whole(document: DocumentNo) -> MemoryId {
        MemoryId::from_bytes(u128::from(document.cast_unsigned()).to_be_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_id_says_where_the_passage_stands(document in 0..i64::MAX, ordinal: u32) {
            let spot = Spot { document, ordinal };
            prop_assert_eq!(Spot::of(spot.id()), spot);
        }

        #[test]
        fn earlier_passages_have_larger_ids(document in 0..i64::MAX, one: u32, other: u32) {
            let id = |ordinal| Spot { document, ordinal }.id();
            prop_assert_eq!(one.cmp(&other), id(other).cmp(&id(one)));
        }
    }
}
