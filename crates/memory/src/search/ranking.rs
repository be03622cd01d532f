//! The order of results: relevance, plus bounded bonuses and penalties.

use std::{cmp::Ordering, collections::HashMap};

use protocol::{Grouping, Level, Score, Timestamp};

use super::{
    document::{Document, Hit, Query},
    index::{DocumentIndex, IndexedDocument},
    lexical::DocumentSlot,
    question::{self, ParsedQuery},
    recipe::Recipe,
    relevance::{self, DocumentRelevance},
    temporal,
};

/// The least number of candidates that are ranked by their whole score: the same for every page, so
/// that no result is on two of them.
const CANDIDATES_MIN: usize = 101;
const RELEVANCE: f32 = 0.6;
const RECENCY_DAYS: f32 = 30.0;
const PINNED: f32 = 0.2;
const CONVERSATION: f32 = 0.1;
const ENTITY: f32 = 0.1;
/// The share of that for another name of the same person or thing.
const ALIAS: f32 = 0.5;
const TIME: f32 = 0.1;
/// The penalty for an ended item.
const ENDED: f32 = -0.25;

impl DocumentIndex {
    /// The hits for a query, best first.
    pub fn search(&self, query: &Query, now: Timestamp) -> Vec<Hit> {
        let today = temporal::day_of(now);
        let mut asked = question::read(&query.text, today, &self.recipe, |word| self.is_speaker(word));
        asked.add_aliases(&self.aliases, &self.recipe, now);
        let document_relevances = relevance::document_relevances(self, query, &asked);
        let mut candidates = match query.group {
            Grouping::Item => each(&document_relevances),
            Grouping::Memory => by_memory(self, &document_relevances),
        };
        let by_fit =
            |a: &Candidate, b: &Candidate| b.fused.total_cmp(&a.fused).then_with(|| self.newest_first(a.slot, b.slot));
        keep(&mut candidates, CANDIDATES_MIN.max(query.limit), by_fit);
        let shape = RelevanceScale::of(&candidates, &self.recipe);
        let scored = |candidate: &Candidate| {
            let kept = self.slots[candidate.slot].as_ref()?;
            let relevance = shape.apply(candidate.fused);
            let score = score(query, &asked, &self.recipe, kept, now, relevance, document_relevances[candidate.slot]?);
            Some((candidate.slot, Hit { id: kept.document.id, score }))
        };
        let mut found: Vec<(DocumentSlot, Hit)> = candidates.iter().filter_map(scored).collect();
        let by_total = |a: &(DocumentSlot, Hit), b: &(DocumentSlot, Hit)| {
            b.1.score.total.total_cmp(&a.1.score.total).then_with(|| self.newest_first(a.0, b.0))
        };
        keep(&mut found, query.limit, by_total);
        found.into_iter().map(|(_, hit)| hit).collect()
    }

    fn newest_first(&self, a: DocumentSlot, b: DocumentSlot) -> Ordering {
        let place = |slot: DocumentSlot| self.slots[slot].as_ref().map(|kept| (kept.document.at, kept.document.id));
        place(b).cmp(&place(a))
    }
}

/// Keeps the first `count`, in order.
fn keep<T>(all: &mut Vec<T>, count: usize, order: impl Fn(&T, &T) -> Ordering + Copy) {
    if count < all.len() {
        all.select_nth_unstable_by(count, order);
        all.truncate(count);
    }
    all.sort_unstable_by(order);
}

/// A candidate for the results.
struct Candidate {
    slot: DocumentSlot,
    fused: f32,
}

fn each(document_relevances: &[Option<DocumentRelevance>]) -> Vec<Candidate> {
    let fitting = |(slot, document_relevance): (DocumentSlot, &Option<DocumentRelevance>)| {
        document_relevance
            .filter(|document_relevance| document_relevance.fused > 0.0)
            .map(|document_relevance| Candidate { slot, fused: document_relevance.fused })
    };
    document_relevances.iter().enumerate().filter_map(fitting).collect()
}

