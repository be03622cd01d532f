//! Text is told at once without a number, and again with one: whoever puts it together by offsets has it exactly.

use engine::Delivery;
use protocol::{Live, Update};

use crate::{failing_store::Health, follower::numbered_text, house::House};

/// More than waits for its number, so that it gets one at once.
fn long_text() -> String {
    "Wörter und Wörter, 言葉と言葉 🏠 ".repeat(60)
}

#[tokio::test]
async fn text_is_told_before_it_is_numbered() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    let turn = house.say(session, "Hello").await;
    let call = house.model.call().await;
    let mut told = String::new();
    for piece in ["Hal", "lo, ", "Wörld", " 🏠", "!"] {
        call.say(piece);
        told.push_str(piece);
        while follower.text(turn) != told {
            let told_before = follower.text(turn);
            match follower.next().await {
                Delivery::Live(Live::Text(live)) => assert_eq!((live.turn_id, live.session_id), (turn, session)),
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
    assert_eq!(house.turn(turn).await.text, told);
}

/// Also when the last word and the end come at the same moment.
#[tokio::test]
async fn text_that_comes_with_its_end_is_told_live_all_the_same() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    for number in 0..10 {
        let turn = house.say(session, "Hello").await;
        let call = house.model.call().await;
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
async fn whoever_joins_in_the_middle_gets_records_and_then_the_rest() {
    let house = House::new();
    let session = house.start().await;
    let mut first = house.follow(session).await;
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    let (long, more) = (long_text(), "and then 🐈");
    call.say(&long);
    first.until_numbered(turn, &long).await;
    call.say(more);
    let so_far = format!("{long}{more}");
    first.until_text(turn, &so_far).await;

    let mut second = house.follow(session).await;

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
    assert_eq!(house.turn(turn).await.text, whole);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whenever_somebody_joins_the_text_is_whole() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    let mut followers = Vec::new();
    let mut whole = String::new();
    for number in 0..40 {
        let piece = format!("{number} 🏠 ").repeat(number * 3 + 1);
        call.say(&piece);
        whole.push_str(&piece);
        let mut follower = house.follow(session).await;
        followers.push(tokio::spawn(async move {
            follower.until_ended(turn).await;
            follower
        }));
    }
    call.end();

    for follower in followers {
        let follower = follower.await.unwrap();
        assert_eq!(follower.text(turn), whole);
        assert_eq!(follower.events(), house.journal(session).await);
    }
}

#[tokio::test]
async fn text_is_numbered_before_whatever_comes_after_it() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    call.say("Once upon a time");
    follower.until_text(turn, "Once upon a time").await;

    let cancelled = house.hub.cancel_turn(&house.ada, turn, Some("enough".to_owned())).await.unwrap();

    assert_eq!(cancelled.turn_ids, [turn]);
    follower.until_ended(turn).await;
    assert_eq!(numbered_text(follower.events(), turn), "Once upon a time");
    assert_eq!(house.turn(turn).await.text, "Once upon a time");
}

/// A newcomer who is slow to read the past hears the live text of the moment it joined before what came later: here,
/// that the turn began anew and that text is void.
#[tokio::test]
async fn text_of_an_attempt_that_was_given_up_is_not_told_after_its_end() {
    let house = House::new();
    let session = house.start().await;
    let mut witness = house.follow(session).await;
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    call.say("Once upon");
    witness.until_text(turn, "Once upon").await;
    let mut newcomer = house.follow(session).await;
    drop(witness);
    let mut held = house.store.hold_next_read();
    let listening = tokio::spawn(async move {
        newcomer.until_ended(turn).await;
        newcomer
    });
    held.reached().await;

    house.store.turn_to(Health::Refusing);
    let change = Update { model: Some("large".to_owned()), ..Update::default() };
    house.hub.update(&house.ada, &session.into(), change).await.unwrap_err();
    house.store.turn_to(Health::Well);
    let again = house.model.call().await;
    held.go();
    again.answer("It was a dark night.");

    assert_eq!(listening.await.unwrap().text(turn), "It was a dark night.");
}
