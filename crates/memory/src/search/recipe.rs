//! What counts how much.

use serde::{Deserialize, Serialize};

/// What counts how much when relevance is made of words and meaning. One setting serves everything; it was tuned on some
/// conversations and checked on others (see `docs/measurements.md`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// How soon a repeated word stops counting (BM25's k1).
    pub saturation: f32,
    /// How much longer texts are held back (BM25's b).
    pub length: f32,
    /// A code or number as it is written, beside its plain form.
    pub exact: f32,
    /// A speaker's name among the words of the question.
    pub name: f32,
    /// Words of the document itself.
    pub words: f32,
    /// Words of the turn with its neighbours.
    pub window_words: f32,
    /// Words of the whole memory.
    pub memory_words: f32,
    /// Meaning of the document itself.
    pub meaning: f32,
    /// Meaning of the turn with its neighbours.
    pub window_meaning: f32,
    /// The share of the turn's own in that; the rest is its neighbours'.
    pub window_self: f32,
    /// How far the best of the three draws it up.
    pub window_best: f32,
    /// Meaning of the memory: the mean of its best.
    pub memory_meaning: f32,
    /// Said by someone the question names.
    pub speaker: f32,
    /// Said by the one whom "I" or "you" in the question means.
    pub person: f32,
    /// Names a time where the question asks for one.
    pub when: f32,
    /// Happened, or tells of, when the question names a time.
    pub span: f32,
    /// What the better neighbour's relevance adds.
    pub smoothing: f32,
    /// A neighbour that fits by so much more in its own words and meaning is the hit, and is told first.
    pub hit_margin: f32,
    /// So many that fit best are considered at least; the rest of the score only ranks among them.
    pub pool: usize,
    /// How they lie between the best and the last of them: below 1 nearer to the best.
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
