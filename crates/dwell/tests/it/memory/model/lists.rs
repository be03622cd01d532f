//! The lists of everyday changes and corrections, with a model that answers rightly: everything
//! that may go wrong on the way of its answer is Dwell's.

use std::{collections::HashMap, sync::Arc, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};
use testkit::{ExtractionRequest, RestClient, operation};

use super::{super::search, exchange, scripted, stats};
use crate::owners::add;

/// The lists are spread over these owners, so that few lines of one owner are about the same thing.
const OWNERS: usize = 20;
/// The share of lines after which memory holds the current value and nothing stale.
const RIGHT_PERCENT_MIN: usize = 98;
/// The share of lines whose current value is also found before the marked old one. The rest is up
/// to the ranking, here without an embedding model.
const FIRST_PERCENT_MIN: usize = 98;

/// A line of `updates.jsonl`.
#[derive(Debug, Clone, Deserialize)]
struct Update {
    stated: String,
    changed: String,
    question: String,
    old: Vec<String>,
    current: Vec<String>,
}

/// A line of `corrections.jsonl`.
#[derive(Debug, Clone, Deserialize)]
struct Correction {
    said: Vec<String>,
    question: String,
    right: Vec<String>,
    inverted: Vec<String>,
}

fn list<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let path = format!("{}/../testkit/lists/life/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

/// One line of either list: messages in order, and what holds after them.
#[derive(Debug, Clone)]
struct Case {
    messages: Vec<String>,
    question: String,
    /// What the first message states, unless it is the only one.
    old: Option<String>,
    /// The value after the last message; none if something ended.
    current: Option<String>,
    /// Texts of which one must be in the first current result.
    right: Vec<String>,
    /// Texts that nothing current may contain.
    wrong: Vec<String>,
}

/// The first of the texts that the message contains as whole words, as the message writes it, or
/// all of it.
fn quoted(message: &str, texts: &[String]) -> String {
    let lower = message.to_lowercase();
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let found = texts.iter().find_map(|text| {
        let places =
            lower.match_indices(&text.to_lowercase()).map(|(at, part)| (at, at + part.len())).collect::<Vec<_>>();
        let mut whole = places
            .into_iter()
            .filter(|(from, to)| !is_word(lower[..*from].chars().next_back()) && !is_word(lower[*to..].chars().next()));
        whole.next().and_then(|(from, to)| message.get(from..to)).map(str::to_owned)
    });
    found.unwrap_or_else(|| message.to_owned())
}

fn cases() -> Vec<Case> {
    let updates = list::<Update>("updates").into_iter().map(|line| Case {
        old: Some(quoted(&line.stated, &line.old)),
        current: (!line.current.is_empty()).then(|| quoted(&line.changed, &line.current)),
        messages: vec![line.stated, line.changed],
        question: line.question,
        right: line.current,
        wrong: line.old,
    });
    let corrections = list::<Correction>("corrections").into_iter().map(|line| {
        let last = line.said.last().cloned().unwrap_or_default();
        Case {
            old: (line.said.len() > 1).then(|| quoted(&line.said[0], &line.inverted)),
            current: Some(quoted(&last, &line.right)),
            messages: line.said,
            question: line.question,
            right: line.right,
            wrong: line.inverted,
        }
    });
    updates.chain(corrections).collect()
}

/// What a good model answers about one message of a case.
fn answer(case: &Case, at: usize, number: usize, asked: &ExtractionRequest) -> Vec<Value> {
    let quote = &case.messages[at];
    let key: String = case.question.trim_end_matches('?').chars().take(60).collect();
    let is_last = at + 1 == case.messages.len();
    let stated = case.old.as_deref().filter(|_| at == 0);
    if let Some(value) = stated.or(case.current.as_deref().filter(|_| at == 0)) {
        return vec![operation("add", number, "user", &key, value, quote)];
    }
    let is_old = |fact: &&Value| fact["value"].as_str() == case.old.as_deref();
    let Some(known) = asked.known.iter().find(is_old) else {
        // A secret that was redacted is not known.
        return case.current.iter().map(|value| operation("add", number, "user", &key, value, quote)).collect();
    };
    let touch = |op: &str, value: &str| {
        let mut operation = operation(op, number, "user", &key, value, quote);
        operation["fact"] = known["fact"].clone();
        operation
    };
    let mut list = Vec::new();
    // What the rules have made of the message, if it is not what the message says.
    for read in asked.known.iter().filter(|fact| fact["from_message"] == number) {
        let value = read["value"].as_str().unwrap_or_default().to_lowercase();
        if !case.right.iter().any(|right| value.contains(&right.to_lowercase())) {
            let mut wrong = operation("end", number, read["subject"].as_str().unwrap_or("user"), "", "", quote);
            wrong["fact"] = read["fact"].clone();
            list.push(wrong);
        }
    }
    list.push(match (&case.current, is_last) {
        (Some(value), true) => touch("change", value),
        (None, true) => touch("end", ""),
        (_, false) => touch("contradict", ""),
    });
    list
}

fn script(cases: &[Case]) -> impl Fn(&ExtractionRequest) -> Vec<Value> + Send + Sync + 'static {
    let mut places: HashMap<String, (Arc<Case>, usize)> = HashMap::new();
    for case in cases {
        let case = Arc::new(case.clone());
        for (at, message) in case.messages.iter().enumerate() {
            places.insert(message.clone(), (case.clone(), at));
        }
    }
    move |asked| {
        let known = |(text, n): (&String, usize)| places.get(text).map(|(case, at)| answer(case, *at, n, asked));
        asked.messages.iter().zip(1..).filter_map(known).flatten().collect()
    }
}

