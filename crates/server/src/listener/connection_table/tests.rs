use std::net::Ipv4Addr;

use proptest::prelude::*;

use super::*;

const ROOMY: Capacity = Capacity { anonymous: 4, known: 4, per_peer: 100, per_owner: 100, keeps_served: false };

fn peer(last: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, last).into()
}

fn owner(name: &str) -> OwnerId {
    name.parse().unwrap()
}

fn admit(table: &mut ConnectionTable, last: u8) -> AdmittedConnection {
    table.admit(peer(last), false).unwrap()
}

#[test]
fn a_peer_has_a_number_of_connections_and_a_proxy_has_not() {
    let mut table = ConnectionTable::new(Capacity { per_peer: 2, ..ROOMY });
    let first = admit(&mut table, 1);
    admit(&mut table, 1);
    assert_eq!(table.admit(peer(1), false).unwrap_err(), LimitScope::Peer);
    table.admit(peer(2), false).unwrap();
    table.admit(peer(1), true).unwrap();
    table.release(first.id);
    assert_eq!(
        table.admit(peer(1), false).unwrap_err(),
        LimitScope::Peer,
        "the proxy's own connection counts for its address"
    );
}

#[test]
fn in_a_full_pool_the_oldest_of_the_greediest_peer_gives_way() {
    let mut table = ConnectionTable::new(ROOMY);
    let [lone, first, second, third] = [1, 2, 2, 2].map(|last| admit(&mut table, last));
    let newcomer = admit(&mut table, 3);
    assert!(newcomer.has_displaced && first.displaced.is_cancelled());
    assert!(![&lone, &second, &third].iter().any(|stays| stays.displaced.is_cancelled()));
    assert_eq!((table.open(), table.anonymous()), (4, 4));
    table.release(first.id);
    assert_eq!(table.open(), 4, "a displaced connection is released once");
}

#[test]
fn one_that_has_completed_a_request_gives_way_last() {
    let mut table = ConnectionTable::new(ROOMY);
    let [first, second, ..] = [1; 4].map(|last| admit(&mut table, last));
    table.complete(first.id);
    admit(&mut table, 1);
    assert!(second.displaced.is_cancelled() && !first.displaced.is_cancelled());
}

#[test]
fn where_the_served_are_kept_a_newcomer_is_refused_instead() {
    let mut table = ConnectionTable::new(Capacity { anonymous: 2, keeps_served: true, ..ROOMY });
    let served = [1, 1].map(|last| admit(&mut table, last));
    table.complete(served[0].id);
    let fresh = admit(&mut table, 2);
    assert!(served[1].displaced.is_cancelled());
    table.complete(fresh.id);
    assert_eq!(table.admit(peer(3), false).unwrap_err(), LimitScope::Server);
}

#[test]
fn owners_are_out_of_reach_of_strangers() {
    let mut table = ConnectionTable::new(ROOMY);
    let known = admit(&mut table, 1);
    table.identify(known.id, &owner("ada")).unwrap();
    for _ in 0..20 {
        admit(&mut table, 1);
    }
    assert!(!known.displaced.is_cancelled());
    assert_eq!((table.open(), table.anonymous(), table.owners()[&owner("ada")]), (5, 4, 1));
}

#[test]
fn an_owner_has_a_number_of_connections_and_so_has_the_server() {
    let mut table = ConnectionTable::new(Capacity { per_owner: 2, known: 3, ..ROOMY });
    let mut know = |name| {
        let id = admit(&mut table, 1).id;
        table.identify(id, &owner(name)).map(|()| id)
    };
    let first = know("ada").unwrap();
    know("ada").unwrap();
    assert_eq!(know("ada"), Err(LimitScope::Owner));
    know("bob").unwrap();
    assert_eq!(know("eve"), Err(LimitScope::Server));
    table.release(first);
    let id = admit(&mut table, 1).id;
    assert_eq!(table.identify(id, &owner("ada")), Ok(()));
    assert_eq!(table.identify(id, &owner("bob")), Ok(()), "it is counted once");
}

#[test]
fn a_proxys_connections_count_for_no_owner() {
    let mut table = ConnectionTable::new(Capacity { per_owner: 1, ..ROOMY });
    for _ in 0..3 {
        let id = table.admit(peer(1), true).unwrap().id;
        table.identify(id, &owner("ada")).unwrap();
    }
    assert!(table.owners().is_empty());
    assert_eq!((table.open(), table.anonymous()), (3, 0));
}

#[test]
fn addresses_of_one_host_are_one_peer() {
    let read = |text: &str| peer_of(text.parse().unwrap());
    assert_eq!(read("2001:db8::1"), read("2001:db8::ffff:1"));
    assert_ne!(read("2001:db8::1"), read("2001:db8:0:1::1"));
    assert_eq!(read("::ffff:192.0.2.1"), peer(1));
}

proptest! {
    /// After any steps, no limit is exceeded and the counts match the open connections.
    #[test]
    fn limits_hold_and_counts_agree(steps in prop::collection::vec((0_u8..5, 0_u8..4, 0_usize..16), 1..200)) {
        let capacity = Capacity { anonymous: 3, known: 5, per_peer: 4, per_owner: 3, keeps_served: false };
        let mut table = ConnectionTable::new(capacity);
        let mut all: Vec<AdmittedConnection> = Vec::new();
        for (kind, number, which) in steps {
            let id = all.get(which % all.len().max(1)).map(|admitted| admitted.id).unwrap_or_default();
            match kind {
                0 | 1 => all.extend(table.admit(peer(number), false)),
                2 => table.complete(id),
                3 => drop(table.identify(id, &owner(["ada", "bob", "cyd", "dan"][usize::from(number)]))),
                _ => table.release(id),
            }
            let pool: usize = table.crowds.iter().map(|(count, _)| count).sum();
            let known: usize = table.owners().values().sum();
            prop_assert_eq!(pool, table.anonymous());
            prop_assert_eq!(pool + known, table.open());
            prop_assert!(pool <= capacity.anonymous && known <= capacity.known);
            prop_assert!(table.owners().values().all(|count| *count <= capacity.per_owner));
            prop_assert!(table.peers.values().all(|peer| peer.all <= capacity.per_peer));
            prop_assert_eq!(table.peers.values().map(|peer| peer.all).sum::<usize>(), table.open());
            let displaced = all.iter().filter(|admitted| admitted.displaced.is_cancelled());
            prop_assert!(displaced.into_iter().all(|admitted| !table.open.contains_key(&admitted.id)));
        }
        for admitted in all {
            table.release(admitted.id);
        }
        prop_assert!(table.peers.is_empty() && table.crowds.is_empty() && table.owners.is_empty());
    }
}
