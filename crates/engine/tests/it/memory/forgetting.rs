//! Forgetting: removes text from the conversation, from memory, and from later prompts.

use engine::Error;
use journal::Snapshots;
use memory::long_term::Error as LongTermError;
use protocol::{Body, Event, FORGOTTEN, ForgetResult, Level, MemoryForget, SessionId};
use serde_json::{Value, json};

use super::{messages, prompt};
use crate::harness::Harness;

const SECRET: &str = "the spare key lies under the third flowerpot";

fn text(text: &str) -> MemoryForget {
    MemoryForget { text: Some(text.to_owned()), ..MemoryForget::default() }
}

impl Harness {
    async fn forget(&self, asked: &MemoryForget) -> ForgetResult {
        self.hub.memory_forget(&self.ada, asked).await.unwrap()
    }
}

/// The frame of an event, without its text.
fn frames(events: &[Event]) -> Vec<(u64, Option<protocol::TurnId>, Value)> {
    let kind = |event: &Event| serde_json::to_value(&event.body).unwrap()["type"].clone();
    events.iter().map(|event| (event.seq, event.turn_id, kind(event))).collect()
}

fn has_words(text: &str, words: &str) -> bool {
    text.to_lowercase().contains(&words.to_lowercase())
}

async fn check_gone(harness: &Harness, session: SessionId, words: &str) {
    for event in harness.journal(session).await {
        let body = serde_json::to_string(&event.body).unwrap();
        assert!(!has_words(&body, words), "{body}");
    }
    if let Some(snapshot) = harness.store.latest(session).await.unwrap() {
        assert!(!has_words(&snapshot.state, words), "{}", snapshot.state);
    }
    let everything = harness.everything().await;
    assert!(!has_words(&everything, words), "{everything}");
    let view = serde_json::to_string(&harness.view(session).await).unwrap();
    assert!(!has_words(&view, words), "{view}");
}

#[tokio::test]
async fn what_an_open_turn_uses_cannot_be_forgotten() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    let (turn, call) = harness.asked(session, &format!("Remember that {SECRET}.")).await;
    harness.consistent().await;
    let (before, all) = (harness.journal(session).await, harness.everything().await);
    match harness.hub.memory_forget(&harness.ada, &text(SECRET)).await {
        Err(Error::InUse { session_id, turn_id }) => assert_eq!((session_id, turn_id), (session, turn)),
        other => panic!("{other:?}"),
    }
    assert_eq!(harness.journal(session).await, before, "nothing has changed");
    assert_eq!(harness.everything().await, all);
    call.answer("I will.");
    harness.ended(turn).await;
    harness.consistent().await;
    assert!(harness.forget(&text(SECRET)).await.records > 0);
    check_gone(&harness, session, SECRET).await;
}

#[tokio::test]
async fn events_keep_their_numbers_and_the_next_turn_is_told_nothing_of_it() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, "Tell me about cats.", "They purr.").await;
    harness.exchange(session, &format!("Note: {SECRET}."), &format!("I see: {SECRET}.")).await;
    harness.exchange(session, "And about dogs.", "They bark.").await;
    harness.consistent().await;
    let before = frames(&harness.journal(session).await);
    let forgotten = harness.forget(&text(SECRET)).await;
    assert_eq!(forgotten.sessions, [session]);
    assert_eq!(frames(&harness.journal(session).await)[..before.len()], before);
    check_gone(&harness, session, SECRET).await;

    let (turn, call) = harness.asked(session, "Where does the spare key lie?").await;
    let told = prompt(&call);
    assert!(!has_words(&told, "flowerpot"), "{told}");
    assert!(told.contains("They purr.") && told.contains("They bark."), "{told}");
    assert!(!told.contains(FORGOTTEN), "nor that there was something: {told}");
    call.answer("I do not know.");
    harness.ended(turn).await;
    let harness = harness.restart().await;
    harness.consistent().await;
    check_gone(&harness, session, SECRET).await;
}

#[tokio::test]
async fn an_entry_goes_with_its_record_and_its_answers_stay() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, &format!("Note: {SECRET}."), "Thank you, noted.").await;
    let entries = harness.entries(session).await;
    let asked = MemoryForget { ids: vec![entries[0].entry_id], ..MemoryForget::default() };
    harness.forget(&asked).await;
    check_gone(&harness, session, SECRET).await;
    let words: Vec<String> =
        messages(&harness.journal(session).await).into_iter().map(|(_, words, ..)| words).collect();
    assert_eq!(words, [FORGOTTEN, "Thank you, noted."]);
    assert_eq!(harness.entries(session).await.len(), 1);
    match harness.hub.memory_forget(&harness.ada, &asked).await {
        Err(Error::Memory(LongTermError::NoItem(id))) => assert_eq!(id, entries[0].entry_id),
        other => panic!("{other:?}"),
    }
    // The follower does not create the entry again.
    let harness = harness.restart().await;
    assert_eq!(harness.entries(session).await.len(), 1);
    harness.exchange(session, "Tell me about cats.", "They purr.").await;
    assert_eq!(harness.entries(session).await.len(), 3);
}

