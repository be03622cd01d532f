//! What is derived from a document's text alone, so that many documents can be read at once.

use std::{collections::BTreeMap, thread};

use jiff::civil::Date;
use protocol::ends;

use super::{
    answer_kind::DocumentDetails,
    asking,
    document::Document,
    lexical::IndexField,
    temporal::{self, DateSpan},
    terms, texts,
};

/// Bytes of a text that are indexed: of a longer one its beginning and its end.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// Fewer documents than this are read by one thread.
const PARALLEL_MIN: usize = 256;

/// A document that was read and is ready for the index.
pub(super) struct PreparedDocument {
    pub(super) document: Document,
    pub(super) field: IndexField,
    /// Its terms in order, each once, with how often it occurs.
    pub(super) counts: Vec<(String, u32)>,
    /// How many terms it has.
    pub(super) length: u32,
    /// The normalized words of the speaker's name.
    pub(super) speaker: Vec<String>,
    /// The day it happened.
    pub(super) day: Date,
    /// The times that its text names.
    pub(super) about: Vec<DateSpan>,
    /// The share of its words that stand in questions.
    pub(super) asks: f32,
    /// What kinds of answers it contains.
    pub(super) details: DocumentDetails,
    /// How many pieces its text has.
    pub(super) pieces: u8,
}

impl PreparedDocument {
    /// Reads a document.
    pub(super) fn of(document: Document) -> Self {
        let text = ends(&document.text, TEXT_BYTES_MAX);
        let mut terms = terms::terms(&text);
        terms.extend(document.key.iter().flat_map(|key| terms::terms(key)));
        let length = u32::try_from(terms.len()).unwrap_or(u32::MAX);
        let mut counts = BTreeMap::<String, u32>::new();
        terms.into_iter().for_each(|term| *counts.entry(term).or_default() += 1);
        let day = temporal::day_of(document.at);
        let speaker = document.speaker.iter().flat_map(|name| terms::words(name)).map(terms::plain).collect();
        // A summary of many turns names the times of all of them, which tells nothing.
        let about = if document.by_words_only { Vec::new() } else { temporal::read(&text, day) };
        let (asks, details) = (asking::asking_share(&text), DocumentDetails::of(&text));
        drop(text);
        Self {
            field: IndexField::of_role(document.role.as_deref()),
            counts: counts.into_iter().collect(),
            length,
            speaker,
            day,
            about,
            asks,
            details,
            pieces: texts::count(&document),
            document,
        }
    }

    /// Reads many documents, in order, with all processors.
    pub(super) fn of_all(mut documents: Vec<Document>) -> Vec<Self> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(documents.len() / PARALLEL_MIN);
        if threads < 2 {
            return documents.into_iter().map(Self::of).collect();
        }
        let size = documents.len().div_ceil(threads);
        let mut parts = Vec::with_capacity(threads);
        while !documents.is_empty() {
            let rest = documents.split_off(size.min(documents.len()));
            parts.push(std::mem::replace(&mut documents, rest));
        }
        let read = |part: Vec<Document>| part.into_iter().map(Self::of).collect::<Vec<_>>();
        thread::scope(|scope| {
            let running: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || read(part))).collect();
            let result = |thread: thread::ScopedJoinHandle<'_, Vec<Self>>| match thread.join() {
                Ok(prepared) => prepared,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            running.into_iter().flat_map(result).collect()
        })
    }
}
