//! Commands and questions about the home, understood with no language model.
//!
//! A sentence is read by the grammars of the home's languages against what its things are called ([`vocabulary`]). What it
//! means becomes calls ([`act`], [`media`]) or, for a question, an answer from what the home has told ([`ask`]): a question
//! never acts. Words that lean on the turn before ("and now off again") are read by [`lean`]. What is answered afterwards is
//! what really came of the calls ([`words`]).

mod act;
mod ask;
mod lean;
mod meaning;
mod media;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

use std::sync::{Arc, Mutex, PoisonError};

use reflex::{Circumstances, Forgiven, Grammar, Understood, Vocabulary};
use serde_json::Map;
use tools::{Reflex, Reflexes, Said, Settled};

pub use meaning::Meaning;
use words::Tongue;

use crate::house::{Area, EntityId, House};

/// How surely a sentence is understood that the grammar has word for word.
const EXACTLY: f32 = 1.0;
/// How surely one is understood that leans on the turn before.
const LEANING: f32 = 0.9;
/// How surely one is understood in which something had to be forgiven.
const FORGIVEN: f32 = 0.7;
/// The longest message that may be a command or a question about the home, in bytes: these are short, and what is longer is
/// left to a model before any work is done on it.
const MESSAGE_BYTES_MAX: usize = 1024;
/// An area that nobody is in: with it, sentences match that need one.
const SOMEWHERE: &str = "\u{1}somewhere";

/// Understands commands and questions about a home.
pub struct HomeReflexes {
    house: Arc<dyn House>,
    grammars: Vec<Grammar>,
    vocabulary: Mutex<Option<(u64, Arc<Vocabulary>)>>,
}

impl HomeReflexes {
    /// For a home, in these languages; the first is tried first unless somebody says which one they speak.
    pub fn new(house: Arc<dyn House>, grammars: Vec<Grammar>) -> Self {
        Self { house, grammars, vocabulary: Mutex::default() }
    }

    /// What things are called, made anew when that has changed.
    fn vocabulary(&self) -> Arc<Vocabulary> {
        let mut kept = self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner);
        let revision = self.house.index().revision();
        match kept.as_ref() {
            Some((of, vocabulary)) if *of == revision => vocabulary.clone(),
            _ => {
                let vocabulary = Arc::new(vocabulary::of(self.house.index()));
                *kept = Some((revision, vocabulary.clone()));
                vocabulary
            }
        }
    }

    /// The grammars, that of the speaker's language first.
    fn grammars(&self, language: Option<&str>) -> impl Iterator<Item = &Grammar> {
        let is_spoken = move |grammar: &&Grammar| language.is_some_and(|spoken| speaks(grammar.language(), spoken));
        let (first, rest): (Vec<_>, Vec<_>) = self.grammars.iter().partition(is_spoken);
        first.into_iter().chain(rest)
    }

    fn area(&self, said: &Said<'_>) -> Option<Arc<Area>> {
        let wanted = crate::plain(said.area?);
        let areas = self.house.index().areas();
        areas.into_iter().find(|area| crate::plain(area.id.as_str()) == wanted || crate::plain(&area.name) == wanted)
    }

    fn meaning(&self, understood: &Understood, area: Option<&Area>) -> Meaning {
        Meaning::of(understood, self.house.index(), area)
    }

    fn reflex(&self, understood: &Understood, language: &str, area: Option<&Area>, confidence: f32) -> Option<Reflex> {
        let meaning = self.meaning(understood, area);
        let tongue = Tongue::of(language);
        let done = match ask::answer(self.house.as_ref(), &meaning, tongue) {
            Some(words) => act::Done::Answered(words),
            None => act::calls(self.house.index(), &meaning, tongue)?,
        };
        let is_question = meaning.is_question();
        let (calls, answer, asks_back) = match done {
            act::Done::Calls(calls) => (calls, None, false),
            act::Done::Answered(words) => (Vec::new(), Some(self.marked(words, tongue)), false),
            act::Done::Asked(words) => (Vec::new(), Some(words), true),
        };
        // Whatever was meant, a question changes nothing.
        debug_assert!(!is_question || calls.is_empty());
        let slots: Map<_, _> = understood.slots.iter().map(|(name, slot)| (name.clone(), slot.value.clone())).collect();
        let (intent, language) = (understood.intent.clone(), language.to_owned());
        Some(Reflex { intent, slots, language, confidence, is_question, calls, answer, asks_back })
    }

    /// What was meant before, now that the place is said that was asked for.
    fn cleared(&self, said: &Said<'_>) -> Option<Reflex> {
        let (unclear, place) = (said.unclear?, place(said.message));
        let areas = self.house.index().areas();
        let is_called = |area: &&Arc<Area>| {
            std::iter::once(&area.name).chain(&area.aliases).any(|name| crate::plain(name) == place)
        };
        let area = areas.iter().find(is_called)?;
        let message = Said { message: unclear, area: Some(area.id.as_str()), unclear: None, ..*said };
        self.read(&message).filter(|reflex| !reflex.asks_back)
    }

    /// The second pass, once no grammar has the sentence as it is. What is ambiguous is left to whoever comes next.
    fn forgiving(&self, said: &Said<'_>, vocabulary: &Vocabulary, area: Option<&Area>) -> Option<Reflex> {
        let circumstances = Circumstances::in_area(area.map_or(SOMEWHERE, |area| area.name.as_str()));
        for grammar in self.grammars(said.language) {
            // What the strict reading has and may not be acted on does not come in by this door.
            if grammar.read(vocabulary, said.message, &circumstances).is_some() {
                return None;
            }
            match grammar.read_forgiving(vocabulary, said.message, &circumstances) {
                Forgiven::Understood(understood, _) => {
                    let reflex = self.reflex(&understood, grammar.language(), area, FORGIVEN)?;
                    return Some(reflex).filter(|reflex| !self.touches_sensitive(reflex));
                }
                Forgiven::Ambiguous(_) => return None,
                Forgiven::Nothing => {}
            }
        }
        None
    }

    /// Whether a reflex would do something to a lock, an alarm, a garage door or the like. The matcher has seen to it that
    /// nothing of that kind is forgiven; this looks at what is really meant.
    fn touches_sensitive(&self, reflex: &Reflex) -> bool {
        reflex.calls.iter().any(|call| {
            let domain = call.arguments["domain"].as_str().unwrap_or_default();
            let ids = call.arguments["target"]["entity_id"].as_array().map(Vec::as_slice).unwrap_or_default();
            let is_meant = |id: &EntityId| {
                let class = self.house.index().get(id).and_then(|standing| standing.entity.class.clone());
                crate::is_sensitive(id.domain(), class.as_deref())
            };
            let mut ids = ids.iter().filter_map(|id| id.as_str()?.parse::<EntityId>().ok());
            crate::is_sensitive(domain, None) || ids.any(|id| is_meant(&id))
        })
    }

    /// An answer for a home that is not there says so.
    fn marked(&self, words: String, tongue: Tongue) -> String {
        if self.house.about().simulated { tongue.simulated(&words) } else { words }
    }
}

