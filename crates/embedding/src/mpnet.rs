//! all-mpnet-base-v2: a larger English model. Its encoder is BERT's with other names, and with a
//! bias of attention that depends on the distance of two tokens.

use super::{EmbeddingError, weights::TensorFile};

/// The first positions are those of padding, which is not used here.
const PADDING_ROWS: usize = 2;
/// Names of BERT's parts, and what they are called here.
const NAMES: [(&str, &str); 5] = [
    (".attention.self.query.", ".attention.attn.q."),
    (".attention.self.key.", ".attention.attn.k."),
    (".attention.self.value.", ".attention.attn.v."),
    (".attention.output.dense.", ".attention.attn.o."),
    (".attention.output.LayerNorm.", ".attention.LayerNorm."),
];
/// Distances up to this many tokens have a bias of their own; farther ones share one with others,
/// the more the farther, and from the last on all do.
const NEAR_MAX: usize = 8;
const FAR_MIN: f64 = 128.0;
/// Biases of one direction.
const BUCKETS: usize = 16;

/// A file of this model, read as one of BERT's.
pub(super) struct MpNetFile<F>(pub(super) F);

impl<F: TensorFile> TensorFile for MpNetFile<F> {
    fn tensor(&self, name: &str) -> Result<(Vec<f32>, Vec<usize>), EmbeddingError> {
        match name {
            "embeddings.position_embeddings.weight" => {
                let (mut values, mut shape) = self.0.tensor(name)?;
                if let [rows, columns] = shape.as_mut_slice() {
                    let padding = PADDING_ROWS.min(*rows);
                    values.drain(..padding * *columns);
                    *rows -= padding;
                }
                Ok((values, shape))
            }
            // It has no kinds of tokens.
            "embeddings.token_type_embeddings.weight" => {
                let (norm, _) = self.0.tensor("embeddings.LayerNorm.bias")?;
                Ok((vec![0.0; norm.len()], vec![1, norm.len()]))
            }
            _ => self.0.tensor(&renamed(name)),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.0.has(&renamed(name))
    }

    fn epsilon(&self) -> f32 {
        1e-5
    }
}

fn renamed(name: &str) -> String {
    let found = NAMES.iter().find(|(bert, _)| name.contains(bert));
    found.map_or_else(|| name.to_owned(), |(bert, own)| name.replace(bert, own))
}

/// The row of the table of biases for a token and one that it attends to.
pub(super) fn bucket(from: usize, to: usize) -> usize {
    let distance = from.abs_diff(to);
    let start = if to > from { BUCKETS } else { 0 };
    if distance < NEAR_MAX {
        return start + distance;
    }
    #[allow(clippy::cast_precision_loss, reason = "a text has some hundred tokens")]
    let share = (distance as f64 / NEAR_MAX as f64).ln() / (FAR_MIN / NEAR_MAX as f64).ln();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is small and not negative")]
    let far = (share * (BUCKETS - NEAR_MAX) as f64) as usize;
    start + (NEAR_MAX + far).min(BUCKETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_tokens_have_a_bias_each_and_far_ones_share() {
        assert_eq!([0, 1, 7].map(|distance| bucket(9, 9 - distance)), [0, 1, 7]);
        assert_eq!([1, 7].map(|distance| bucket(9, 9 + distance)), [17, 23]);
        assert_eq!([8, 11, 12, 64, 127, 128, 255].map(|distance| bucket(0, distance)), [24, 24, 25, 30, 31, 31, 31]);
        assert_eq!(bucket(200, 0), 15);
    }

    #[test]
    fn names_of_the_other_family_are_translated() {
        assert_eq!(renamed("encoder.layer.3.attention.self.key.bias"), "encoder.layer.3.attention.attn.k.bias");
        assert_eq!(renamed("encoder.layer.3.output.LayerNorm.bias"), "encoder.layer.3.output.LayerNorm.bias");
    }
}
