//! What is told first: relevance, and the bounded rest that counts beside it.

use std::{cmp::Ordering, collections::HashMap};

use protocol::{Grouping, Level, Score, Timestamp};

use super::{
    document::{Document, Hit, Query},
    index::{Index, Kept},
    lexical::Slot,
    question::{self, Asked},
    recipe::Recipe,
    relevance::{self, Likeness},
    when,
};

const RELEVANCE: f32 = 0.6;
const RECENCY: f32 = 0.3;
const RECENCY_DAYS: f32 = 30.0;
const PINNED: f32 = 0.2;
const CONVERSATION: f32 = 0.1;
const ENTITY: f32 = 0.1;
const TIME: f32 = 0.1;
/// What no longer holds is held back by this much.
const ENDED: f32 = -0.25;

impl Index {
    /// What fits the question, best first.
    pub fn search(&self, query: &Query, now: Timestamp) -> Vec<Hit> {
        let today = when::day_of(now);
        let asked = question::read(&query.text, today, &self.recipe, |word| self.is_speaker(word));
        let likenesses = relevance::likenesses(self, query, &asked);
        let mut candidates = match query.group {
            Grouping::Item => each(&likenesses),
            Grouping::Memory => by_memory(self, &likenesses),
        };
        let by_fit =
            |a: &Candidate, b: &Candidate| b.fused.total_cmp(&a.fused).then_with(|| self.newest_first(a.slot, b.slot));
        keep(&mut candidates, self.recipe.pool.max(query.limit), by_fit);
        let shape = Shape::of(&candidates, &self.recipe);
        let scored = |candidate: &Candidate| {
            let kept = self.slots[candidate.slot].as_ref()?;
            let relevance = shape.apply(candidate.fused);
            let score = score(query, &asked, kept, now, relevance, likenesses[candidate.slot]?);
            Some((candidate.slot, Hit { id: kept.document.id, score }))
        };
        let mut found: Vec<(Slot, Hit)> = candidates.iter().filter_map(scored).collect();
        let by_total = |a: &(Slot, Hit), b: &(Slot, Hit)| {
            b.1.score.total.total_cmp(&a.1.score.total).then_with(|| self.newest_first(a.0, b.0))
        };
        keep(&mut found, query.limit, by_total);
        found.into_iter().map(|(_, hit)| hit).collect()
    }

    fn newest_first(&self, a: Slot, b: Slot) -> Ordering {
        let place = |slot: Slot| self.slots[slot].as_ref().map(|kept| (kept.document.at, kept.document.id));
        place(b).cmp(&place(a))
    }
}

/// Keeps the first so many, in order.
fn keep<T>(all: &mut Vec<T>, count: usize, order: impl Fn(&T, &T) -> Ordering + Copy) {
    if count < all.len() {
        all.select_nth_unstable_by(count, order);
        all.truncate(count);
    }
    all.sort_unstable_by(order);
}

/// Something that may be told.
struct Candidate {
    slot: Slot,
    fused: f32,
}

fn each(likenesses: &[Option<Likeness>]) -> Vec<Candidate> {
    let fitting = |(slot, likeness): (Slot, &Option<Likeness>)| {
        likeness.filter(|likeness| likeness.fused > 0.0).map(|likeness| Candidate { slot, fused: likeness.fused })
    };
    likenesses.iter().enumerate().filter_map(fitting).collect()
}

