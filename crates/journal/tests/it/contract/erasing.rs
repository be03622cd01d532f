//! Redaction of text.

use journal::{Append, Artifact, Change, Error, RedactedEvent, Snapshot, Store};
use protocol::{Body, Event, Level, OwnerId, SessionId, TextDelta};

use super::{StoreFixture, with_session};
use crate::sample::{artifact, artifact_id, fact, item_id, note, notes, owner, session, started, summary, text, turn};

async fn begin(store: &dyn Store, n: u64, who: &OwnerId) -> SessionId {
    store.create(vec![started(session(n), who, None)], summary(session(n), who, None, 0)).await.unwrap();
    session(n)
}

async fn say(store: &dyn Store, id: SessionId, head: u64, words: &[&str]) -> Vec<Event> {
    let lease = store.acquire(id).await.unwrap();
    let events: Vec<_> = (head + 1..).zip(words).map(|(seq, words)| text(id, seq, turn(1), words)).collect();
    store.append(lease, Append::new(head, events.clone(), None)).await.unwrap();
    events
}

/// The redacted form of a text event.
fn redacted(seq: u64, left: &str) -> RedactedEvent {
    RedactedEvent { seq, body: Body::Text(TextDelta { offset: 0, delta: left.to_owned() }) }
}

pub(crate) fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

pub(crate) async fn sessions_are_found_by_their_words(place: &dyn StoreFixture) {
    let (store, plain) = with_session(place).await;
    let (ada, bob) = (owner("ada"), owner("bob"));
    let (awkward, long, other) =
        (begin(&*store, 2, &ada).await, begin(&*store, 3, &ada).await, begin(&*store, 4, &bob).await);
    let special = "she said \"no\\yes\",\n\tthen \u{1}left — für immer 🦀";
    say(&*store, plain, 1, &["nothing", "I live in Lisbon."]).await;
    say(&*store, awkward, 1, &[special]).await;
    say(&*store, long, 1, &[&format!("{}needle{}", "hay ".repeat(10_000), " hay".repeat(10_000))]).await;
    say(&*store, other, 1, &["I live in Lisbon."]).await;
    let found = async |who: &OwnerId, texts: &[&str]| store.sessions_with(who, &owned(texts)).await.unwrap();
    assert_eq!(found(&ada, &["live in Lisbon"]).await, [plain]);
    assert_eq!(found(&ada, &["nobody said that", special]).await, [awkward]);
    assert_eq!(found(&ada, &["needle", "Lisbon"]).await, [plain, long]);
    assert_eq!(found(&bob, &["needle", "Lisbon"]).await, [other]);
    assert_eq!(found(&ada, &["in lisbon"]).await, [plain], "in any case, as words are struck out");
    assert_eq!(found(&ada, &["lisbon!", "'; --", "%"]).await, [], "word for word");
    assert_eq!(found(&ada, &[]).await, []);
    assert_eq!(found(&ada, &[""]).await, []);
}

pub(crate) async fn struck_events_keep_their_place(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let long = "a secret at length ".repeat(2_000);
    let mut events = say(&*store, id, 1, &["before", "a secret", &long, "after"]).await;
    let lease = store.acquire(id).await.unwrap();
    let longer = "[struck] ".repeat(5_000);
    store.redact(lease, vec![redacted(3, &longer), redacted(4, "[struck]")], None).await.unwrap();
    events[1].body = redacted(3, &longer).body;
    events[2].body = redacted(4, "[struck]").body;
    assert_eq!(store.read(id, 1, 10).await.unwrap(), events);
    assert_eq!(store.sessions_with(&owner("ada"), &owned(&["a secret"])).await.unwrap(), []);
    // The lease is still valid, and the session continues.
    store.append(lease, notes(id, 5, 1)).await.unwrap();
    drop(store);
    let store = place.open();
    events.push(note(id, 6));
    assert_eq!(store.read(id, 1, 10).await.unwrap(), events);
    assert_eq!(store.turn(turn(1)).await.unwrap(), events[..4]);
}

pub(crate) async fn striking_needs_the_lease_and_the_events(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let events = say(&*store, id, 1, &["one", "two"]).await;
    store.save(id, Snapshot { seq: 3, format: 1, state: "one two".to_owned() }).await.unwrap();
    let old = store.acquire(id).await.unwrap();
    let lease = store.acquire(id).await.unwrap();
    assert_eq!(store.redact(old, vec![redacted(2, "")], None).await, Err(Error::StaleLease));
    assert_eq!(store.redact(lease, vec![redacted(2, ""), redacted(4, "")], None).await, Err(Error::NotFound));
    assert_eq!(store.redact(lease, vec![redacted(u64::MAX, "")], None).await, Err(Error::NotFound));
    assert_eq!(store.read(id, 1, 10).await.unwrap(), events, "all or none");
    assert!(store.latest(id).await.unwrap().is_some());
}

