//! Tables of sentences and the statements they contain.

mod gates;
mod properties;
mod reconciling;
mod repetitions;
mod update_pairs;

use protocol::{Fact, ItemId, ItemSource, Origin, Timestamp};

use super::{Reconciliation, Statement, key_for, reconcile, statements};

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
    for (said, message) in messages.iter().enumerate() {
        let at = (said as i64 + 1) * 1000;
        for statement in statements(message) {
            next += 1;
            let reconciled = reconcile(&facts, &statement, Timestamp::from_millis(at));
            let key = key_for(&facts, &statement, &reconciled).to_owned();
            match reconciled {
                Reconciliation::Same(_) => {}
                Reconciliation::New => facts.push(fact(next, &statement, &key, at)),
                Reconciliation::Replaces(ids) => {
                    end(&mut facts, &ids, at);
                    facts.push(fact(next, &statement, &key, at));
                }
                Reconciliation::Ends(ids) => end(&mut facts, &ids, at),
                Reconciliation::StatedEarlier { until, by, ends } => {
                    end(&mut facts, &ends, at);
                    let late = fact(next, &statement, &key, at);
                    facts.push(Fact { valid_until: Some(until), superseded_by: Some(by), ..late });
                }
            }
        }
    }
    facts
}

fn end(facts: &mut [Fact], ids: &[ItemId], at: i64) {
    for fact in facts.iter_mut().filter(|fact| ids.contains(&fact.fact_id)) {
        fact.valid_until = Some(Timestamp::from_millis(at));
    }
}
