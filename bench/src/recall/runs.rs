//! Asking every question of a set in every way.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::Result;
use memory::search::{Index, Query, Recipe};
use protocol::{Grouping, ItemId, MemoryId, SearchMode};

use super::{
    quality::{DEPTH, Quality},
    sets::{Set, Store, Unit},
    vectors::Vectors,
};

/// A store with its index and the vectors of its questions.
pub(crate) struct Ready<'a> {
    store: &'a Store,
    pub(crate) index: Index,
    vectors: Vec<Option<Vec<f32>>>,
}

/// What came of one way of asking.
pub(crate) struct Run {
    pub(crate) mode: SearchMode,
    /// For each question, in the order of the set.
    pub(crate) answers: Vec<Answer>,
    pub(crate) times: Vec<Duration>,
}

/// How good the answer to one question is.
pub(crate) struct Answer {
    pub(crate) category: String,
    pub(crate) conversation: usize,
    pub(crate) is_unanswerable: bool,
    pub(crate) quality: Quality,
}

impl Run {
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
pub(crate) fn prepare<'a>(set: &'a Set, vectors: &mut Option<Vectors>, recipe: Recipe) -> Result<Vec<Ready<'a>>> {
    let ready = |store: &'a Store| {
        let mut index = Index::new();
        index.set_recipe(recipe);
        store.documents.iter().cloned().for_each(|document| index.insert(document));
        let mut asked = vec![None; store.questions.len()];
        if let Some(vectors) = vectors {
            vectors.fill(&mut index)?;
            for (vector, question) in asked.iter_mut().zip(&store.questions) {
                *vector = Some(vectors.of(&question.text)?);
            }
        }
        Ok(Ready { store, index, vectors: asked })
    };
    set.stores.iter().map(ready).collect()
}

/// Asks every question.
pub(crate) fn ask(ready: &[Ready<'_>], group: Grouping, mode: SearchMode) -> Run {
    let (mut answers, mut times) = (Vec::new(), Vec::new());
    for Ready { store, index, vectors } in ready {
        for (question, vector) in store.questions.iter().zip(vectors) {
            let query = Query { vector: vector.clone(), mode, group, ..Query::new(&question.text, DEPTH) };
            let start = Instant::now();
            let hits = index.search(&query, question.now);
            times.push(start.elapsed());
            let unit = |id: ItemId| match group {
                Grouping::Item => Some(id.to_bytes()),
                Grouping::Memory => index.get(id).and_then(|document| document.memory_id).map(MemoryId::to_bytes),
            };
            let found: Vec<Unit> = hits.iter().filter_map(|hit| unit(hit.id)).collect();
            answers.push(Answer {
                category: question.category.clone(),
                conversation: question.conversation,
                is_unanswerable: question.is_unanswerable,
                quality: Quality::of(&found, &question.gold),
            });
        }
    }
    Run { mode, answers, times }
}