pub(crate) async fn the_snapshot_of_a_struck_session_is_gone(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let other = begin(&*store, 2, &owner("ada")).await;
    say(&*store, id, 1, &["a secret"]).await;
    for id in [id, other] {
        store.save(id, Snapshot { seq: 1, format: 1, state: "a secret".to_owned() }).await.unwrap();
    }
    let lease = store.acquire(id).await.unwrap();
    store.redact(lease, vec![redacted(2, "")], None).await.unwrap();
    assert_eq!(store.latest(id).await, Ok(None));
    assert!(store.latest(other).await.unwrap().is_some());
}

pub(crate) async fn a_struck_body_stays_where_others_refer_to_it(place: &dyn StoreFixture) {
    let (store, first) = with_session(place).await;
    let second = begin(&*store, 2, &owner("ada")).await;
    let shared = "shared ".repeat(10_000);
    say(&*store, first, 1, &[&shared, &shared]).await;
    let events = say(&*store, second, 1, &[&shared]).await;
    let lease = store.acquire(first).await.unwrap();
    store.redact(lease, vec![redacted(2, "")], None).await.unwrap();
    assert_eq!(store.read(first, 2, 9).await.unwrap().len(), 1, "its twin in the same session is whole");
    store.redact(lease, vec![redacted(3, "")], None).await.unwrap();
    assert_eq!(store.read(second, 1, 9).await.unwrap(), events);
    // A body that was removed with its last reference can be written again.
    say(&*store, first, 3, &[&shared]).await;
    assert_eq!(store.read(first, 3, 9).await.unwrap()[0].body, events[0].body);
}

pub(crate) async fn artifacts_go_by_their_words(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let (ada, bob) = (owner("ada"), owner("bob"));
    let bobs = begin(&*store, 2, &bob).await;
    let words = "a \"quoted\" secret";
    let with = |n, id, who: &OwnerId, bytes: &[u8]| Artifact { bytes: bytes.to_vec(), ..artifact(n, id, who, n, 0) };
    store.put(with(1, id, &ada, b"nothing of the kind")).await.unwrap();
    store.put(with(2, id, &ada, format!("\u{0}\u{1}{words} in the middle").as_bytes())).await.unwrap();
    store.put(with(3, id, &ada, serde_json::json!({ "said": words }).to_string().as_bytes())).await.unwrap();
    let mut named = with(4, id, &ada, b"\xff\xfe");
    named.view.name = format!("{words}.txt");
    store.put(named).await.unwrap();
    store.put(with(5, bobs, &bob, words.as_bytes())).await.unwrap();
    assert_eq!(store.remove_artifacts_with(&ada, &owned(&[""])).await, Ok(0));
    assert_eq!(store.remove_artifacts_with(&ada, &owned(&["no such words", words])).await, Ok(3));
    assert_eq!(store.remove_artifacts_with(&ada, &owned(&[words])).await, Ok(0));
    let left = store.artifacts(&ada, None, None, 9).await.unwrap().artifacts;
    assert_eq!(left.iter().map(|view| view.artifact_id).collect::<Vec<_>>(), [artifact_id(1)]);
    assert!(store.artifact(&bob, artifact_id(5)).await.unwrap().is_some());
}

pub(crate) async fn scrubbing_says_what_is_still_there(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let (ada, bob) = (owner("ada"), owner("bob"));
    say(&*store, id, 1, &["the \"first\" secret"]).await;
    store.change(&ada, vec![Change::Put(fact(1, Level::Fact, 1))]).await.unwrap();
    store.change(&bob, vec![Change::Put(fact(2, Level::Fact, 1))]).await.unwrap();
    let texts = owned(&["the \"first\" secret", "fact 1", "fact 2", "never said", "abc", ""]);
    assert_eq!(store.scrub(&texts).await.unwrap(), owned(&["the \"first\" secret", "fact 1", "fact 2"]));
    let lease = store.acquire(id).await.unwrap();
    store.redact(lease, vec![redacted(2, "")], None).await.unwrap();
    store.change(&ada, vec![Change::Remove(item_id(1))]).await.unwrap();
    assert_eq!(store.scrub(&texts).await.unwrap(), owned(&["fact 2"]), "that is bob's");
}

pub(crate) async fn an_erasure_that_was_cut_off_is_finished_once(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    assert_eq!(store.finish_erasing().await, Ok(false), "nothing was begun");
    store.begin_erasing().await.unwrap();
    store.end_erasing().await.unwrap();
    drop(store);
    let store = place.open();
    assert_eq!(store.finish_erasing().await, Ok(false), "what was begun was also ended");
    store.begin_erasing().await.unwrap();
    drop(store);
    let store = place.open();
    assert_eq!(store.finish_erasing().await, Ok(true));
    assert_eq!(store.finish_erasing().await, Ok(false));
    assert_eq!(store.read(id, 0, 9).await.unwrap().len(), 1, "what is kept is whole");
}
