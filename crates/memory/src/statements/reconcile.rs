//! Which of two statements holds. The order of what happened decides, not the order in which it was
//! learnt: something that was said before the current fact never ends it.

use protocol::{Fact, ItemId, Timestamp};

use super::{
    Statement, StatementKind,
    key::{Cardinality, cardinality, same_key},
    value::{mentions, other_number, refines, same_head, same_value},
};

/// What a statement does to what is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciliation {
    /// It is added to what is known.
    New,
    /// This fact expresses it already; nothing is stored.
    Same(ItemId),
    /// It replaces these, which held until then.
    Replaces(Vec<ItemId>),
    /// These held until then, and have no successor. Nothing is stored for the statement itself.
    Ends(Vec<ItemId>),
    /// It was made before the current fact: it is stored as history that held `until` then, and
    /// ends those in `ends`.
    StatedEarlier {
        /// The fact that replaced it.
        by: ItemId,
        /// When that was.
        until: Timestamp,
        /// The facts that held when it was made.
        ends: Vec<ItemId>,
    },
}

/// Compares a statement made at a given time with the facts of its owner, which may include ended
/// ones.
pub fn reconcile(current: &[Fact], new: &Statement, at: Timestamp) -> Reconciliation {
    let held = |fact: &&Fact| fact.valid_from <= at && fact.valid_until.is_none_or(|until| until > at);
    let ids = |facts: Vec<&Fact>| facts.into_iter().map(|fact| fact.fact_id).collect::<Vec<_>>();
    if new.kind == StatementKind::Ending {
        let over = current.iter().filter(held).filter(|fact| is_over(fact, new)).collect();
        return Reconciliation::Ends(ids(over));
    }
    let same = |fact: &&Fact| {
        let refined = !new.is_update && cardinality(&fact.key) == Cardinality::One && refines(&fact.value, &new.value);
        same_key(&fact.key, &new.key) && (same_value(&fact.value, &new.value) || refined)
    };
    if let Some(known) = current.iter().filter(held).find(same) {
        return Reconciliation::Same(known.fact_id);
    }
    let mut rivals: Vec<&Fact> = current.iter().filter(|fact| is_rival(fact, new)).collect();
    if rivals.is_empty() && new.is_update {
        rivals = meant(current, new, at);
    }
    let next = rivals.iter().filter(|fact| fact.valid_from > at).min_by_key(|fact| (fact.valid_from, fact.fact_id));
    let ends = ids(rivals.iter().copied().filter(held).collect());
    match next {
        Some(next) if same_value(&next.value, &new.value) => Reconciliation::Same(next.fact_id),
        Some(next) => Reconciliation::StatedEarlier { by: next.fact_id, until: next.valid_from, ends },
        None if ends.is_empty() => Reconciliation::New,
        None => Reconciliation::Replaces(ends),
    }
}

/// The key to store a statement under: that of the fact it replaces, so that the history continues.
pub fn key_for<'k>(current: &'k [Fact], new: &'k Statement, reconciled: &Reconciliation) -> &'k str {
    let Reconciliation::Replaces(ids) = reconciled else { return &new.key };
    let old = ids.first().and_then(|id| current.iter().find(|fact| fact.fact_id == *id));
    old.map_or(new.key.as_str(), |old| old.key.as_str())
}

/// The facts meant by an update that names its thing in short, "the deadline" for "the project
/// deadline"; only if one matches.
fn meant<'f>(current: &'f [Fact], new: &Statement, at: Timestamp) -> Vec<&'f Fact> {
    let fits = |fact: &&Fact| {
        let short = part_of(&new.key, &fact.key);
        let recounted = new.key == "uses" && other_number(&fact.value, &new.value);
        fact.is_current()
            && fact.valid_from <= at
            && cardinality(&fact.key) != Cardinality::Many
            && (short || recounted)
    };
    let found: Vec<&Fact> = current.iter().filter(fits).collect();
    if found.len() == 1 { found } else { Vec::new() }
}

/// Whether one key is the other with words in front: "deadline" and "project deadline". The best
/// friend is not any friend.
fn part_of(short: &str, long: &str) -> bool {
    let front = long.strip_suffix(short).and_then(|front| front.strip_suffix(' '));
    front.is_some_and(|front| !front.ends_with("'s") && front != "best")
}

/// Whether a fact and a statement cannot both hold.
fn is_rival(fact: &Fact, new: &Statement) -> bool {
    let named = new.replaces.as_ref().is_some_and(|old| mentions(&fact.value, old));
    let keyed = same_key(&fact.key, &new.key);
    match cardinality(&fact.key) {
        Cardinality::One => keyed || named,
        // The replaced fact may have another key: "I use Vim" and "I switched from Vim to Helix".
        Cardinality::Loose => {
            named || (keyed && (new.replaces.is_none() && new.is_update || other_number(&fact.value, &new.value)))
        }
        Cardinality::Many if fact.key == "preference" => {
            named || (keyed && new.is_update && same_head(&fact.value, &new.value))
        }
        Cardinality::Many => named,
    }
}

/// Whether an ending is about a fact.
fn is_over(fact: &Fact, new: &Statement) -> bool {
    let keyed = same_key(&fact.key, &new.key);
    if new.value.is_empty() {
        // "I sold my Skoda" names the value, "I sold my car" the key; a car's colour goes with the
        // car.
        let named = mentions(&fact.value, &new.key) && fact.key != "note";
        return keyed || named || fact.key.strip_prefix(&new.key).is_some_and(|rest| rest.starts_with("'s "));
    }
    let valued = mentions(&fact.value, &new.value) || mentions(&new.value, &fact.value);
    (keyed && (valued || cardinality(&fact.key) == Cardinality::Loose && mentions(&fact.text, &new.value)))
        || same_value(&fact.value, &new.value)
        || (valued && fact.key.split(' ').next() == new.key.split(' ').next())
        || mentions(&fact.key, &format!("{} {}", new.key, new.value))
}
