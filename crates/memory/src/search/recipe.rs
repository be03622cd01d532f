//! The weights of search.

use serde::{Deserialize, Serialize};

/// The weights by which relevance is fused from words and embeddings. One set serves all uses; it
/// was tuned on some conversations and checked on others (see `docs/measurements.md`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// Saturation of repeated words (BM25's k1).
    pub saturation: f32,
    /// Length normalization (BM25's b).
    pub length: f32,
    /// Weight of the exact form of a code or number, beside its plain form.
    pub exact: f32,
    /// Weight of a speaker's name among the words of the query.
    pub name: f32,
    /// Words of the document itself.
    pub words: f32,
    /// Words of the turn with its neighbours.
    pub window_words: f32,
    /// Words of the whole memory.
    pub memory_words: f32,
    /// Embedding of the document itself.
    pub meaning: f32,
    /// Embeddings of the turn with its neighbours.
    pub window_meaning: f32,
    /// The share of the turn itself in that; the rest is its neighbours'.
    pub window_self: f32,
    /// How far the best of the three raises it.
    pub window_best: f32,
    /// Embeddings of the memory: the mean of its best documents.
    pub memory_meaning: f32,
    /// Said by a person whom the query names.
    pub speaker: f32,
    /// Said by the person whom "I" or "you" in the query means.
    pub person: f32,
    /// Names a time where the query asks for one.
    pub when: f32,
    /// Happened at a time that the query names, or describes that time.
    pub span: f32,
    /// What the better neighbour's relevance adds.
    pub smoothing: f32,
    /// A neighbour that scores higher by this margin on its own is the hit, and ranks first.
    pub hit_margin: f32,
    /// The least number of best candidates; the rest of the score only ranks among them.
    pub pool: usize,
    /// The exponent that spreads them between the best and the last: below 1 nearer to the best.
    pub contrast: f32,
    /// By memory: what the mean of its best items adds to the best.
    pub group_mean: f32,
    /// By memory: what the words of the whole memory add.
    pub group_words: f32,
    /// By memory: how many items are the best.
    pub group_items: usize,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            saturation: 0.3,
            length: 0.45,
            exact: 0.5,
            name: 0.0,
            words: 0.2,
            window_words: 0.35,
            memory_words: 0.45,
            meaning: 0.04,
            window_meaning: 0.3,
            window_self: 0.15,
            window_best: 0.25,
            memory_meaning: 0.15,
            speaker: 0.22,
            person: 0.1,
            when: 0.18,
            span: 0.35,
            smoothing: 0.05,
            hit_margin: 0.55,
            pool: 20,
            contrast: 1.0,
            group_mean: 0.5,
            group_words: 0.3,
            group_items: 3,
        }
    }
}
