//! The words and templates of a language, from its file in `languages/`.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, LazyLock},
};

use serde::Deserialize;

use super::{
    phrase,
    tokens::{Sentence, SentenceWord},
};

static LEXICONS: LazyLock<BTreeMap<&'static str, Lexicon>> = LazyLock::new(|| {
    let files = [
        ("en", include_str!("../../languages/en.toml")),
        ("de", include_str!("../../languages/de.toml")),
        ("es", include_str!("../../languages/es.toml")),
        ("fr", include_str!("../../languages/fr.toml")),
        ("it", include_str!("../../languages/it.toml")),
        ("nl", include_str!("../../languages/nl.toml")),
    ];
    // The files are part of the program, and a test reads each of them.
    files.into_iter().filter_map(|(code, file)| Some((code, Lexicon::read(file)?))).collect()
});

/// The languages in which sentences are read.
pub fn languages() -> impl Iterator<Item = &'static str> {
    LEXICONS.keys().copied()
}

/// The words of a language; `de` also for `de-AT`.
pub(super) fn of(language: &str) -> Option<&'static Lexicon> {
    let code = language.split(['-', '_']).next().unwrap_or_default().to_lowercase();
    LEXICONS.get(code.as_str())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageFile {
    numbers: BTreeMap<String, u32>,
    ordinals: BTreeMap<String, u32>,
    ordinal_endings: Vec<String>,
    wake_text: String,
    /// Words that are written together with the next one, as `d'`.
    #[serde(default)]
    elisions: Vec<String>,
    /// Words that stand for several, as `vanavond` for `vandaag avond`.
    #[serde(default)]
    compounds: BTreeMap<String, String>,
    roles: BTreeMap<String, Vec<String>>,
    templates: Vec<TemplateList>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateList {
    order: String,
    sentences: Vec<String>,
}

/// What a template consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TemplatePart {
    Word(String),
    Slot(String),
}

impl TemplatePart {
    fn slot(&self) -> Option<&str> {
        match self {
            Self::Slot(slot) => Some(slot),
            Self::Word(_) => None,
        }
    }
}

/// The slot of the word "when" in a template.
pub(super) const CONJUNCTION: &str = "when";

/// Slots that are filled by more than a phrase of the role of their name.
const OPEN_SLOTS: [&str; 7] = ["time", "span", "kind", "about", CONJUNCTION, "condition", "text"];

/// A form of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) parts: Vec<TemplatePart>,
    /// Whether it has a time.
    pub(super) has_time: bool,
    /// The roles of which a matching sentence has a phrase.
    pub(super) roles: Vec<String>,
}

impl Template {
    fn of(text: &str) -> Self {
        let part = |word: &str| match word.strip_prefix('{').and_then(|slot| slot.strip_suffix('}')) {
            Some(slot) => TemplatePart::Slot(slot.to_owned()),
            None => TemplatePart::Word(word.to_lowercase()),
        };
        let parts: Vec<TemplatePart> = text.split_whitespace().map(part).collect();
        let slots = || parts.iter().filter_map(TemplatePart::slot);
        let has_time = slots().any(|slot| slot == "time");
        let roles = slots().filter(|slot| !OPEN_SLOTS.contains(slot)).map(str::to_owned).collect();
        Self { parts, has_time, roles }
    }

    pub(super) fn has_slot(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part.slot() == Some(name))
    }
}

/// A phrase of a role.
#[derive(Debug)]
struct RolePhrase {
    role: Arc<str>,
    words: Vec<String>,
}

/// The words and templates of a language.
#[derive(Debug)]
pub(super) struct Lexicon {
    numbers: BTreeMap<String, u32>,
    ordinals: BTreeMap<String, u32>,
    ordinal_endings: Vec<String>,
    /// What one is reminded of by a sentence that only asks to be woken.
    pub(super) wake_text: String,
    elisions: Vec<String>,
    compounds: BTreeMap<String, String>,
    /// Phrases by role, each as its words.
    roles: BTreeMap<String, Vec<Vec<String>>>,
    /// The same by their first word: most words of a sentence begin none, and every message is read
    /// in every language.
    phrases: HashMap<String, Vec<RolePhrase>>,
    /// Templates by order.
    templates: Vec<(String, Vec<Template>)>,
    /// The same for orders that wait for something.
    conditional: Vec<(String, Vec<Template>)>,
}

impl Lexicon {
    fn read(file: &str) -> Option<Self> {
        let file: LanguageFile = toml::from_str(file).ok()?;
        let words = |phrase: &String| phrase.split_whitespace().map(str::to_owned).collect();
        let roles: BTreeMap<String, Vec<Vec<String>>> =
            file.roles.iter().map(|(role, phrases)| (role.clone(), phrases.iter().map(words).collect())).collect();
        let mut phrases: HashMap<String, Vec<RolePhrase>> = HashMap::new();
        for (role, all) in &roles {
            let role: Arc<str> = role.as_str().into();
            for words in all {
                let Some(first) = words.first() else { continue };
                let phrase = RolePhrase { role: role.clone(), words: words.clone() };
                phrases.entry(first.clone()).or_default().push(phrase);
            }
        }
        let all = file.templates.into_iter().map(|list| {
            let texts = list.sentences.iter().flat_map(|sentence| expand(sentence));
            (list.order, texts.map(|text| Template::of(&text)).collect())
        });
        let waits = |(_, templates): &(String, Vec<Template>)| templates.iter().any(|each| each.has_slot(CONJUNCTION));
        let (conditional, templates) = all.partition(waits);
        Some(Self {
            numbers: file.numbers,
            ordinals: file.ordinals,
            ordinal_endings: file.ordinal_endings,
            wake_text: file.wake_text,
            elisions: file.elisions,
            compounds: file.compounds,
            roles,
            phrases,
            templates,
            conditional,
        })
    }