#[tokio::test]
async fn a_pin_is_forgotten_too() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    let turn = harness.say(session, "Please keep in mind where it is.").await;
    harness.model.call().await.use_tools(&[("c1", "pin", json!({ "text": format!("Ada says {SECRET}.") }))]);
    harness.model.call().await.answer("I keep it in mind.");
    harness.ended(turn).await;
    let (turn, call) = harness.asked(session, "Tell me about cats.").await;
    assert!(prompt(&call).contains(SECRET));
    call.answer("They purr.");
    harness.ended(turn).await;
    harness.consistent().await;
    harness.forget(&text(SECRET)).await;
    check_gone(&harness, session, SECRET).await;
    let (turn, call) = harness.asked(session, "Tell me about dogs.").await;
    assert!(!has_words(&prompt(&call), SECRET), "{}", prompt(&call));
    call.answer("They bark.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn a_key_is_forgotten_with_its_history_where_it_was_stated_and_where_it_was_told() {
    let harness = Harness::remembering();
    let (one, other) = (harness.start().await, harness.start().await);
    harness.exchange(one, "I live in Oslo.", "Oslo is nice.").await;
    harness.exchange(one, "I live in Lisbon now.", "Lisbon is nicer. Anything else?").await;
    harness.consistent().await;
    harness.exchange(other, "Which city do I live in?", "You live in Lisbon.").await;
    harness.consistent().await;
    harness.forget(&MemoryForget { key: Some("home".to_owned()), ..MemoryForget::default() }).await;
    for session in [one, other] {
        check_gone(&harness, session, "Lisbon").await;
        check_gone(&harness, session, "Oslo").await;
    }
    assert_eq!(harness.history("home").await, []);
    assert!(harness.hub.profile_history(&harness.ada, "home").await.is_err());
    let (turn, call) = harness.asked(other, "Which city do I live in?").await;
    assert!(!prompt(&call).contains("Lisbon") && !prompt(&call).contains("Oslo"), "{}", prompt(&call));
    call.answer("I do not know.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn a_snapshot_does_not_bring_it_back() {
    let harness = Harness::remembering();
    harness.model.answer_everything();
    let session = harness.start().await;
    for number in 0..60 {
        let words = if number == 58 { format!("Note: {SECRET}.") } else { format!("This is number {number}.") };
        let turn = harness.say(session, &words).await;
        harness.ended(turn).await;
    }
    harness.consistent().await;
    let harness = harness.restart().await;
    harness.model.answer_everything();
    let snapshot = harness.store.latest(session).await.unwrap().unwrap();
    assert!(snapshot.state.contains("flowerpot"), "it is of the last turns");
    harness.consistent().await;
    harness.forget(&text(SECRET)).await;
    check_gone(&harness, session, SECRET).await;
    let harness = harness.restart().await;
    check_gone(&harness, session, SECRET).await;
    let (turn, call) = harness.asked(session, "What now?").await;
    assert!(!has_words(&prompt(&call), "flowerpot"), "{}", prompt(&call));
    assert!(call.lines().contains(&"> This is number 59.".to_owned()), "{:?}", call.lines());
    call.answer("Nothing.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn streamed_text_keeps_its_length() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    let turn = harness.say(session, "Where is it?").await;
    let call = harness.model.call().await;
    let mut follower = harness.follow(session).await;
    let mut so_far = String::new();
    for piece in ["I think the spare", " key lies under the thi", "rd flowerpot", ", as far as I know."] {
        call.say(piece);
        so_far.push_str(piece);
        follower.until_text(turn, &so_far).await;
    }
    call.end();
    harness.ended(turn).await;
    harness.consistent().await;
    let length = |events: &[Event]| -> Vec<(u64, usize)> {
        let texts = events.iter().filter_map(|event| match &event.body {
            Body::Text(text) => Some((text.offset, text.delta.chars().count())),
            _ => None,
        });
        texts.collect()
    };
    let before = length(&harness.journal(session).await);
    drop(follower);
    harness.forget(&text(SECRET)).await;
    assert_eq!(length(&harness.journal(session).await), before);
    check_gone(&harness, session, "flowerpot").await;
    let said = crate::subscriber::numbered_text(&harness.journal(session).await, turn);
    assert_eq!(said, format!("I think {}, as far as I know.", "█".repeat(SECRET.chars().count())));
    assert_eq!(harness.turn(turn).await.text, format!("I think {FORGOTTEN}, as far as I know."));
}

#[tokio::test]
async fn what_is_not_there_is_refused_and_what_others_say_stays() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, &format!("Note: {SECRET}."), "Noted.").await;
    harness.consistent().await;
    let bob = crate::harness::owner("bob");
    let gone = harness.hub.memory_forget(&bob, &text(SECRET)).await.unwrap();
    assert_eq!(gone, ForgetResult::default(), "Bob never said it");
    assert!(harness.everything().await.contains(SECRET));
    assert!(harness.hub.memory_forget(&harness.ada, &MemoryForget::default()).await.is_err());
    assert!(harness.hub.memory_forget(&harness.ada, &text("ab")).await.is_err());
    let entry = harness.entries(session).await.remove(0);
    assert_eq!(harness.hub.memory_item(&harness.ada, entry.entry_id).await.unwrap().level, Level::Entry);
    assert!(harness.hub.memory_item(&bob, entry.entry_id).await.is_err());
}
