//! Concurrency and rate limits without viewers; nothing is refused or lost. The tests control the
//! time.

use std::time::Duration;

use futures::FutureExt;
use proptest::{collection::vec, prelude::*};
use tokio::{
    task::yield_now,
    time::{advance, sleep},
};

use super::{rate_window::WINDOW, *};

fn monitor(name: &str) -> MonitorId {
    name.parse().unwrap()
}

fn background() -> BackgroundLimiter {
    BackgroundLimiter::new(&Options::default())
}

/// Whether it finishes at once.
async fn is_through(work: impl Future<Output = ()>) -> bool {
    tokio::select! {
        biased;
        () = work => true,
        () = async {
            for _ in 0..8 {
                yield_now().await;
            }
        } => false,
    }
}

#[tokio::test(start_paused = true)]
async fn two_turns_work_unseen_and_the_others_wait_in_order() {
    let background = background();
    let (mail, news) = (monitor("mail"), monitor("news"));
    let first = background.enter(&mail).await;
    let second = background.enter(&news).await;
    let mut third = Box::pin(background.enter(&mail));
    let mut fourth = Box::pin(background.enter(&news));
    assert!(third.as_mut().now_or_never().is_none() && fourth.as_mut().now_or_never().is_none());
    drop(second);
    assert!(fourth.as_mut().now_or_never().is_none(), "the third was there before");
    let third = third.await;
    assert!(fourth.as_mut().now_or_never().is_none());
    drop(first);
    drop((third, fourth.await));
    assert!(background.shared.lock().turns.is_empty() && background.shared.lock().queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_waiter_that_gives_up_lets_the_next_one_in() {
    let background = background();
    let mail = monitor("mail");
    let held = [background.enter(&mail).await, background.enter(&mail).await];
    let mut leaving = Box::pin(background.enter(&mail));
    let mut patient = Box::pin(background.enter(&mail));
    assert!(leaving.as_mut().now_or_never().is_none() && patient.as_mut().now_or_never().is_none());
    drop(held);
    drop(leaving);
    drop(patient.await);
    assert!(background.shared.lock().queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_primary_monitor_never_waits() {
    let background = background();
    let primary = MonitorId::primary();
    let mut permits = Vec::new();
    for _ in 0..20 {
        permits.push(background.enter(&primary).await);
    }
    background.spend_action(&primary, 1_000).await;
    background.spend_action(&primary, 1_000).await;
    background.spend_bytes(&primary, 10_000_000).await;
    background.spend_bytes(&primary, 10_000_000).await;
    // Nor does it use up capacity.
    let _unseen = [background.enter(&monitor("mail")).await, background.enter(&monitor("mail")).await];
}

#[tokio::test(start_paused = true)]
async fn looking_frees_those_who_wait_and_makes_room_for_others() {
    let background = background();
    let (mail, news) = (monitor("mail"), monitor("news"));
    let _held = [background.enter(&mail).await, background.enter(&mail).await];
    let mut elsewhere = Box::pin(background.enter(&news));
    assert!(elsewhere.as_mut().now_or_never().is_none());
    let waiting = {
        let (background, mail) = (background.clone(), mail.clone());
        tokio::spawn(async move {
            background.spend_action(&mail, 30).await;
            background.spend_action(&mail, 30).await;
        })
    };
    yield_now().await;
    let began = Instant::now();
    let look = background.add_viewer(&mail);
    waiting.await.unwrap();
    // Turns on the viewed monitor no longer count.
    let _elsewhere = elsewhere.await;
    let _more = background.enter(&mail).await;
    assert_eq!(began.elapsed(), Duration::ZERO);

    drop(look);
    assert!(background.enter(&mail).now_or_never().is_none(), "it has no viewers any more");
}

#[tokio::test(start_paused = true)]
async fn a_second_look_holds_when_the_first_ends() {
    let background = background();
    let mail = monitor("mail");
    let (first, second) = (background.add_viewer(&mail), background.add_viewer(&mail));
    drop(first);
    background.spend_action(&mail, 100).await;
    background.spend_action(&mail, 100).await;
    drop(second);
    background.spend_action(&mail, 30).await;
    assert!(!is_through(background.spend_action(&mail, 1)).await, "actions while it had a viewer do not count");
}

#[tokio::test(start_paused = true)]
async fn thirty_actions_a_minute_and_then_it_waits() {
    let background = background();
    let mail = monitor("mail");
    for _ in 0..30 {
        background.spend_action(&mail, 1).await;
        advance(Duration::from_secs(1)).await;
    }
    assert!(!is_through(background.spend_action(&mail, 1)).await);
    assert!(is_through(background.spend_action(&monitor("news"), 30)).await, "each monitor has its own");
    assert!(is_through(background.spend_bytes(&mail, 50 * 1024)).await, "bytes are another matter");
    let began = Instant::now();
    background.spend_action(&mail, 1).await;
    let waited = began.elapsed();
    assert!((Duration::from_secs(30)..Duration::from_secs(31)).contains(&waited), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_larger_than_the_budget_goes_through_once_nothing_else_counts() {
    let background = background();
    let mail = monitor("mail");
    background.spend_bytes(&mail, 200_000).await;
    let began = Instant::now();
    background.spend_bytes(&mail, 200_000).await;
    let waited = began.elapsed();
    assert!((WINDOW..WINDOW + Duration::from_secs(1)).contains(&waited), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_large_sum_is_not_overtaken_by_small_ones() {
    let background = background();
    let mail = monitor("mail");
    background.spend_bytes(&mail, 1_000).await;
    let mut large = Box::pin(background.spend_bytes(&mail, 51_000));
    assert!(large.as_mut().now_or_never().is_none());
    let mut small = Box::pin(background.spend_bytes(&mail, 1));
    assert!(small.as_mut().now_or_never().is_none(), "it would fit, but the large one was there before");
    tokio::join!(large, small);
}

#[tokio::test(start_paused = true)]
async fn a_waiter_that_gives_up_has_spent_nothing() {
    let background = background();
    let mail = monitor("mail");
    background.spend_action(&mail, 20).await;
    assert!(!is_through(background.spend_action(&mail, 20)).await);
    assert!(is_through(background.spend_action(&mail, 10)).await);
    advance(WINDOW * 2).await;
    background.spend_action(&mail, 1).await;
    advance(WINDOW * 2).await;
    let place = QueueGuard { shared: &background.shared, line: Some(RateKind::Actions), monitor_id: &mail, ticket: 0 };
    drop(place);
    assert!(background.shared.lock().spent.is_empty(), "nothing is kept of a monitor on which nothing happens");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_minute_has_more_than_the_budget_and_nothing_is_lost(
        sums in vec((0usize..12, 0u64..20_000), 1..60),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let done = runtime.block_on(async {
            let (background, mail) = (background(), monitor("mail"));
            let mut done = Vec::new();
            for (count, pause_ms) in &sums {
                sleep(Duration::from_millis(*pause_ms)).await;
                background.spend_action(&mail, *count).await;
                done.push((Instant::now(), *count));
            }
            done
        });
        prop_assert_eq!(done.len(), sums.len());
        for (from, _) in &done {
            let within = done.iter().filter(|(at, _)| at >= from && at.duration_since(*from) < WINDOW);
            let count: usize = within.map(|(_, count)| count).sum();
            prop_assert!(count <= 30, "{count} in a minute");
        }
    }
}