/// One candidate per memory: its best document represents it, and the others support it.
fn by_memory(index: &DocumentIndex, document_relevances: &[Option<DocumentRelevance>]) -> Vec<Candidate> {
    let recipe = &index.recipe;
    let means = index.best_means(recipe.group_items, |slot| {
        document_relevances[slot].map(|document_relevance| document_relevance.fused)
    });
    let mut best = HashMap::new();
    let mut alone = Vec::new();
    for candidate in each(document_relevances) {
        let Some(memory) = index.profiles[candidate.slot].memory() else {
            alone.push(candidate);
            continue;
        };
        let place = best.entry(memory).or_insert(candidate.slot);
        let fused =
            |slot: DocumentSlot| document_relevances[slot].map_or(0.0, |document_relevance| document_relevance.fused);
        let order =
            fused(candidate.slot).total_cmp(&fused(*place)).then_with(|| index.newest_first(*place, candidate.slot));
        if order == Ordering::Greater {
            *place = candidate.slot;
        }
    }
    let whole = |best: f32, mean: f32, words: f32| {
        (best + recipe.group_mean * mean + recipe.group_words * words) / (1.0 + recipe.group_mean + recipe.group_words)
    };
    let of_memory = |(memory, slot): (usize, DocumentSlot)| {
        let document_relevance = document_relevances[slot].unwrap_or_default();
        Candidate { slot, fused: whole(document_relevance.fused, means[memory], document_relevance.memory) }
    };
    let of_itself = |Candidate { slot, fused }| {
        let document_relevance = document_relevances[slot].unwrap_or_default();
        Candidate { slot, fused: whole(fused, fused, document_relevance.memory) }
    };
    best.into_iter().map(of_memory).chain(alone.into_iter().map(of_itself)).collect()
}

/// Scales relevance to 0 to 1. The best candidates are spread over nearly all of that range, so
/// that a merely recent item does not displace a relevant one; among equally relevant ones the rest
/// of the score decides.
struct RelevanceScale {
    top: f32,
    low: f32,
    contrast: f32,
}

impl RelevanceScale {
    /// The least relevance of a candidate in the pool; others have less.
    const FLOOR: f32 = 0.05;

    fn of(candidates: &[Candidate], recipe: &Recipe) -> Self {
        let fused = |candidate: Option<&Candidate>| candidate.map_or(0.0, |candidate| candidate.fused);
        // A small number of candidates need not be spread.
        let (top, low) = (fused(candidates.first()), fused(candidates.get(recipe.pool.saturating_sub(1))));
        Self { top, low, contrast: recipe.contrast }
    }

    fn apply(&self, fused: f32) -> f32 {
        let width = (self.top - self.low).max(f32::MIN_POSITIVE);
        let share = ((fused - self.low) / width).clamp(0.0, 1.0).powf(self.contrast);
        let relevance = match fused < self.low {
            true => Self::FLOOR * fused / self.low,
            false => Self::FLOOR + (1.0 - Self::FLOOR) * share,
        };
        // The best of poor candidates stays poor.
        relevance * self.top.min(1.0)
    }
}

fn score(
    query: &Query,
    asked: &ParsedQuery,
    recipe: &Recipe,
    kept: &IndexedDocument,
    now: Timestamp,
    relevance: f32,
    document_relevance: DocumentRelevance,
) -> Score {
    let document = &kept.document;
    let amount = |is: bool, weight: f32| if is { weight } else { 0.0 };
    let age_days = now.since(document.at).as_secs_f32() / 86_400.0;
    let is_same = query.session_id.is_some() && query.session_id == document.session_id;
    let usual = query.recency.unwrap_or(recipe.recency);
    let recency = if asked.asks_newest { usual.max(recipe.recency_asked) } else { usual };
    let mut score = Score {
        total: 0.0,
        relevance: RELEVANCE * relevance,
        recency: recency * (-age_days / RECENCY_DAYS).exp(),
        pinned: amount(matches!(document.level, Level::Pin | Level::Profile), PINNED),
        conversation: amount(is_same, CONVERSATION),
        entity: ENTITY * overlap(asked, kept),
        time: amount(asked.is_within(kept), TIME) + amount(is_over(query, asked, document, now), ENDED),
        lexical: document_relevance.lexical,
        semantic: document_relevance.semantic,
    };
    score.total = score.relevance + score.recency + score.pinned + score.conversation + score.entity + score.time;
    score
}

/// The share of the people and things in the query that the document names too; by another name
/// half of that. A speaker's documents name that speaker.
fn overlap(asked: &ParsedQuery, kept: &IndexedDocument) -> f32 {
    let has_alias = asked.aliases.iter().any(|alias| kept.words.holds(alias) || kept.speaker.contains(alias));
    named(asked, kept).max(if has_alias { ALIAS } else { 0.0 })
}

fn named(asked: &ParsedQuery, kept: &IndexedDocument) -> f32 {
    let all = asked.entities.len() + asked.speakers.len();
    let speakers = asked.speakers.iter().filter(|name| kept.speaker.contains(name)).count();
    let entities = asked.entities.iter().filter(|entity| kept.words.holds(entity)).count();
    (speakers + entities) as f32 / all.max(1) as f32
}

/// Whether it no longer holds, and the query is not about the time in which it did.
fn is_over(query: &Query, asked: &ParsedQuery, document: &Document, now: Timestamp) -> bool {
    let until = document.valid_until.map(temporal::day_of);
    let held = |span: &temporal::DateSpan| {
        until.is_some_and(|until| temporal::day_of(document.at) <= span.last && span.first <= until)
    };
    !query.is_history_wanted && !document.holds(now) && !asked.spans.iter().any(held)
}
