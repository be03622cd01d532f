//! Values of programs.

use journal::{ChangedValues, Error, NewValue, Store, Value, ValueChange, ValueCursor, ValueFilter};
use protocol::{OwnerId, ValueKey, ValueOrder};

use super::StoreFixture;
use crate::sample::{at, owner};

fn key(parts: &[&str]) -> ValueKey {
    ValueKey(parts.iter().map(|part| (*part).to_owned()).collect())
}

fn new(parts: &[&str], bytes: &[u8]) -> NewValue {
    NewValue { key: key(parts), bytes: bytes.to_vec(), ttl_ms: None, vectors: Vec::new(), keep: false }
}

fn change(now: u64, puts: Vec<NewValue>) -> ValueChange {
    ValueChange {
        deletes: Vec::new(),
        deletes_below: Vec::new(),
        puts,
        refreshes: Vec::new(),
        now: at(now),
        bytes_max: None,
    }
}

fn filter(below: &[&str], order: ValueOrder) -> ValueFilter {
    ValueFilter {
        below: key(below).0,
        before: None,
        order,
        after: None,
        limit: 100,
        bytes_max: 1024 * 1024,
        with_bytes: true,
        now: at(1),
    }
}

async fn read(store: &dyn Store, who: &OwnerId, parts: &[&str]) -> Option<Vec<u8>> {
    let found = store.values(who, vec![key(parts)], at(1), usize::MAX).await.unwrap();
    found.into_iter().next().and_then(|value| value.bytes)
}

fn names(values: &[Value]) -> Vec<&str> {
    values.iter().map(|value| value.key.0.last().unwrap().as_str()).collect()
}

pub(crate) async fn a_value_comes_back_byte_for_byte_after_reopening(place: &dyn StoreFixture) {
    let (store, ada) = (place.open(), owner("ada"));
    let large: Vec<u8> = (0..3_000_000_u32).map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1]).collect();
    let all: [(&[&str], &[u8]); 4] =
        [(&["a", "b"], b""), (&["", ""], &[0, 255, 0]), (&["é/..\0", "漢😀"], b"unicode"), (&["large"], &large)];
    let puts = all.iter().map(|(parts, bytes)| new(parts, bytes)).collect();
    assert_eq!(store.change_values(&ada, change(1, puts)).await, Ok(ChangedValues { written: 4, deleted: 0 }));
    store.change_values(&ada, change(5, vec![new(&["a", "b"], b"second")])).await.unwrap();
    let kept = NewValue { keep: true, ..new(&["a", "b"], b"third") };
    assert_eq!(store.change_values(&ada, change(6, vec![kept])).await.unwrap().written, 0);
    drop(store);
    let store = place.open();
    for (parts, bytes) in &all[1..] {
        assert_eq!(read(&*store, &ada, parts).await.as_deref(), Some(*bytes), "{parts:?}");
    }
    let value = store.values(&ada, vec![key(&["a", "b"])], at(9), 100).await.unwrap().remove(0);
    assert_eq!(value.bytes.as_deref(), Some(&b"second"[..]));
    assert_eq!((value.created_at, value.updated_at, value.size), (at(1), at(5), 6));
    let refused = store.values(&ada, vec![key(&["a", "b"]), key(&["large"])], at(9), 100).await;
    assert_eq!(refused, Err(Error::TooLarge { max: 100 }));
}

