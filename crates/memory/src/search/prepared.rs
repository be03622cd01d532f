//! What is derived from a document's text alone, so that many documents can be read at once.

use std::{collections::BTreeMap, thread};

use jiff::civil::Date;
use protocol::ends;

use super::{
    answer_kind::DocumentDetails,
    asking,
    document::{Document, StoredDocument},
    lexical::IndexField,
    stored_words,
    temporal::{self, DateSpan},
    term_key::TermKey,
    terms, texts,
    vector::{self, Vector},
};

/// Bytes of a text that are indexed: of a longer one its beginning and its end.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// Fewer documents than this are read by one thread.
const PARALLEL_MIN: usize = 256;

/// A document that was read and is ready for the index.
#[derive(Debug)]
pub(super) struct PreparedDocument {
    pub(super) document: Document,
    pub(super) field: IndexField,
    pub(super) words: DocumentWords,
    /// The normalized words of the speaker's name.
    pub(super) speaker: Vec<String>,
    /// The day it happened.
    pub(super) day: Date,
    /// The vectors of its pieces, as far as they are known.
    pub(super) vectors: Vec<Option<Vector>>,
    /// Whether its words were read from the store.
    pub(super) is_stored: bool,
}

/// What takes long to derive from a text, and is therefore stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DocumentWords {
    /// Its terms in order, each once, with how often it occurs.
    pub(super) counts: Vec<(TermKey, u32)>,
    /// How many terms it has.
    pub(super) length: u32,
    /// The times that its text names.
    pub(super) about: Vec<DateSpan>,
    /// The share of its words that stand in questions.
    pub(super) asks: f32,
    /// What kinds of answers it contains.
    pub(super) details: DocumentDetails,
    /// How many pieces its text has.
    pub(super) pieces: u8,
}

impl DocumentWords {
    fn of(document: &Document, day: Date) -> Self {
        let text = ends(&document.text, TEXT_BYTES_MAX);
        let mut counts = BTreeMap::<TermKey, u32>::new();
        let mut length = 0_u32;
        let mut count = |term: &str| {
            *counts.entry(TermKey::of(term)).or_default() += 1;
            length = length.saturating_add(1);
        };
        terms::each_term(&text, &mut count);
        document.key.iter().for_each(|key| terms::each_term(key, &mut count));
        // A summary of many turns names the times of all of them, which tells nothing.
        let about = if document.by_words_only { Vec::new() } else { temporal::read(&text, day) };
        let (asks, details) = (asking::asking_share(&text), DocumentDetails::of(&text));
        let pieces = texts::count(document);
        Self { counts: counts.into_iter().collect(), length, about, asks, details, pieces }
    }
}

impl PreparedDocument {
    /// Reads a document.
    pub(super) fn of(document: Document) -> Self {
        Self::of_stored(StoredDocument { document, words: None, vectors: None })
    }

    /// Takes over what the store has of a document, as far as it fits, and derives the rest.
    fn of_stored(stored: StoredDocument<'_>) -> Self {
        let StoredDocument { document, words, vectors } = stored;
        let day = temporal::day_of(document.at);
        let known = words.and_then(|bytes| stored_words::read(&document, day, bytes));
        let is_stored = known.is_some();
        let words = known.unwrap_or_else(|| DocumentWords::of(&document, day));
        let vectors = fitting_vectors(&document, words.pieces, vectors.unwrap_or_default());
        let speaker = document.speaker.iter().flat_map(|name| terms::words(name)).map(terms::plain).collect();
        let field = IndexField::of_role(document.role.as_deref());
        Self { document, field, words, speaker, day, vectors, is_stored }
    }
}

/// The stored vectors of a document's pieces; none for a piece whose text is another by now.
fn fitting_vectors(document: &Document, pieces: u8, mut bytes: &[u8]) -> Vec<Option<Vector>> {
    let mut vectors = vec![None; usize::from(pieces)];
    if bytes.is_empty() {
        return vectors;
    }
    let texts = texts::own(document);
    while let Some((piece, digest, vector, rest)) = vector::read_piece(bytes) {
        bytes = rest;
        let piece = usize::from(piece);
        if texts.get(piece).is_some_and(|text| texts::digest(text) == digest)
            && let Some(place) = vectors.get_mut(piece)
        {
            *place = Some(vector);
        }
    }
    vectors
}

/// Documents that were read and are ready for the index.
#[derive(Debug, Default)]
pub struct PreparedDocuments(pub(super) Vec<PreparedDocument>);

impl PreparedDocuments {
    /// Makes documents of some things and reads them, in order, with all processors.
    pub fn of_all<'a, T: Sync>(all: &[T], make: impl Fn(&T) -> Option<StoredDocument<'a>> + Sync) -> Self {
        let read = |part: &[T]| part.iter().filter_map(&make).map(PreparedDocument::of_stored).collect::<Vec<_>>();
        let threads = thread::available_parallelism().map_or(1, usize::from).min(all.len() / PARALLEL_MIN);
        if threads < 2 {
            return Self(read(all));
        }
        let read = &read;
        let result = |thread: thread::ScopedJoinHandle<'_, Vec<PreparedDocument>>| match thread.join() {
            Ok(prepared) => prepared,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        Self(thread::scope(|scope| {
            let parts = all.chunks(all.len().div_ceil(threads));
            let running: Vec<_> = parts.map(|part| scope.spawn(move || read(part))).collect();
            running.into_iter().flat_map(result).collect()
        }))
    }
}
