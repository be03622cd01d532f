//! Vectors quantized to eight bits a number: a quarter of the RAM, without a loss that changes a
//! ranking.

use pulp::Arch;

/// A unit vector quantized to eight bits a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    scale: f32,
    numbers: Box<[i8]>,
}

impl Vector {
    /// Normalizes a vector to length 1 and quantizes it.
    pub fn of(numbers: &[f32]) -> Self {
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        let peak = numbers.iter().fold(0.0_f32, |peak, number| peak.max(number.abs()));
        if !length.is_finite() || length <= f32::EPSILON {
            return Self { scale: 0.0, numbers: vec![0; numbers.len()].into() };
        }
        let step = peak / 127.0;
        let numbers = numbers.iter().map(|number| (number / step).round().clamp(-127.0, 127.0) as i8).collect();
        Self { scale: step / length, numbers }
    }

    /// A vector of its parts.
    pub(super) fn of_parts(scale: f32, numbers: &[i8]) -> Self {
        Self { scale, numbers: numbers.into() }
    }

    /// The factor that makes its numbers a unit vector.
    pub(super) const fn scale(&self) -> f32 {
        self.scale
    }

    /// Its numbers.
    pub(super) const fn numbers(&self) -> &[i8] {
        &self.numbers
    }

    /// The cosine similarity to a query's vector; 0 if their dimensions differ.
    #[cfg(test)]
    fn similarity(&self, question: &QueryVector) -> f32 {
        if self.numbers.len() != question.len() {
            return 0.0;
        }
        question.similarity(&self.numbers, self.scale)
    }

    /// The cosine similarity to another vector; 0 if their dimensions differ.
    pub(super) fn cosine(&self, other: &Self) -> f32 {
        if self.numbers.len() != other.numbers.len() {
            return 0.0;
        }
        let products = self.numbers.iter().zip(&other.numbers).map(|(one, two)| i32::from(*one) * i32::from(*two));
        products.sum::<i32>() as f32 * self.scale * other.scale
    }

    /// Writes it as bytes for the store.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(u16::try_from(self.numbers.len()).unwrap_or(0).to_le_bytes());
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend(self.numbers.iter().map(|number| number.cast_unsigned()));
    }

    /// The vector at the front of the bytes, and the bytes after it.
    pub(super) fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (length, bytes) = bytes.split_first_chunk::<2>()?;
        let (scale, bytes) = bytes.split_first_chunk::<4>()?;
        let (numbers, rest) = bytes.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        let scale = f32::from_le_bytes(*scale);
        let numbers = numbers.iter().map(|byte| byte.cast_signed()).collect();
        (scale.is_finite()).then_some((Self { scale, numbers }, rest))
    }
}

/// The vector of a piece at the front of a document's stored vectors: the number of the piece, the
/// digest of its text, the vector, and the bytes after it. Earlier versions also stored a vector
/// for the turn with its neighbours, as piece 255, which no document has.
pub(super) fn read_piece(bytes: &[u8]) -> Option<(u8, [u8; 8], Vector, &[u8])> {
    let (piece, bytes) = bytes.split_first()?;
    let (digest, bytes) = bytes.split_first_chunk::<8>()?;
    let (vector, rest) = Vector::read(bytes)?;
    Some((*piece, *digest, vector, rest))
}

/// A query's vector, prepared for many comparisons.
#[derive(Debug, Clone)]
pub struct QueryVector {
    arch: Arch,
    scale: f32,
    numbers: Vec<i16>,
}

impl QueryVector {
    /// Prepares a query's vector.
    pub fn of(numbers: &[f32]) -> Self {
        let Vector { scale, numbers } = Vector::of(numbers);
        Self { arch: Arch::new(), scale, numbers: numbers.iter().map(|number| i16::from(*number)).collect() }
    }

    /// The product with another vector.
    pub(super) fn product(&self, other: &[f32]) -> f32 {
        self.numbers.iter().zip(other).map(|(mine, theirs)| f32::from(*mine) * theirs).sum::<f32>() * self.scale
    }

    /// Its number of dimensions.
    pub(super) const fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Runs comparisons with the widest instructions that the processor has.
    pub(super) fn dispatch(&self, work: impl FnOnce()) {
        self.arch.dispatch(work);
    }

    /// The cosine similarity to numbers of the same dimensions, times their scale.
    #[inline(always)]
    pub(super) fn similarity(&self, numbers: &[i8], scale: f32) -> f32 {
        dot(numbers, &self.numbers) as f32 * scale * self.scale
    }
}

#[inline(always)]
fn dot(mine: &[i8], theirs: &[i16]) -> i32 {
    mine.iter().zip(theirs).map(|(mine, theirs)| i32::from(*mine) * i32::from(*theirs)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt())
    }

    proptest! {
        #[test]
        fn eight_bits_are_enough(a in proptest::collection::vec(-1.0_f32..1.0, 384), b in proptest::collection::vec(-1.0_f32..1.0, 384)) {
            let similarity = Vector::of(&a).similarity(&QueryVector::of(&b));
            prop_assert!((similarity - cosine(&a, &b)).abs() < 0.01);
        }

        #[test]
        fn bytes_give_the_vector_back(a in proptest::collection::vec(-1.0_f32..1.0, 0..50), rest in proptest::collection::vec(any::<u8>(), 0..9)) {
            let vector = Vector::of(&a);
            let mut bytes = Vec::new();
            vector.write(&mut bytes);
            bytes.extend(&rest);
            prop_assert_eq!(Vector::read(&bytes), Some((vector, rest.as_slice())));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = Vector::read(&bytes);
        }
    }

    #[test]
    fn what_cannot_be_compared_is_not_similar() {
        assert_eq!(Vector::of(&[1.0, 0.0]).similarity(&QueryVector::of(&[1.0, 0.0, 0.0])), 0.0);
        assert_eq!(Vector::of(&[0.0, 0.0]).similarity(&QueryVector::of(&[1.0, 0.0])), 0.0);
        assert_eq!(Vector::of(&[f32::NAN, 0.0]).similarity(&QueryVector::of(&[1.0, 0.0])), 0.0);
    }
}
