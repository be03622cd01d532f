//! Compares the final content of memory with what the clients sent.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use testkit::RestClient;

use super::{CHAT, CLIENTS, ClientActivity, Clients, message, note};

/// Checks the final state.
pub(super) async fn all(rest: &RestClient, clients: &Clients) {
    for session in &clients.sessions {
        settle(rest, session).await;
    }
    let state = rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 60_000 })).await.ok();
    assert_eq!(state["consistent"], json!(true), "{state}");
    let archive = rest.get("/api/v1/memories/export").await.ok();
    let mut accounted = 0;
    for (client, doing) in CLIENTS.iter().enumerate() {
        let count = clients.acknowledged(client);
        accounted += match doing {
            ClientActivity::Talk(session) => talk(rest, &archive, *session, &clients.sessions[*session], count).await,
            ClientActivity::Note => notes(&archive, &clients.notes, count),
            ClientActivity::Ingest => chats(&archive, count),
        };
    }
    assert_eq!(rows(&archive["entries"]).len(), accounted, "there are entries that no client wrote");
    let numbers: BTreeSet<&str> = rows(&archive["entries"]).iter().map(|entry| text(&entry["entry_id"])).collect();
    assert_eq!(numbers.len(), accounted, "an id stands for one entry");
}

fn rows(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Waits until every message is answered. A turn that was interrupted too often is resumed.
async fn settle(rest: &RestClient, session: &str) {
    loop {
        let view = rest.get(&format!("/api/v1/sessions/{session}")).await.ok();
        let open = rows(&view["open_turns"]).clone();
        if open.is_empty() {
            return;
        }
        for turn in open.iter().map(text) {
            if rest.ended(turn).await["status"] == "interrupted" {
                let resumed = rest.post(&format!("/api/v1/turns/{turn}/resume"), json!({})).await;
                assert!(resumed.status < 300 || resumed.body["code"] == "queue_full", "{}", resumed.body);
                rest.ended(turn).await;
            }
        }
    }
}

/// The rows that belong to a memory.
fn of<'a>(rows: &'a Value, memory_id: &str) -> Vec<&'a Value> {
    self::rows(rows).iter().filter(|row| row["memory_id"] == memory_id).collect()
}

/// The id of the only memory that meets a condition.
fn memory_where(archive: &Value, is_it: impl Fn(&Value) -> bool) -> &str {
    let found: Vec<&Value> = rows(&archive["memories"]).iter().filter(|memory| is_it(memory)).collect();
    assert_eq!(found.len(), 1, "one memory: {found:?}");
    text(&found[0]["memory_id"])
}

/// The versions of a memory's summary, which must be 1, 2, 3 and so on, each once.
fn versions<'a>(archive: &'a Value, memory_id: &str) -> Vec<&'a Value> {
    let mut contexts = of(&archive["contexts"], memory_id);
    contexts.sort_by_key(|context| context["version"].as_u64());
    for (context, version) in contexts.iter().zip(1u64..) {
        assert_eq!(context["version"], version, "versions come without gap and repeat");
    }
    contexts
}

