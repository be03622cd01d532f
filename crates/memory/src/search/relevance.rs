//! How well each document fits a question, of words and meaning together.
//!
//! Each kind of likeness is stretched so that the best of all documents has 1, then they are added up by weight. What is
//! nowhere near fitting stays low: the best of a bad lot is not stretched to 1.

use protocol::SearchMode;

use super::{
    document::Query,
    index::{Index, Kept},
    lexical::{self, Field, Fit, Slot},
    question::Asked,
    recipe::Recipe,
    vector::Question,
};

/// A text that holds less of the question than this is not a full fit, even if it is the best there is.
const FULL_WORDS: f32 = 0.4;
/// A meaning that stands out from the mean by less than this is not a full fit either.
const FULL_MEANING: f32 = 0.25;

/// What asks the same as the question fits it like nothing else, and answers nothing.
const SAME_QUESTION: f32 = 0.5;

/// What stands beside a hit has at most this much of its relevance.
const BESIDE: f32 = 0.98;

/// From here on two texts say the same.
const SAME_MEANING: f32 = 0.95;

/// What is known of one document.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Likeness {
    /// How well it fits, 0 to 1 before it is shaped.
    pub(super) fused: f32,
    /// How well its words fit, 0 to 1.
    pub(super) lexical: f32,
    /// How close its meaning is, 0 to 1.
    pub(super) semantic: f32,
    /// How well the words of its whole memory fit, beside the other memories, 0 to 1.
    pub(super) memory: f32,
}

/// How well each document that the query admits fits it, by slot.
pub(super) fn likenesses(index: &Index, query: &Query, asked: &Asked) -> Vec<Option<Likeness>> {
    let is_admitted = |kept: &Option<Kept>| kept.as_ref().is_some_and(|kept| query.admits(&kept.document));
    let admitted: Vec<bool> = index.slots.iter().map(is_admitted).collect();
    let vector = query.vector.as_deref().filter(|_| query.mode != SearchMode::Lexical);
    let meaning = vector.map(|vector| Meaning::of(index, &admitted, &Question::of(vector)));
    let has_words = query.mode != SearchMode::Semantic || meaning.is_none();
    let words = has_words.then(|| Words::of(index, &admitted, asked));
    let fusion = Fusion { recipe: &index.recipe, asked, words, meaning };
    let of = |(slot, kept): (Slot, &Option<Kept>)| {
        kept.as_ref().filter(|_| admitted[slot]).map(|kept| fusion.of(slot, kept))
    };
    let mut likenesses: Vec<_> = index.slots.iter().enumerate().map(of).collect();
    smooth(index, &mut likenesses);
    likenesses
}

/// What stands beside something that fits is more likely to be meant.
fn smooth(index: &Index, likenesses: &mut [Option<Likeness>]) {
    let before: Vec<f32> = likenesses.iter().map(|likeness| likeness.map_or(0.0, |likeness| likeness.fused)).collect();
    let own = |likeness: &Option<Likeness>| likeness.map_or(0.0, |likeness| likeness.lexical + likeness.semantic);
    let owns: Vec<f32> = likenesses.iter().map(own).collect();
    for (slot, kept) in index.kept() {
        if let Some(likeness) = &mut likenesses[slot] {
            let neighbours = || kept.neighbours.into_iter().flatten();
            let best = neighbours().map(|slot| before[slot]).fold(0.0, f32::max);
            likeness.fused += index.recipe.smoothing * best;
            // What fits only by its surroundings comes after what it stands beside.
            let hits = neighbours().filter(|neighbour| owns[*neighbour] >= owns[slot] + index.recipe.hit_margin);
            let hit = hits.map(|neighbour| before[neighbour]).fold(0.0, f32::max);
            if hit > 0.0 {
                likeness.fused = likeness.fused.min(hit * BESIDE);
            }
        }
    }
}

/// How well the words fit, from 0 to 1.
struct Words {
    fit: Fit,
    own: Stretch,
    window: Stretch,
    memory: Stretch,
}

impl Words {
    fn of(index: &Index, admitted: &[bool], asked: &Asked) -> Self {
        let fit = lexical::fit(&index.lexicon, &asked.terms, index, &index.recipe);
        let full = FULL_WORDS * fit.ideal;
        let best = |numbers: &[f32]| {
            numbers.iter().zip(admitted).filter(|(_, is)| **is).map(|(number, _)| *number).fold(0.0, f32::max)
        };
        let own = Stretch::from_zero(best(&fit.own), full);
        let window = Stretch::from_zero(best(&fit.window), full);
        let memory = Stretch::from_zero(fit.memory.iter().copied().fold(0.0, f32::max), full);
        Self { fit, own, window, memory }
    }
}

/// How close the meanings are, from 0 to 1 where they are known.
struct Meaning {
    cosine: Vec<Option<f32>>,
    own: Vec<Option<f32>>,
    window: Vec<Option<f32>>,
    memory: Vec<f32>,
}

