//! The names of a home for frames: by their content words, so that articles inside of a name may
//! be said or not, and by their letters alone, so that spaces may be.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::lexicon::{LANGUAGES, Lexicon};
use super::slips::Spelling;
use super::tokens::words;
use crate::vocabulary::{SlotList, Vocabulary};

/// The names of a home in each language.
pub(crate) type NamesByLanguage = [OnceLock<FrameNames>; LANGUAGES.len()];

/// One name.
#[derive(Debug, Clone)]
pub(super) struct FrameName {
    pub words: Vec<String>,
    /// The words without spaces.
    pub letters: String,
    pub spelling: Spelling,
    pub is_area: bool,
    /// What has the name.
    pub ids: Vec<String>,
}

/// All names.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrameNames {
    pub(super) all: Vec<FrameName>,
    by_letters: FxHashMap<String, Vec<usize>>,
    by_word: FxHashMap<String, Vec<usize>>,
    known: FxHashMap<String, Spelling>,
}

impl FrameNames {
    pub(super) fn new(lexicon: &Lexicon, vocabulary: &Vocabulary) -> Self {
        let mut names = Self::default();
        for named in vocabulary.iter() {
            let is_area = match named.list {
                SlotList::Name => false,
                SlotList::Area => true,
                SlotList::Floor | SlotList::Other(_) => continue,
            };
            let all: Vec<String> = words(&named.text).into_iter().map(|token| token.word).collect();
            let content: Vec<String> = all.iter().filter(|word| !lexicon.is_small(word)).cloned().collect();
            let content = if content.is_empty() { all } else { content };
            names.add(content, is_area, &named.value);
        }
        names
    }

    fn add(&mut self, words: Vec<String>, is_area: bool, id: &str) {
        let letters = words.concat();
        if letters.is_empty() {
            return;
        }
        for word in &words {
            self.known.entry(word.clone()).or_insert_with(|| Spelling::of(word));
        }
        let same = self.by_letters.entry(letters.clone()).or_default();
        if let Some(&known) = same.iter().find(|&&at| self.all[at].is_area == is_area && self.all[at].words == words) {
            self.all[known].ids.push(id.to_owned());
            return;
        }
        let index = self.all.len();
        same.push(index);
        for word in &words {
            let with = self.by_word.entry(word.clone()).or_default();
            if with.last() != Some(&index) {
                with.push(index);
            }
        }
        let spelling = Spelling::of(&letters);
        self.all.push(FrameName { words, letters, spelling, is_area, ids: vec![id.to_owned()] });
    }

    /// Whether a name has this word.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.known.contains_key(word)
    }

    /// Whether a name has a word that is one slip away.
    pub(super) fn nearly_knows(&self, lexicon: &Lexicon, word: &str) -> bool {
        let said = Spelling::of(word);
        self.known.values().any(|known| said.cost(lexicon, known, false).is_some())
    }

    /// The names with exactly these letters.
    pub(super) fn spelled(&self, letters: &str) -> impl Iterator<Item = &FrameName> {
        self.by_letters.get(letters).into_iter().flatten().map(|&at| &self.all[at])
    }

    /// The names that have all of these words, and more.
    pub(super) fn with_words(&self, words: &[String]) -> Vec<&FrameName> {
        let Some(first) = words.first().and_then(|word| self.by_word.get(word)) else { return Vec::new() };
        let has_all =
            |name: &&FrameName| name.words.len() > words.len() && words.iter().all(|word| name.words.contains(word));
        first.iter().map(|&at| &self.all[at]).filter(has_all).collect()
    }
}

impl Vocabulary {
    /// The names for the frames of a language.
    pub(super) fn names(&self, lexicon: &Lexicon) -> &FrameNames {
        let cell = &self.frames()[lexicon.index];
        cell.get_or_init(|| FrameNames::new(lexicon, self))
    }
}
