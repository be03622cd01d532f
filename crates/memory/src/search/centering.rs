//! The mean of all vectors of an index, which comparisons leave out.
//!
//! Texts of one person resemble each other in what they have in common: style, names, everyday
//! topics. What distinguishes one text from the others is its difference from the mean of all, so
//! that difference is compared with that of the query.

use super::vector::{QueryVector, Vector};

/// The mean counts by half where there are this many vectors: the mean of a few is too much like
/// each of them.
const HALF: f32 = 50.0;
/// Sums are whole numbers of this fraction, so that they do not depend on the order of additions.
const FRACTION: f32 = (1 << 24) as f32;

/// The sum of the vectors of an index.
#[derive(Debug, Default)]
pub(super) struct VectorSum {
    count: u32,
    numbers: Vec<i64>,
}

impl VectorSum {
    /// An empty sum of vectors with this many dimensions.
    pub(super) fn new(dimensions: usize) -> Self {
        Self { count: 0, numbers: vec![0; dimensions] }
    }

    pub(super) fn add(&mut self, vector: &Vector) {
        self.count += 1;
        self.numbers.iter_mut().zip(parts(vector)).for_each(|(sum, part)| *sum += part);
    }

    pub(super) fn subtract(&mut self, vector: &Vector) {
        self.count -= 1;
        self.numbers.iter_mut().zip(parts(vector)).for_each(|(sum, part)| *sum -= part);
    }

    /// The part of the mean that comparisons leave out.
    fn common(&self) -> Vec<f32> {
        let weight = 1.0 / (self.count as f32 + HALF);
        self.numbers.iter().map(|sum| *sum as f32 / FRACTION * weight).collect()
    }
}

fn parts(vector: &Vector) -> impl Iterator<Item = i64> {
    let scale = vector.scale() * FRACTION;
    vector.numbers().iter().map(move |number| (f32::from(*number) * scale).round() as i64)
}

/// How similar a document is to a query, 0 to 1 where they are alike at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Similarity {
    /// The cosine of their vectors.
    pub(super) cosine: f32,
    /// The cosine of their differences from what all documents have in common.
    pub(super) distinct: f32,
}

impl Similarity {
    /// The better of the similarities of two pieces of a document.
    pub(super) const fn max(self, other: Self) -> Self {
        Self { cosine: self.cosine.max(other.cosine), distinct: self.distinct.max(other.distinct) }
    }
}

/// A query's vector, and what is common to all vectors.
pub(super) struct CenteredQuery<'a> {
    question: &'a QueryVector,
    common: QueryVector,
    /// The length of the common part.
    length: f32,
    /// The product of the query and the common part.
    product: f32,
    /// The length of the query's difference from it.
    distance: f32,
}

impl<'a> CenteredQuery<'a> {
    pub(super) fn of(question: &'a QueryVector, sum: &VectorSum) -> Self {
        let numbers = sum.common();
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        let product = question.product(&numbers);
        let distance = distance(product, length);
        Self { question, common: QueryVector::of(&numbers), length, product, distance }
    }

    /// The similarity to numbers of the same dimensions, times their scale.
    #[inline(always)]
    pub(super) fn similarity(&self, numbers: &[i8], scale: f32) -> Similarity {
        let cosine = self.question.similarity(numbers, scale);
        let theirs = self.common.similarity(numbers, scale) * self.length;
        let difference = cosine - self.product - theirs + self.length * self.length;
        Similarity { cosine, distinct: difference / (self.distance * distance(theirs, self.length)) }
    }
}

/// The distance of a unit vector from the common part, given their product. Never 0: a text like
/// all others has no direction of its own.
#[inline(always)]
fn distance(product: f32, length: f32) -> f32 {
    (1.0 - 2.0 * product + length * length).max(0.01).sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn similarity(question: &[f32], other: &[f32], all: &[Vec<f32>]) -> Similarity {
        let mut sum = VectorSum::new(question.len());
        all.iter().for_each(|vector| sum.add(&Vector::of(vector)));
        let other = Vector::of(other);
        CenteredQuery::of(&QueryVector::of(question), &sum).similarity(other.numbers(), other.scale())
    }

    #[test]
    fn what_all_have_in_common_does_not_count() {
        // All share the first direction; the question and the second vector share the second too.
        let all: Vec<Vec<f32>> = (0..500).map(|_| vec![1.0, 0.0, 0.0]).collect();
        let near = similarity(&[1.0, 0.3, 0.0], &[1.0, 0.3, 0.0], &all);
        let far = similarity(&[1.0, 0.3, 0.0], &[1.0, 0.0, 0.3], &all);
        assert!(far.cosine > 0.9 && near.cosine > 0.99);
        assert!(near.distinct > 0.9 && far.distinct < 0.2, "{near:?} {far:?}");
    }

    #[test]
    fn without_others_both_are_the_same() {
        let alone = similarity(&[0.6, 0.8], &[0.8, 0.6], &[]);
        assert!((alone.cosine - alone.distinct).abs() < 1e-6, "{alone:?}");
    }

    proptest! {
        #[test]
        fn the_sum_forgets_what_is_removed(
            kept in proptest::collection::vec(proptest::collection::vec(-1.0_f32..1.0, 8), 0..6),
            gone in proptest::collection::vec(-1.0_f32..1.0, 8),
        ) {
            let (mut one, mut two) = (VectorSum::new(8), VectorSum::new(8));
            one.add(&Vector::of(&gone));
            kept.iter().for_each(|vector| one.add(&Vector::of(vector)));
            one.subtract(&Vector::of(&gone));
            kept.iter().rev().for_each(|vector| two.add(&Vector::of(vector)));
            prop_assert_eq!(one.common(), two.common());
        }
    }
}
