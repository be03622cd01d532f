//! The index of one owner's documents.

use std::collections::{BTreeSet, HashMap};

use jiff::civil::Date;
use protocol::{ItemId, Level, MemoryId, Timestamp};
use rustc_hash::FxHashMap;

use super::{
    aliases::Aliases,
    document::{Document, UnembeddedText},
    lexical::{DocumentSlot, DocumentTerms, IndexField, InvertedIndex, SlotInfo},
    prepared::{DocumentWords, PreparedDocument, PreparedDocuments},
    recipe::Recipe,
    slot_profile::SlotProfile,
    temporal::DateSpan,
    texts,
    vector::{self, Vector},
    vector_table::{VectorRow, VectorTable},
};

/// One owner's documents, searchable by words and by embedding. The index is in RAM and exact: it
/// is built from the store, and nothing remains of a removed document.
#[derive(Debug, Default)]
pub struct DocumentIndex {
    pub(super) recipe: Recipe,
    pub(super) slots: Vec<Option<IndexedDocument>>,
    /// The numbers of the document in each slot.
    pub(super) profiles: Vec<SlotProfile>,
    pub(super) memories: Vec<IndexedMemory>,
    pub(super) lexicon: InvertedIndex,
    pub(super) places: FxHashMap<ItemId, DocumentSlot>,
    free: Vec<DocumentSlot>,
    known: HashMap<MemoryId, usize>,
    speakers: HashMap<String, usize>,
    pub(super) aliases: Aliases,
    pub(super) vectors: VectorTable,
    /// Pieces of documents that lack their vectors.
    unembedded: BTreeSet<(ItemId, u8)>,
    /// Pieces that could not be embedded, and are not tried again.
    set_aside: BTreeSet<(ItemId, u8)>,
}

/// A document with everything derived from it.
#[derive(Debug)]
pub(super) struct IndexedDocument {
    pub(super) document: Document,
    pub(super) words: DocumentTerms,
    /// The normalized words of the speaker's name.
    pub(super) speaker: Vec<String>,
    /// The day it happened.
    pub(super) day: Date,
    /// The times that its text names.
    pub(super) about: Vec<DateSpan>,
    /// The vectors of its pieces.
    vectors: Vec<Option<VectorRow>>,
}

impl IndexedDocument {
    /// How many pieces its text has.
    pub(super) fn pieces(&self) -> u8 {
        u8::try_from(self.vectors.len()).unwrap_or(u8::MAX)
    }

    /// Whether both were said by the same speaker, or in the same role.
    pub(super) fn is_same_speaker(&self, other: &Self) -> bool {
        self.speaker == other.speaker && self.document.role == other.document.role
    }
}

/// A memory with its documents.
#[derive(Debug, Default)]
pub(super) struct IndexedMemory {
    turns: BTreeSet<(Timestamp, ItemId)>,
    documents: usize,
    words: u64,
}

