//! Looking for entities by words, place and kind.

use std::collections::BTreeSet;

use super::{
    Standing,
    contents::Contents,
    words::{EntityWords, plain},
};
use crate::house::{AreaId, EntityId, FloorId};

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

pub(super) fn search(contents: &Contents, query: &Query) -> Vec<Hit> {
    let text = plain(&query.text);
    let asked = asked(&text);
    let whole_id: Option<EntityId> = query.text.trim().parse().ok();
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
            _ if asked.is_empty() => 0.5,
            Some(words) => fit(words, &text, &asked) - if entity.auxiliary { 0.05 } else { 0.0 },
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

fn asked(text: &str) -> Vec<&str> {
    let all: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let said: Vec<&str> = all.iter().copied().filter(|word| !EMPTY.contains(word)).collect();
    // Who asks for nothing but such words means them.
    if said.is_empty() { all } else { said }
}

/// How well an entity fits: which part of what was asked it answers to, and which part of its name that is.
fn fit(words: &EntityWords, text: &str, asked: &[&str]) -> f32 {
    if words.names.iter().any(|name| name == text) {
        return 1.0;
    }
    let mut answered = 0.0;
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for word in asked {
        let (own, own_word) = best(&words.own, word);
        let (place, _) = best(&words.place, word);
        let (kind, _) = best(&words.kind, word);
        if own > 0.0 && own >= place {
            named.extend(own_word);
        }
        answered += own.max(place * 0.9).max(kind * 0.8);
    }
    #[allow(clippy::cast_precision_loss, reason = "a handful of words")]
    let (part, whole) = (answered / asked.len() as f32, {
        let longest = words.names.iter().map(|name| name.split(' ').count()).max().unwrap_or(1).max(1);
        (named.len() as f32 / longest as f32).min(1.0)
    });
    let is_said = words.names.iter().any(|name| holds(text, name));
    let said = if is_said { 0.25 } else { 0.0 };
    (part * 0.6 + part.min(1.0) * whole * 0.2 + said).min(0.99)
}

/// Whether a text holds a name as whole words.
fn holds(text: &str, name: &str) -> bool {
    !name.is_empty() && format!(" {text} ").contains(&format!(" {name} "))
}

/// How well the best of some words fits one that was asked for.
fn best<'a>(words: &'a [String], asked: &str) -> (f32, Option<&'a str>) {
    let mut best = (0.0, None);
    for word in words {
        let fits = alike(word, asked);
        if fits > best.0 {
            best = (fits, Some(word.as_str()));
        }
    }
    best
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
mod tests {
    use super::*;
    use crate::{Area, Entity, Floor, Index, Registry, State, Unlisted};

    fn index() -> Index {
        let index = Index::default();
        let floor = Floor { id: FloorId::new("up"), name: "Upstairs".to_owned(), aliases: Vec::new(), level: Some(1) };
        let area = |id: &str, name: &str, floor: Option<&str>| Area {
            id: AreaId::new(id),
            name: name.to_owned(),
            aliases: Vec::new(),
            floor: floor.map(FloorId::new),
        };
        let entity = |id: &str, name: &str, area: &str, class: Option<&str>| Entity {
            id: id.parse().unwrap(),
            name: name.to_owned(),
            aliases: Vec::new(),
            area: Some(AreaId::new(area)),
            device: None,
            class: class.map(str::to_owned),
            platform: None,
            exposed: true,
            auxiliary: false,
        };
        index.furnish(Registry {
            floors: vec![floor],
            areas: vec![area("kitchen", "Kitchen", None), area("bedroom", "Bedroom", Some("up"))],
            devices: Vec::new(),
            entities: vec![
                entity("light.kitchen", "Ceiling light", "kitchen", None),
                entity("light.bedroom_ceiling", "Bedroom ceiling", "bedroom", None),
                entity("light.bedroom_lamp", "Bedside lamp", "bedroom", None),
                entity("sensor.bedroom_temperature", "Bedroom temperature", "bedroom", Some("temperature")),
                Entity { exposed: false, ..entity("lock.safe", "Safe", "bedroom", None) },
            ],
            exposed_unlisted: Unlisted::All,
        });
        index
    }

    fn found(text: &str) -> Vec<String> {
        let query = Query { text: text.to_owned(), limit: 3, ..Query::default() };
        index().search(&query).into_iter().map(|hit| hit.standing.entity.id.to_string()).collect()
    }

    #[test]
    fn found_by_name_place_and_kind() {
        assert_eq!(found("bedside lamp")[0], "light.bedroom_lamp");
        assert_eq!(found("the light in the kitchen")[0], "light.kitchen");
        assert_eq!(found("how warm is the bedroom temperature")[0], "sensor.bedroom_temperature");
        let bedroom = found("why did the bedroom lights flicker last night");
        assert!(bedroom[..2].iter().all(|id| id.starts_with("light.bedroom")), "{bedroom:?}");
        assert_eq!(found("upstairs lamp")[0], "light.bedroom_lamp");
    }

    #[test]
    fn a_slip_of_a_letter_is_forgiven_and_nonsense_finds_nothing() {
        assert_eq!(found("kitchne light")[0], "light.kitchen");
        assert!(found("quarterly revenue").is_empty());
    }

    #[test]
    fn what_is_not_exposed_is_not_found() {
        assert!(!found("safe").contains(&"lock.safe".to_owned()));
        let query = Query { text: "safe".to_owned(), hidden_too: true, limit: 3, ..Query::default() };
        assert_eq!(index().search(&query)[0].standing.entity.id.as_str(), "lock.safe");
    }

    #[test]
    fn an_entity_known_by_its_state_alone_is_found_by_what_the_state_calls_it() {
        let index = index();
        let moment = protocol::Timestamp::from_millis(0);
        let state = State {
            entity_id: "sun.sun".parse().unwrap(),
            state: "below_horizon".to_owned(),
            attributes: serde_json::from_str(r#"{"friendly_name": "Sun"}"#).unwrap(),
            changed_at: moment,
            updated_at: moment,
        };
        let revision = index.revision();
        index.update([state.clone()]);
        assert_ne!(index.revision(), revision);
        let revision = index.revision();
        index.update([State { state: "above_horizon".to_owned(), ..state }]);
        assert_eq!(index.revision(), revision, "a change of state is no change of names");
        let hits = index.search(&Query { text: "sun".to_owned(), limit: 1, ..Query::default() });
        assert_eq!(hits[0].standing.word(), "above_horizon");
    }
}