pub(crate) async fn changes_are_made_together_or_not_at_all(place: &dyn StoreFixture) {
    let (store, ada) = (place.open(), owner("ada"));
    let puts = vec![new(&["t", "1"], b"1"), new(&["t", "2"], b"2"), new(&["t"], b"t"), new(&["t2", "1"], b"3")];
    store.change_values(&ada, change(1, puts)).await.unwrap();
    let used = store.totals(&ada).await.unwrap().value_bytes;
    let full = ValueChange {
        deletes: vec![key(&["t2", "1"])],
        bytes_max: Some(used),
        ..change(2, vec![new(&["t", "1"], &[7; 1_000])])
    };
    let refused = store.change_values(&ada, full).await;
    assert!(matches!(refused, Err(Error::ValuesFull { used: before, .. }) if before == used), "{refused:?}");
    assert_eq!(read(&*store, &ada, &["t2", "1"]).await.as_deref(), Some(&b"3"[..]));
    assert_eq!(store.totals(&ada).await.unwrap().value_bytes, used);
    // Less is allowed beyond the limit too.
    let fewer = ValueChange { deletes_below: vec![key(&["t"])], bytes_max: Some(1), ..change(3, Vec::new()) };
    assert_eq!(store.change_values(&ada, fewer).await.unwrap().deleted, 2, "the key itself is not below");
    assert_eq!(read(&*store, &ada, &["t"]).await.as_deref(), Some(&b"t"[..]));
    let rest = ValueChange { deletes: vec![key(&["t"]), key(&["t2", "1"]), key(&["no"])], ..change(4, Vec::new()) };
    assert_eq!(store.change_values(&ada, rest).await.unwrap().deleted, 2);
    assert_eq!(store.totals(&ada).await.unwrap().value_bytes, 0);
}

pub(crate) async fn owners_do_not_see_each_others_values(place: &dyn StoreFixture) {
    let (store, ada, bob) = (place.open(), owner("ada"), owner("bob"));
    for (who, bytes) in [(&ada, b"ada"), (&bob, b"bob")] {
        store.change_values(who, change(1, vec![new(&["k"], bytes)])).await.unwrap();
    }
    assert_eq!(read(&*store, &ada, &["k"]).await.as_deref(), Some(&b"ada"[..]));
    assert_eq!(store.list_values(&bob, filter(&[], ValueOrder::Key)).await.unwrap().len(), 1);
    let gone = ValueChange { deletes: vec![key(&["k"])], ..change(2, Vec::new()) };
    store.change_values(&ada, gone).await.unwrap();
    assert_eq!(read(&*store, &bob, &["k"]).await.as_deref(), Some(&b"bob"[..]));
    assert_eq!(store.remove_values_with(&ada, &["bob".to_owned()]).await, Ok(0));
}

pub(crate) async fn lists_go_by_key_and_by_age_and_lose_none(place: &dyn StoreFixture) {
    let (store, ada) = (place.open(), owner("ada"));
    for (now, name) in (1..).zip(["c", "a", "e", "b", "d"]) {
        store.change_values(&ada, change(now / 2, vec![new(&["x", name], &[0; 10])])).await.unwrap();
    }
    store.change_values(&ada, change(9, vec![new(&["x"], b"not below"), new(&["xy", "z"], b"beside")])).await.unwrap();
    for (order, expected) in [
        (ValueOrder::Key, ["a", "b", "c", "d", "e"]),
        (ValueOrder::KeyDescending, ["e", "d", "c", "b", "a"]),
        (ValueOrder::Newest, ["d", "b", "e", "a", "c"]),
    ] {
        for (limit, bytes_max) in [(2, 1_000), (100, 15), (5, 1_000)] {
            let (mut found, mut after): (Vec<String>, _) = (Vec::new(), None);
            loop {
                let filter = ValueFilter { limit, bytes_max, after, ..filter(&["x"], order) };
                let page = store.list_values(&ada, filter).await.unwrap();
                let Some(last) = page.last() else { break };
                assert!(page.len() <= limit);
                after = Some(ValueCursor::after(last));
                found.extend(names(&page).into_iter().map(str::to_owned));
            }
            assert_eq!(found, expected, "{order:?} by {limit}");
        }
    }
    let before = ValueFilter { before: Some(key(&["x", "c"])), ..filter(&["x"], ValueOrder::KeyDescending) };
    assert_eq!(names(&store.list_values(&ada, before).await.unwrap()), ["b", "a"]);
    let keys = ValueFilter { with_bytes: false, ..filter(&["x"], ValueOrder::Key) };
    assert!(store.list_values(&ada, keys).await.unwrap().iter().all(|value| value.bytes.is_none() && value.size == 10));
}