/// Waits until the model has nothing left to read.
async fn quiet(rest: &RestClient) {
    for _ in 0..3 {
        stats(rest, |stats| stats["waiting"] == 0).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Whether a text contains one of the parts as whole words.
fn has(text: &str, parts: &[String]) -> bool {
    let plain = |text: &str| {
        let text: String =
            text.to_lowercase().chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { ' ' }).collect();
        format!(" {} ", text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    parts.iter().any(|part| plain(text).contains(plain(part).trim_end()))
}

/// The fault after a case, if there is one, and whether memory holds the right value all the same.
async fn fault(rest: &RestClient, session: &str, case: &Case) -> Option<(bool, String)> {
    let found = search(rest, json!({ "query": case.question, "limit": 50 })).await;
    let items: Vec<&Value> =
        found["items"].as_array().unwrap().iter().filter(|item| item["source"]["session_id"] == session).collect();
    let is_fact = |item: &&&Value| item["level"] == "fact" || item["level"] == "profile";
    let holds = |item: &&&Value| item["valid_until"].is_null() && item["superseded_by"].is_null();
    let last = case.messages.last().unwrap();
    // A fact is judged by its value: its text is the sentence, which may name both values.
    let text = |item: &Value| item["value"].as_str().or(item["text"].as_str()).unwrap_or_default().to_owned();
    let is_right = |item: &Value| has(&text(item), &case.right) || item["text"] == last.as_str();
    let is_wrong = |item: &Value| has(&text(item), &case.wrong) && !is_right(item);
    let first_right = items.iter().position(|item| is_right(item));
    let first_wrong = items.iter().position(|item| is_wrong(item));
    let is_marked = |item: &Value| item["valid_until"].is_string();
    let is_first = match (first_right, first_wrong) {
        // Where something ended, the old value is marked.
        (right, wrong) if case.current.is_none() => {
            (right.is_some() && right < wrong) || items.iter().filter(|item| is_wrong(item)).all(|item| is_marked(item))
        }
        (Some(right), Some(wrong)) => right < wrong,
        (right, _) => right.is_some(),
    };
    let stale = items.iter().filter(is_fact).filter(holds).find(|item| {
        let value = item["value"].as_str().unwrap();
        has(value, &case.wrong) && !has(value, &case.right) && item["doubt"].is_null()
    });
    let kept = items.iter().filter(is_fact).filter(holds).any(|item| has(item["value"].as_str().unwrap(), &case.right));
    let is_kept = case.current.as_ref().is_none_or(|value| kept || *value == *last);
    let shown: Vec<String> = items
        .iter()
        .map(|item| {
            format!(
                "\n    {} {} = {} «{}» until {}",
                item["level"], item["key"], item["value"], item["text"], item["valid_until"]
            )
        })
        .collect();
    let is_held = stale.is_none() && is_kept;
    let shown = format!("{case:?} held {is_held} first {is_first}{}", shown.concat());
    (!is_held || !is_first).then_some((is_held, shown))
}

/// Says the messages of an owner's cases, and reads back what memory holds.
async fn faults(rest: RestClient, cases: Vec<Case>) -> Vec<(bool, String)> {
    let mut sessions = Vec::new();
    for _ in &cases {
        sessions.push(rest.session().await);
    }
    let rounds = cases.iter().map(|case| case.messages.len()).max().unwrap_or(0);
    for round in 0..rounds {
        for (case, session) in cases.iter().zip(&sessions) {
            if let Some(message) = case.messages.get(round) {
                exchange(&rest, session, message).await;
            }
        }
        quiet(&rest).await;
    }
    let mut faults = Vec::new();
    for (case, session) in cases.iter().zip(&sessions) {
        faults.extend(fault(&rest, session, case).await);
    }
    faults
}

#[tokio::test]
#[allow(clippy::print_stderr, reason = "the misses are worth reading also where they are few enough")]
async fn with_a_model_that_extracts_rightly_memory_holds_the_current_value() {
    let all = cases();
    let (_model, program) = scripted(script(&all)).await;
    let server = program.start().await;
    let mut owners = tokio::task::JoinSet::new();
    for number in 0..OWNERS {
        let token = add(&program, &format!("owner{number}")).await;
        let own: Vec<Case> = all.iter().skip(number).step_by(OWNERS).cloned().collect();
        owners.spawn(faults(server.rest_as(Some(&token)), own));
    }
    let misses: Vec<(bool, String)> = owners.join_all().await.into_iter().flatten().collect();
    let counted = stats(&server.rest(), |_| true).await;
    let first = all.len() - misses.len();
    let held = first + misses.iter().filter(|(is_held, _)| *is_held).count();
    let shown: Vec<String> = misses.into_iter().map(|(_, shown)| shown).collect();
    let shown = format!("{held} held and {first} first of {}; {counted}; not so:\n{}", all.len(), shown.join("\n"));
    eprintln!("{shown}");
    assert!(held * 100 >= all.len() * RIGHT_PERCENT_MIN, "{shown}");
    assert!(first * 100 >= all.len() * FIRST_PERCENT_MIN, "{shown}");
}