impl Reflexes for HomeReflexes {
    fn read(&self, said: &Said<'_>) -> Option<Reflex> {
        if said.message.len() > MESSAGE_BYTES_MAX || self.house.index().is_empty() {
            return None;
        }
        if let Some(reflex) = self.cleared(said) {
            return Some(reflex);
        }
        let area = self.area(said);
        let vocabulary = self.vocabulary();
        let circumstances =
            area.as_ref().map_or_else(Circumstances::default, |area| Circumstances::in_area(area.name.clone()));
        for grammar in self.grammars(said.language) {
            let read = |circumstances: &Circumstances| strictly(grammar, &vocabulary, said.message, circumstances);
            let language = grammar.language();
            if let Some(understood) = read(&circumstances).filter(|it| may_act_on(said.message, it, language)) {
                return self.reflex(&understood, language, area.as_deref(), EXACTLY);
            }
            if let Some(leaning) = lean::read(self.house.index(), said, language) {
                let lean::Leaning { intent, slots, calls } = leaning;
                let language = language.to_owned();
                return Some(Reflex {
                    intent,
                    slots,
                    language,
                    confidence: LEANING,
                    is_question: false,
                    calls,
                    answer: None,
                    asks_back: false,
                });
            }
            let nowhere = Circumstances::in_area(SOMEWHERE);
            if area.is_none()
                && let Some(understood) = read(&nowhere).filter(|it| may_act_on(said.message, it, language))
            {
                return self.reflex(&understood, language, None, EXACTLY);
            }
        }
        self.forgiving(said, &vocabulary, area.as_deref())
    }

    fn answer(&self, _said: &Said<'_>, reflex: Option<&Reflex>, settled: &[Settled]) -> String {
        let tongue = Tongue::of(reflex.map_or("en", |reflex| &reflex.language));
        self.marked(words::of_calls(settled, tongue), tongue)
    }
}

/// The place in an answer such as "in the kitchen, please".
fn place(message: &str) -> String {
    const BESIDE: &[&str] = &[
        "the", "in", "my", "our", "please", "one", "that", "at", "on", "of", "im", "in", "der", "die", "das", "den",
        "dem", "bitte", "am",
    ];
    let plain = crate::plain(message);
    let words: Vec<&str> = plain.split(' ').filter(|word| !BESIDE.contains(word)).collect();
    words.join(" ")
}

/// What a sentence means that a grammar has. Where it has words of any kind, politeness and slips are none of theirs.
fn strictly(
    grammar: &Grammar,
    vocabulary: &Vocabulary,
    message: &str,
    circumstances: &Circumstances,
) -> Option<Understood> {
    let understood = grammar.read(vocabulary, message, circumstances)?;
    if understood.slots.values().any(reflex::Slot::is_wildcard) {
        return grammar.read_forgiving(vocabulary, message, circumstances).understood().or(Some(understood));
    }
    Some(understood)
}

/// Whether a grammar is of the language that somebody speaks, as `de` for `de-AT`.
fn speaks(grammar: &str, spoken: &str) -> bool {
    let base = |language: &str| language.split(['-', '_']).next().unwrap_or_default().to_lowercase();
    grammar.eq_ignore_ascii_case(spoken) || base(grammar) == base(spoken)
}

/// Whether a sentence may be acted on. Who asks "the kitchen light?" does not want it switched on.
fn may_act_on(message: &str, understood: &Understood, language: &str) -> bool {
    let is_asked = message.trim_end().ends_with(['?', '？']);
    !is_asked || meaning::is_question(&understood.intent) || Tongue::of(language).is_polite(message)
}
