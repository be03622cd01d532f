//! Searches entities by words, place and kind.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use protocol::ends;

use super::{
    EntitySnapshot,
    contents::IndexContents,
    lexicon::{EntityLexicon, EntityNo, WordNo, WordRole},
    words::{EntityWords, plain},
};
use crate::port::{AreaId, EntityId, FloorId};

/// The number of bytes of a text that are searched, from its beginning and its end.
const TEXT_BYTES_MAX: usize = 4 * 1024;
/// The number of distinct words that are looked up. Further words count as not matching.
const WORDS_MAX: usize = 64;

/// Stop words.
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

/// A search. Unset fields do not matter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntityQuery {
    /// Words of names, places and kinds.
    pub text: String,
    /// Domains, as `light`.
    pub domains: Vec<String>,
    /// Classes, as `battery`.
    pub classes: Vec<String>,
    /// Its area.
    pub area: Option<AreaId>,
    /// Its floor.
    pub floor: Option<FloorId>,
    /// Its state, in one word.
    pub state: Option<String>,
    /// Whether to include entities that are not exposed.
    pub hidden_too: bool,
    /// The maximum number of results.
    pub limit: usize,
}

/// A search result.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityHit {
    /// The entity.
    pub snapshot: EntitySnapshot,
    /// The score, from 0 to 1.
    pub score: f32,
}

/// The effort of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SearchEffort {
    /// Words of the query that were looked up.
    pub(super) words: usize,
    /// Pairs of words that were compared.
    pub(super) compared: usize,
}

pub(super) fn search(
    contents: &IndexContents,
    lexicon: &EntityLexicon,
    query: &EntityQuery,
    effort: &mut SearchEffort,
) -> Vec<EntityHit> {
    let looked_at = ends(&query.text, TEXT_BYTES_MAX);
    let text = plain(&looked_at);
    let asked = QueryWords::of(&text);
    let whole_id: Option<EntityId> = looked_at.trim().parse().ok();
    let fits = QueryFits::of(lexicon, &text, &asked, effort);
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
        // A query that names the area needs no matching words.
        if score > 0.15 || query.area.is_some() && score >= 0.0 {
            scored.push((score, id));
        }
    }
    scored.sort_by(|(one, a), (two, b)| two.total_cmp(one).then_with(|| a.cmp(b)));
    scored.truncate(query.limit);
    let hits = scored.into_iter();
    hits.filter_map(|(score, id)| Some(EntityHit { snapshot: contents.snapshot(id)?, score: score.clamp(0.0, 1.0) }))
        .collect()
}

/// The words of a query.
#[derive(Debug, PartialEq)]
struct QueryWords<'a> {
    /// The words that are looked up, with their counts, in the order of their first occurrence.
    words: Vec<(&'a str, f32)>,
    /// The total number of words.
    count: f32,
}

impl<'a> QueryWords<'a> {
    fn of(text: &'a str) -> Self {
        let all = || text.split(' ').filter(|word| !word.is_empty());
        let said = || all().filter(|word| !EMPTY.contains(word));
        // A query of stop words only searches for them.
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

/// How well one word of a query matches an entity.
#[derive(Default)]
struct WordFit {
    own: (f32, WordNo),
    place: f32,
    kind: f32,
}

/// How well a query matches an entity.
#[derive(Default)]
struct EntityFit {
    /// The part of the query that it matches.
    answered: f32,
    /// Words of its names that occur in the query.
    named: BTreeSet<WordNo>,
    /// Whether one of its full names occurs.
    is_said: bool,
    /// Whether the query is exactly one of its names.
    is_all: bool,
}

/// How well a query matches the entities.
#[derive(Default)]
struct QueryFits<'a> {
    of: HashMap<&'a EntityId, EntityFit>,
}

impl<'a> QueryFits<'a> {
    fn of(lexicon: &'a EntityLexicon, text: &str, asked: &QueryWords<'_>, effort: &mut SearchEffort) -> Self {
        let mut fits: BTreeMap<EntityNo, EntityFit> = BTreeMap::new();
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

    /// The score of an entity: the part of the query that it matches, and the part of its name that
    /// this is.
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

/// How well a word matches the entities with similar words.
fn bests(lexicon: &EntityLexicon, asked: &str, effort: &mut SearchEffort) -> BTreeMap<EntityNo, WordFit> {
    effort.words += 1;
    let mut bests: BTreeMap<EntityNo, WordFit> = BTreeMap::new();
    for number in lexicon.candidates(asked) {
        effort.compared += 1;
        let fits = alike(lexicon.word(number), asked);
        if fits <= 0.0 {
            continue;
        }
        for (entity, role) in lexicon.holders(number) {
            let best = bests.entry(*entity).or_default();
            match role {
                WordRole::Own if fits > best.own.0 => best.own = (fits, number),
                WordRole::Own => {}
                WordRole::Place => best.place = best.place.max(fits),
                WordRole::Kind => best.kind = best.kind.max(fits),
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
