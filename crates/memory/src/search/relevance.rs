//! The relevance of each document to a query, fused from words and embeddings.
//!
//! Each kind of score is normalized so that the best document has 1, then they are added up by
//! weight. Poor scores stay low: the best of poor matches is not normalized to 1.

use protocol::{Grouping, SearchMode};

use super::{
    centering::Similarity,
    document::Query,
    index::{DocumentIndex, IndexedDocument},
    lexical::{self, Bm25Scores, DocumentSlot, IndexField},
    question::ParsedQuery,
    recipe::Recipe,
    slot_profile::SlotProfile,
    vector::QueryVector,
};

/// A text that contains less of the query than this is not a full match, even if it is the best.
const FULL_WORDS: f32 = 0.4;
/// A similarity that exceeds the mean by less than this is not a full match either.
const FULL_MEANING: f32 = 0.25;

/// The factor for a document that asks the same question: it matches best of all, and answers
/// nothing.
const SAME_QUESTION: f32 = 0.5;

/// From this similarity on, two texts say the same.
const SAME_MEANING: f32 = 0.95;

/// The scores of one document.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DocumentRelevance {
    /// The fused score, 0 to 1, before it is scaled.
    pub(super) fused: f32,
    /// The score of its words, 0 to 1.
    pub(super) lexical: f32,
    /// The similarity of its embedding, 0 to 1.
    pub(super) semantic: f32,
    /// The score of the words of its whole memory, relative to the other memories, 0 to 1.
    pub(super) memory: f32,
}

/// The scores of each document that passes the query's filters, by slot.
pub(super) fn document_relevances(
    index: &DocumentIndex,
    query: &Query,
    asked: &ParsedQuery,
) -> Vec<Option<DocumentRelevance>> {
    let is_unfiltered = query.is_unfiltered();
    let admits = |slot: DocumentSlot| index.slots[slot].as_ref().is_some_and(|kept| query.admits(&kept.document));
    let is_admitted =
        |(slot, profile): (DocumentSlot, &SlotProfile)| profile.is_used && (is_unfiltered || admits(slot));
    let admitted: Vec<bool> = index.profiles.iter().enumerate().map(is_admitted).collect();
    let vector = query.vector.as_deref().filter(|_| query.mode != SearchMode::Lexical);
    let meaning = vector.map(|vector| SemanticScores::of(index, &admitted, &QueryVector::of(vector)));
    let has_words = query.mode != SearchMode::Semantic || meaning.is_none();
    let words = has_words.then(|| LexicalScores::of(index, &admitted, asked));
    let recipe = &index.recipe;
    let beyond = match query.group {
        Grouping::Item => recipe.beyond,
        Grouping::Memory => recipe.group_beyond,
    };
    let fusion = Fusion { index, recipe, asked, words, meaning, beyond };
    let of = |(slot, profile): (DocumentSlot, &SlotProfile)| admitted[slot].then(|| fusion.of(slot, profile));
    let mut document_relevances: Vec<_> = index.profiles.iter().enumerate().map(of).collect();
    smooth(index, &mut document_relevances);
    document_relevances
}

/// Raises the neighbours of relevant documents: they are more likely to be meant.
fn smooth(index: &DocumentIndex, document_relevances: &mut [Option<DocumentRelevance>]) {
    let before: Vec<f32> = document_relevances
        .iter()
        .map(|document_relevance| document_relevance.map_or(0.0, |document_relevance| document_relevance.fused))
        .collect();
    for (slot, profile) in index.used() {
        if let Some(document_relevance) = &mut document_relevances[slot] {
            let best = profile.neighbours().into_iter().flatten().map(|slot| before[slot]).fold(0.0, f32::max);
            document_relevance.fused += index.recipe.smoothing * best;
        }
    }
}

/// Scores by words, from 0 to 1.
struct LexicalScores {
    fit: Bm25Scores,
    own: Normalizer,
    window: Normalizer,
    memory: Normalizer,
    /// The share of the query's words that each document has, or a word related to them.
    related: Vec<f32>,
}

