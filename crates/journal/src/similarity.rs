//! Embeddings as bytes, and their similarity.

use std::cmp::Ordering;

/// The bytes of embeddings: one after the other, each number as a little-endian `f32`.
pub(crate) fn pack(vectors: &[Vec<f32>]) -> Vec<u8> {
    vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
}

/// Nothing is less than any similarity.
pub(crate) fn compare(score: Option<f64>, other: Option<f64>) -> Ordering {
    match (score, other) {
        (Some(score), Some(other)) => score.total_cmp(&other),
        (score, other) => score.is_some().cmp(&other.is_some()),
    }
}

/// The highest similarity to one of the embeddings.
pub(crate) fn best(near: &[f32], packed: &[u8]) -> Option<f64> {
    let vectors = packed.chunks_exact(near.len() * 4);
    vectors.map(|vector| cosine(near, vector)).max_by(f64::total_cmp)
}

fn cosine(near: &[f32], packed: &[u8]) -> f64 {
    let (mut product, mut ours, mut theirs) = (0.0, 0.0, 0.0);
    for (number, bytes) in near.iter().zip(packed.as_chunks::<4>().0) {
        let (here, there) = (f64::from(*number), f64::from(f32::from_le_bytes(*bytes)));
        product += here * there;
        ours += here * here;
        theirs += there * there;
    }
    if ours > 0.0 && theirs > 0.0 { product / (ours.sqrt() * theirs.sqrt()) } else { 0.0 }
}
