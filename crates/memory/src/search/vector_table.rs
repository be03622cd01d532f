//! All vectors of an index in one block, so that comparing a query with each of them reads memory
//! in order.

use super::{
    centering::{CenteredQuery, Similarity, VectorSum},
    lexical::DocumentSlot,
    vector::{QueryVector, Vector},
};

/// A vector's place in the table.
pub(super) type VectorRow = usize;

/// The vectors of one embedding model, which all have the same number of dimensions.
#[derive(Debug, Default)]
pub(super) struct VectorTable {
    dimensions: usize,
    /// The document of each row; none if the row is free.
    slots: Vec<Option<DocumentSlot>>,
    scales: Vec<f32>,
    numbers: Vec<i8>,
    free: Vec<VectorRow>,
    sum: VectorSum,
}

impl VectorTable {
    /// Adds a vector of a document. None if it has another number of dimensions than the others.
    pub(super) fn insert(&mut self, slot: DocumentSlot, vector: &Vector) -> Option<VectorRow> {
        if self.slots.len() == self.free.len() {
            let dimensions = vector.numbers().len();
            *self = Self { dimensions, sum: VectorSum::new(dimensions), ..Self::default() };
        }
        if vector.numbers().len() != self.dimensions {
            return None;
        }
        self.sum.add(vector);
        if let Some(row) = self.free.pop() {
            self.slots[row] = Some(slot);
            self.scales[row] = vector.scale();
            self.numbers[row * self.dimensions..][..self.dimensions].copy_from_slice(vector.numbers());
            return Some(row);
        }
        self.slots.push(Some(slot));
        self.scales.push(vector.scale());
        self.numbers.extend(vector.numbers());
        Some(self.slots.len() - 1)
    }

    /// Removes a vector, and its numbers with it.
    pub(super) fn remove(&mut self, row: VectorRow) {
        let vector = self.get(row);
        self.sum.subtract(&vector);
        self.slots[row] = None;
        self.scales[row] = 0.0;
        self.numbers[row * self.dimensions..][..self.dimensions].fill(0);
        self.free.push(row);
    }

    /// The vector of a row.
    pub(super) fn get(&self, row: VectorRow) -> Vector {
        Vector::of_parts(self.scales[row], &self.numbers[row * self.dimensions..][..self.dimensions])
    }

    /// Calls `each` with every document's vectors' similarity to a query.
    pub(super) fn compare(&self, question: &QueryVector, mut each: impl FnMut(DocumentSlot, Similarity)) {
        if question.len() != self.dimensions || self.dimensions == 0 {
            let none = Similarity { cosine: 0.0, distinct: 0.0 };
            self.slots.iter().flatten().for_each(|slot| each(*slot, none));
            return;
        }
        let centered = CenteredQuery::of(question, &self.sum);
        let rows = self.numbers.chunks_exact(self.dimensions).zip(&self.scales).zip(&self.slots);
        // The same sum on every machine, with the widest instructions it has: what is not inlined
        // here is compiled without them.
        question.dispatch(
            #[inline(always)]
            || {
                for ((numbers, scale), slot) in rows {
                    if let Some(slot) = slot {
                        each(*slot, centered.similarity(numbers, *scale));
                    }
                }
            },
        );
    }
}