impl LexicalScores {
    fn of(index: &DocumentIndex, admitted: &[bool], asked: &ParsedQuery) -> Self {
        let fit = lexical::fit(&index.lexicon, &asked.terms, index, &index.recipe);
        let full = FULL_WORDS * fit.ideal;
        let best = |numbers: &[f32]| {
            numbers.iter().zip(admitted).filter(|(_, is)| **is).map(|(number, _)| *number).fold(0.0, f32::max)
        };
        let own = Normalizer::from_zero(best(&fit.own), full);
        let window = Normalizer::from_zero(best(&fit.window), full);
        let memory = Normalizer::from_zero(fit.memory.iter().copied().fold(0.0, f32::max), full);
        let related = lexical::coverage(&index.lexicon, &asked.terms, admitted.len());
        Self { fit, own, window, memory, related }
    }
}

/// Scores by embedding, from 0 to 1 where there are vectors.
struct SemanticScores {
    cosine: Vec<Option<f32>>,
    /// By what distinguishes a document from the others.
    own: Vec<Option<f32>>,
    window: Vec<Option<f32>>,
    memory: Vec<f32>,
}

impl SemanticScores {
    fn of(index: &DocumentIndex, admitted: &[bool], question: &QueryVector) -> Self {
        let mut best: Vec<Option<Similarity>> = vec![None; admitted.len()];
        index.vectors.compare(question, |slot, similarity| {
            if admitted[slot] {
                best[slot] = Some(best[slot].map_or(similarity, |best| best.max(similarity)));
            }
        });
        let distinct: Vec<Option<f32>> = best.iter().map(|best| best.map(|best| best.distinct)).collect();
        let mut window = vec![None; admitted.len()];
        for (slot, profile) in index.used().filter(|(slot, _)| admitted[*slot]) {
            let near = profile.neighbours().into_iter().flatten().filter_map(|near| distinct[near]);
            window[slot] = distinct[slot].map(|own| of_window(&index.recipe, own, near));
        }
        let stretched = |numbers: &[Option<f32>]| {
            let stretch = Normalizer::from_mean(numbers.iter().flatten().copied(), FULL_MEANING);
            numbers.iter().map(|number| number.map(|number| stretch.apply(number))).collect::<Vec<_>>()
        };
        let (own, window) = (stretched(&distinct), stretched(&window));
        let memory = index.best_means(index.recipe.group_items, |slot| own[slot]);
        let cosine = best.iter().map(|best| best.map(|best| best.cosine)).collect();
        Self { cosine, own, window, memory }
    }
}

/// The similarity of a turn with its neighbours, computed from the similarity of each. Embedding
/// the three as one text finds no more, and would take two more embeddings for every message.
fn of_window(recipe: &Recipe, own: f32, neighbours: impl Iterator<Item = f32>) -> f32 {
    let (best, sum, count) =
        neighbours.fold((own, 0.0, 0_u8), |(best, sum, count), near| (best.max(near), sum + near, count + 1));
    let mean = if count == 0 { own } else { sum / f32::from(count) };
    let blend = own * recipe.window_self + mean * (1.0 - recipe.window_self);
    blend + recipe.window_best * (best - blend)
}

/// Maps a range to 0 to 1.
struct Normalizer {
    low: f32,
    width: f32,
}

impl Normalizer {
    fn from_zero(high: f32, least: f32) -> Self {
        Self { low: 0.0, width: high.max(least).max(f32::MIN_POSITIVE) }
    }

    /// From the mean up: most documents are unrelated to a query, so their mean shows what an
    /// unrelated one scores.
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

/// Fuses all scores into one number.
struct Fusion<'a> {
    index: &'a DocumentIndex,
    recipe: &'a Recipe,
    asked: &'a ParsedQuery,
    words: Option<LexicalScores>,
    meaning: Option<SemanticScores>,
    /// The weight of the words of the turns beyond the neighbours.
    beyond: f32,
}

