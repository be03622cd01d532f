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
    /// Weight of another name of a person or thing in the query, beside its name there.
    pub alias: f32,
    /// Words of the document itself.
    pub words: f32,
    /// Words of the turn with its neighbours.
    pub window_words: f32,
    /// Words of the whole memory.
    pub memory_words: f32,
    /// Words of the document itself, or words related to them.
    pub related: f32,
    /// The same of the better of the turn and its neighbours.
    pub window_related: f32,
    /// The share of an assistant's words in those of the whole memory: they are many, and seldom
    /// what is asked for.
    pub memory_assistant: f32,
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
    /// What the words of the question before it add to a turn that answers it.
    pub answer: f32,
    /// What the words of the turns beyond the neighbours add.
    pub beyond: f32,
    /// Contains the kind of thing that the query asks for: a number, a name, a reason.
    pub kind: f32,
    /// Contains a name or a quotation, and so more than a reaction.
    pub detail: f32,
    /// The penalty for a turn that only asks.
    pub asking: f32,
    /// Weight of recency, 0 to 1.
    pub recency: f32,
    /// Weight of recency where the query asks for what is new.
    pub recency_asked: f32,
    /// How many of the best candidates are spread between the best and the last of them.
    pub pool: usize,
    /// The exponent that spreads them between the best and the last: below 1 nearer to the best.
    pub contrast: f32,
    /// By memory: what the mean of its best items adds to the best.
    pub group_mean: f32,
    /// By memory: what the words of the whole memory add.
    pub group_words: f32,
    /// By memory: the weight of `beyond`, since the words of the whole memory count there.
    pub group_beyond: f32,
    /// By memory: how many items are the best.
    pub group_items: usize,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            saturation: 0.4,
            length: 0.357,
            exact: 0.2,
            name: 0.16,
            alias: 0.5,
            words: 0.03,
            window_words: 0.15,
            memory_words: 0.225,
            memory_assistant: 0.09,
            related: 0.11,
            window_related: 0.11,
            meaning: 0.085,
            window_meaning: 0.12,
            window_self: 0.15,
            window_best: 0.236,
            memory_meaning: 0.13,
            speaker: 0.19,
            person: 0.085,
            when: 0.2,
            span: 0.68,
            smoothing: 0.025,
            answer: 0.14,
            beyond: 0.077,
            kind: 0.15,
            detail: 0.05,
            asking: 0.043,
            recency: 0.05,
            recency_asked: 0.3,
            pool: 21,
            contrast: 0.85,
            group_mean: 0.156,
            group_words: 0.354,
            group_beyond: 0.015,
            group_items: 2,
        }
    }
}
