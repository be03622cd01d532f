//! Facts that people state and later change: a search returns the current value first and marks the
//! old one.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{RestClient, UPDATE_PAIRS, UpdatePair};

use super::{add, search};
use crate::program;

/// The pairs are spread over these servers, so that few pairs on a server are about the same
/// subject.
const SERVERS: usize = 31;

/// Writes both sentences of a pair, months apart; returns the ids of the two entries.
async fn say(rest: &RestClient, memory: &str, pair: &UpdatePair) -> [String; 2] {
    let mut ids = Vec::new();
    for (words, at) in [(pair.stated, "2026-01-10T09:00:00Z"), (pair.changed, "2026-06-20T18:30:00Z")] {
        let stored =
            add(rest, memory, json!({ "raw_entry": words, "conversation_time": at, "origin": "trusted" })).await;
        ids.push(stored["entry_id"].as_str().unwrap().to_owned());
    }
    ids.try_into().unwrap()
}

/// Whether a text contains this part as whole words.
fn has(text: &str, part: &str) -> bool {
    let plain = |text: &str| -> String {
        let text = text.to_lowercase();
        text.chars().map(|c| if c.is_alphanumeric() || "@_".contains(c) { c } else { ' ' }).collect()
    };
    let padded = |text: &str| format!(" {} ", plain(text).split_whitespace().collect::<Vec<_>>().join(" "));
    !part.is_empty() && padded(text).contains(&padded(part))
}

/// The fault in the search results of a pair, if there is one.
fn wrong(pair: &UpdatePair, entries: &[String], found: &Value) -> Option<String> {
    let items = found["items"].as_array().unwrap().iter().filter(|item| {
        let id = |value: &Value| value.as_str().is_some_and(|id| entries.iter().any(|entry| entry == id));
        id(&item["id"]) || id(&item["source"]["item_id"])
    });
    let items: Vec<&Value> = items.collect();
    let states = |item: &Value, part: &str| {
        has(item["text"].as_str().unwrap(), part) || item["value"].as_str().is_some_and(|value| has(value, part))
    };
    let is_old = |item: &Value| states(item, pair.old) && !states(item, pair.current);
    let first_new = match pair.current {
        // There is no new value: the sentence that ended the old one is current.
        "" => items
            .iter()
            .position(|item| item["id"] == entries[1].as_str() || item["source"]["item_id"] == entries[1].as_str()),
        value => items.iter().position(|item| states(item, value)),
    };
    let first_old = items.iter().position(|item| is_old(item) && item["id"] != entries[1].as_str());
    let is_first = match (first_new, first_old) {
        (Some(new), Some(old)) => new < old,
        (Some(_), None) => true,
        (None, _) => false,
    };
    let is_stale = |item: &Value| {
        is_old(item) && item["id"] != entries[1].as_str() && !item["valid_until"].is_string() && item["doubt"].is_null()
    };
    let unmarked = items.iter().filter(|item| is_stale(item)).count();
    let shown: Vec<String> = items
        .iter()
        .map(|item| {
            format!("\n    {} {} until {} {}", item["level"], item["text"], item["valid_until"], item["score"]["total"])
        })
        .collect();
    (!is_first || unmarked > 0).then(|| format!("{pair:?}{}", shown.concat()))
}

/// The faults of the pairs on one server.
async fn misses(pairs: Vec<UpdatePair>) -> Vec<String> {
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    let vault = rest.post("/api/v1/vaults", json!({ "title": "diary" })).await.ok();
    let vault = format!("/api/v1/vaults/{}/memories", vault["vault_id"].as_str().unwrap());
    let mut said = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        let memory = rest.post(&vault, json!({ "title": format!("page {number}") })).await.ok();
        let memory = format!("{vault}/{}", memory["memory_id"].as_str().unwrap());
        said.push((pair, say(&rest, &memory, pair).await));
    }
    let mut misses = Vec::new();
    for (pair, entries) in said {
        misses.extend(wrong(pair, &entries, &search(&rest, json!({ "query": pair.question })).await));
    }
    misses
}

#[tokio::test]
#[allow(clippy::print_stderr, reason = "the misses are worth reading also where they are few enough")]
async fn the_value_that_holds_comes_before_the_one_that_held() {
    let mut servers = tokio::task::JoinSet::new();
    for number in 0..SERVERS {
        servers.spawn(misses(UPDATE_PAIRS.iter().skip(number).step_by(SERVERS).copied().collect()));
    }
    let misses: BTreeSet<String> = servers.join_all().await.into_iter().flatten().collect();
    let right = UPDATE_PAIRS.len() - misses.len();
    let list = misses.into_iter().collect::<Vec<_>>().join("\n");
    eprintln!("{right} of {}; not so:\n{list}", UPDATE_PAIRS.len());
    assert!(right * 100 >= UPDATE_PAIRS.len() * 95, "{right} of {}:\n{list}", UPDATE_PAIRS.len());
}
