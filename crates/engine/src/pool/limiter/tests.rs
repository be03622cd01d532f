//! Never more than allowed, nobody is forgotten, nobody waits for ever, and whoever leaves takes nothing along.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::atomic::{AtomicUsize, Ordering},
};

use futures::{FutureExt, future::join_all, pin_mut};
use proptest::{collection::vec, prelude::*};
use tokio::task::yield_now;

use super::{line::OLDEST_EVERY, *};

fn session(n: u8) -> SessionId {
    let mut bytes = [0; 16];
    bytes[15] = n;
    SessionId::from_bytes(bytes)
}

fn assert_blank(limiter: &Limiter) {
    assert_eq!((limiter.working(), limiter.waiting()), (0, 0));
    assert!(limiter.lock().line.is_blank());
}

#[tokio::test]
async fn as_many_as_allowed_work_and_the_others_wait() {
    let limiter = Limiter::new(2);
    let first = limiter.acquire(session(1)).await;
    let second = limiter.acquire(session(2)).await;
    let third = limiter.acquire(session(3));
    pin_mut!(third);
    assert!(third.as_mut().now_or_never().is_none());
    assert_eq!((limiter.working(), limiter.waiting()), (2, 1));
    drop(first);
    let third = third.await;
    assert_eq!((limiter.working(), limiter.waiting()), (2, 0));
    drop((second, third));
    assert_blank(&limiter);
    assert_eq!(limiter.waits().count, 3);
}

#[tokio::test]
async fn room_for_nobody_is_room_for_one() {
    let limiter = Limiter::new(0);
    drop(limiter.acquire(session(1)).await);
    assert_blank(&limiter);
}

#[tokio::test(start_paused = true)]
async fn what_was_waited_is_measured() {
    let limiter = Limiter::new(1);
    let held = limiter.acquire(session(1)).await;
    let (_, ()) = tokio::join!(limiter.acquire(session(2)), async {
        tokio::time::sleep(Duration::from_millis(250)).await;
        drop(held);
    });
    let waits = limiter.waits();
    assert_eq!((waits.count, waits.max_ms), (2, 250.0));
}

#[tokio::test]
async fn whoever_stops_waiting_leaves_the_line() {
    let limiter = Limiter::new(1);
    let held = limiter.acquire(session(1)).await;
    {
        let given_up = limiter.acquire(session(2));
        pin_mut!(given_up);
        assert!(given_up.as_mut().now_or_never().is_none());
        assert_eq!(limiter.waiting(), 1);
    }
    assert_eq!(limiter.waiting(), 0);
    drop(held);
    assert_blank(&limiter);
}

#[tokio::test]
async fn a_permit_that_was_handed_over_to_somebody_who_left_goes_to_the_next() {
    let limiter = Limiter::new(1);
    let held = limiter.acquire(session(1)).await;
    let mut leaving = Box::pin(limiter.acquire(session(2)));
    let mut patient = Box::pin(limiter.acquire(session(3)));
    assert!(leaving.as_mut().now_or_never().is_none() && patient.as_mut().now_or_never().is_none());
    drop(held);
    // It is served, but has not been told yet.
    assert_eq!((limiter.working(), limiter.waiting()), (1, 1));
    drop(leaving);
    assert_eq!((limiter.working(), limiter.waiting()), (1, 0));
    drop(patient.await);
    assert_blank(&limiter);
}

#[tokio::test]
async fn nobody_who_comes_later_slips_past_those_who_wait() {
    let limiter = Limiter::new(1);
    let held = limiter.acquire(session(1)).await;
    let mut waiting = Box::pin(limiter.acquire(session(2)));
    assert!(waiting.as_mut().now_or_never().is_none());
    drop(held);
    // The place is the other's, although it has not taken it yet.
    assert!(limiter.acquire(session(3)).now_or_never().is_none());
    drop(waiting);
    assert_blank(&limiter);
}

/// The order in which a line serves, when of those at work the oldest always ends first.
fn served(max: usize, joins: &[SessionId]) -> Vec<SessionId> {
    let (mut line, mut at_work, mut order) = (Line::default(), VecDeque::new(), Vec::new());
    for id in joins {
        if line.working() < max {
            line.take(*id);
            at_work.push_back(*id);
            order.push(*id);
        } else {
            line.join(*id, ());
        }
    }
    while let Some(id) = at_work.pop_front() {
        line.give_back(id);
        if let Some((next, ())) = line.serve() {
            at_work.push_back(next);
            order.push(next);
        }
    }
    assert!(line.is_blank());
    order
}

#[test]
fn one_greedy_session_does_not_hold_up_fifty_others() {
    const MAX: usize = 10;
    let greedy = session(0);
    let mut joins = vec![greedy; 100];
    joins.extend((1..=50).map(session));
    let order = served(MAX, &joins);
    assert_eq!(order.len(), 150);
    let last_other = order.iter().rposition(|id| *id != greedy).unwrap();
    let greedy_before = order[..last_other].iter().filter(|id| **id == greedy).count();
    assert!(
        greedy_before <= MAX + 50 / usize::try_from(OLDEST_EVERY).unwrap() + 1,
        "{greedy_before} were served before"
    );
}

