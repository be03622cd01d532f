//! Tables of sentences and the statements they contain.

mod doubts;
mod gates;
mod properties;
mod reconciling;
mod repetitions;
mod update_pairs;

use protocol::{Doubt, Fact, ItemId, ItemSource, Origin, Timestamp};

use super::{KnownFact, Reconciliation, SpokenMessage, Statement, Touch, aliases, key_for, reconcile, statements};

/// A fact as it would be stored.
fn fact(id: u8, statement: &Statement, key: &str, at: i64) -> Fact {
    let at = Timestamp::from_millis(at);
    Fact {
        fact_id: id_of(id),
        level: statement.level,
        key: key.to_owned(),
        value: statement.value.clone(),
        text: statement.text.clone(),
        priority: 50,
        confidence: statement.confidence,
        valid_from: at,
        valid_until: None,
        superseded_by: None,
        stored_at: at,
        source: ItemSource::default(),
        origin: Origin::default(),
        expires_at: None,
        subject: None,
        vault_id: None,
        doubt: None,
    }
}

fn id_of(id: u8) -> ItemId {
    ItemId::from_bytes([id; 16])
}

/// All facts after a series of messages, including ended ones.
fn after(messages: &[&str]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut next = 0;
    let mut recent = Vec::new();
    for (said, message) in messages.iter().enumerate() {
        let at = (said as i64 + 1) * 1000;
        let stated = statements(message);
        let known: Vec<Fact> = facts.clone();
        let mut fresh = Vec::new();
        for statement in &stated {
            next += 1;
            let reconciled = reconcile(&facts, statement, Timestamp::from_millis(at));
            let key = key_for(&facts, statement, &reconciled).to_owned();
            match reconciled {
                Reconciliation::Same(_) => {}
                Reconciliation::New => facts.push(fact(next, statement, &key, at)),
                Reconciliation::Replaces(ids) => {
                    end(&mut facts, &ids, at);
                    facts.push(fact(next, statement, &key, at));
                }
                Reconciliation::Ends(ids) => end(&mut facts, &ids, at),
                Reconciliation::StatedEarlier { until, by, ends } => {
                    end(&mut facts, &ends, at);
                    let late = fact(next, statement, &key, at);
                    facts.push(Fact { valid_until: Some(until), superseded_by: Some(by), ..late });
                }
            }
            fresh.push(id_of(next));
        }
        let prepared: Vec<KnownFact> = known.iter().map(KnownFact::of).collect();
        let Some(spoken) = SpokenMessage::of(message) else {
            recent.extend(fresh);
            continue;
        };
        let before = known.iter().zip(&prepared).map(|(fact, known)| (fact, known, recent.contains(&fact.fact_id)));
        for touched in super::touched(&spoken, &stated, before, &aliases(known.iter()), super::Likeness::Absent) {
            let Some(fact) = facts.iter_mut().find(|fact| fact.fact_id == touched.id && fact.is_current()) else {
                continue;
            };
            match touched.touch {
                Touch::Doubt => {
                    fact.doubt = Some(Doubt { text: touched.text, at: Timestamp::from_millis(at), item_id: None })
                }
                Touch::Corrected(value) => {
                    fact.valid_until = Some(Timestamp::from_millis(at));
                    next += 1;
                    fresh.push(id_of(next));
                    let new = Fact {
                        fact_id: id_of(next),
                        value,
                        text: touched.text,
                        valid_until: None,
                        valid_from: Timestamp::from_millis(at),
                        ..fact.clone()
                    };
                    facts.push(new);
                }
            }
        }
        recent.extend(fresh);
    }
    facts
}

fn end(facts: &mut [Fact], ids: &[ItemId], at: i64) {
    for fact in facts.iter_mut().filter(|fact| ids.contains(&fact.fact_id)) {
        fact.valid_until = Some(Timestamp::from_millis(at));
    }
}