    pub(super) fn templates(&self) -> &[(String, Vec<Template>)] {
        &self.templates
    }

    pub(super) fn conditional_templates(&self) -> &[(String, Vec<Template>)] {
        &self.conditional
    }

    /// The beginning of a word that is a word of its own.
    pub(super) fn elision_of(&self, word: &str) -> Option<&str> {
        let is_beginning = |elision: &&String| word.len() > elision.len() && word.starts_with(elision.as_str());
        self.elisions.iter().find(is_beginning).map(String::as_str)
    }

    /// The words that a word stands for.
    pub(super) fn compound(&self, word: &str) -> Option<&str> {
        self.compounds.get(word).map(String::as_str)
    }

    /// The roles whose phrases begin here in these words, each with the length of the phrase.
    pub(super) fn roles_of(&self, words: &[SentenceWord]) -> Vec<(Arc<str>, usize)> {
        let phrases = words.first().and_then(|first| self.phrases.get(&first.word)).map(Vec::as_slice);
        let is_here = |phrase: &&RolePhrase| {
            phrase.words.len() <= words.len() && phrase.words.iter().zip(words).all(|(word, here)| *word == here.word)
        };
        let here = phrases.unwrap_or_default().iter().filter(is_here);
        here.map(|phrase| (phrase.role.clone(), phrase.words.len())).collect()
    }

    /// How many words the longest phrase of a role has here.
    pub(super) fn role_at(&self, role: &str, sentence: &Sentence, at: usize) -> Option<usize> {
        sentence.roles_at(self, at).iter().filter(|(name, _)| **name == *role).map(|(_, length)| *length).max()
    }

    /// The longest phrase here among the roles `family.*`: which one, and how many words.
    pub(super) fn family_at<'s>(&self, family: &str, sentence: &'s Sentence, at: usize) -> Option<(&'s str, usize)> {
        let members = sentence.roles_at(self, at).iter().filter_map(|(role, length)| {
            let member = role.strip_prefix(family)?.strip_prefix('.')?;
            Some((member, *length))
        });
        members.max_by_key(|(_, length)| *length)
    }

    pub(super) fn is_word_of(&self, role: &str, word: &str) -> bool {
        self.roles.get(role).is_some_and(|phrases| phrases.iter().any(|phrase| phrase.as_slice() == [word]))
    }

    /// Whether a phrase of a role, or of its family, is anywhere in a text.
    pub(super) fn has_role(&self, role: &str, text: &str) -> bool {
        let sentence = Sentence::plain(text, self);
        let is_here = |at| self.role_at(role, &sentence, at).is_some() || self.family_at(role, &sentence, at).is_some();
        (0..sentence.len()).any(is_here)
    }

    pub(super) fn begins_with(&self, role: &str, text: &str) -> bool {
        self.role_at(role, &Sentence::plain(text, self), 0).is_some()
    }

    /// Whether a time is anywhere in a text.
    pub(super) fn has_time(&self, text: &str) -> bool {
        let sentence = Sentence::plain(text, self);
        (0..sentence.len()).any(|at| !phrase::times_at(self, &sentence, at).is_empty())
    }

    /// A number in digits or as a word.
    pub(super) fn number_at(&self, sentence: &Sentence, at: usize) -> Option<u32> {
        let word = sentence.word(at)?;
        let digits = word.chars().all(|letter| letter.is_ascii_digit()) && word.len() <= 5;
        if digits { word.parse().ok() } else { self.numbers.get(word).copied() }
    }

    /// `31st`, `31.` or `first`.
    pub(super) fn ordinal_at(&self, sentence: &Sentence, at: usize) -> Option<u32> {
        let word = sentence.word(at)?;
        let digits = self.ordinal_endings.iter().find_map(|ending| word.strip_suffix(ending.as_str()));
        let number = digits.filter(|digits| digits.len() <= 2).and_then(|digits| digits.parse().ok());
        number.or_else(|| self.ordinals.get(word).copied())
    }
}

/// The sentences that a template with `[optional]` and `(one|other)` parts stands for.
fn expand(template: &str) -> Vec<String> {
    let Some(open) = template.find(['[', '(']) else { return vec![template.to_owned()] };
    let close_with = if template[open..].starts_with('[') { ']' } else { ')' };
    let Some(length) = template[open..].find(close_with) else { return Vec::new() };
    let (before, inner) = (&template[..open], &template[open + 1..open + length]);
    let after = &template[open + length + 1..];
    let mut choices: Vec<&str> = inner.split('|').collect();
    if close_with == ']' {
        choices.push("");
    }
    choices.iter().flat_map(|choice| expand(&format!("{before}{choice}{after}"))).collect()
}
