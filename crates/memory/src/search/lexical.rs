//! Words: which documents hold them, and how well a question's words fit (BM25).
//!
//! Only a document's own words are kept. What a turn's window or a whole memory holds is added up while a question is
//! answered, so that a new turn changes nothing but its own postings.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::{question::Term, recipe::Recipe};

/// Where a document stands in the index.
pub(super) type Slot = usize;

/// Whose words a text is: answers are longer and say much by the way, so they are measured by their own average.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    User,
    Assistant,
}

impl Field {
    pub(super) fn of_role(role: Option<&str>) -> Self {
        match role {
            Some("assistant") => Self::Assistant,
            _ => Self::User,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    slot: Slot,
    count: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    texts: u64,
    words: u64,
}

impl Extent {
    fn average(self) -> f32 {
        (self.words as f32 / self.texts.max(1) as f32).max(1.0)
    }
}

/// The words of all documents.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    postings: HashMap<Arc<str>, Vec<Posting>>,
    extents: [Extent; 2],
}

/// The words of one document, to take them out again.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) field: Field,
    pub(super) length: u32,
    terms: Vec<Arc<str>>,
}

impl Held {
    /// How many different terms it has.
    pub(super) fn count(&self) -> usize {
        self.terms.len()
    }

    /// Whether the document holds the term.
    pub(super) fn holds(&self, term: &str) -> bool {
        self.terms.binary_search_by(|held| held.as_ref().cmp(term)).is_ok()
    }
}

impl Lexicon {
    /// Takes a document's words in.
    pub(super) fn insert(&mut self, slot: Slot, field: Field, terms: Vec<String>) -> Held {
        let length = u32::try_from(terms.len()).unwrap_or(u32::MAX);
        let mut counts = BTreeMap::<String, u32>::new();
        for term in terms {
            *counts.entry(term).or_default() += 1;
        }
        let mut held = Vec::with_capacity(counts.len());
        for (term, count) in counts {
            let term = match self.postings.get_key_value(term.as_str()) {
                Some((known, _)) => Arc::clone(known),
                None => Arc::from(term),
            };
            let postings = self.postings.entry(Arc::clone(&term)).or_default();
            let place = postings.partition_point(|posting| posting.slot < slot);
            postings.insert(place, Posting { slot, count });
            held.push(term);
        }
        let extent = &mut self.extents[field as usize];
        extent.texts += 1;
        extent.words += u64::from(length);
        Held { field, length, terms: held }
    }

    /// Takes a document's words out, and with the last document of a word the word itself.
    pub(super) fn remove(&mut self, slot: Slot, held: &Held) {
        for term in &held.terms {
            let Some(postings) = self.postings.get_mut(term) else { continue };
            if let Ok(place) = postings.binary_search_by_key(&slot, |posting| posting.slot) {
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

    /// Whether any document holds the term.
    #[cfg(test)]
    pub(super) fn knows(&self, term: &str) -> bool {
        self.postings.contains_key(term)
    }

    fn texts(&self) -> u64 {
        self.extents.iter().map(|extent| extent.texts).sum()
    }

    fn averages(&self) -> [f32; 2] {
        self.extents.map(Extent::average)
    }
}

/// What the lexicon must know of where documents stand.
pub(super) trait Places {
    /// How many slots there are.
    fn slots(&self) -> usize;
    /// How many memories there are.
    fn memories(&self) -> usize;
    /// The field and length of the document there.
    fn extent(&self, slot: Slot) -> (Field, f32);
    /// The turns before and after it.
    fn neighbours(&self, slot: Slot) -> [Option<Slot>; 2];
    /// The memory it belongs to.
    fn memory(&self, slot: Slot) -> Option<usize>;
    /// How many words the memory holds.
    fn memory_length(&self, memory: usize) -> u64;
}

/// How well the question's words fit.
#[derive(Debug)]
pub(super) struct Fit {
    /// Each document.
    pub(super) own: Vec<f32>,
    /// Each turn with its neighbours.
    pub(super) window: Vec<f32>,
    /// Each memory as a whole.
    pub(super) memory: Vec<f32>,
    /// What a text that holds every word of the question would come to.
    pub(super) ideal: f32,
}

/// A sum that remembers where it was added to.
struct Counts {
    counts: Vec<f32>,
    touched: Vec<usize>,
}

impl Counts {
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

/// How well the question's words fit each document, each window and each memory.
pub(super) fn fit(lexicon: &Lexicon, terms: &[Term], places: &impl Places, recipe: &Recipe) -> Fit {
    let (slots, memories) = (places.slots(), places.memories());
    let mut fit = Fit { own: vec![0.0; slots], window: vec![0.0; slots], memory: vec![0.0; memories], ideal: 0.0 };
    let (mut windows, mut wholes) = (Counts::new(slots), Counts::new(memories));
    let averages = lexicon.averages();
    let whole =
        Extent { texts: memories as u64, words: (0..memories).map(|memory| places.memory_length(memory)).sum() };
    let Recipe { saturation, length, .. } = *recipe;
    let bm25 = |count: f32, relative: f32| {
        count * (saturation + 1.0) / (count + saturation * (1.0 - length + length * relative))
    };
    for Term { text, weight } in terms {
        let postings = lexicon.postings.get(text.as_str()).map_or(&[] as &[Posting], Vec::as_slice);
        let rarity = weight * rarity(lexicon.texts() as f32, postings.len() as f32);
        fit.ideal += rarity;
        for Posting { slot, count } in postings {
            let (field, words) = places.extent(*slot);
            let count = *count as f32;
            fit.own[*slot] += rarity * bm25(count, words / averages[field as usize]);
            windows.add(*slot, count);
            places.neighbours(*slot).into_iter().flatten().for_each(|neighbour| windows.add(neighbour, count));
            if let Some(memory) = places.memory(*slot) {
                wholes.add(memory, count);
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

fn rarity(all: f32, holding: f32) -> f32 {
    ((all - holding + 0.5) / (holding + 0.5)).ln_1p()
}
