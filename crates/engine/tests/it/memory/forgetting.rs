//! Forgetting: gone from what was said, from what is kept in mind, and from what the model is told.

use engine::Error;
use journal::Snapshots;
use memory::room::Error as RoomError;
use protocol::{Body, Event, FORGOTTEN, Forgotten, Level, MemoryForget, SessionId};
use serde_json::{Value, json};

use super::{messages, prompt};
use crate::house::House;

const SECRET: &str = "the spare key lies under the third flowerpot";

fn text(text: &str) -> MemoryForget {
    MemoryForget { text: Some(text.to_owned()), ..MemoryForget::default() }
}

impl House {
    async fn forget(&self, asked: &MemoryForget) -> Forgotten {
        self.hub.memory_forget(&self.ada, asked).await.unwrap()
    }
}

/// What an event is, without its words.
fn frames(events: &[Event]) -> Vec<(u64, Option<protocol::TurnId>, Value)> {
    let kind = |event: &Event| serde_json::to_value(&event.body).unwrap()["type"].clone();
    events.iter().map(|event| (event.seq, event.turn_id, kind(event))).collect()
}

fn has_words(text: &str, words: &str) -> bool {
    text.to_lowercase().contains(&words.to_lowercase())
}

async fn check_gone(house: &House, session: SessionId, words: &str) {
    for event in house.journal(session).await {
        let body = serde_json::to_string(&event.body).unwrap();
        assert!(!has_words(&body, words), "{body}");
    }
    if let Some(snapshot) = house.store.latest(session).await.unwrap() {
        assert!(!has_words(&snapshot.state, words), "{}", snapshot.state);
    }
    let everything = house.everything().await;
    assert!(!has_words(&everything, words), "{everything}");
    let view = serde_json::to_string(&house.view(session).await).unwrap();
    assert!(!has_words(&view, words), "{view}");
}

#[tokio::test]
async fn what_an_open_turn_uses_cannot_be_forgotten() {
    let house = House::remembering();
    let session = house.start().await;
    let (turn, call) = house.asked(session, &format!("Remember that {SECRET}.")).await;
    house.consistent().await;
    let (before, all) = (house.journal(session).await, house.everything().await);
    match house.hub.memory_forget(&house.ada, &text(SECRET)).await {
        Err(Error::InUse { session_id, turn_id }) => assert_eq!((session_id, turn_id), (session, turn)),
        other => panic!("{other:?}"),
    }
    assert_eq!(house.journal(session).await, before, "nothing has changed");
    assert_eq!(house.everything().await, all);
    call.answer("I will.");
    house.ended(turn).await;
    house.consistent().await;
    assert!(house.forget(&text(SECRET)).await.records > 0);
    check_gone(&house, session, SECRET).await;
}

#[tokio::test]
async fn events_keep_their_numbers_and_the_next_turn_is_told_nothing_of_it() {
    let house = House::remembering();
    let session = house.start().await;
    house.exchange(session, "Tell me about cats.", "They purr.").await;
    house.exchange(session, &format!("Note: {SECRET}."), &format!("I see: {SECRET}.")).await;
    house.exchange(session, "And about dogs.", "They bark.").await;
    house.consistent().await;
    let before = frames(&house.journal(session).await);
    let forgotten = house.forget(&text(SECRET)).await;
    assert_eq!(forgotten.sessions, [session]);
    assert_eq!(frames(&house.journal(session).await)[..before.len()], before);
    check_gone(&house, session, SECRET).await;

    let (turn, call) = house.asked(session, "Where does the spare key lie?").await;
    let told = prompt(&call);
    assert!(!has_words(&told, "flowerpot"), "{told}");
    assert!(told.contains("They purr.") && told.contains("They bark."), "{told}");
    assert!(!told.contains(FORGOTTEN), "nor that there was something: {told}");
    call.answer("I do not know.");
    house.ended(turn).await;
    let house = house.restart().await;
    house.consistent().await;
    check_gone(&house, session, SECRET).await;
}

#[tokio::test]
async fn an_entry_goes_with_its_record_and_its_answers_stay() {
    let house = House::remembering();
    let session = house.start().await;
    house.exchange(session, &format!("Note: {SECRET}."), "Thank you, noted.").await;
    let entries = house.entries(session).await;
    let asked = MemoryForget { ids: vec![entries[0].entry_id], ..MemoryForget::default() };
    house.forget(&asked).await;
    check_gone(&house, session, SECRET).await;
    let words: Vec<String> = messages(&house.journal(session).await).into_iter().map(|(_, words, ..)| words).collect();
    assert_eq!(words, [FORGOTTEN, "Thank you, noted."]);
    assert_eq!(house.entries(session).await.len(), 1);
    match house.hub.memory_forget(&house.ada, &asked).await {
        Err(Error::Memory(RoomError::NoItem(id))) => assert_eq!(id, entries[0].entry_id),
        other => panic!("{other:?}"),
    }
    // Nobody makes an entry of it again.
    let house = house.restart().await;
    assert_eq!(house.entries(session).await.len(), 1);
    house.exchange(session, "Tell me about cats.", "They purr.").await;
    assert_eq!(house.entries(session).await.len(), 3);
}