impl DocumentIndex {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the weights; used for measurements.
    pub fn set_recipe(&mut self, recipe: Recipe) {
        self.recipe = recipe;
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The document with that id.
    pub fn get(&self, id: ItemId) -> Option<&Document> {
        self.places.get(&id).and_then(|slot| self.slots[*slot].as_ref()).map(|kept| &kept.document)
    }

    /// Adds a document, replacing the one with the same id.
    pub fn insert(&mut self, document: Document) {
        self.put_prepared(PreparedDocument::of(document));
    }

    /// Adds many documents; returns those whose words the store did not have.
    pub fn insert_all(&mut self, documents: PreparedDocuments) -> Vec<ItemId> {
        let PreparedDocuments(all) = documents;
        let unsaved = all.iter().filter(|prepared| !prepared.is_stored).map(|prepared| prepared.document.id).collect();
        all.into_iter().for_each(|prepared| self.put_prepared(prepared));
        unsaved
    }

    fn put_prepared(&mut self, prepared: PreparedDocument) {
        self.remove(prepared.document.id);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.profiles.push(SlotProfile::FREE);
            self.slots.len() - 1
        });
        let memory = prepared.document.memory_id.map(|id| self.gathered(id));
        self.profiles[slot] = SlotProfile::of(&prepared, memory);
        let PreparedDocument { document, field, words, speaker, day, vectors, is_stored: _ } = prepared;
        let DocumentWords { counts, length, about, .. } = words;
        let words = self.lexicon.insert(slot, field, length, &counts);
        if let Some(memory) = memory {
            self.memories[memory].documents += 1;
            self.memories[memory].words += u64::from(length);
        }
        for word in &speaker {
            *self.speakers.entry(word.clone()).or_default() += 1;
        }
        self.aliases.insert(&document);
        let id = document.id;
        self.places.insert(id, slot);
        let row = |(piece, vector): (u8, Option<Vector>)| {
            let row = vector.and_then(|vector| self.vectors.insert(slot, &vector));
            if row.is_none() {
                self.unembedded.insert((id, piece));
            }
            row
        };
        let vectors = (0_u8..).zip(vectors).map(row).collect();
        self.slots[slot] = Some(IndexedDocument { document, words, speaker, day, about, vectors });
        self.link(slot);
    }

    /// Removes a document and everything derived from it; no error if there is none.
    pub fn remove(&mut self, id: ItemId) {
        let Some(slot) = self.places.remove(&id) else { return };
        self.unlink(slot);
        let profile = std::mem::replace(&mut self.profiles[slot], SlotProfile::FREE);
        let Some(kept) = self.slots[slot].take() else { return };
        self.free.push(slot);
        self.aliases.remove(id);
        kept.vectors.iter().flatten().for_each(|row| self.vectors.remove(*row));
        self.lexicon.remove(slot, &kept.words);
        for word in &kept.speaker {
            if let Some(count) = self.speakers.get_mut(word) {
                *count -= 1;
                if *count == 0 {
                    self.speakers.remove(word);
                }
            }
        }
        for (piece, _) in (0_u8..).zip(&kept.vectors) {
            self.unembedded.remove(&(id, piece));
            self.set_aside.remove(&(id, piece));
        }
        if let Some(memory) = profile.memory() {
            let gathered = &mut self.memories[memory];
            gathered.documents -= 1;
            gathered.words -= u64::from(kept.words.length);
            if let (0, Some(id)) = (gathered.documents, kept.document.memory_id) {
                // The last slot moves to the free one, so that removed memories take no space.
                self.known.remove(&id);
                self.memories.swap_remove(memory);
                self.moved(self.memories.len(), memory);
            }
        }
    }

    /// Sets until when a document held and whether another replaces it; no error if there is none.
    pub fn set_validity(&mut self, id: ItemId, valid_until: Option<Timestamp>, is_superseded: bool) {
        let Some(slot) = self.places.get(&id) else { return };
        self.aliases.set_validity(id, valid_until, is_superseded);
        if let Some(kept) = &mut self.slots[*slot] {
            kept.document.valid_until = valid_until;
            kept.document.is_superseded = is_superseded;
        }
    }

    /// Texts that lack their vectors, the newest ids first.
    pub fn wanting(&self, limit: usize) -> Vec<UnembeddedText> {
        let text = |(id, piece): &(ItemId, u8)| {
            let text = self.text(*id, *piece)?;
            Some(UnembeddedText { id: *id, piece: *piece, text })
        };
        self.unembedded.iter().rev().take(limit).filter_map(text).collect()
    }

    /// How many texts wait for their vectors.
    pub fn unembedded_len(&self) -> usize {
        self.unembedded.len()
    }

    /// The documents that wait for vectors.
    pub fn unembedded_ids(&self) -> BTreeSet<ItemId> {
        self.unembedded.iter().map(|(id, _)| *id).collect()
    }

    /// The documents with a text that could not be embedded.
    pub fn set_aside_ids(&self) -> BTreeSet<ItemId> {
        self.set_aside.iter().map(|(id, _)| *id).collect()
    }

    /// Gives up on a text's vector: it is found by its words only.
    pub fn set_aside(&mut self, text: &UnembeddedText) {
        let piece = (text.id, text.piece);
        if self.unembedded.remove(&piece) {
            self.set_aside.insert(piece);
        }
    }

    /// Sets the vector of a text; false if the text was changed or removed since it was requested.
    pub fn set_vector(&mut self, wanted: &UnembeddedText, numbers: &[f32]) -> bool {
        if self.text(wanted.id, wanted.piece).as_deref() != Some(&wanted.text) {
            return false;
        }
        self.put(wanted.id, wanted.piece, Vector::of(numbers));
        true
    }

    /// The document's vectors as bytes for the store. None if it has none.
    pub fn vectors(&self, id: ItemId) -> Option<Vec<u8>> {
        let kept = self.slots[*self.places.get(&id)?].as_ref()?;
        let mut bytes = Vec::new();
        for ((piece, vector), text) in (0_u8..).zip(&kept.vectors).zip(texts::own(&kept.document)) {
            let Some(row) = vector else { continue };
            bytes.push(piece);
            bytes.extend(texts::digest(&text));
            self.vectors.get(*row).write(&mut bytes);
        }
        (!bytes.is_empty()).then_some(bytes)
    }

    /// The cosine similarity of two documents; none while a vector is missing.
    pub fn alike(&self, one: ItemId, other: ItemId) -> Option<f32> {
        let row = |id| *self.slots[*self.places.get(&id)?].as_ref()?.vectors.first()?;
        Some(self.vectors.get(row(one)?).cosine(&self.vectors.get(row(other)?)))
    }

    /// Restores vectors written by [`DocumentIndex::vectors`], as far as their texts are still the
    /// same.
    pub fn restore(&mut self, id: ItemId, mut bytes: &[u8]) {
        while let Some((piece, digest, vector, rest)) = vector::read_piece(bytes) {
            bytes = rest;
            if self.text(id, piece).is_some_and(|text| texts::digest(&text) == digest) {
                self.put(id, piece, vector);
            }
        }
    }

    pub(super) fn is_speaker(&self, word: &str) -> bool {
        self.speakers.contains_key(word)
    }

    /// The slots with a document.
    pub(super) fn used(&self) -> impl Iterator<Item = (DocumentSlot, &SlotProfile)> {
        self.profiles.iter().enumerate().filter(|(_, profile)| profile.is_used)
    }

    /// For each memory the mean of its `count` best documents.
    pub(super) fn best_means(&self, count: usize, number: impl Fn(DocumentSlot) -> Option<f32>) -> Vec<f32> {
        // The best of each memory, one memory after the other, each in falling order.
        let mut best = vec![f32::NEG_INFINITY; self.memories.len() * count];
        for (slot, profile) in self.used() {
            if let (Some(memory), Some(number)) = (profile.memory(), number(slot)) {
                let best = &mut best[memory * count..][..count];
                let place = best.partition_point(|known| *known >= number);
                if place < count {
                    best[place..].rotate_right(1);
                    best[place] = number;
                }
            }
        }
        // A memory of few documents is not better for that.
        let mean = |best: &[f32]| best.iter().filter(|number| number.is_finite()).sum::<f32>() / count as f32;
        if count == 0 { vec![0.0; self.memories.len()] } else { best.chunks_exact(count).map(mean).collect() }
    }

    fn put(&mut self, id: ItemId, piece: u8, vector: Vector) {
        let Some(slot) = self.places.get(&id) else { return };
        let Some(kept) = &mut self.slots[*slot] else { return };
        self.unembedded.remove(&(id, piece));
        self.set_aside.remove(&(id, piece));
        if let Some(place) = kept.vectors.get_mut(usize::from(piece)) {
            place.take().into_iter().for_each(|row| self.vectors.remove(row));
            *place = self.vectors.insert(*slot, &vector);
        }
    }

    fn text(&self, id: ItemId, piece: u8) -> Option<String> {
        let kept = self.slots[*self.places.get(&id)?].as_ref()?;
        texts::own(&kept.document).into_iter().nth(usize::from(piece))
    }

    fn gathered(&mut self, id: MemoryId) -> usize {
        *self.known.entry(id).or_insert_with(|| {
            self.memories.push(IndexedMemory::default());
            self.memories.len() - 1
        })
    }

    fn moved(&mut self, from: usize, to: usize) {
        let Some(place) = self.known.values_mut().find(|place| **place == from) else { return };
        *place = to;
        for profile in self.profiles.iter_mut().filter(|profile| profile.memory() == Some(from)) {
            profile.set_memory(to);
        }
    }

    /// Puts a turn between its neighbours.
    fn link(&mut self, slot: DocumentSlot) {
        let Some((memory, place)) = self.place_of(slot) else { return };
        let turns = &mut self.memories[memory].turns;
        turns.insert(place);
        let before = turns.range(..place).next_back().map(|(_, id)| self.places[id]);
        let after = turns.range(place..).nth(1).map(|(_, id)| self.places[id]);
        self.join(before, Some(slot));
        self.join(Some(slot), after);
    }

    fn unlink(&mut self, slot: DocumentSlot) {
        let Some((memory, place)) = self.place_of(slot) else { return };
        self.memories[memory].turns.remove(&place);
        let [before, after] = self.profiles[slot].neighbours();
        self.join(before, after);
    }

    /// Only entries have neighbours.
    fn place_of(&self, slot: DocumentSlot) -> Option<(usize, (Timestamp, ItemId))> {
        let kept = self.slots[slot].as_ref().filter(|kept| kept.document.level == Level::Entry)?;
        Some((self.profiles[slot].memory()?, (kept.document.at, kept.document.id)))
    }

    fn join(&mut self, before: Option<DocumentSlot>, after: Option<DocumentSlot>) {
        if let Some(slot) = before {
            self.profiles[slot].set_after(after);
        }
        if let Some(slot) = after {
            self.profiles[slot].set_before(before);
            self.profiles[slot].is_answer = before.is_some_and(|before| self.is_answered(before, slot));
        }
    }

    /// Whether a turn asks, and the next one is another's.
    fn is_answered(&self, before: DocumentSlot, after: DocumentSlot) -> bool {
        let other = |(before, after): (&IndexedDocument, &IndexedDocument)| !before.is_same_speaker(after);
        self.profiles[before].asks > 0.0
            && self.slots[before].as_ref().zip(self.slots[after].as_ref()).is_some_and(other)
    }
}

impl SlotInfo for DocumentIndex {
    fn slots(&self) -> usize {
        self.slots.len()
    }

    fn memories(&self) -> usize {
        self.memories.len()
    }

    fn extent(&self, slot: DocumentSlot) -> (IndexField, f32) {
        let profile = &self.profiles[slot];
        (profile.field, profile.length as f32)
    }

    fn neighbours(&self, slot: DocumentSlot) -> [Option<DocumentSlot>; 2] {
        self.profiles[slot].neighbours()
    }

    fn memory(&self, slot: DocumentSlot) -> Option<usize> {
        self.profiles[slot].memory()
    }

    fn memory_length(&self, memory: usize) -> u64 {
        self.memories[memory].words
    }
}