impl Fusion<'_> {
    fn of(&self, slot: DocumentSlot, profile: &SlotProfile) -> DocumentRelevance {
        let recipe = self.recipe;
        let mut document_relevance = DocumentRelevance::default();
        let (mut sum, mut weights) = (0.0, 0.0);
        let mut add = |weight: f32, number: f32| {
            sum += weight * number;
            weights += weight;
        };
        let mut words_alone = None;
        if let Some(LexicalScores { fit, own, window, memory, related }) = &self.words {
            document_relevance.lexical = (fit.own[slot] / fit.ideal.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
            document_relevance.memory =
                profile.memory().map_or(own.apply(fit.own[slot]), |place| memory.apply(fit.memory[place]));
            words_alone = Some(own.apply(fit.own[slot]));
            add(recipe.words, own.apply(fit.own[slot]));
            add(recipe.window_words, window.apply(fit.window[slot]));
            add(recipe.memory_words, document_relevance.memory);
            add(recipe.related, related[slot]);
            let around = profile.neighbours().into_iter().flatten().map(|near| related[near]);
            add(recipe.window_related, around.fold(related[slot], f32::max));
        }
        if let Some(SemanticScores { cosine, own, window, memory }) = &self.meaning {
            document_relevance.semantic = cosine[slot].unwrap_or(0.0).clamp(0.0, 1.0);
            // A document without a vector yet is scored by its words, not as dissimilar.
            let mine = own[slot].unwrap_or(words_alone.unwrap_or(0.0));
            // A text that says the same needs no help from its surroundings, and its neighbours
            // must not outrank it.
            let is_same = document_relevance.semantic >= SAME_MEANING;
            // Where words do not count, the embedding of the same text gets their weight too.
            let (words, memory_words) = match &self.words {
                Some(_) => (0.0, 0.0),
                None => (recipe.words, recipe.memory_words),
            };
            add(recipe.meaning + words, mine);
            add(recipe.window_meaning, window[slot].filter(|_| !is_same).unwrap_or(mine));
            let of_memory = profile.memory().filter(|_| !is_same).map_or(mine, |place| memory[place]);
            add(recipe.memory_meaning + memory_words, of_memory);
        }
        let fit = sum / f32::max(weights, f32::MIN_POSITIVE);
        document_relevance.fused =
            if fit > 0.0 { (fit + self.surroundings(profile) + self.adjustment(slot, profile)).max(0.0) } else { 0.0 };
        let is_short = profile.terms as usize <= self.asked.terms.len();
        if self.asked.is_question && is_short && self.is_of(slot, |kept| self.asked.is_asked_by(kept)) {
            document_relevance.fused *= SAME_QUESTION;
        }
        document_relevance
    }

    /// What the words of earlier and later turns add: those of the question that the document
    /// answers, and those of the turns beyond its neighbours.
    fn surroundings(&self, profile: &SlotProfile) -> f32 {
        let Some(LexicalScores { fit, own, .. }) = &self.words else { return 0.0 };
        let words = |slot: Option<DocumentSlot>| slot.map_or(0.0, |slot| own.apply(fit.own[slot]));
        let [before, after] = profile.neighbours();
        let beyond = [
            before.and_then(|slot| self.index.profiles[slot].before()),
            after.and_then(|slot| self.index.profiles[slot].after()),
        ];
        let question = if profile.is_answer { words(before) } else { 0.0 };
        self.recipe.answer * question + self.beyond * beyond.into_iter().map(words).sum::<f32>()
    }

    /// Asks something of the whole document, which takes longer than to look at its profile.
    fn is_of(&self, slot: DocumentSlot, is: impl FnOnce(&IndexedDocument) -> bool) -> bool {
        self.index.slots[slot].as_ref().is_some_and(is)
    }

    /// Adjustments beside words and embeddings.
    fn adjustment(&self, slot: DocumentSlot, profile: &SlotProfile) -> f32 {
        let (recipe, asked) = (self.recipe, self.asked);
        let names = |kept: &IndexedDocument| kept.speaker.iter().any(|word| asked.speakers.contains(word));
        let is_named = !asked.speakers.is_empty() && self.is_of(slot, names);
        let is_within = !asked.spans.is_empty() && self.is_of(slot, |kept| asked.is_within(kept));
        let is_person = match profile.field {
            IndexField::User => asked.is_of_asker,
            IndexField::Assistant => asked.is_of_assistant,
        };
        let is_then = asked.asks_when && profile.has_times;
        let amount = |is: bool, weight: f32| if is { weight } else { 0.0 };
        amount(is_named, recipe.speaker) - recipe.asking * profile.asks
            + amount(is_person, recipe.person)
            + amount(is_then, recipe.when)
            + amount(is_within, recipe.span)
            + amount(profile.details.answers(asked.kind), recipe.kind)
            + amount(profile.details.names, recipe.detail)
    }
}
