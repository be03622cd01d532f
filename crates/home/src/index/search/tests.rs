//! Search results, and their cost.

use proptest::prelude::*;

use super::*;
use crate::{Area, Entity, EntityState, Floor, HomeIndex, HomeRegistry, UnlistedExposure};

fn index() -> HomeIndex {
    let index = HomeIndex::default();
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
    index.furnish(HomeRegistry {
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
        exposed_unlisted: UnlistedExposure::All,
    });
    index
}

fn found(text: &str) -> Vec<String> {
    let query = EntityQuery { text: text.to_owned(), limit: 3, ..EntityQuery::default() };
    index().search(&query).into_iter().map(|hit| hit.snapshot.entity.id.to_string()).collect()
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
    let query = EntityQuery { text: "safe".to_owned(), hidden_too: true, limit: 3, ..EntityQuery::default() };
    assert_eq!(index().search(&query)[0].snapshot.entity.id.as_str(), "lock.safe");
}

#[test]
fn an_entity_known_by_its_state_alone_is_found_by_what_the_state_calls_it() {
    let index = index();
    let moment = protocol::Timestamp::from_millis(0);
    let state = EntityState {
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
    index.update([EntityState { state: "above_horizon".to_owned(), ..state }]);
    assert_eq!(index.revision(), revision, "a change of state is no change of names");
    let hits = index.search(&EntityQuery { text: "sun".to_owned(), limit: 1, ..EntityQuery::default() });
    assert_eq!(hits[0].snapshot.word(), "above_horizon");
}

/// Names, places and kinds of a home with this many entities.
fn large(entities: usize) -> HomeIndex {
    const NAMES: &[&str] = &["Ceiling light", "Window sensor", "Radiator", "Bedside lamp", "Coffee machine", "Blind"];
    let index = HomeIndex::default();
    let areas = (0..20).map(|n| Area {
        id: AreaId::new(format!("area{n}")),
        name: format!("Room {n}"),
        aliases: Vec::new(),
        floor: None,
    });
    let entity = |n: usize| Entity {
        id: format!("light.thing_{n}").parse().unwrap(),
        name: format!("{} {n}", NAMES[n % NAMES.len()]),
        aliases: Vec::new(),
        area: Some(AreaId::new(format!("area{}", n % 20))),
        device: None,
        class: None,
        platform: None,
        exposed: true,
        auxiliary: n.is_multiple_of(7),
    };
    index.furnish(HomeRegistry {
        floors: Vec::new(),
        areas: areas.collect(),
        devices: Vec::new(),
        entities: (0..entities).map(entity).collect(),
        exposed_unlisted: UnlistedExposure::All,
    });
    index
}

/// Prose of this many distinct words, some of which are similar to those of the home.
fn prose(words: usize) -> String {
    const NEARLY: &[&str] = &["windows", "lamp", "celing", "coffees", "bedsides", "machines"];
    let word =
        |n: usize| if n.is_multiple_of(9) { NEARLY[n / 9 % NEARLY.len()].to_owned() } else { format!("q{n}uolir") };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

fn effort(index: &HomeIndex, text: String) -> SearchEffort {
    let mut effort = SearchEffort::default();
    index.search_counted(&EntityQuery { text, limit: 16, ..EntityQuery::default() }, &mut effort);
    effort
}

#[test]
fn twice_the_words_are_at_most_twice_the_work_and_there_is_an_end_to_it() {
    let index = large(500);
    let mut before = effort(&index, prose(8));
    assert!(before.compared > 0);
    for words in [16, 32, 64, 128, 256, 1_024, 40_000] {
        let now = effort(&index, prose(words));
        assert!(now.words <= 2 * before.words && now.words <= WORDS_MAX, "{words}: {now:?} after {before:?}");
        assert!(now.compared <= 2 * before.compared.max(8), "{words}: {now:?} after {before:?}");
        before = now;
    }
    assert_eq!(before.words, effort(&index, prose(80_000)).words);
}

#[test]
fn a_larger_home_is_hardly_more_work() {
    let (small, large) = (effort(&large(500), prose(64)), effort(&large(2_000), prose(64)));
    assert!(large.compared <= 2 * small.compared, "{small:?}, {large:?}");
}

#[test]
fn one_endless_word_is_no_word() {
    assert_eq!(effort(&large(100), "a".repeat(250_000)).compared, 0);
    assert_eq!(effort(&large(100), "light".repeat(50_000)).compared, 0);
}

#[test]
fn what_is_asked_at_the_end_of_a_long_text_is_found() {
    let text = format!("{} turn to the bedside lamp in the bedroom", prose(30_000));
    let query = EntityQuery { text, limit: 3, ..EntityQuery::default() };
    let hits = index().search(&query);
    assert_eq!(hits.first().map(|hit| hit.snapshot.entity.id.as_str()), Some("light.bedroom_lamp"));
}

/// The score of an entity by comparing every pair of words.
fn fit_of_all_pairs(words: &EntityWords, text: &str, asked: &[&str]) -> f32 {
    let best = |words: &[String], asked: &str| {
        words
            .iter()
            .map(|word| (alike(word, asked), word.clone()))
            .fold((0.0, None), |best: (f32, _), (fits, word)| if fits > best.0 { (fits, Some(word)) } else { best })
    };
    if words.names.iter().any(|name| name == text) {
        return 1.0;
    }
    let (mut answered, mut named) = (0.0, BTreeSet::new());
    for word in asked {
        let ((own, own_word), (place, _)) = (best(&words.own, word), best(&words.place, word));
        let (kind, _) = best(&words.kind, word);
        if own > 0.0 && own >= place {
            named.extend(own_word);
        }
        answered += own.max(place * 0.9).max(kind * 0.8);
    }
    let longest = words.names.iter().map(|name| name.split(' ').count()).max().unwrap_or(1).max(1);
    let (part, whole) = (answered / asked.len() as f32, (named.len() as f32 / longest as f32).min(1.0));
    let is_said = words.names.iter().any(|name| format!(" {text} ").contains(&format!(" {name} ")));
    (part * 0.6 + part.min(1.0) * whole * 0.2 + if is_said { 0.25 } else { 0.0 }).min(0.99)
}

fn any_word() -> impl Strategy<Value = String> {
    let known =
        "bedside|lamp|lamps|lampe|ceiling|cieling|bedroom|bedrom|kitchen|itchen|kitchn|light|ligths|temperature|up|the";
    let known: Vec<String> = known.split('|').map(str::to_owned).collect();
    prop_oneof![4 => prop::sample::select(known), 1 => "[a-zäöü]{1,9}"]
}

proptest! {
    #[test]
    fn the_lexicon_finds_what_comparing_all_words_would(said in prop::collection::vec(any_word(), 1..12)) {
        let (index, text) = (index(), plain(&said.join(" ")));
        let all: Vec<&str> = text.split(' ').collect();
        let solid: Vec<&str> = all.iter().copied().filter(|word| !EMPTY.contains(word)).collect();
        let asked = if solid.is_empty() { all } else { solid };
        let hits = index.search(&EntityQuery { text: text.clone(), limit: 10, ..EntityQuery::default() });
        let contents = index.read();
        for (id, words) in contents.words.iter().filter(|(id, _)| contents.entities[*id].exposed) {
            let expected = fit_of_all_pairs(words, &text, &asked);
            let found = hits.iter().find(|hit| hit.snapshot.entity.id == *id).map_or(0.0, |hit| hit.score);
            let is_same = (found - expected).abs() < 1e-4 || found == 0.0 && expected <= 0.15 + 1e-4;
            prop_assert!(is_same, "{id} for {text:?}: {found}, not {expected}");
        }
    }
}
