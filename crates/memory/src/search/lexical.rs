//! The inverted index, and BM25 scores of a query's words.
//!
//! Only a document's own words are indexed. The counts of a turn's window and of a whole memory are
//! summed up during a query, so that a new turn changes only its own postings.

use rustc_hash::FxHashMap;

use super::{question::Term, recipe::Recipe, term_key::TermKey};

/// A document's position in the index.
pub(super) type DocumentSlot = usize;

/// The speaker of a text: answers are longer and mention more in passing, so they have an average
/// length of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexField {
    User,
    Assistant,
}

impl IndexField {
    pub(super) fn of_role(role: Option<&str>) -> Self {
        match role {
            Some("assistant") => Self::Assistant,
            _ => Self::User,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    /// A [`DocumentSlot`] in four bytes: there are millions of postings.
    slot: u32,
    count: u32,
}

impl Posting {
    const fn slot(self) -> DocumentSlot {
        self.slot as DocumentSlot
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct FieldStats {
    texts: u64,
    words: u64,
}

impl FieldStats {
    fn average(self) -> f32 {
        (self.words as f32 / self.texts.max(1) as f32).max(1.0)
    }
}

/// The postings of all documents.
#[derive(Debug, Default)]
pub(super) struct InvertedIndex {
    postings: FxHashMap<TermKey, Vec<Posting>>,
    extents: [FieldStats; 2],
}

/// The terms of one document, needed to remove it.
#[derive(Debug)]
pub(super) struct DocumentTerms {
    pub(super) field: IndexField,
    pub(super) length: u32,
    /// In order, each once.
    terms: Box<[TermKey]>,
}

impl DocumentTerms {
    /// How many different terms it has.
    pub(super) fn count(&self) -> usize {
        self.terms.len()
    }

    /// Whether the document contains the term.
    pub(super) fn holds(&self, term: &str) -> bool {
        self.terms.binary_search(&TermKey::of(term)).is_ok()
    }
}

impl InvertedIndex {
    /// Adds a document's terms, which are in order, each once, with how often it occurs.
    pub(super) fn insert(
        &mut self,
        slot: DocumentSlot,
        field: IndexField,
        length: u32,
        counts: &[(TermKey, u32)],
    ) -> DocumentTerms {
        let place = u32::try_from(slot).unwrap_or(u32::MAX);
        for (term, count) in counts {
            let posting = Posting { slot: place, count: *count };
            let postings = self.postings.entry(*term).or_default();
            match postings.last() {
                // Slots are mostly filled in order.
                Some(last) if last.slot >= place => {
                    let at = postings.partition_point(|posting| posting.slot < place);
                    postings.insert(at, posting);
                }
                _ => postings.push(posting),
            }
        }
        let extent = &mut self.extents[field as usize];
        extent.texts += 1;
        extent.words += u64::from(length);
        DocumentTerms { field, length, terms: counts.iter().map(|(term, _)| *term).collect() }
    }

    /// Removes a document's terms; a term goes with its last document.
    pub(super) fn remove(&mut self, slot: DocumentSlot, held: &DocumentTerms) {
        for term in &held.terms {
            let Some(postings) = self.postings.get_mut(term) else { continue };
            if let Ok(place) = postings.binary_search_by_key(&slot, |posting| posting.slot()) {
                postings.remove(place);
            }
            if postings.is_empty() {
                self.postings.remove(term);
            }
        }
        let extent = &mut self.extents[held.field as usize];
        extent.texts -= 1;
        extent.words -= u64::from(held.length);
    }

    /// The terms of a document with how often each occurs, as they were inserted.
    pub(super) fn counts(&self, slot: DocumentSlot, held: &DocumentTerms) -> Vec<(TermKey, u32)> {
        let count = |term: &TermKey| {
            let postings = self.postings.get(term)?;
            let place = postings.binary_search_by_key(&slot, |posting| posting.slot()).ok()?;
            Some((*term, postings[place].count))
        };
        held.terms.iter().filter_map(count).collect()
    }

    /// Whether any document contains the term.
    #[cfg(test)]
    pub(super) fn knows(&self, term: &str) -> bool {
        self.postings.contains_key(&TermKey::of(term))
    }

    fn postings(&self, term: &str) -> &[Posting] {
        self.postings.get(&TermKey::of(term)).map_or(&[], Vec::as_slice)
    }

    fn texts(&self) -> u64 {
        self.extents.iter().map(|extent| extent.texts).sum()
    }

    fn averages(&self) -> [f32; 2] {
        self.extents.map(FieldStats::average)
    }
}

/// What scoring needs to know about the documents in slots.
pub(super) trait SlotInfo {
    /// How many slots there are.
    fn slots(&self) -> usize;
    /// How many memories there are.
    fn memories(&self) -> usize;
    /// The field and length of the document there.
    fn extent(&self, slot: DocumentSlot) -> (IndexField, f32);
    /// The turns before and after it.
    fn neighbours(&self, slot: DocumentSlot) -> [Option<DocumentSlot>; 2];
    /// The memory it belongs to.
    fn memory(&self, slot: DocumentSlot) -> Option<usize>;
    /// The number of words in the memory.
    fn memory_length(&self, memory: usize) -> u64;
}

/// BM25 scores for the words of a query.
#[derive(Debug)]
pub(super) struct Bm25Scores {
    /// Each document.
    pub(super) own: Vec<f32>,
    /// Each turn with its neighbours.
    pub(super) window: Vec<f32>,
    /// Each memory as a whole.
    pub(super) memory: Vec<f32>,
    /// The score of a text that contains every word of the query.
    pub(super) ideal: f32,
}

/// Sums by slot, with the list of slots that were touched.
struct Accumulator {
    counts: Vec<f32>,
    touched: Vec<usize>,
}

impl Accumulator {
    fn new(size: usize) -> Self {
        Self { counts: vec![0.0; size], touched: Vec::new() }
    }

    fn add(&mut self, index: usize, count: f32) {
        if self.counts[index] == 0.0 {
            self.touched.push(index);
        }
        self.counts[index] += count;
    }

    fn drain(&mut self, mut each: impl FnMut(usize, f32)) {
        for index in self.touched.drain(..) {
            each(index, std::mem::take(&mut self.counts[index]));
        }
    }
}

/// Scores each document, each window and each memory.
pub(super) fn fit(lexicon: &InvertedIndex, terms: &[Term], places: &impl SlotInfo, recipe: &Recipe) -> Bm25Scores {
    let (slots, memories) = (places.slots(), places.memories());
    let mut fit =
        Bm25Scores { own: vec![0.0; slots], window: vec![0.0; slots], memory: vec![0.0; memories], ideal: 0.0 };
    let (mut windows, mut wholes) = (Accumulator::new(slots), Accumulator::new(memories));
    let averages = lexicon.averages();
    let whole =
        FieldStats { texts: memories as u64, words: (0..memories).map(|memory| places.memory_length(memory)).sum() };
    let Recipe { saturation, length, memory_assistant: assistant, .. } = *recipe;
    let bm25 = |count: f32, relative: f32| {
        count * (saturation + 1.0) / (count + saturation * (1.0 - length + length * relative))
    };
    for Term { text, weight, is_extra, .. } in terms {
        let postings = lexicon.postings(text);
        let rarity = weight * rarity(lexicon.texts() as f32, postings.len() as f32);
        fit.ideal += if *is_extra { 0.0 } else { rarity };
        for posting in postings {
            let (slot, count) = (posting.slot(), posting.count as f32);
            let (field, words) = places.extent(slot);
            fit.own[slot] += rarity * bm25(count, words / averages[field as usize]);
            windows.add(slot, count);
            places.neighbours(slot).into_iter().flatten().for_each(|neighbour| windows.add(neighbour, count));
            if let Some(memory) = places.memory(slot) {
                wholes.add(memory, if field == IndexField::Assistant { count * assistant } else { count });
            }
        }
        windows.drain(|slot, count| {
            let relative = |slot| {
                let (field, words) = places.extent(slot);
                words / averages[field as usize]
            };
            let around: f32 = places.neighbours(slot).into_iter().flatten().map(relative).sum();
            fit.window[slot] += rarity * bm25(count, (relative(slot) + around) / 3.0);
        });
        let whole_rarity = weight * self::rarity(memories as f32, wholes.touched.len() as f32);
        wholes.drain(|memory, count| {
            fit.memory[memory] += whole_rarity * bm25(count, places.memory_length(memory) as f32 / whole.average());
        });
    }
    fit
}

/// The share of the query's words, weighed by their rarity, that each document has; a related word
/// counts by its similarity.
pub(super) fn coverage(lexicon: &InvertedIndex, terms: &[Term], slots: usize) -> Vec<f32> {
    let mut shares = vec![0.0; slots];
    let mut best = vec![0.0_f32; slots];
    let mut touched = Vec::new();
    let mut ideal = 0.0;
    for Term { text, weight, is_extra, related } in terms {
        let rarity = weight * rarity(lexicon.texts() as f32, lexicon.postings(text).len() as f32);
        ideal += if *is_extra { 0.0 } else { rarity };
        for (word, share) in std::iter::once((text.as_str(), 1.0)).chain(related.iter().copied()) {
            for slot in lexicon.postings(word).iter().map(|posting| posting.slot()) {
                if best[slot] == 0.0 {
                    touched.push(slot);
                }
                best[slot] = best[slot].max(share);
            }
        }
        for slot in touched.drain(..) {
            shares[slot] += rarity * std::mem::take(&mut best[slot]);
        }
    }
    shares.iter_mut().for_each(|share| *share = (*share / f32::max(ideal, f32::MIN_POSITIVE)).min(1.0));
    shares
}

fn rarity(all: f32, holding: f32) -> f32 {
    ((all - holding + 0.5) / (holding + 0.5)).ln_1p()
}