/// One candidate per memory: its best document stands for it, and the others back it.
fn by_memory(index: &Index, likenesses: &[Option<Likeness>]) -> Vec<Candidate> {
    let recipe = &index.recipe;
    let means = index.best_means(recipe.group_items, |slot| likenesses[slot].map(|likeness| likeness.fused));
    let mut best = HashMap::new();
    let mut alone = Vec::new();
    for candidate in each(likenesses) {
        let Some(kept) = &index.slots[candidate.slot] else { continue };
        let Some(memory) = kept.memory else {
            alone.push(candidate);
            continue;
        };
        let place = best.entry(memory).or_insert(candidate.slot);
        let fused = |slot: Slot| likenesses[slot].map_or(0.0, |likeness| likeness.fused);
        let order =
            fused(candidate.slot).total_cmp(&fused(*place)).then_with(|| index.newest_first(*place, candidate.slot));
        if order == Ordering::Greater {
            *place = candidate.slot;
        }
    }
    let whole = |best: f32, mean: f32, words: f32| {
        (best + recipe.group_mean * mean + recipe.group_words * words) / (1.0 + recipe.group_mean + recipe.group_words)
    };
    let of_memory = |(memory, slot): (usize, Slot)| {
        let likeness = likenesses[slot].unwrap_or_default();
        Candidate { slot, fused: whole(likeness.fused, means[memory], likeness.memory) }
    };
    let of_itself = |Candidate { slot, fused }| {
        let likeness = likenesses[slot].unwrap_or_default();
        Candidate { slot, fused: whole(fused, fused, likeness.memory) }
    };
    best.into_iter().map(of_memory).chain(alone.into_iter().map(of_itself)).collect()
}

/// Relevance from 0 to 1. The best are spread over nearly all of it, so that what merely is new does not displace what
/// fits, and between things that fit alike the rest of the score decides.
struct Shape {
    top: f32,
    low: f32,
    contrast: f32,
}

impl Shape {
    /// What keeps the last of the best from having no relevance at all.
    const FLOOR: f32 = 0.05;

    fn of(candidates: &[Candidate], recipe: &Recipe) -> Self {
        let fused = |candidate: Option<&Candidate>| candidate.map_or(0.0, |candidate| candidate.fused);
        let (top, last) = (fused(candidates.first()), fused(candidates.last()));
        // Where there are few, they need not be told apart by force.
        let low = if candidates.len() < recipe.pool { 0.0 } else { last };
        Self { top, low, contrast: recipe.contrast }
    }

    fn apply(&self, fused: f32) -> f32 {
        let width = (self.top - self.low).max(f32::MIN_POSITIVE);
        let share = ((fused - self.low) / width).clamp(0.0, 1.0).powf(self.contrast);
        // The best of a bad lot is still bad.
        (Self::FLOOR + (1.0 - Self::FLOOR) * share) * self.top.min(1.0)
    }
}

fn score(query: &Query, asked: &Asked, kept: &Kept, now: Timestamp, relevance: f32, likeness: Likeness) -> Score {
    let document = &kept.document;
    let amount = |is: bool, weight: f32| if is { weight } else { 0.0 };
    let age_days = now.since(document.at).as_secs_f32() / 86_400.0;
    let is_same = query.session_id.is_some() && query.session_id == document.session_id;
    let mut score = Score {
        total: 0.0,
        relevance: RELEVANCE * relevance,
        recency: RECENCY * (-age_days / RECENCY_DAYS).exp(),
        pinned: amount(matches!(document.level, Level::Pin | Level::Profile), PINNED),
        conversation: amount(is_same, CONVERSATION),
        entity: ENTITY * overlap(asked, kept),
        time: amount(asked.is_within(kept), TIME) + amount(is_over(query, asked, document, now), ENDED),
        lexical: likeness.lexical,
        semantic: likeness.semantic,
    };
    score.total = score.relevance + score.recency + score.pinned + score.conversation + score.entity + score.time;
    score
}

/// The share of the people and things the question names that the document names too. A speaker is named by speaking.
fn overlap(asked: &Asked, kept: &Kept) -> f32 {
    let all = asked.entities.len() + asked.speakers.len();
    let speakers = asked.speakers.iter().filter(|name| kept.speaker.contains(name)).count();
    let entities = asked.entities.iter().filter(|entity| kept.words.holds(entity)).count();
    (speakers + entities) as f32 / all.max(1) as f32
}

/// Whether it no longer holds, and the question is not about the time in which it did.
fn is_over(query: &Query, asked: &Asked, document: &Document, now: Timestamp) -> bool {
    let until = document.valid_until.map(when::day_of);
    let held =
        |span: &when::Span| until.is_some_and(|until| when::day_of(document.at) <= span.last && span.first <= until);
    !query.is_history_wanted && !document.holds(now) && !asked.spans.iter().any(held)
}
