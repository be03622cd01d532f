//! What scoring needs of every document, in a few bytes: a search visits all documents several
//! times, and the documents themselves do not fit into the processor's caches.

use super::{
    answer_kind::DocumentDetails,
    lexical::{DocumentSlot, IndexField},
    prepared::PreparedDocument,
};

/// Stands for no slot and no memory.
const NONE: u32 = u32::MAX;

/// The numbers of the document in a slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlotProfile {
    neighbours: [u32; 2],
    memory: u32,
    /// How many terms it has.
    pub(super) length: u32,
    /// How many different terms it has.
    pub(super) terms: u32,
    /// The share of its words that stand in questions.
    pub(super) asks: f32,
    pub(super) field: IndexField,
    /// What kinds of answers it contains.
    pub(super) details: DocumentDetails,
    /// Whether its text names times.
    pub(super) has_times: bool,
    /// Whether the turn before it asks, and someone else said that one.
    pub(super) is_answer: bool,
    /// Whether there is a document in the slot.
    pub(super) is_used: bool,
}

impl SlotProfile {
    /// The profile of an empty slot.
    pub(super) const FREE: Self = Self {
        neighbours: [NONE; 2],
        memory: NONE,
        length: 0,
        terms: 0,
        asks: 0.0,
        field: IndexField::User,
        details: DocumentDetails::from_bits(0),
        has_times: false,
        is_answer: false,
        is_used: false,
    };

    /// The profile of a document without neighbours.
    pub(super) fn of(prepared: &PreparedDocument, memory: Option<usize>) -> Self {
        let words = &prepared.words;
        Self {
            memory: packed(memory),
            length: words.length,
            terms: packed(Some(words.counts.len())),
            asks: words.asks,
            field: prepared.field,
            details: words.details,
            has_times: !words.about.is_empty(),
            is_used: true,
            ..Self::FREE
        }
    }

    /// The turns before and after it.
    pub(super) fn neighbours(&self) -> [Option<DocumentSlot>; 2] {
        self.neighbours.map(unpacked)
    }

    /// The turn before it.
    pub(super) fn before(&self) -> Option<DocumentSlot> {
        unpacked(self.neighbours[0])
    }

    /// The turn after it.
    pub(super) fn after(&self) -> Option<DocumentSlot> {
        unpacked(self.neighbours[1])
    }

    pub(super) fn set_before(&mut self, slot: Option<DocumentSlot>) {
        self.neighbours[0] = packed(slot);
    }

    pub(super) fn set_after(&mut self, slot: Option<DocumentSlot>) {
        self.neighbours[1] = packed(slot);
    }

    /// The memory it belongs to.
    pub(super) fn memory(&self) -> Option<usize> {
        unpacked(self.memory)
    }

    pub(super) fn set_memory(&mut self, memory: usize) {
        self.memory = packed(Some(memory));
    }
}

fn packed(number: Option<usize>) -> u32 {
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(NONE)
}

fn unpacked(number: u32) -> Option<usize> {
    (number != NONE).then_some(number as usize)
}
