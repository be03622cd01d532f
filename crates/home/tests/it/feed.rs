//! The feed of a home: its state and its changes.

use std::collections::BTreeMap;

use home::{HomePort, HomeRegistry, LiveHomeFeed};
use ports::{HomeChanges, HomeFeed};
use proptest::prelude::*;
use protocol::{EntityView, HomeChanged, HomeConnection, HomeKind, HomeView};
use serde_json::json;
use tokio::time::{Duration, Instant, timeout};

use crate::fake_home::{FakeHome, area, entity, registry, state};

/// Longer than any change is held back.
const LONG: Duration = Duration::from_secs(60);

fn find<'a>(entities: &'a [EntityView], id: &str) -> Option<&'a EntityView> {
    entities.iter().find(|entity| entity.entity_id == id)
}

fn words(changed: &HomeChanged) -> Vec<(&str, &str)> {
    changed.entities.iter().map(|entity| (entity.entity_id.as_str(), entity.state.as_str())).collect()
}

/// The next change; `None` if nothing changes.
async fn next(news: &mut Box<dyn HomeChanges>) -> Option<HomeChanged> {
    timeout(LONG, news.next()).await.ok()
}

#[test]
fn what_a_person_would_look_at_is_shown_and_nothing_hidden() {
    let home = FakeHome::new();
    let mut lamp = state("light.kitchen", "on");
    lamp.attributes = json!({
        "brightness": 128, "supported_features": 44, "friendly_name": "x", "access_token": "y", "effect": null,
        "source": "z".repeat(200), "unit_of_measurement": "lx",
    })
    .as_object()
    .unwrap()
    .clone();
    home.index().update([lamp, state("lock.front", "unavailable")]);
    let view = LiveHomeFeed::new(home).view();
    assert_eq!((view.home, view.connection, view.why), (HomeKind::HomeAssistant, HomeConnection::Connected, None));
    assert_eq!(view.name.as_deref(), Some("Fake"));
    let rooms: Vec<&str> = view.areas.iter().map(|area| area.name.as_str()).collect();
    assert_eq!(rooms, ["Bedroom", "Hall", "Kitchen"]);
    let lamp = find(&view.entities, "light.kitchen").unwrap();
    assert_eq!(
        (lamp.domain.as_str(), lamp.area_id.as_deref(), lamp.unit.as_deref()),
        ("light", Some("kitchen"), Some("lx"))
    );
    assert_eq!(lamp.attributes, BTreeMap::from([("brightness".to_owned(), json!(128))]));
    assert_eq!(find(&view.entities, "cover.garage").unwrap().device_class.as_deref(), Some("garage"));
    assert!(lamp.available && !find(&view.entities, "lock.front").unwrap().available);
    assert!(find(&view.entities, "switch.secret").is_none(), "what agents may not see is not shown");
}

#[tokio::test(start_paused = true)]
async fn a_burst_is_told_at_once_and_then_as_it_ended() {
    let home = FakeHome::new();
    let (_, mut news) = LiveHomeFeed::new(home.clone()).follow();
    home.index().update([state("light.kitchen", "on")]);
    let before = Instant::now();
    assert_eq!(words(&next(&mut news).await.unwrap()), [("light.kitchen", "on")]);
    assert_eq!(Instant::now(), before, "the first is told at once");
    for n in 0..100 {
        home.index().update([state("light.kitchen", "off"), state("todo.shopping", &n.to_string())]);
        home.index().update([state("light.kitchen", "on"), state("light.bedroom", "on")]);
        home.index().update([state("switch.secret", "on")]);
    }
    let last = next(&mut news).await.unwrap();
    assert_eq!(words(&last), [("light.bedroom", "on"), ("todo.shopping", "99")], "what is as before is not told");
    assert!(before.elapsed() >= Duration::from_millis(250));
    assert_eq!(next(&mut news).await, None, "nothing is told twice");
    home.index().update([state("switch.secret", "off")]);
    assert_eq!(next(&mut news).await, None, "what is hidden changes nothing");
}

