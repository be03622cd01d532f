//! A home with thousands of entities: the prompt section stays small.

#![allow(clippy::print_stdout, reason = "how many tokens a large home takes is worth seeing")]

use std::sync::Arc;

use home::{Area, AreaId, EntityQuery, Floor, FloorId, HomePort, HomeRegistry, LiveHomeContext, UnlistedExposure};
use ports::HomeContext;

use crate::fake_home::{FakeHome, area, entity, state};

const ENTITIES: usize = 3_000;
const ROOMS: usize = 60;
const TOKENS_MAX: usize = 2_000;

fn large() -> Arc<FakeHome> {
    let kinds = ["light", "switch", "sensor", "binary_sensor", "climate", "cover", "media_player", "sensor", "sensor"];
    let mut entities = Vec::new();
    for number in 0..ENTITIES {
        let (kind, room) = (kinds[number % kinds.len()], number % ROOMS);
        let name =
            format!("{} {} {number}", ["Ceiling", "Desk", "Window", "Corner"][number % 4], kind.replace('_', " "));
        entities.push(entity(&format!("{kind}.thing_{number}"), &name, &format!("room_{room}")));
    }
    let floors: Vec<Floor> = (0..4)
        .map(|level| Floor {
            id: FloorId::new(format!("floor_{level}")),
            name: format!("Floor {level}"),
            aliases: Vec::new(),
            level: Some(level),
        })
        .collect();
    let areas = (0..ROOMS).map(|room| Area {
        floor: Some(FloorId::new(format!("floor_{}", room % 4))),
        ..area(&format!("room_{room}"), &format!("Room {room}"))
    });
    let ids: Vec<String> = entities.iter().map(|entity| entity.id.to_string()).collect();
    let registry = HomeRegistry {
        floors,
        areas: areas.collect(),
        entities,
        exposed_unlisted: UnlistedExposure::All,
        devices: Vec::new(),
    };
    let home = FakeHome::with(registry, &[]);
    home.index().set_states(ids.iter().map(|id| state(id, "off")));
    home
}

fn tokens(text: &str) -> usize {
    tokens::count(text)
}

#[test]
fn a_home_of_3000_entities_takes_less_than_2000_tokens() {
    let home = large();
    let home_context = LiveHomeContext::new(home.clone());
    for question in
        ["Which lights in room 7 are on?", "turn off everything in room 12", "why is the desk light 37 off?"]
    {
        let first = home_context.section(question, None).unwrap();
        let told = tokens(&first.base.text) + tokens(&first.news);
        println!("{question}: {told} tokens of {ENTITIES} entities");
        assert!(told < TOKENS_MAX, "{told}: {}", first.base.text);
        let later = home_context.section("and the ceiling light 48?", Some(&first.base)).unwrap();
        assert_eq!(later.base, first.base, "the list stays as it was");
    }
}

#[test]
fn what_changed_is_told_and_the_rest_is_not() {
    let home = large();
    let home_context = LiveHomeContext::new(home.clone());
    let question = "desk sensor 37";
    let first = home_context.section(question, None).unwrap();
    let (id, _) = first.base.states.iter().next().unwrap();
    assert_eq!(home_context.section(question, Some(&first.base)).unwrap().news, "", "nothing has changed");
    home.index().update([state(id, "on")]);
    let later = home_context.section(question, Some(&first.base)).unwrap();
    assert_eq!(later.base, first.base);
    assert!(later.news.contains(&format!("{id} ")) && later.news.contains("on (was off)"), "{}", later.news);
    assert_eq!(later.news.lines().count(), 2, "{}", later.news);
}

#[test]
fn a_message_about_something_else_gets_nothing_of_the_home() {
    let home_context = LiveHomeContext::new(FakeHome::new());
    assert_eq!(home_context.section("What is the capital of France?", None), None);
    assert!(home_context.section("Is the kitchen light on?", None).is_some());
}

#[test]
fn what_is_not_exposed_is_not_told() {
    let home_context = LiveHomeContext::new(FakeHome::new());
    let told = home_context.section("turn on the secret switch in the hall", None).unwrap();
    assert!(!told.base.text.contains("Secret"), "{}", told.base.text);
}

#[test]
fn searching_a_large_home_finds_the_room() {
    let home = large();
    let query = EntityQuery {
        text: "lights".to_owned(),
        area: Some(AreaId::new("room_6")),
        limit: 50,
        ..EntityQuery::default()
    };
    let hits = home.index().search(&query);
    assert!(!hits.is_empty());
    assert!(hits.iter().all(|hit| hit.snapshot.area.as_ref().unwrap().id.as_str() == "room_6"));
}
