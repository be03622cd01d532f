//! Location of a passage: its document and its position there, encoded as an id of the search
//! index.

use protocol::{ItemId, MemoryId};

/// Row id of a document in the store.
pub(super) type DocumentNo = i64;

/// Location of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PassageLocation {
    pub(super) document: DocumentNo,
    pub(super) ordinal: u32,
}

impl PassageLocation {
    /// Among equal matches the index returns the largest id first, so earlier passages have larger
    /// ids.
    pub(super) fn id(self) -> ItemId {
        let high = u128::from(self.document.cast_unsigned()) << 64;
        ItemId::from_bytes((high | u128::from(u32::MAX - self.ordinal)).to_be_bytes())
    }

    pub(super) fn of(id: ItemId) -> Self {
        let number = u128::from_be_bytes(id.to_bytes());
        let document = ((number >> 64) as u64).cast_signed();
        Self { document, ordinal: u32::MAX - (number as u32) }
    }

    /// The document as a group of the search index.
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
            let passage_location = PassageLocation { document, ordinal };
            prop_assert_eq!(PassageLocation::of(passage_location.id()), passage_location);
        }

        #[test]
        fn earlier_passages_have_larger_ids(document in 0..i64::MAX, one: u32, other: u32) {
            let id = |ordinal| PassageLocation { document, ordinal }.id();
            prop_assert_eq!(one.cmp(&other), id(other).cmp(&id(one)));
        }
    }
}