impl Meaning {
    fn of(index: &Index, admitted: &[bool], question: &Question) -> Self {
        let admitted_kept = || index.kept().filter(|(slot, _)| admitted[*slot]);
        let mut cosine = vec![None; admitted.len()];
        for (slot, kept) in admitted_kept() {
            cosine[slot] = kept.vectors.iter().flatten().map(|vector| vector.similarity(question)).reduce(f32::max);
        }
        let mut window = vec![None; admitted.len()];
        for (slot, kept) in admitted_kept() {
            let near = kept.neighbours.iter().flatten().filter_map(|near| cosine[*near]);
            window[slot] = cosine[slot].map(|own| of_window(&index.recipe, own, near));
        }
        let stretched = |numbers: &[Option<f32>]| {
            let stretch = Stretch::from_mean(numbers.iter().flatten().copied(), FULL_MEANING);
            numbers.iter().map(|number| number.map(|number| stretch.apply(number))).collect::<Vec<_>>()
        };
        let (own, window) = (stretched(&cosine), stretched(&window));
        let memory = index.best_means(index.recipe.group_items, |slot| own[slot]);
        Self { cosine, own, window, memory }
    }
}

/// How close a turn with its neighbours is, by how close each of them is. Embedding the three as one text finds no more, and
/// would take two more embeddings for every message.
fn of_window(recipe: &Recipe, own: f32, neighbours: impl Iterator<Item = f32>) -> f32 {
    let (best, sum, count) =
        neighbours.fold((own, 0.0, 0_u8), |(best, sum, count), near| (best.max(near), sum + near, count + 1));
    let mean = if count == 0 { own } else { sum / f32::from(count) };
    let blend = own * recipe.window_self + mean * (1.0 - recipe.window_self);
    blend + recipe.window_best * (best - blend)
}

/// A range that is stretched to 0 to 1.
struct Stretch {
    low: f32,
    width: f32,
}

impl Stretch {
    fn from_zero(high: f32, least: f32) -> Self {
        Self { low: 0.0, width: high.max(least).max(f32::MIN_POSITIVE) }
    }

    /// From the mean up: most documents have nothing to do with a question, and say how unlike that looks.
    fn from_mean(numbers: impl Iterator<Item = f32> + Clone, least: f32) -> Self {
        let (count, sum) =
            numbers.clone().fold((0.0, 0.0), |(count, sum), number| (count + 1.0, sum + f64::from(number)));
        let low = if count > 0.0 { (sum / count) as f32 } else { 0.0 };
        Self { low, width: (numbers.fold(f32::MIN, f32::max) - low).max(least) }
    }

    fn apply(&self, number: f32) -> f32 {
        ((number - self.low) / self.width).clamp(0.0, 1.0)
    }
}

/// One number of all.
struct Fusion<'a> {
    recipe: &'a Recipe,
    asked: &'a Asked,
    words: Option<Words>,
    meaning: Option<Meaning>,
}

impl Fusion<'_> {
    fn of(&self, slot: Slot, kept: &Kept) -> Likeness {
        let recipe = self.recipe;
        let mut likeness = Likeness::default();
        let (mut sum, mut weights) = (0.0, 0.0);
        let mut add = |weight: f32, number: f32| {
            sum += weight * number;
            weights += weight;
        };
        let mut words_alone = None;
        if let Some(Words { fit, own, window, memory }) = &self.words {
            likeness.lexical = (fit.own[slot] / fit.ideal.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
            likeness.memory = kept.memory.map_or(own.apply(fit.own[slot]), |place| memory.apply(fit.memory[place]));
            words_alone = Some(own.apply(fit.own[slot]));
            add(recipe.words, own.apply(fit.own[slot]));
            add(recipe.window_words, window.apply(fit.window[slot]));
            add(recipe.memory_words, likeness.memory);
        }
        if let Some(Meaning { cosine, own, window, memory }) = &self.meaning {
            likeness.semantic = cosine[slot].unwrap_or(0.0).clamp(0.0, 1.0);
            // What has no vector yet is judged by its words, not taken for unlike.
            let mine = own[slot].unwrap_or(words_alone.unwrap_or(0.0));
            // What says the same needs no help from its surroundings, and none of its neighbours may overtake it.
            let is_same = likeness.semantic >= SAME_MEANING;
            // Where words do not count, the meaning of the same text has their weight too.
            let (words, memory_words) = match &self.words {
                Some(_) => (0.0, 0.0),
                None => (recipe.words, recipe.memory_words),
            };
            add(recipe.meaning + words, mine);
            add(recipe.window_meaning, window[slot].filter(|_| !is_same).unwrap_or(mine));
            let of_memory = kept.memory.filter(|_| !is_same).map_or(mine, |place| memory[place]);
            add(recipe.memory_meaning + memory_words, of_memory);
        }
        let fit = sum / f32::max(weights, f32::MIN_POSITIVE);
        likeness.fused = if fit > 0.0 { (fit + self.adjustment(kept)).max(0.0) } else { 0.0 };
        if self.asked.is_asked_by(kept) {
            likeness.fused *= SAME_QUESTION;
        }
        likeness
    }

    /// What is known beside words and meaning.
    fn adjustment(&self, kept: &Kept) -> f32 {
        let (recipe, asked) = (self.recipe, self.asked);
        let is_named = !asked.speakers.is_empty() && kept.speaker.iter().any(|word| asked.speakers.contains(word));
        let is_person = match kept.words.field {
            Field::User => asked.is_of_asker,
            Field::Assistant => asked.is_of_assistant,
        };
        let is_then = asked.asks_when && !kept.about.is_empty();
        let amount = |is: bool, weight: f32| if is { weight } else { 0.0 };
        amount(is_named, recipe.speaker)
            + amount(is_person, recipe.person)
            + amount(is_then, recipe.when)
            + amount(asked.is_within(kept), recipe.span)
    }
}