pub(crate) async fn the_most_similar_come_first(place: &dyn StoreFixture) {
    let (store, ada) = (place.open(), owner("ada"));
    let with = |name: &str, vectors: &[&[f32]]| NewValue {
        vectors: vectors.iter().map(|vector| vector.to_vec()).collect(),
        ..new(&["x", name], b"v")
    };
    let puts = vec![
        with("plain", &[]),
        with("far", &[&[-1.0, 0.0]]),
        with("near", &[&[0.0, 1.0], &[3.0, 0.0]]),
        with("between", &[&[1.0, 1.0]]),
        with("other", &[&[1.0, 0.0, 0.0]]),
    ];
    store.change_values(&ada, change(1, puts)).await.unwrap();
    let all = store.nearest_values(&ada, filter(&["x"], ValueOrder::Key), vec![2.0, 0.0], 0).await.unwrap();
    assert_eq!(names(&all)[..3], ["near", "between", "far"]);
    let scores: Vec<_> = all.iter().map(|value| value.score.map(|score| (score * 100.0).round())).collect();
    assert_eq!(scores, [Some(100.0), Some(71.0), Some(-100.0), None, None]);
    let few = ValueFilter { limit: 2, ..filter(&["x"], ValueOrder::Key) };
    let rest = store.nearest_values(&ada, few, vec![2.0, 0.0], 1).await.unwrap();
    assert_eq!(names(&rest), ["between", "far"]);
}

pub(crate) async fn expired_values_are_gone_and_swept(place: &dyn StoreFixture) {
    let (store, ada) = (place.open(), owner("ada"));
    let short = |name: &str| NewValue { ttl_ms: Some(1_000), ..new(&[name], b"v") };
    store.change_values(&ada, change(1, vec![short("a"), short("b"), new(&["c"], b"v")])).await.unwrap();
    let refresh = ValueChange { refreshes: vec![key(&["b"]), key(&["c"])], ..change(500, Vec::new()) };
    store.change_values(&ada, refresh).await.unwrap();
    let alive = async |now: u64| {
        let filter = ValueFilter { now: at(now), ..filter(&[], ValueOrder::Key) };
        names(&store.list_values(&ada, filter).await.unwrap()).join("")
    };
    let (first, refreshed) = (alive(900).await, alive(1_200).await);
    assert_eq!((first.as_str(), refreshed.as_str()), ("abc", "bc"));
    let kept = NewValue { keep: true, ..short("a") };
    assert_eq!(store.change_values(&ada, change(1_200, vec![kept])).await.unwrap().written, 1, "it was gone");
    assert_eq!(store.sweep_values(at(1_600), 10).await, Ok(1));
    assert_eq!(alive(1_600).await, "ac");
    assert_eq!(alive(0).await, "ac", "what is swept does not come back");
}

pub(crate) async fn values_go_by_their_words(place: &dyn StoreFixture) {
    let (store, ada) = (place.open(), owner("ada"));
    let puts = vec![
        new(&["a"], b"\x81\xa4text\xacLocker 4711"),
        new(&["b"], "{\"zwei\": \"ÄPFEL\"}".as_bytes()),
        new(&["locker 4711", "c"], b"-"),
        new(&["d"], b"another"),
    ];
    store.change_values(&ada, change(1, puts)).await.unwrap();
    let texts = ["locker 4711".to_owned(), "äpfel".to_owned()];
    assert_eq!(store.remove_values_with(&ada, &texts).await, Ok(3));
    assert_eq!(names(&store.list_values(&ada, filter(&[], ValueOrder::Key)).await.unwrap()), ["d"]);
    assert_eq!(store.scrub(&texts).await, Ok(Vec::new()), "no byte of them is left in the files");
}
