//! A value stated and later changed: the newer one holds, the older one has ended.

use testkit::{OTHER_UPDATE_PAIRS, UPDATE_PAIRS, UpdatePair};

use super::{after, statements};

/// What is wrong with a pair, if anything is.
fn wrong(pair: &UpdatePair) -> Option<String> {
    let facts = after(&[pair.stated, pair.changed]);
    let has = |value: &str, part: &str| value.to_lowercase().contains(&part.to_lowercase());
    let known = statements(pair.stated).iter().any(|said| has(&said.value, pair.old) || has(&said.key, pair.old));
    let current =
        facts.iter().any(|fact| fact.is_current() && has(&fact.value, pair.current)) || pair.current.is_empty();
    let stale = facts.iter().any(|fact| {
        fact.is_current() && has(&fact.value, pair.old) && (pair.current.is_empty() || !has(&fact.value, pair.current))
    });
    let shown: Vec<_> = facts.iter().map(|fact| (&fact.key, &fact.value, fact.is_current())).collect();
    (!known || !current || stale).then(|| format!("{:?} / {:?}: {shown:?}", pair.stated, pair.changed))
}

/// The number of pairs that come out right, and a description of the others.
fn measure(pairs: &[UpdatePair]) -> (usize, String) {
    let wrong: Vec<String> = pairs.iter().filter_map(wrong).collect();
    (pairs.len() - wrong.len(), wrong.join("\n"))
}

#[test]
fn the_newer_value_holds_and_the_older_one_has_ended() {
    assert!(UPDATE_PAIRS.len() >= 80, "there are {} pairs", UPDATE_PAIRS.len());
    let (right, wrong) = measure(UPDATE_PAIRS);
    assert_eq!(right, UPDATE_PAIRS.len(), "\n{wrong}");
}

#[test]
fn other_phrasing_does_not_matter() {
    let (right, wrong) = measure(OTHER_UPDATE_PAIRS);
    assert_eq!(right, OTHER_UPDATE_PAIRS.len(), "\n{wrong}");
}

#[test]
fn most_phrasings_without_a_rule_of_their_own_are_understood() {
    let pairs: Vec<UpdatePair> = include_str!("other_pairs.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let parts: Vec<&'static str> = line.split('|').map(str::trim).collect();
            UpdatePair { stated: parts[0], changed: parts[1], question: "", current: parts[2], old: parts[3] }
        })
        .collect();
    let (right, wrong) = measure(&pairs);
    assert!(right * 100 >= pairs.len() * 90, "{right} of {}:\n{wrong}", pairs.len());
}
