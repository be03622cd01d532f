//! Everyday changes, corrections, denials and things not to keep, from the lists in `testkit`: what
//! was said last is told first, nothing is inverted, and what must not be kept is not.

use std::sync::Arc;

use memory::{embedding::Embedder, long_term::NewEntry};
use protocol::{Fact, MemoryHit, MemorySearch};
use serde::Deserialize;

use crate::{
    embedding_model,
    harness::{Harness, owner},
};

#[derive(Deserialize)]
struct Update {
    stated: String,
    changed: String,
    question: String,
    old: Vec<String>,
    current: Vec<String>,
}

#[derive(Deserialize)]
struct Correction {
    said: Vec<String>,
    question: String,
    right: Vec<String>,
    inverted: Vec<String>,
}

#[derive(Deserialize)]
struct NotKept {
    said: String,
}

#[derive(Deserialize)]
struct BothHold {
    first: String,
    second: String,
    both: Vec<Vec<String>>,
}

/// A list of `testkit`, or of the folder in `DWELL_LIFE_LISTS`: others exist.
#[allow(clippy::disallowed_methods, reason = "tests are told where the lists are")]
fn list<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let folder = std::env::var("DWELL_LIFE_LISTS")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../testkit/lists/life").to_owned());
    let text = std::fs::read_to_string(format!("{folder}/{name}.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether a text has one of these words or phrases as a whole.
fn has(text: &str, any: &[String]) -> bool {
    let text = text.to_lowercase();
    any.iter().any(|part| {
        let part = part.to_lowercase();
        let is_short = part.chars().count() < 4;
        text.match_indices(&part).any(|(at, _)| {
            let before = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
            let after = text[at + part.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric());
            before && (after || !is_short)
        })
    })
}

/// What is told about a result: what was said last, then the rest.
fn told(hit: &MemoryHit) -> Vec<String> {
    let item = &hit.item;
    if item.valid_until.is_some() {
        return Vec::new();
    }
    let stated = item.value.as_ref().map_or_else(|| item.text.clone(), |value| format!("{value} ({})", item.text));
    match &item.doubt {
        Some(doubt) => vec![doubt.text.clone()],
        None => vec![stated],
    }
}

/// The first of what is told that has one of two sets of values.
fn first<'t>(told: &'t [String], one: &[String], other: &[String]) -> Option<&'t String> {
    told.iter().find(|text| has(text, one) || has(text, other))
}

/// A fact that still has the old value.
fn is_stale(facts: &[Fact], pair: &Update) -> Option<String> {
    let stale = facts.iter().find(|fact| {
        fact.is_current() && fact.doubt.is_none() && has(&fact.value, &pair.old) && !has(&fact.value, &pair.current)
    });
    stale.map(|fact| format!("{}: {}", fact.key, fact.value))
}

/// Whether what is told first is the current value; where there is none, what was said last.
fn is_current_first(told: &[String], pair: &Update) -> bool {
    match first(told, &pair.current, &pair.old) {
        Some(text) if pair.current.is_empty() => text.as_str() == pair.changed,
        Some(text) => has(text, &pair.current),
        None => pair.current.is_empty(),
    }
}

/// Says what a list came to.
#[allow(clippy::print_stderr, reason = "the lists are a measurement, too")]
fn report(what: &str, count: usize, all: usize) {
    eprintln!("{what}: {count} of {all}");
}

/// Says which lines of a list came out wrong.
#[allow(clippy::print_stderr, reason = "the lists are a measurement, too")]
fn report_misses(what: &str, wrong: &[String]) {
    eprintln!("{what}, wrong:\n{}\n", wrong.join("\n"));
}

struct Life {
    harness: Harness,
}

impl Life {
    fn new(embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { harness: Harness::with(7, embedder.ok_or_else(|| "none".to_owned())) }
    }

    /// Says these things, one after the other, and asks; returns what is told, and the facts.
    async fn lived(&self, name: &str, said: &[&str], question: &str) -> (Vec<String>, Vec<Fact>) {
        let who = owner(name);
        let memory = self.harness.memory(&who, "v", "m").await;
        for words in said {
            self.harness.add(&who, &memory, NewEntry::said("user", *words)).await;
        }
        self.harness.long_term.await_consistency(&who, None, std::time::Duration::from_secs(60)).await.unwrap();
        let search = MemorySearch { query: question.to_owned(), ..MemorySearch::default() };
        let found = self.harness.long_term.search(&who, &search, None).await.unwrap();
        let facts = self.harness.long_term.all_facts(&who).await.unwrap();
        (found.items.iter().flat_map(told).collect(), facts)
    }
}

async fn updates(embedder: Option<Arc<dyn Embedder>>) -> (usize, Vec<String>) {
    let life = Life::new(embedder);
    let (mut right, mut wrong) = (0, Vec::new());
    for (number, pair) in list::<Update>("updates").into_iter().enumerate() {
        let (told, facts) = life.lived(&format!("o{number}"), &[&pair.stated, &pair.changed], &pair.question).await;
        let stale = is_stale(&facts, &pair);
        if is_current_first(&told, &pair) && stale.is_none() {
            right += 1;
        } else {
            let facts: Vec<String> = facts.iter().map(|fact| format!("{}: {}", fact.key, fact.value)).collect();
            wrong.push(format!(
                "{} / {} / {}\n    stale {stale:?}, facts {facts:?}, told {told:?}",
                pair.stated, pair.changed, pair.question
            ));
        }
    }
    (right, wrong)
}

