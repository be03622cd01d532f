use super::*;

fn failures(peer: u32, all: u32) -> AuthFailures {
    let number = |value| NonZeroU32::new(value).unwrap();
    let limits =
        Limits { failed_entries_peer_max: number(peer), failed_entries_all_max: number(all), ..Limits::default() };
    AuthFailures::new(&limits)
}

fn peer(last: u8) -> Peer {
    Peer(Ipv4Addr::new(10, 0, 0, last).into())
}

fn of(text: &str) -> SecretDigest {
    SecretDigest::of(text)
}

/// Tries a wrong credential; the error is how long to wait if it is not checked.
fn guess(failures: &AuthFailures, peer: Peer, now: Instant) -> Result<(), Duration> {
    failures.admit(peer, &of("wrong"), now)?;
    failures.failed(peer, &of("wrong"), now);
    Ok(())
}

#[test]
fn a_peer_that_fails_too_often_is_not_looked_at_and_others_are() {
    let (failures, now) = (failures(3, 100), Instant::now());
    for _ in 0..3 {
        guess(&failures, peer(1), now).unwrap();
    }
    let wait = guess(&failures, peer(1), now).unwrap_err();
    assert_eq!(wait, REFILL / 3);
    assert!(failures.admit(peer(1), &of("good"), now).is_err(), "nor is a valid one checked");
    assert!(failures.admit(peer(2), &of("good"), now).is_ok());
    assert!(failures.admit(peer(1), &of("good"), now + wait).is_ok(), "after the wait it is admitted");
}

#[test]
fn asking_while_refused_makes_the_wait_no_longer() {
    let (failures, now) = (failures(3, 100), Instant::now());
    let refused = (0..1_000).filter(|_| guess(&failures, peer(1), now).is_err()).count();
    assert_eq!(refused, 997);
    assert!(failures.admit(peer(1), &of("good"), now + REFILL / 3).is_ok());
    let tried = (0..600).filter(|at| guess(&failures, peer(1), now + REFILL * *at / 60).is_ok()).count();
    assert!((30..=31).contains(&tried), "in ten minutes {tried} guesses");
}

#[test]
fn what_was_good_from_a_peer_passes_whatever_others_do_there() {
    let (failures, now) = (failures(3, 100), Instant::now());
    failures.remember(peer(1), of("ada"), now);
    while guess(&failures, peer(1), now).is_ok() {}
    assert!(failures.admit(peer(1), &of("ada"), now).is_ok());
    assert!(failures.admit(peer(1), &of("bob"), now).is_err());
    // The credential ends, and fails like any wrong one.
    failures.failed(peer(1), &of("ada"), now);
    assert!(failures.admit(peer(1), &of("ada"), now).is_err());
}

#[test]
fn many_peers_together_get_one_guess_each() {
    let (failures, now) = (failures(10, 20), Instant::now());
    for last in 0..20 {
        guess(&failures, peer(last), now).unwrap();
    }
    assert!(guess(&failures, peer(100), now).is_ok(), "a peer that has not failed is checked");
    let wait = guess(&failures, peer(100), now).unwrap_err();
    assert!(failures.admit(peer(100), &of("good"), now + wait).is_ok());
    failures.remember(peer(5), of("ada"), now);
    assert!(failures.admit(peer(5), &of("ada"), now).is_ok());
    assert!(failures.admit(peer(101), &of("good"), now).is_ok());
}

#[test]
fn what_is_remembered_has_a_bound() {
    let (failures, now) = (failures(2, u32::MAX), Instant::now());
    for number in 0..u32::try_from(PEERS_MAX).unwrap() + 10 {
        let address: IpAddr = Ipv4Addr::from_bits(number).into();
        failures.failed(Peer(address), &of("wrong"), now + Duration::from_millis(number.into()));
    }
    for number in 0..2 * PEER_KNOWN_MAX {
        failures.remember(peer(1), of(&number.to_string()), now);
    }
    let state = failures.state.lock().unwrap();
    assert_eq!(state.peers.len(), PEERS_MAX);
    assert_eq!(state.peers[&peer(1)].known.len(), PEER_KNOWN_MAX);
}

#[test]
fn a_network_of_one_machine_is_one_peer() {
    let of = |text: &str| Peer::from_info(Some(&ConnectInfo(SocketAddr::new(text.parse().unwrap(), 1))));
    assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
    assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
    assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
}
