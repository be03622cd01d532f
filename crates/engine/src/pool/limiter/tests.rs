//! The limits are never exceeded, no waiter is lost or waits for ever, and a waiter that leaves
//! takes no permit with it.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures::{FutureExt, future::join_all, pin_mut};
use proptest::{collection::vec, prelude::*};
use tokio::task::yield_now;

use super::{queue::OLDEST_EVERY, *};

fn session(n: u8) -> SessionId {
    let mut bytes = [0; 16];
    bytes[15] = n;
    SessionId::from_bytes(bytes)
}

/// The owner where it does not matter which.
static ME: LazyLock<OwnerId> = LazyLock::new(|| owner(0));

fn owner(n: usize) -> OwnerId {
    OwnerId::try_from(format!("owner{n}")).unwrap()
}

/// A total limit, and none per session or owner.
const fn over_all(all: usize) -> PermitLimits {
    PermitLimits { session: usize::MAX, owner: usize::MAX, all }
}

fn assert_blank(limiter: &Limiter) {
    assert_eq!((limiter.working(), limiter.waiting()), (0, 0));
    assert!(limiter.lock().queue.is_blank());
}

#[tokio::test]
async fn as_many_as_allowed_work_and_the_others_wait() {
    let limiter = Limiter::new(over_all(2));
    let first = limiter.acquire(&ME, session(1)).await;
    let second = limiter.acquire(&ME, session(2)).await;
    let third = limiter.acquire(&ME, session(3));
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
async fn a_limit_of_zero_permits_is_a_limit_of_one() {
    let limiter = Limiter::new(over_all(0));
    drop(limiter.acquire(&ME, session(1)).await);
    assert_blank(&limiter);
}

#[tokio::test(start_paused = true)]
async fn what_was_waited_is_measured() {
    let limiter = Limiter::new(over_all(1));
    let held = limiter.acquire(&ME, session(1)).await;
    let (_, ()) = tokio::join!(limiter.acquire(&ME, session(2)), async {
        tokio::time::sleep(Duration::from_millis(250)).await;
        drop(held);
    });
    let waits = limiter.waits();
    assert_eq!((waits.count, waits.max_ms), (2, 250.0));
}

#[tokio::test]
async fn a_waiter_that_gives_up_leaves_the_queue() {
    let limiter = Limiter::new(over_all(1));
    let held = limiter.acquire(&ME, session(1)).await;
    {
        let given_up = limiter.acquire(&ME, session(2));
        pin_mut!(given_up);
        assert!(given_up.as_mut().now_or_never().is_none());
        assert_eq!(limiter.waiting(), 1);
    }
    assert_eq!(limiter.waiting(), 0);
    drop(held);
    assert_blank(&limiter);
}

#[tokio::test]
async fn a_permit_sent_to_a_waiter_that_left_goes_to_the_next() {
    let limiter = Limiter::new(over_all(1));
    let held = limiter.acquire(&ME, session(1)).await;
    let mut leaving = Box::pin(limiter.acquire(&ME, session(2)));
    let mut patient = Box::pin(limiter.acquire(&ME, session(3)));
    assert!(leaving.as_mut().now_or_never().is_none() && patient.as_mut().now_or_never().is_none());
    drop(held);
    // It is served, but has not been polled yet.
    assert_eq!((limiter.working(), limiter.waiting()), (1, 1));
    drop(leaving);
    assert_eq!((limiter.working(), limiter.waiting()), (1, 0));
    drop(patient.await);
    assert_blank(&limiter);
}

#[tokio::test]
async fn later_arrivals_do_not_overtake_waiters() {
    let limiter = Limiter::new(over_all(1));
    let held = limiter.acquire(&ME, session(1)).await;
    let mut waiting = Box::pin(limiter.acquire(&ME, session(2)));
    assert!(waiting.as_mut().now_or_never().is_none());
    drop(held);
    // The permit is the other's, although it has not taken it yet.
    assert!(limiter.acquire(&ME, session(3)).now_or_never().is_none());
    drop(waiting);
    assert_blank(&limiter);
}

/// The order in which a queue serves, if the oldest running turn always ends first.
fn served(max: usize, joins: &[SessionId]) -> Vec<SessionId> {
    let (mut line, mut at_work, mut order) = (WaitQueue::new(over_all(max)), VecDeque::new(), Vec::new());
    for id in joins {
        if line.has_room(&ME, *id) {
            line.take(&ME, *id);
            at_work.push_back(*id);
            order.push(*id);
        } else {
            line.join(&ME, *id, ());
        }
    }
    while let Some(id) = at_work.pop_front() {
        line.give_back(&ME, id);
        if let Some((_, next, ())) = line.serve() {
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
    // The first came when there was capacity; from then on the sessions take turns.
    let in_turn: Vec<_> = (0..3).flat_map(|_| [1, 2, 3]).map(session).collect();
    assert_eq!(order[1..10], in_turn);
}

#[test]
fn the_owner_with_fewer_permits_goes_first() {
    let mut line = WaitQueue::new(over_all(usize::MAX));
    for n in [1, 2, 2] {
        line.take(&ME, session(n));
    }
    for n in [2, 1, 3] {
        line.join(&ME, session(n), ());
    }
    let order: Vec<_> = std::iter::from_fn(|| line.serve()).map(|(_, id, ())| id).collect();
    assert_eq!(order, [session(3), session(1), session(2)]);
}

#[test]
fn sessions_that_keep_coming_do_not_starve_one_that_holds_something() {
    let mut line = WaitQueue::new(over_all(2));
    line.take(&ME, session(0));
    line.join(&ME, session(0), ());
    let mut count = 0_u64;
    loop {
        count += 1;
        // A newcomer arrives for every permit.
        let id = session(u8::try_from(count).unwrap());
        line.join(&ME, id, ());
        let (_, next, ()) = line.serve().unwrap();
        if next == session(0) {
            break;
        }
        line.give_back(&ME, next);
    }
    assert!(count <= OLDEST_EVERY, "{count}");
}

/// The order in which owners are served, if the oldest running turn always ends first. Each has
/// sessions of its own.
fn owners_served(limits: PermitLimits, joins: &[(usize, u8)]) -> Vec<usize> {
    let (mut line, mut at_work, mut order) = (WaitQueue::new(limits), VecDeque::new(), Vec::new());
    for &(n, of_session) in joins {
        let id = session(u8::try_from(n).unwrap() * 16 + of_session);
        if line.has_room(&owner(n), id) {
            line.take(&owner(n), id);
            at_work.push_back((n, id));
            order.push(n);
        } else {
            line.join(&owner(n), id, n);
        }
    }
    while let Some((n, id)) = at_work.pop_front() {
        line.give_back(&owner(n), id);
        while let Some((_, id, n)) = line.serve() {
            at_work.push_back((n, id));
            order.push(n);
        }
    }
    assert!(line.is_blank());
    order
}

#[test]
fn an_owner_with_a_thousand_turns_in_many_sessions_does_not_hold_up_one_with_a_single_turn() {
    let mut joins: Vec<_> =
        (0..1_000).map(|n| (0, n % 16)).map(|(owner, n)| (owner, u8::try_from(n).unwrap())).collect();
    joins.push((1, 0));
    let order = owners_served(over_all(10), &joins);
    assert_eq!(order.len(), 1_001);
    // Ten were running when it came; it gets the next permit.
    assert_eq!(order.iter().position(|n| *n == 1), Some(10));
}

#[test]
fn owners_share_alike_however_many_sessions_each_has() {
    let mut joins: Vec<_> = (0..60).map(|n| (0, n % 12)).collect();
    joins.extend((0..60).map(|_| (1, 0)));
    let order = owners_served(over_all(4), &joins);
    let of_first = order[4..64].iter().filter(|n| **n == 0).count();
    assert!((24..=36).contains(&of_first), "{of_first} of 60");
}

#[test]
fn an_owner_at_its_limit_leaves_the_rest_to_others_and_a_session_at_its_own_too() {
    let limits = PermitLimits { session: 2, owner: 3, all: 10 };
    let mut line = WaitQueue::new(limits);
    let mut at_work = Vec::new();
    for _ in 0..5 {
        for n in [0, 1] {
            line.join(&owner(0), session(n), ());
        }
        line.join(&owner(1), session(9), ());
    }
    while let Some((owner, id, ())) = line.serve() {
        at_work.push((owner, id));
    }
    assert_eq!((line.of_owner(&owner(0)), line.of_owner(&owner(1))), ((3, 7), (2, 3)));
    assert!(!line.has_room(&owner(1), session(9)) && line.has_room(&owner(1), session(8)));
    assert!(line.has_room(&owner(2), session(7)), "an owner at its own limit blocks no other");
    // A returned permit goes to those who wait for just that.
    let place = at_work.iter().position(|(of, _)| *of == owner(1)).unwrap();
    let (of, id) = at_work.remove(place);
    line.give_back(&of, id);
    assert_eq!(line.serve().map(|(owner, ..)| owner), Some(owner(1)));
    assert!(line.serve().is_none());
}

#[derive(Debug, Clone)]
enum QueueAction {
    Join(u8),
    Leave(prop::sample::Index),
    End(prop::sample::Index),
}

fn any_doing() -> impl Strategy<Value = QueueAction> {
    prop_oneof![
        4 => (0u8..6).prop_map(QueueAction::Join),
        1 => any::<prop::sample::Index>().prop_map(QueueAction::Leave),
        4 => any::<prop::sample::Index>().prop_map(QueueAction::End),
    ]
}

proptest! {
    #[test]
    fn no_waiter_is_lost_or_starves(doings in vec(any_doing(), 0..300), max in 1usize..5) {
        let mut line = WaitQueue::new(over_all(max));
        let mut waiting: Vec<(SessionId, QueueTicket, u64)> = Vec::new();
        let mut at_work: Vec<SessionId> = Vec::new();
        let mut servings = 0_u64;
        // Per waiting turn: the number of servings when it came, and how many waited before it.
        let mut patience: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for (number, doing) in doings.into_iter().enumerate() {
            let number = number as u64;
            match doing {
                QueueAction::Join(n) => {
                    waiting.push((session(n), line.join(&ME, session(n), number), number));
                    patience.insert(number, (servings, waiting.len() as u64));
                }
                QueueAction::Leave(which) if !waiting.is_empty() => {
                    let (id, ticket, number) = waiting.remove(which.index(waiting.len()));
                    prop_assert_eq!(line.leave(&ME, id, ticket), Some(number));
                    prop_assert_eq!(line.leave(&ME, id, ticket), None);
                }
                QueueAction::End(which) if !at_work.is_empty() => {
                    line.give_back(&ME, at_work.remove(which.index(at_work.len())));
                }
                _ => {}
            }
            while let Some((_, id, number)) = line.serve() {
                servings += 1;
                let first = waiting.iter().position(|(other, ..)| *other == id).unwrap();
                prop_assert_eq!(waiting.remove(first).2, number, "first come is first served within a session");
                at_work.push(id);
                let (begun, before) = patience[&number];
                // At worst its session is served last each time, with this many turns before this
                // one.
                prop_assert!(servings - begun <= OLDEST_EVERY * 6 * before, "waited {} of {before}", servings - begun);
            }
            prop_assert_eq!((line.working(), line.waiting()), (at_work.len(), waiting.len()));
            prop_assert!(waiting.is_empty() || line.working() == max);
        }
        for id in at_work {
            line.give_back(&ME, id);
        }
        for (id, ticket, _) in waiting {
            prop_assert!(line.leave(&ME, id, ticket).is_some());
        }
        prop_assert!(line.is_blank());
    }
}

proptest! {
    #[test]
    fn no_limit_is_exceeded_and_no_waiter_is_lost_among_owners(
        doings in vec(any_doing(), 0..300),
        session_max in 1usize..3,
        owner_max in 1usize..4,
        all in 1usize..6,
    ) {
        // Six sessions of three owners.
        let of = |n: u8| owner(usize::from(n / 2));
        let mut line = WaitQueue::new(PermitLimits { session: session_max, owner: owner_max, all });
        let (mut waiting, mut at_work): (Vec<(u8, QueueTicket)>, Vec<u8>) = (Vec::new(), Vec::new());
        for doing in doings {
            match doing {
                QueueAction::Join(n) => waiting.push((n, line.join(&of(n), session(n), n))),
                QueueAction::Leave(which) if !waiting.is_empty() => {
                    let (n, ticket) = waiting.remove(which.index(waiting.len()));
                    prop_assert_eq!(line.leave(&of(n), session(n), ticket), Some(n));
                }
                QueueAction::End(which) if !at_work.is_empty() => {
                    let n = at_work.remove(which.index(at_work.len()));
                    line.give_back(&of(n), session(n));
                }
                _ => {}
            }
            while let Some((owner, id, n)) = line.serve() {
                prop_assert_eq!((owner, id), (of(n), session(n)));
                let first = waiting.iter().position(|(other, _)| *other == n).unwrap();
                waiting.remove(first);
                at_work.push(n);
            }
            let working = |is: &dyn Fn(u8) -> bool| at_work.iter().filter(|n| is(**n)).count();
            prop_assert!(at_work.len() <= all);
            for n in 0..6 {
                prop_assert!(working(&|other| other == n) <= session_max);
                prop_assert!(working(&|other| other / 2 == n / 2) <= owner_max);
                // A waiter has a reason to wait.
                let waits = waiting.iter().any(|(other, _)| *other == n);
                let is_full = at_work.len() == all
                    || working(&|other| other == n) == session_max
                    || working(&|other| other / 2 == n / 2) == owner_max;
                prop_assert!(!waits || is_full, "{n} waits for nothing");
            }
            prop_assert_eq!((line.working(), line.waiting()), (at_work.len(), waiting.len()));
        }
        at_work.into_iter().for_each(|n| line.give_back(&of(n), session(n)));
        for (n, ticket) in waiting {
            prop_assert!(line.leave(&of(n), session(n), ticket).is_some());
        }
        prop_assert!(line.is_blank());
    }
}

struct WorkingCount(AtomicUsize);

/// Decrements the count, before its permit is returned.
struct WorkingGuard<'a>(&'a WorkingCount);

impl Drop for WorkingGuard<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Many tasks on several threads, a third of which give up at some moment: waiting, just served, or
/// running.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn under_stress_the_limit_holds_and_nothing_is_lost() {
    const MAX: usize = 5;
    let limiter = Limiter::new(over_all(MAX));
    let at_work = Arc::new(WorkingCount(AtomicUsize::new(0)));
    let tasks = (0..4_000_usize).map(|n| {
        let (limiter, at_work) = (limiter.clone(), at_work.clone());
        let work = async move {
            let _permit = limiter.acquire(&ME, session(u8::try_from(n % 23).unwrap())).await;
            let now = at_work.0.fetch_add(1, Ordering::SeqCst) + 1;
            let _at_work = WorkingGuard(&at_work);
            assert!(now <= MAX, "{now} at once");
            if n % 2 == 0 {
                yield_now().await;
            }
        };
        tokio::spawn(async move {
            if n % 3 != 0 {
                return work.await;
            }
            // Cancelled after this many polls, wherever it is then.
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
