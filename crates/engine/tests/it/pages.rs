//! Turns and their events a page at a time, from either end, and the search for sessions.

use std::sync::atomic::Ordering;

use engine::Error;
use protocol::{EventPage, Order, SessionId, SessionList, SessionStart, TurnId, TurnPage, Update};
use serde_json::json;

use crate::harness::{Harness, owner};

async fn page(harness: &Harness, session: SessionId, order: Order, cursor: Option<&str>, limit: usize) -> TurnPage {
    harness.hub.turns(&harness.ada, &session.into(), order, cursor, Some(limit)).await.unwrap()
}

/// All turns by pages of that size.
async fn all(harness: &Harness, session: SessionId, order: Order, limit: usize) -> Vec<TurnId> {
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = page(harness, session, order, cursor.as_deref(), limit).await;
        seen.extend(page.data.iter().map(|turn| turn.turn_id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            return seen;
        }
    }
}

#[tokio::test]
async fn the_newest_pages_in_reverse_are_the_oldest_pages() {
    let harness = Harness::new();
    let session = harness.start().await;
    assert_eq!(all(&harness, session, Order::Newest, 3).await, []);
    let mut said = Vec::new();
    for n in 0..7 {
        said.push(harness.exchange(session, &format!("message {n}"), "answer").await.turn_id);
    }
    for limit in [1, 2, 3, 6, 7, 8] {
        let mut newest = all(&harness, session, Order::Newest, limit).await;
        newest.reverse();
        assert_eq!(newest, said);
        assert_eq!(all(&harness, session, Order::Oldest, limit).await, said);
    }
    let full = page(&harness, session, Order::Newest, None, 7).await;
    assert_eq!(full.next_cursor, None, "the last page says that it is the last");
    assert_eq!(full.data[0], harness.turn(said[6]).await, "each turn is whole");
}

#[tokio::test]
async fn turns_that_come_meanwhile_move_no_page() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut said = Vec::new();
    for n in 0..6 {
        said.push(harness.exchange(session, &format!("message {n}"), "answer").await.turn_id);
    }
    let (mut newest, mut cursor) = (Vec::new(), None);
    loop {
        let page = page(&harness, session, Order::Newest, cursor.as_deref(), 2).await;
        newest.extend(page.data.iter().map(|turn| turn.turn_id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
        harness.exchange(session, "one more", "answer").await;
    }
    newest.reverse();
    assert_eq!(newest, said, "those there were, none twice and none missing");
    let now = all(&harness, session, Order::Oldest, 4).await;
    assert_eq!((now.len(), &now[..6]), (8, &said[..]));
}

#[tokio::test]
async fn reading_the_last_turns_reads_no_others() {
    let harness = Harness::new();
    let session = harness.start().await;
    for n in 0..12 {
        harness.exchange(session, &format!("message {n}"), "answer").await;
    }
    let before = harness.store.turns_read.load(Ordering::SeqCst);
    assert_eq!(page(&harness, session, Order::Newest, None, 3).await.data.len(), 3);
    assert_eq!(harness.store.turns_read.load(Ordering::SeqCst) - before, 3);
    let wrong = harness.hub.turns(&harness.ada, &session.into(), Order::Newest, Some("x"), None).await;
    assert!(matches!(wrong, Err(Error::Invalid(_))), "{wrong:?}");
}

#[tokio::test]
async fn a_turns_events_come_in_order_and_alone() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turns = [harness.exchange(session, "one", "first").await, harness.exchange(session, "two", "second").await];
    let journal = harness.journal(session).await;
    for turn in turns {
        let mine: Vec<_> = journal.iter().filter(|event| event.turn_id == Some(turn.turn_id)).cloned().collect();
        let (mut seen, mut after) = (Vec::new(), 0);
        loop {
            let page: EventPage = harness.hub.turn_events(&harness.ada, turn.turn_id, after, Some(2)).await.unwrap();
            assert_eq!(page.last_seq, turn.last_seq);
            seen.extend(page.data);
            let Some(next) = page.next_cursor else { break };
            after = next.parse().unwrap();
        }
        assert_eq!(seen, mine);
        let rest = harness.hub.turn_events(&harness.ada, turn.turn_id, turn.last_seq, None).await.unwrap();
        assert_eq!((rest.data, rest.last_seq, rest.next_cursor), (vec![], turn.last_seq, None));
        let others = harness.hub.turn_events(&owner("bob"), turn.turn_id, 0, None).await;
        assert!(matches!(others, Err(Error::NoTurn)), "{others:?}");
    }
}

fn titled(title: &str) -> Update {
    Update { preferences: [("title".to_owned(), json!(title))].into(), ..Update::default() }
}

#[tokio::test]
async fn a_session_is_called_what_it_was_named_and_found_by_it() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.exchange(session, "Where do apples grow?", "On trees.").await;
    let rename = async |title: &str| harness.hub.update(&harness.ada, &session.into(), titled(title)).await;
    let found = async |query: &str| {
        let list = SessionList { query: Some(query.to_owned()), ..SessionList::default() };
        let page = harness.hub.sessions(&harness.ada, &list).await.unwrap();
        page.data.iter().map(|view| view.session_id).collect::<Vec<_>>()
    };
    assert_eq!(harness.view(session).await.title.as_deref(), Some("Where do apples grow?"));
    assert_eq!(rename(" Früchte ").await.unwrap().title.as_deref(), Some("Früchte"));
    assert_eq!((found("FRÜCHTE").await, found("apples").await), (vec![session], vec![]));
    assert_eq!(rename("  ").await.unwrap().title.as_deref(), Some("Where do apples grow?"));
    assert_eq!(found("GROW apples").await, [session]);
    let long = rename(&"ä".repeat(121)).await.unwrap_err();
    assert!(long.to_string().contains("121 characters; at most 120"), "{long}");
    assert!(rename(&"ä".repeat(120)).await.is_ok());
    let start = SessionStart { preferences: titled(&"x".repeat(121)).preferences, ..SessionStart::default() };
    assert!(harness.hub.start(&harness.ada, start).await.is_err());
}