#[test]
fn sessions_that_wait_alike_are_served_in_turn() {
    let joins: Vec<_> = (1..=3).flat_map(|n| vec![session(n); 4]).collect();
    let order = served(1, &joins);
    // The first came when there was room; from then on it is everybody's turn.
    let in_turn: Vec<_> = (0..3).flat_map(|_| [1, 2, 3]).map(session).collect();
    assert_eq!(order[1..10], in_turn);
}

#[test]
fn whoever_holds_fewer_goes_first() {
    let mut line = Line::default();
    line.take(session(1));
    line.take(session(2));
    line.take(session(2));
    for n in [2, 1, 3] {
        line.join(session(n), ());
    }
    let order: Vec<_> = std::iter::from_fn(|| line.serve()).map(|(id, ())| id).collect();
    assert_eq!(order, [session(3), session(1), session(2)]);
}

#[test]
fn sessions_that_keep_coming_do_not_starve_one_that_holds_something() {
    let mut line = Line::default();
    line.take(session(0));
    line.join(session(0), ());
    let mut count = 0_u64;
    loop {
        count += 1;
        // Somebody new comes for every place there is.
        let id = session(u8::try_from(count).unwrap());
        line.join(id, ());
        let (next, ()) = line.serve().unwrap();
        if next == session(0) {
            break;
        }
        line.give_back(next);
    }
    assert!(count <= OLDEST_EVERY, "{count}");
}

#[derive(Debug, Clone)]
enum Doing {
    Join(u8),
    Leave(prop::sample::Index),
    End(prop::sample::Index),
}

fn any_doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        4 => (0u8..6).prop_map(Doing::Join),
        1 => any::<prop::sample::Index>().prop_map(Doing::Leave),
        4 => any::<prop::sample::Index>().prop_map(Doing::End),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_nobody_is_lost_or_starves(doings in vec(any_doing(), 0..300), max in 1usize..5) {
        let mut line = Line::default();
        let mut waiting: Vec<(SessionId, Ticket, u64)> = Vec::new();
        let mut at_work: Vec<SessionId> = Vec::new();
        let mut servings = 0_u64;
        // Per turn that waits: how many servings there were when it came, and how many waited before it.
        let mut patience: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for (number, doing) in doings.into_iter().enumerate() {
            let number = number as u64;
            match doing {
                Doing::Join(n) => {
                    waiting.push((session(n), line.join(session(n), number), number));
                    patience.insert(number, (servings, waiting.len() as u64));
                }
                Doing::Leave(which) if !waiting.is_empty() => {
                    let (id, ticket, number) = waiting.remove(which.index(waiting.len()));
                    prop_assert_eq!(line.leave(id, ticket), Some(number));
                    prop_assert_eq!(line.leave(id, ticket), None);
                }
                Doing::End(which) if !at_work.is_empty() => {
                    line.give_back(at_work.remove(which.index(at_work.len())));
                }
                _ => {}
            }
            while line.working() < max && let Some((id, number)) = line.serve() {
                servings += 1;
                let first = waiting.iter().position(|(other, ..)| *other == id).unwrap();
                prop_assert_eq!(waiting.remove(first).2, number, "first come is first served within a session");
                at_work.push(id);
                let (begun, before) = patience[&number];
                // At worst its session is served last of all each time, and has so many turns before this one.
                prop_assert!(servings - begun <= OLDEST_EVERY * 6 * before, "waited {} of {before}", servings - begun);
            }
            prop_assert_eq!((line.working(), line.waiting()), (at_work.len(), waiting.len()));
            prop_assert!(waiting.is_empty() || line.working() == max);
        }
        for id in at_work {
            line.give_back(id);
        }
        for (id, ticket, _) in waiting {
            prop_assert!(line.leave(id, ticket).is_some());
        }
        prop_assert!(line.is_blank());
    }
}

struct AtWork(AtomicUsize);

/// Counts one less, before its permit is given back.
struct Leaving<'a>(&'a AtWork);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Many tasks on several threads, a third of which give up at some moment: waiting, just served, or at work.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn under_stress_the_limit_holds_and_nothing_is_lost() {
    const MAX: usize = 5;
    let limiter = Limiter::new(MAX);
    let at_work = Arc::new(AtWork(AtomicUsize::new(0)));
    let tasks = (0..4_000_usize).map(|n| {
        let (limiter, at_work) = (limiter.clone(), at_work.clone());
        let work = async move {
            let _permit = limiter.acquire(session(u8::try_from(n % 23).unwrap())).await;
            let now = at_work.0.fetch_add(1, Ordering::SeqCst) + 1;
            let _at_work = Leaving(&at_work);
            assert!(now <= MAX, "{now} at once");
            if n % 2 == 0 {
                yield_now().await;
            }
        };
        tokio::spawn(async move {
            if n % 3 != 0 {
                return work.await;
            }
            // Given up after so many polls, wherever it is then.
            let mut work = Box::pin(work);
            for _ in 0..n % 7 {
                if work.as_mut().now_or_never().is_some() {
                    return;
                }
                yield_now().await;
            }
        })
    });
    for ended in join_all(tasks.collect::<Vec<_>>()).await {
        ended.unwrap();
    }
    assert_blank(&limiter);
}
