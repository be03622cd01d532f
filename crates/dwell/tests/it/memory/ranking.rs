//! Ranking of search results: the newer of two equal entries first, and an exact match first.

use std::path::{Path, PathBuf};

use protocol::Timestamp;
use serde_json::{Value, json};
use testkit::RestClient;

use super::{add, entry, memory, search, settled, texts};
use crate::{program, started};

const DAY_MS: i64 = 86_400_000;

/// The time that many days before the server's present.
async fn days_ago(rest: &RestClient, memory: &str, days: i64) -> Timestamp {
    let now: Timestamp = serde_json::from_value(rest.get(memory).await.ok()["created_at"].clone()).unwrap();
    Timestamp::from_millis(now.as_millis() - days * DAY_MS)
}

#[tokio::test]
async fn yesterday_ranks_above_last_year() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let words = "The boiler was serviced by Hartmann.";
    let mut ids = Vec::new();
    // The order of storing is not the order of the events.
    for days in [1, 30, 365] {
        let at = days_ago(&rest, &memory, days).await;
        let stored = add(&rest, &memory, json!({ "raw_entry": words, "conversation_time": at })).await;
        ids.push(stored["entry_id"].clone());
    }
    let found = search(&rest, json!({ "query": "who serviced the boiler?", "levels": ["entry"] })).await;
    let items = found["items"].as_array().unwrap();
    assert_eq!(items[0]["id"], ids[0], "{found}");
    let of = |id: &Value| items.iter().find(|item| item["id"] == *id).unwrap();
    let recency: Vec<f64> = ids.iter().map(|id| of(id)["score"]["recency"].as_f64().unwrap()).collect();
    for (recency, expected) in recency.iter().zip([0.0484, 0.0184, 0.0]) {
        assert!((recency - expected).abs() < 0.0005, "0.05 × exp(-age / 30 days): {recency} and not {expected}");
    }
    let newest = search(&rest, json!({ "query": "who serviced the boiler recently?", "levels": ["entry"] })).await;
    let recency = newest["items"][0]["score"]["recency"].as_f64().unwrap();
    assert!((recency - 0.290).abs() < 0.002, "0.3 × exp(-age / 30 days) where the newest is asked for: {recency}");
    let words = |id: &Value| of(id)["score"]["lexical"].clone();
    assert_eq!(words(&ids[0]), words(&ids[2]), "the words fit alike");
}

#[tokio::test]
async fn a_moment_is_the_same_in_every_zone_and_none_is_without_one() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let at = |zone: &str| json!({ "raw_entry": "Something happened.", "conversation_time": zone });
    for zoned in ["2026-05-03T10:00:00Z", "2026-05-03T12:00:00+02:00", "2026-05-03T04:30:00-05:30"] {
        let stored = add(&rest, &memory, at(zoned)).await;
        assert_eq!(stored["conversation_time"], "2026-05-03T10:00:00.000Z", "{zoned}");
    }
    let naive = rest.post(&format!("{memory}/entries"), at("2026-05-03T10:00:00")).await;
    assert_eq!(naive.code(400), "invalid_request");
}

/// Facts about a home, one of which is searched for word for word.
const SAYINGS: [&str; 6] = [
    "The boiler is serviced by Hartmann every October.",
    "The spare key lies under the blue flowerpot.",
    "The boiler in the cellar makes a noise at night.",
    "Every October the gutters have to be cleaned.",
    "Our neighbour's dog is afraid of thunder.",
    "Hartmann sends his bills by letter.",
];

async fn remember_sayings(rest: &RestClient) {
    let memory = memory(rest).await;
    for (day, saying) in (1..).zip(SAYINGS) {
        // The first one is the oldest, so that its age does not help it.
        entry(rest, &memory, day, saying).await;
    }
    settled(rest).await;
}

#[tokio::test]
async fn the_same_sentence_comes_first() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    remember_sayings(&rest).await;
    for saying in SAYINGS {
        let found = search(&rest, json!({ "query": saying, "mode": "lexical" })).await;
        assert_eq!(texts(&found)[0], saying, "{found}");
        assert_ordered(&found, "lexical");
    }
}

/// Uses the embedding model where it is on this machine (see the tests of the memory crate).
#[tokio::test]
#[allow(clippy::print_stderr, reason = "a test that cannot be made says so")]
async fn the_same_sentence_comes_first_by_meaning_too() {
    let folder = model_of_meaning();
    if !folder.join("model.safetensors").exists() {
        eprintln!("SKIPPED: there is no model in {}; `dwell setup --to` fetches it", folder.display());
        return;
    }
    let program = program().with("DWELL_MEMORY_EMBEDDING_DIR", folder.to_str().unwrap());
    let server = program.start().await;
    let rest = server.rest();
    remember_sayings(&rest).await;
    for mode in ["hybrid", "semantic"] {
        for saying in SAYINGS {
            let found = search(&rest, json!({ "query": saying, "mode": mode })).await;
            assert_eq!((texts(&found)[0], &found["mode"]), (saying, &json!(mode)), "{found}");
            assert!(
                found["items"][0]["score"]["semantic"].as_f64().unwrap() > 0.95,
                "a likeness, no distance: {found}"
            );
            assert!(found.get("notices").is_none(), "{found}");
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "tests are told where the models are")]
fn model_of_meaning() -> PathBuf {
    let models = std::env::var_os("DWELL_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models"), PathBuf::from);
    models.join("all-minilm-l6-v2")
}

/// Checks that the first result has the highest similarity and that the totals decrease.
#[track_caller]
fn assert_ordered(found: &Value, likeness: &str) {
    let part = |name: &str| -> Vec<f64> {
        let items = found["items"].as_array().unwrap().iter();
        items.map(|item| item["score"][name].as_f64().unwrap()).collect()
    };
    let totals = part("total");
    assert!(totals.is_sorted_by(|one, two| one >= two), "{totals:?}");
    let alike = part(likeness);
    assert!(alike.iter().all(|other| *other <= alike[0]), "{likeness} {alike:?}");
}
