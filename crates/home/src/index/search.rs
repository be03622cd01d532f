//! Looking for entities by words, place and kind.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use protocol::ends;

use super::{
    Standing,
    contents::Contents,
    lexicon::{EntityNo, Lexicon, Role, WordNo},
    words::{EntityWords, plain},
};
use crate::house::{AreaId, EntityId, FloorId};

/// Bytes of a text that are looked at: what is meant is said at its beginning or at its end.
const TEXT_BYTES_MAX: usize = 4 * 1024;
/// Different words of a text that are looked up. The others count as words that fit nothing.
const WORDS_MAX: usize = 64;

/// Words that say nothing of what is looked for.
const EMPTY: &[&str] = &[
    "a",
    "an",
    "and",
    "any",
    "are",
    "at",
    "did",
    "do",
    "does",
    "for",
    "how",
    "i",
    "in",
    "is",
    "it",
    "last",
    "many",
    "me",
    "my",
    "night",
    "now",
    "of",
    "off",
    "on",
    "our",
    "please",
    "show",
    "state",
    "status",
    "the",
    "there",
    "this",
    "to",
    "today",
    "turn",
    "was",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "yesterday",
    "you",
];

/// What is looked for. What is not set does not matter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Words of names, places and kinds.
    pub text: String,
    /// Domains, as `light`.
    pub domains: Vec<String>,
    /// Classes, as `battery`.
    pub classes: Vec<String>,
    /// Where it is.
    pub area: Option<AreaId>,
    /// On which floor.
    pub floor: Option<FloorId>,
    /// How it stands, in one word.
    pub state: Option<String>,
    /// Also what assistants may not see.
    pub hidden_too: bool,
    /// How many at most.
    pub limit: usize,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The entity as it stands.
    pub standing: Standing,
    /// How well it fits, from 0 to 1.
    pub score: f32,
}

/// How much work a search was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Effort {
    /// Words of the query that were looked up.
    pub(super) words: usize,
    /// Pairs of words that were compared.
    pub(super) compared: usize,
}

pub(super) fn search(contents: &Contents, lexicon: &Lexicon, query: &Query, effort: &mut Effort) -> Vec<Hit> {
    let looked_at = ends(&query.text, TEXT_BYTES_MAX);
    let text = plain(&looked_at);
    let asked = Asked::of(&text);
    let whole_id: Option<EntityId> = looked_at.trim().parse().ok();
    let fits = Fits::of(lexicon, &text, &asked, effort);
    let is_about_words = !asked.words.is_empty() && query.area.is_none();
    if is_about_words && fits.is_empty() && whole_id.is_none() {
        return Vec::new();
    }
    let mut scored: Vec<(f32, &EntityId)> = Vec::new();
    for (id, entity) in &contents.entities {
        let area = contents.area_of(entity);
        let is_there = query.area.as_ref().is_none_or(|wanted| area.is_some_and(|area| area.id == *wanted))
            && query.floor.as_ref().is_none_or(|wanted| area.is_some_and(|area| area.floor.as_ref() == Some(wanted)));
        let is_kind = (query.domains.is_empty() || query.domains.iter().any(|domain| domain == id.domain()))
            && (query.classes.is_empty() || entity.class.as_ref().is_some_and(|class| query.classes.contains(class)));
        let stands = |wanted: &String| contents.states.get(id).is_some_and(|state| state.state == *wanted);
        if !is_there || !is_kind || !query.state.as_ref().is_none_or(stands) || !(entity.exposed || query.hidden_too) {
            continue;
        }
        let score = match contents.words.get(id) {
            _ if whole_id.as_ref() == Some(id) => 1.0,
            _ if asked.words.is_empty() => 0.5,
            Some(words) => fits.score(id, words, asked.count) - if entity.auxiliary { 0.05 } else { 0.0 },
            None => 0.0,
        };
        // Whoever names the place has said enough.
        if score > 0.15 || query.area.is_some() && score >= 0.0 {
            scored.push((score, id));
        }
    }
    scored.sort_by(|(one, a), (two, b)| two.total_cmp(one).then_with(|| a.cmp(b)));
    scored.truncate(query.limit);
    let hits = scored.into_iter();
    hits.filter_map(|(score, id)| Some(Hit { standing: contents.standing(id)?, score: score.clamp(0.0, 1.0) }))
        .collect()
}

/// The words of a query.
#[derive(Debug, PartialEq)]
struct Asked<'a> {
    /// Those that are looked up, each with how often it is said, in the order in which they are said first.
    words: Vec<(&'a str, f32)>,
    /// How many there are in all.
    count: f32,
}

