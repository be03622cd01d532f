//! A subscriber that does not keep up blocks no others, and still ends with exactly the log and the
//! text.

use engine::Delivery;
use protocol::{Budgets, LiveUpdate, SessionId, SessionStart, TurnStatus};

use crate::harness::Harness;

/// Each chunk is long enough to be published and numbered by itself: these are more deliveries than
/// a subscriber may be behind.
const PIECES: usize = 600;

fn piece(number: usize) -> String {
    format!("{number:>6} 🏠").repeat(200)
}

/// A session that allows answers of that length.
async fn talkative(harness: &Harness) -> SessionId {
    let budgets = Budgets { max_tokens: 100_000_000, ..Budgets::default() };
    harness.start_with(SessionStart { budgets: Some(budgets), ..SessionStart::default() }).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_that_sleeps_through_the_turn_misses_nothing() {
    let harness = Harness::new();
    let session = talkative(&harness).await;
    let mut sleeper = harness.follow(session).await;
    let mut awake = harness.follow(session).await;
    let turn = harness.say(session, "Tell me a long story.").await;
    let call = harness.model.call().await;
    let mut whole = String::new();
    for number in 0..PIECES {
        call.say(&piece(number));
        whole.push_str(&piece(number));
    }
    call.end();
    awake.until_ended(turn).await;

    sleeper.until_ended(turn).await;

    let journal = harness.journal(session).await;
    for follower in [&sleeper, &awake] {
        assert_eq!(follower.events(), journal);
        assert!(follower.text(turn) == whole, "the text is not the same");
    }
    assert_eq!(harness.turn(turn).await.status, TurnStatus::Completed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_that_sleeps_again_and_again_misses_nothing() {
    let harness = Harness::new();
    let session = talkative(&harness).await;
    let mut sleeper = harness.follow(session).await;
    let mut awake = harness.follow(session).await;
    let turn = harness.say(session, "Tell me a long story.").await;
    let call = harness.model.call().await;
    let mut whole = String::new();
    for number in 0..2 * PIECES {
        call.say(&piece(number));
        whole.push_str(&piece(number));
        if number % PIECES == PIECES - 1 {
            awake.until(|it| it.text_chars(turn) == whole.chars().count()).await;
            for _ in 0..10 {
                sleeper.next().await;
            }
        }
    }

    // After catching up in the middle of the turn, it receives live text again.
    sleeper.until(|it| it.text_chars(turn) == whole.chars().count()).await;
    call.say("At last.");
    loop {
        if let Delivery::Live(LiveUpdate::Text(live)) = sleeper.next().await
            && live.data.delta == "At last."
        {
            break;
        }
    }
    call.end();
    sleeper.until_ended(turn).await;
    assert_eq!(sleeper.events(), harness.journal(session).await);
    assert!(sleeper.text(turn) == format!("{whole}At last."), "the text is not the same");
}