#[tokio::test(start_paused = true)]
async fn who_comes_late_is_told_how_it_is_by_then_and_others_do_not_wait() {
    let home = FakeHome::new();
    let feed = LiveHomeFeed::new(home.clone());
    let ((_, mut slow), (_, mut quick)) = (feed.follow(), feed.follow());
    for n in 0..20 {
        home.index().update([state("todo.shopping", &n.to_string())]);
        assert_eq!(words(&next(&mut quick).await.unwrap()), [("todo.shopping", n.to_string().as_str())]);
    }
    assert_eq!(words(&next(&mut slow).await.unwrap()), [("todo.shopping", "19")]);
}

#[tokio::test(start_paused = true)]
async fn what_is_moved_renamed_and_taken_away_is_told() {
    let home = FakeHome::new();
    let (_, mut news) = LiveHomeFeed::new(home.clone()).follow();
    let HomeRegistry { mut areas, mut entities, .. } = registry();
    areas.push(area("attic", "Attic"));
    entities.retain(|entity| entity.id.as_str() != "switch.kettle");
    entities.iter_mut().find(|entity| entity.id.as_str() == "lock.front").unwrap().exposed = false;
    let moved = entities.iter_mut().find(|entity| entity.id.as_str() == "light.counter").unwrap();
    *moved = entity("light.counter", "Attic light", "attic");
    home.index().furnish(HomeRegistry { areas, entities, ..HomeRegistry::default() });
    home.index().remove([&"switch.kettle".parse().unwrap()]);
    let changed = next(&mut news).await.unwrap();
    assert_eq!(words(&changed), [("light.counter", "on")]);
    assert_eq!(
        (changed.entities[0].name.as_str(), changed.entities[0].area_id.as_deref()),
        ("Attic light", Some("attic"))
    );
    assert_eq!(changed.removed, ["lock.front", "switch.kettle"]);
    let rooms: Vec<String> = changed.areas.unwrap().into_iter().map(|area| area.name).collect();
    assert_eq!(rooms, ["Attic", "Bedroom", "Hall", "Kitchen"]);
    assert_eq!(changed.connection, None);
}

/// Applies a change, as a client does.
fn take_in(view: &mut HomeView, changed: HomeChanged) {
    let gone = |id: &String| changed.removed.contains(id) || find(&changed.entities, id).is_some();
    view.entities.retain(|entity| !gone(&entity.entity_id));
    view.entities.extend(changed.entities.iter().cloned());
    view.entities.sort_by(|one, other| one.entity_id.cmp(&other.entity_id));
    view.areas = changed.areas.unwrap_or(std::mem::take(&mut view.areas));
    view.connection = changed.connection.unwrap_or(view.connection);
}

/// An event in a home.
#[derive(Debug, Clone)]
enum FeedEvent {
    Told(&'static str, u8),
    Gone(&'static str),
    Listened,
}

fn event() -> impl Strategy<Value = FeedEvent> {
    let ids = prop::sample::select(vec!["light.kitchen", "switch.secret", "sensor.new", "lock.front"]);
    prop_oneof![
        4 => (ids.clone(), 0..3u8).prop_map(|(id, word)| FeedEvent::Told(id, word)),
        1 => ids.prop_map(FeedEvent::Gone),
        2 => Just(FeedEvent::Listened),
    ]
}

proptest! {
    #[test]
    fn the_first_view_and_all_changes_are_the_last_view(events in prop::collection::vec(event(), 0..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let home = FakeHome::new();
        let feed = LiveHomeFeed::new(home.clone());
        let shown = runtime.block_on(async {
            let (mut shown, mut news) = feed.follow();
            for event in events.into_iter().chain([FeedEvent::Listened]) {
                match event {
                    FeedEvent::Told(id, word) => home.index().update([state(id, &word.to_string())]),
                    FeedEvent::Gone(id) => home.index().remove([&id.parse().unwrap()]),
                    FeedEvent::Listened => {
                        while let Some(changed) = next(&mut news).await {
                            assert!(!changed.is_empty());
                            take_in(&mut shown, changed);
                        }
                    }
                }
            }
            shown
        });
        prop_assert_eq!(shown, feed.view());
    }
}