impl<'a> Asked<'a> {
    fn of(text: &'a str) -> Self {
        let all = || text.split(' ').filter(|word| !word.is_empty());
        let said = || all().filter(|word| !EMPTY.contains(word));
        // Who asks for nothing but such words means them.
        if said().next().is_none() { Self::counted(all()) } else { Self::counted(said()) }
    }

    fn counted(words: impl Iterator<Item = &'a str>) -> Self {
        let mut asked = Self { words: Vec::new(), count: 0.0 };
        let mut places: HashMap<&str, usize> = HashMap::new();
        for word in words {
            asked.count += 1.0;
            match places.get(word) {
                Some(place) => asked.words[*place].1 += 1.0,
                None if places.len() < WORDS_MAX => {
                    places.insert(word, asked.words.len());
                    asked.words.push((word, 1.0));
                }
                None => {}
            }
        }
        asked
    }
}

/// How well one word of a query fits an entity.
#[derive(Default)]
struct Best {
    own: (f32, WordNo),
    place: f32,
    kind: f32,
}

/// What an entity answers to.
#[derive(Default)]
struct Fit {
    /// How much of what was asked.
    answered: f32,
    /// Words of its names that were said.
    named: BTreeSet<WordNo>,
    /// Whether one of its names was said whole.
    is_said: bool,
    /// Whether nothing else was said.
    is_all: bool,
}

/// What the entities answer to, of a query.
#[derive(Default)]
struct Fits<'a> {
    of: HashMap<&'a EntityId, Fit>,
}

impl<'a> Fits<'a> {
    fn of(lexicon: &'a Lexicon, text: &str, asked: &Asked<'_>, effort: &mut Effort) -> Self {
        let mut fits: BTreeMap<EntityNo, Fit> = BTreeMap::new();
        for (word, times) in &asked.words {
            for (entity, best) in bests(lexicon, word, effort) {
                let fit = fits.entry(entity).or_default();
                let (own, own_word) = best.own;
                if own > 0.0 && own >= best.place {
                    fit.named.insert(own_word);
                }
                fit.answered += times * own.max(best.place * 0.9).max(best.kind * 0.8);
            }
        }
        for entity in lexicon.named_in(text) {
            fits.entry(entity).or_default().is_said = true;
        }
        for entity in lexicon.named(text) {
            fits.entry(*entity).or_default().is_all = true;
        }
        Self { of: fits.into_iter().filter_map(|(entity, fit)| Some((lexicon.entity(entity)?, fit))).collect() }
    }

    fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// How well an entity fits: which part of what was asked it answers to, and which part of its name that is.
    fn score(&self, id: &EntityId, words: &EntityWords, asked: f32) -> f32 {
        let Some(fit) = self.of.get(id) else { return 0.0 };
        if fit.is_all {
            return 1.0;
        }
        let part = fit.answered / asked;
        let longest = words.names.iter().map(|name| name.split(' ').count()).max().unwrap_or(1).max(1);
        #[allow(clippy::cast_precision_loss, reason = "a handful of words")]
        let whole = (fit.named.len() as f32 / longest as f32).min(1.0);
        let said = if fit.is_said { 0.25 } else { 0.0 };
        (part * 0.6 + part.min(1.0) * whole * 0.2 + said).min(0.99)
    }
}

/// How well a word fits the entities that have words like it.
fn bests(lexicon: &Lexicon, asked: &str, effort: &mut Effort) -> BTreeMap<EntityNo, Best> {
    effort.words += 1;
    let mut bests: BTreeMap<EntityNo, Best> = BTreeMap::new();
    for number in lexicon.candidates(asked) {
        effort.compared += 1;
        let fits = alike(lexicon.word(number), asked);
        if fits <= 0.0 {
            continue;
        }
        for (entity, role) in lexicon.holders(number) {
            let best = bests.entry(*entity).or_default();
            match role {
                Role::Own if fits > best.own.0 => best.own = (fits, number),
                Role::Own => {}
                Role::Place => best.place = best.place.max(fits),
                Role::Kind => best.kind = best.kind.max(fits),
            }
        }
    }
    bests
}

fn alike(word: &str, asked: &str) -> f32 {
    if word == asked {
        return 1.0;
    }
    let (shorter, longer) = if word.len() < asked.len() { (word, asked) } else { (asked, word) };
    if longer.strip_prefix(shorter).is_some_and(|rest| rest == "s" || rest == "es") {
        return 0.95;
    }
    let length = shorter.chars().count();
    if length >= 4 && longer.starts_with(shorter) {
        return 0.7;
    }
    if length >= 5 && strsim::osa_distance(word, asked) == 1 {
        return 0.75;
    }
    0.0
}

#[cfg(test)]
mod tests;