async fn corrections(embedder: Option<Arc<dyn Embedder>>) -> (usize, usize, Vec<String>) {
    let life = Life::new(embedder);
    let (mut right, mut inverted, mut wrong) = (0, 0, Vec::new());
    for (number, line) in list::<Correction>("corrections").into_iter().enumerate() {
        let said: Vec<&str> = line.said.iter().map(String::as_str).collect();
        let (told, facts) = life.lived(&format!("o{number}"), &said, &line.question).await;
        let denies = |text: &str| {
            let text = text.to_lowercase();
            let words = text.split(|c: char| !c.is_alphanumeric());
            words.into_iter().any(|word| ["no", "not", "none", "never", "neither", "only"].contains(&word))
        };
        let is_inverted = facts.iter().filter(|fact| fact.is_current() && fact.doubt.is_none()).any(|fact| {
            let whole = format!("{}: {}", fact.key, fact.value);
            let last = |phrase: &String| phrase.rsplit(' ').next().unwrap_or_default().to_owned();
            let denied: Vec<String> = line.inverted.iter().map(last).collect();
            let positive = said.len() == 1 && !denies(&fact.value) && has(&whole, &denied);
            positive || has(&whole, &line.inverted) && !has(&fact.value, &line.right)
        });
        inverted += usize::from(is_inverted);
        // A denial is quoted as it was said.
        let is_right =
            told.first().is_some_and(|text| has(text, &line.right) || said.len() == 1 && text.contains(said[0]));
        let is_right = is_right || first(&told, &line.right, &line.inverted).is_some_and(|text| has(text, &line.right));
        right += usize::from(is_right && !is_inverted);
        if !is_right || is_inverted {
            let facts: Vec<String> = facts.iter().map(|fact| format!("{}: {}", fact.key, fact.value)).collect();
            wrong.push(format!(
                "{said:?} / {}\n    inverted {is_inverted}, facts {facts:?}, told {told:?}",
                line.question
            ));
        }
    }
    (right, inverted, wrong)
}