/// Checks a session: its entries are its messages and answers, and every change was announced once.
async fn talk(rest: &RestClient, archive: &Value, number: usize, session: &str, acknowledged: u64) -> usize {
    let log = rest.log(session).await;
    let mut said: BTreeMap<u64, (String, String, Value)> = BTreeMap::new();
    let mut announced: BTreeMap<(String, String), u64> = BTreeMap::new();
    let mut accepted = BTreeSet::new();
    for (event, seq) in log.iter().zip(1u64..) {
        assert_eq!(event["seq"], seq, "numbers without gaps");
        let data = &event["data"];
        match text(&event["type"]) {
            "message.accepted" => {
                assert!(accepted.insert(text(&data["message"]).to_owned()), "{data} was taken twice");
                said.insert(seq, ("user".into(), text(&data["message"]).into(), event["turn_id"].clone()));
            }
            "chat.final" => {
                let words = text(&data["message"]);
                assert!(!words.is_empty());
                said.insert(seq, ("assistant".into(), words.into(), event["turn_id"].clone()));
            }
            "memory.written" | "memory.summary_created" if data["id"].is_string() => {
                let news = (text(&data["id"]).to_owned(), data["value"].to_string());
                *announced.entry(news).or_default() += 1;
            }
            _ => {}
        }
    }
    for ((id, value), times) in &announced {
        assert_eq!(*times, 1, "{id} was announced {times} times: {value}");
    }
    let expected: BTreeSet<String> = (0..acknowledged).map(|n| message(number, n)).collect();
    assert_eq!(accepted, expected, "what was acknowledged was taken, and nothing else");
    assert_eq!(said.len() as u64, 2 * acknowledged, "every message has its answer");

    let memory_id = memory_where(archive, |memory| memory["session_id"] == session);
    let entries = of(&archive["entries"], memory_id);
    let mut stored = BTreeMap::new();
    for entry in &entries {
        let source = &entry["source"];
        assert_eq!(source["session_id"], session);
        let row = (text(&entry["role"]).to_owned(), text(&entry["raw_entry"]).to_owned(), source["turn_id"].clone());
        let before = stored.insert(source["seq"].as_u64().unwrap(), row);
        assert_eq!(before, None, "two entries of one message: {entry}");
    }
    assert_eq!(stored, said, "entries are messages and answers");

    let contexts = versions(archive, memory_id);
    // Messages that come in a burst are summarised together.
    assert!((1..=entries.len() / 6).contains(&contexts.len()), "at most one version for six messages");
    for context in contexts {
        let news = (text(&context["context_id"]).to_owned(), context["content"].to_string());
        assert_eq!(announced.get(&news), Some(&1), "version {} was not announced", context["version"]);
    }
    facts(archive, &announced, number, acknowledged);
    entries.len()
}

/// Checks the facts stated in a session: one fact for each statement, and only the last is current.
fn facts(archive: &Value, announced: &BTreeMap<(String, String), u64>, number: usize, acknowledged: u64) {
    let key = ["favourite number", "locker code"][number];
    let mut facts: Vec<&Value> = rows(&archive["facts"]).iter().filter(|fact| fact["key"] == key).collect();
    facts.sort_by_key(|fact| text(&fact["value"]).parse::<u64>().unwrap());
    let values: Vec<String> = facts.iter().map(|fact| text(&fact["value"]).to_owned()).collect();
    let stated: Vec<String> = (0..acknowledged).filter(|n| n % 3 == 0).map(|n| n.to_string()).collect();
    assert_eq!(values, stated, "one fact for every statement");
    let holding: Vec<&&Value> = facts.iter().filter(|fact| fact["valid_until"].is_null()).collect();
    assert_eq!(holding.len(), 1, "{holding:?}");
    assert_eq!(Some(holding[0]["value"].as_str().unwrap()), stated.last().map(String::as_str));
    let news = (text(&holding[0]["fact_id"]).to_owned(), holding[0]["value"].to_string());
    assert_eq!(announced.get(&news), Some(&1), "what holds was announced: {news:?}");
}

/// Checks that each entry that a client wrote exists once.
fn notes(archive: &Value, path: &str, acknowledged: u64) -> usize {
    let memory_id = path.rsplit('/').next().unwrap();
    let words: Vec<&str> = of(&archive["entries"], memory_id).iter().map(|entry| text(&entry["raw_entry"])).collect();
    let mut sorted = words.clone();
    sorted.sort_unstable();
    let mut expected: Vec<String> = (0..acknowledged).map(note).collect();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    let contexts = versions(archive, memory_id);
    assert_eq!(contexts.len(), words.len() / 6, "one version for every six entries");
    words.len()
}

/// Checks that each line of each imported conversation exists once.
fn chats(archive: &Value, acknowledged: u64) -> usize {
    let mut count = 0;
    for n in 0..acknowledged {
        let title = format!("chat {n}");
        let memory_id = memory_where(archive, |memory| memory["title"] == title);
        let entries = of(&archive["entries"], memory_id);
        let mut words: Vec<&str> = entries.iter().map(|entry| text(&entry["raw_entry"])).collect();
        words.sort_unstable();
        let expected: Vec<String> = (0..CHAT).map(|place| format!("This is line {place} of chat {n}.")).collect();
        assert_eq!(words, expected);
        assert_eq!(versions(archive, memory_id).len(), 1, "an import is summed up once: chat {n}");
        count += entries.len();
    }
    let titles = rows(&archive["memories"]).iter().filter(|memory| text(&memory["title"]).starts_with("chat "));
    assert_eq!(titles.count() as u64, acknowledged, "no conversation that was not acknowledged");
    count
}
