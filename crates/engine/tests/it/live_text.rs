//! Text is published at once without a number, and again with one: a client that assembles it by
//! offsets gets it exactly.

use engine::Delivery;
use protocol::{LiveUpdate, Update};

use crate::{failing_store::AppendMode, harness::Harness, subscriber::numbered_text};

/// More text than waits for a number, so that it gets one at once.
fn long_text() -> String {
    "Wörter und Wörter, 言葉と言葉 🏠 ".repeat(60)
}

#[tokio::test]
async fn text_is_told_before_it_is_numbered() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Hello").await;
    let call = harness.model.call().await;
    // Answered when all that came before the model's call is written: text that comes before waits
    // for it, and may then be told with its number at once.
    harness.view(session).await;
    let mut told = String::new();
    for piece in ["Hal", "lo, ", "Wörld", " 🏠", "!"] {
        call.say(piece);
        told.push_str(piece);
        while follower.text(turn) != told {
            let told_before = follower.text(turn);
            match follower.next().await {
                Delivery::Live(LiveUpdate::Text(live)) => assert_eq!((live.turn_id, live.session_id), (turn, session)),
                Delivery::Live(other) => panic!("nothing else is told: {other:?}"),
                Delivery::Event(_) => {
                    let numbered = numbered_text(follower.events(), turn);
                    assert!(told_before.starts_with(&numbered), "{numbered:?} has a number and was never told live");
                }
            }
        }
    }
    follower.until_numbered(turn, &told).await;
    call.end();
    follower.until_ended(turn).await;
    assert_eq!(harness.turn(turn).await.text, told);
}

/// Also if the last text and the end come at the same moment.
#[tokio::test]
async fn text_that_comes_with_its_end_is_told_live_all_the_same() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    for number in 0..10 {
        let turn = harness.say(session, "Hello").await;
        let call = harness.model.call().await;
        call.say("Well: ");
        follower.until_numbered(turn, "Well: ").await;
        call.answer(&format!("hello, number {number}"));
        while numbered_text(follower.events(), turn) == "Well: " {
            let told_before = follower.text(turn);
            follower.next().await;
            let numbered = numbered_text(follower.events(), turn);
            assert!(told_before.starts_with(&numbered), "{numbered:?} has a number and was never told live");
        }
        follower.until_ended(turn).await;
    }
}

#[tokio::test]
async fn a_subscriber_that_joins_in_the_middle_gets_records_and_then_the_rest() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut first = harness.follow(session).await;
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    let (long, more) = (long_text(), "and then 🐈");
    call.say(&long);
    first.until_numbered(turn, &long).await;
    call.say(more);
    let so_far = format!("{long}{more}");
    first.until_text(turn, &so_far).await;

    let mut second = harness.follow(session).await;

    let head = second.head();
    second.until(|it| it.events().len() as u64 == head).await;
    assert!(numbered_text(second.events(), turn).starts_with(&long), "records come first");
    if second.text(turn) != so_far {
        // The usual case: the rest has no number yet.
        assert!(matches!(second.next().await, Delivery::Live(_)));
        assert_eq!(second.text(turn), so_far);
    }
    call.answer(" the end.");
    let whole = format!("{so_far} the end.");
    for follower in [&mut first, &mut second] {
        follower.until_ended(turn).await;
        assert_eq!(follower.text(turn), whole);
        assert_eq!(numbered_text(follower.events(), turn), whole);
    }
    assert_eq!(first.events(), second.events());
    assert_eq!(harness.turn(turn).await.text, whole);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whenever_a_subscriber_joins_the_text_is_whole() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    let mut followers = Vec::new();
    let mut whole = String::new();
    for number in 0..40 {
        let piece = format!("{number} 🏠 ").repeat(number * 3 + 1);
        call.say(&piece);
        whole.push_str(&piece);
        let mut follower = harness.follow(session).await;
        followers.push(tokio::spawn(async move {
            follower.until_ended(turn).await;
            follower
        }));
    }
    call.end();

    for follower in followers {
        let follower = follower.await.unwrap();
        assert_eq!(follower.text(turn), whole);
        assert_eq!(follower.events(), harness.journal(session).await);
    }
}

#[tokio::test]
async fn text_is_numbered_before_whatever_comes_after_it() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    call.say("Once upon a time");
    follower.until_text(turn, "Once upon a time").await;

    let cancelled = harness.hub.cancel_turn(&harness.ada, turn, Some("enough".to_owned())).await.unwrap();

    assert_eq!(cancelled.turn_ids, [turn]);
    follower.until_ended(turn).await;
    assert_eq!(numbered_text(follower.events(), turn), "Once upon a time");
    assert_eq!(harness.turn(turn).await.text, "Once upon a time");
}

/// A subscriber that is slow to read the past receives the live text from the moment it joined
/// before what came later: here, that the turn was restarted and that text is void.
#[tokio::test]
async fn text_of_an_attempt_that_was_given_up_is_not_told_after_its_end() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut witness = harness.follow(session).await;
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    call.say("Once upon");
    witness.until_text(turn, "Once upon").await;
    let mut newcomer = harness.follow(session).await;
    drop(witness);
    let mut held = harness.store.hold_next_read();
    let listening = tokio::spawn(async move {
        newcomer.until_ended(turn).await;
        newcomer
    });
    held.reached().await;

    harness.store.turn_to(AppendMode::Refusing);
    let change = Update { model: Some("large".to_owned()), ..Update::default() };
    harness.hub.update(&harness.ada, &session.into(), change).await.unwrap_err();
    harness.store.turn_to(AppendMode::Well);
    let again = harness.model.call().await;
    held.go();
    again.answer("It was a dark night.");

    assert_eq!(listening.await.unwrap().text(turn), "It was a dark night.");
}
