//! Runs every question of a set in every search mode.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::Result;
use memory::search::{DocumentIndex, Query, Recipe};
use protocol::{Grouping, ItemId, MemoryId, SearchMode};

use super::{
    quality::{DEPTH, Quality},
    sets::{OwnerMemory, QuestionSet, ResultId},
    vectors::CachedEmbedder,
};

/// A store with its index and the vectors of its questions.
pub(crate) struct PreparedStore<'a> {
    store: &'a OwnerMemory,
    pub(crate) index: DocumentIndex,
    vectors: Vec<Option<Vec<f32>>>,
}

/// The results of one search mode.
pub(crate) struct ModeRun {
    pub(crate) mode: SearchMode,
    /// For each question, in the order of the set.
    pub(crate) answers: Vec<AnswerScore>,
    pub(crate) times: Vec<Duration>,
}

/// The score of one question.
pub(crate) struct AnswerScore {
    pub(crate) category: String,
    pub(crate) conversation: usize,
    pub(crate) is_unanswerable: bool,
    pub(crate) quality: Quality,
}

impl ModeRun {
    /// The answers that count, by category.
    pub(crate) fn by_category(&self) -> BTreeMap<&str, Vec<Quality>> {
        let mut by = BTreeMap::<_, Vec<_>>::new();
        for answer in self.answers.iter().filter(|answer| !answer.is_unanswerable) {
            by.entry(answer.category.as_str()).or_default().push(answer.quality);
        }
        by
    }

    /// The answers that count, by conversation.
    pub(crate) fn by_conversation(&self) -> Vec<Vec<Quality>> {
        let mut by = BTreeMap::<_, Vec<_>>::new();
        for answer in self.answers.iter().filter(|answer| !answer.is_unanswerable) {
            by.entry(answer.conversation).or_default().push(answer.quality);
        }
        by.into_values().collect()
    }
}

/// Builds the indexes of a set.
pub(crate) fn prepare<'a>(
    set: &'a QuestionSet,
    vectors: &mut Option<CachedEmbedder>,
    recipe: Recipe,
) -> Result<Vec<PreparedStore<'a>>> {
    let ready = |store: &'a OwnerMemory| {
        let mut index = DocumentIndex::new();
        index.set_recipe(recipe);
        store.documents.iter().cloned().for_each(|document| index.insert(document));
        let mut asked = vec![None; store.questions.len()];
        if let Some(vectors) = vectors {
            vectors.fill(&mut index)?;
            for (vector, question) in asked.iter_mut().zip(&store.questions) {
                *vector = Some(vectors.of(&question.text)?);
            }
        }
        Ok(PreparedStore { store, index, vectors: asked })
    };
    set.stores.iter().map(ready).collect()
}

/// Asks every question.
pub(crate) fn ask(ready: &[PreparedStore<'_>], group: Grouping, mode: SearchMode) -> ModeRun {
    let (mut answers, mut times) = (Vec::new(), Vec::new());
    for PreparedStore { store, index, vectors } in ready {
        for (question, vector) in store.questions.iter().zip(vectors) {
            let query = Query { vector: vector.clone(), mode, group, ..Query::new(&question.text, DEPTH) };
            let start = Instant::now();
            let hits = index.search(&query, question.now);
            times.push(start.elapsed());
            let unit = |id: ItemId| match group {
                Grouping::Item => Some(id.to_bytes()),
                Grouping::Memory => index.get(id).and_then(|document| document.memory_id).map(MemoryId::to_bytes),
            };
            let found: Vec<ResultId> = hits.iter().filter_map(|hit| unit(hit.id)).collect();
            answers.push(AnswerScore {
                category: question.category.clone(),
                conversation: question.conversation,
                is_unanswerable: question.is_unanswerable,
                quality: Quality::of(&found, &question.gold),
            });
        }
    }
    ModeRun { mode, answers, times }
}