#[tokio::test]
async fn what_changed_is_told_as_it_is_now() {
    let (right, wrong) = updates(None).await;
    let all = right + wrong.len();
    report("changed, by words", right, all);
    report_misses("changed, by words", &wrong);
    assert!(right * 100 >= all * 90, "{right} of {all} right:\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn what_changed_is_told_as_it_is_now_with_embeddings() {
    let Some(embedder) = embedding_model::shared() else { return };
    let (right, wrong) = updates(Some(embedder)).await;
    let all = right + wrong.len();
    report("changed, with embeddings", right, all);
    report_misses("changed, with embeddings", &wrong);
    assert!(right * 100 >= all * 90, "{right} of {all} right:\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn denials_are_never_inverted_and_corrections_hold() {
    let (right, inverted, wrong) = corrections(None).await;
    let all = right + wrong.len();
    report("corrections right", right, all);
    report("inverted", inverted, all);
    report_misses("corrections", &wrong);
    assert_eq!(inverted, 0, "inverted:\n{}", wrong.join("\n"));
    assert!(right * 100 >= all * 90, "{right} of {all} right:\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn what_is_no_statement_is_not_kept() {
    let life = Life::new(None);
    let (lines, mut kept) = (list::<NotKept>("not_kept"), Vec::new());
    for (number, line) in lines.iter().enumerate() {
        let (_, facts) = life.lived(&format!("o{number}"), &[&line.said], &line.said).await;
        kept.extend(facts.first().map(|fact| format!("{}\n    {}: {}", line.said, fact.key, fact.value)));
    }
    report("kept wrongly", kept.len(), lines.len());
    assert!(kept.len() * 50 <= lines.len(), "{} of {} kept:\n{}", kept.len(), lines.len(), kept.join("\n"));
}

/// What of a list of pairs that both hold was ended, and what made doubtful.
async fn both_hold(embedder: Option<Arc<dyn Embedder>>) -> (usize, Vec<String>, Vec<String>) {
    let life = Life::new(embedder);
    let (lines, mut ended, mut doubtful) = (list::<BothHold>("both_hold"), Vec::new(), Vec::new());
    for (number, line) in lines.iter().enumerate() {
        let (_, facts) = life.lived(&format!("o{number}"), &[&line.first, &line.second], &line.first).await;
        let first = facts.iter().filter(|fact| line.both.first().is_some_and(|value| has(&fact.value, value)));
        for fact in first {
            let shown = format!("{} / {}\n    {}: {}", line.first, line.second, fact.key, fact.value);
            match (fact.is_current(), &fact.doubt) {
                (false, _) => ended.push(shown),
                (true, Some(_)) => doubtful.push(shown),
                (true, None) => {}
            }
        }
    }
    (lines.len(), ended, doubtful)
}

#[tokio::test]
async fn what_holds_beside_another_is_not_ended_by_it() {
    let (all, ended, doubtful) = both_hold(None).await;
    report("ended wrongly", ended.len(), all);
    report("made doubtful wrongly", doubtful.len(), all);
    report_misses("made doubtful", &doubtful);
    assert!(ended.is_empty(), "{} ended:\n{}", ended.len(), ended.join("\n"));
    assert!(doubtful.len() * 10 <= all, "{} doubtful:\n{}", doubtful.len(), doubtful.join("\n"));
}

#[tokio::test]
async fn what_holds_beside_another_is_not_ended_by_it_with_embeddings() {
    let Some(embedder) = embedding_model::shared() else { return };
    let (all, ended, doubtful) = both_hold(Some(embedder)).await;
    report("ended wrongly, with embeddings", ended.len(), all);
    report("made doubtful wrongly, with embeddings", doubtful.len(), all);
    report_misses("made doubtful, with embeddings", &doubtful);
    assert!(ended.is_empty(), "{} ended:\n{}", ended.len(), ended.join("\n"));
}

/// How often a statement is made doubtful by what another line of the list says next.
async fn unrelated(embedder: Option<Arc<dyn Embedder>>) -> (usize, Vec<String>) {
    const APART: usize = 7;
    let life = Life::new(embedder);
    let (lines, mut touched) = (list::<Update>("updates"), Vec::new());
    for (number, line) in lines.iter().enumerate() {
        let other = &lines[(number + APART) % lines.len()];
        let (_, facts) = life.lived(&format!("o{number}"), &[&line.stated, &other.changed], &line.question).await;
        let first =
            facts.iter().find(|fact| has(&fact.value, &line.old) && (!fact.is_current() || fact.doubt.is_some()));
        touched
            .extend(first.map(|fact| format!("{} / {}\n    {}: {}", line.stated, other.changed, fact.key, fact.value)));
    }
    (lines.len(), touched)
}

#[tokio::test]
async fn what_is_said_next_of_something_else_mostly_touches_nothing() {
    let (all, touched) = unrelated(None).await;
    report("touched by something else", touched.len(), all);
    report_misses("touched by something else", &touched);
    assert!(touched.len() * 100 <= all * 35, "{} of {all} touched:\n{}", touched.len(), touched.join("\n"));
    if let Some(embedder) = embedding_model::shared() {
        let (all, touched) = unrelated(Some(embedder)).await;
        report("touched by something else, with embeddings", touched.len(), all);
        report_misses("touched by something else, with embeddings", &touched);
        assert!(touched.len() * 100 <= all * 35, "{} of {all} touched:\n{}", touched.len(), touched.join("\n"));
    }
}

/// A line in another language: an update, a denial or correction, or something not to keep.
#[derive(Deserialize)]
#[serde(untagged)]
enum OtherLanguage {
    Update(Update),
    Correction(Correction),
    NotKept(NotKept),
}

#[tokio::test]
async fn other_languages_are_read_too() {
    let life = Life::new(None);
    let (mut right, mut wrong, mut kept) = (0, Vec::new(), Vec::new());
    for (number, line) in list::<OtherLanguage>("languages").into_iter().enumerate() {
        let name = format!("o{number}");
        match line {
            OtherLanguage::Update(pair) => {
                let (told, facts) = life.lived(&name, &[&pair.stated, &pair.changed], &pair.question).await;
                let stale = is_stale(&facts, &pair);
                if is_current_first(&told, &pair) && stale.is_none() {
                    right += 1;
                } else {
                    wrong.push(format!(
                        "{} / {} / {}\n    {stale:?}, {told:?}",
                        pair.stated, pair.changed, pair.question
                    ));
                }
            }
            OtherLanguage::Correction(line) => {
                let said: Vec<&str> = line.said.iter().map(String::as_str).collect();
                let (told, facts) = life.lived(&name, &said, &line.question).await;
                let whole = |fact: &Fact| format!("{}: {}", fact.key, fact.value);
                let inverted = facts.iter().find(|fact| {
                    fact.is_current()
                        && fact.doubt.is_none()
                        && has(&whole(fact), &line.inverted)
                        && fact.value != "none"
                });
                if inverted.is_some() {
                    wrong.push(format!("{said:?} is inverted: {:?}, {told:?}", inverted.map(whole)));
                } else {
                    right += 1;
                }
            }
            OtherLanguage::NotKept(line) => {
                let (_, facts) = life.lived(&name, &[&line.said], &line.said).await;
                kept.extend(facts.first().map(|fact| format!("{}\n    {}: {}", line.said, fact.key, fact.value)));
                right += usize::from(facts.is_empty());
            }
        }
    }
    let all = right + wrong.len() + kept.len();
    report("other languages", right, all);
    assert!(kept.len() <= 1, "{} kept:\n{}", kept.len(), kept.join("\n"));
    assert!(right * 100 >= all * 80, "{right} of {all} right:\n{}", wrong.join("\n"));
}