#[tokio::test]
async fn a_pin_is_forgotten_too() {
    let house = House::remembering();
    let session = house.start().await;
    let turn = house.say(session, "Please keep in mind where it is.").await;
    house.model.call().await.use_tools(&[("c1", "pin", json!({ "text": format!("Ada says {SECRET}.") }))]);
    house.model.call().await.answer("I keep it in mind.");
    house.ended(turn).await;
    let (turn, call) = house.asked(session, "Tell me about cats.").await;
    assert!(prompt(&call).contains(SECRET));
    call.answer("They purr.");
    house.ended(turn).await;
    house.consistent().await;
    house.forget(&text(SECRET)).await;
    check_gone(&house, session, SECRET).await;
    let (turn, call) = house.asked(session, "Tell me about dogs.").await;
    assert!(!has_words(&prompt(&call), SECRET), "{}", prompt(&call));
    call.answer("They bark.");
    house.ended(turn).await;
}

#[tokio::test]
async fn a_key_is_forgotten_with_its_history_where_it_was_stated_and_where_it_was_told() {
    let house = House::remembering();
    let (one, other) = (house.start().await, house.start().await);
    house.exchange(one, "I live in Oslo.", "Oslo is nice.").await;
    house.exchange(one, "I live in Lisbon now.", "Lisbon is nicer. Anything else?").await;
    house.consistent().await;
    house.exchange(other, "Which city do I live in?", "You live in Lisbon.").await;
    house.consistent().await;
    house.forget(&MemoryForget { key: Some("home".to_owned()), ..MemoryForget::default() }).await;
    for session in [one, other] {
        check_gone(&house, session, "Lisbon").await;
        check_gone(&house, session, "Oslo").await;
    }
    assert_eq!(house.history("home").await, []);
    assert!(house.hub.profile_history(&house.ada, "home").await.is_err());
    let (turn, call) = house.asked(other, "Which city do I live in?").await;
    assert!(!prompt(&call).contains("Lisbon") && !prompt(&call).contains("Oslo"), "{}", prompt(&call));
    call.answer("I do not know.");
    house.ended(turn).await;
}

#[tokio::test]
async fn a_snapshot_does_not_bring_it_back() {
    let house = House::remembering();
    house.model.answer_everything();
    let session = house.start().await;
    for number in 0..60 {
        let words = if number == 58 { format!("Note: {SECRET}.") } else { format!("This is number {number}.") };
        let turn = house.say(session, &words).await;
        house.ended(turn).await;
    }
    house.consistent().await;
    let house = house.restart().await;
    house.model.answer_everything();
    let snapshot = house.store.latest(session).await.unwrap().unwrap();
    assert!(snapshot.state.contains("flowerpot"), "it is of the last turns");
    house.consistent().await;
    house.forget(&text(SECRET)).await;
    check_gone(&house, session, SECRET).await;
    let house = house.restart().await;
    check_gone(&house, session, SECRET).await;
    let (turn, call) = house.asked(session, "What now?").await;
    assert!(!has_words(&prompt(&call), "flowerpot"), "{}", prompt(&call));
    assert!(call.lines().contains(&"> This is number 59.".to_owned()), "{:?}", call.lines());
    call.answer("Nothing.");
    house.ended(turn).await;
}

#[tokio::test]
async fn streamed_text_keeps_its_length() {
    let house = House::remembering();
    let session = house.start().await;
    let turn = house.say(session, "Where is it?").await;
    let call = house.model.call().await;
    let mut follower = house.follow(session).await;
    let mut so_far = String::new();
    for piece in ["I think the spare", " key lies under the thi", "rd flowerpot", ", as far as I know."] {
        call.say(piece);
        so_far.push_str(piece);
        follower.until_text(turn, &so_far).await;
    }
    call.end();
    house.ended(turn).await;
    house.consistent().await;
    let length = |events: &[Event]| -> Vec<(u64, usize)> {
        let texts = events.iter().filter_map(|event| match &event.body {
            Body::Text(text) => Some((text.offset, text.delta.chars().count())),
            _ => None,
        });
        texts.collect()
    };
    let before = length(&house.journal(session).await);
    drop(follower);
    house.forget(&text(SECRET)).await;
    assert_eq!(length(&house.journal(session).await), before);
    check_gone(&house, session, "flowerpot").await;
    let said = crate::follower::numbered_text(&house.journal(session).await, turn);
    assert_eq!(said, format!("I think {}, as far as I know.", "█".repeat(SECRET.chars().count())));
    assert_eq!(house.turn(turn).await.text, format!("I think {FORGOTTEN}, as far as I know."));
}

#[tokio::test]
async fn what_is_not_there_is_refused_and_what_others_say_stays() {
    let house = House::remembering();
    let session = house.start().await;
    house.exchange(session, &format!("Note: {SECRET}."), "Noted.").await;
    house.consistent().await;
    let bob = crate::house::owner("bob");
    let gone = house.hub.memory_forget(&bob, &text(SECRET)).await.unwrap();
    assert_eq!(gone, Forgotten::default(), "Bob never said it");
    assert!(house.everything().await.contains(SECRET));
    assert!(house.hub.memory_forget(&house.ada, &MemoryForget::default()).await.is_err());
    assert!(house.hub.memory_forget(&house.ada, &text("ab")).await.is_err());
    let entry = house.entries(session).await.remove(0);
    assert_eq!(house.hub.memory_item(&house.ada, entry.entry_id).await.unwrap().level, Level::Entry);
    assert!(house.hub.memory_item(&bob, entry.entry_id).await.is_err());
}
