//! The home: why something happened there, what went on, what is wrong. An answer takes several
//! rounds, each derived from the results so far: entities are searched, those found are examined,
//! and the findings are reported with their sources.

mod question;
mod report;

use model::{Call, Message, Prompt};
use serde_json::{Value, json};

use super::{OfflineAnswer, PromptContext, fallback, reply_plan, text_of, tools};
use question::HomeQuestion;

pub(super) const SEARCH: &str = "search_entities";
const DIAGNOSE: &str = "diagnose_entity";
const ANALYZE: &str = "analyze_errors";
pub(super) const LOGBOOK: &str = "get_logbook";
const HISTORY: &str = "get_history";
/// What is around the reason in the note about a home that cannot be reached.
const OUT_OF_REACH: &str = "The home cannot be reached right now (";
const OUT_OF_REACH_END: &str = "); what is known of it";
/// The most entities that are examined.
const LOOKED_INTO_MAX: usize = 3;
/// The most entities that a search returns.
const FOUND_MAX: usize = 8;

/// The next step of an answer about the home; none if the message is not about it.
pub fn answer(prompt: &Prompt) -> Option<OfflineAnswer> {
    let asked_at = prompt.messages.iter().rposition(|message| matches!(message, Message::User { .. }))?;
    let asked = question::read(text_of(prompt.messages.get(asked_at)))?;
    let offered = |name: &str| tools::offered(prompt, name).is_some();
    if !offered(SEARCH) || !is_about_home(prompt, asked_at, &asked) {
        return None;
    }
    // "Open the timer" is not about the home.
    if matches!(asked, HomeQuestion::Command { .. }) {
        let scene = PromptContext { prompt, before: &prompt.messages[..asked_at] };
        let reading = reply_plan::read(text_of(prompt.messages.get(asked_at)), &scene);
        if !reading.steps.is_empty() {
            return None;
        }
    }
    let results: Vec<(&str, &str)> = prompt.messages[asked_at..]
        .iter()
        .filter_map(|message| match message {
            Message::Result { tool, text, .. } => Some((tool.as_str(), text.as_str())),
            _ => None,
        })
        .collect();
    let of = |wanted: &str| -> Vec<&str> {
        results.iter().filter(|(tool, _)| *tool == wanted).map(|(_, text)| *text).collect()
    };
    // Results of another model's calls are reported elsewhere.
    let ours = [SEARCH, DIAGNOSE, ANALYZE, LOGBOOK, HISTORY];
    if results.iter().any(|(tool, _)| !ours.contains(tool)) {
        return None;
    }
    match &asked {
        HomeQuestion::Trouble { period } => {
            let found = of(ANALYZE);
            Some(match found.first() {
                Some(text) => tell(prompt, report::incidents(text).or_else(|| Some(report::unread(text)))),
                None => call(prompt, ANALYZE, vec![with_period(json!({}), period.as_deref())]),
            })
        }
        HomeQuestion::Happened { period } => {
            let found = of(LOGBOOK);
            Some(match found.first() {
                Some(text) => tell(prompt, report::logbook(text).or_else(|| Some(report::unread(text)))),
                None => call(prompt, LOGBOOK, vec![with_period(json!({}), period.as_deref())]),
            })
        }
        HomeQuestion::Command { subject } => Some(match of(SEARCH).first() {
            Some(found) => tell(prompt, report::near(found, subject)),
            None => call(prompt, SEARCH, vec![json!({ "text": subject, "limit": LOOKED_INTO_MAX })]),
        }),
        HomeQuestion::Why { subject, period } | HomeQuestion::Past { subject, period } => {
            let is_past = matches!(asked, HomeQuestion::Past { .. });
            let (tool, looked_into) = if is_past { (HISTORY, of(HISTORY)) } else { (DIAGNOSE, of(DIAGNOSE)) };
            if !looked_into.is_empty() {
                let words = if is_past { report::history(&looked_into) } else { report::diagnoses(&looked_into) };
                return Some(tell(prompt, words));
            }
            let Some(found) = of(SEARCH).first().copied() else {
                let wanted = json!({ "text": subject, "limit": FOUND_MAX });
                return Some(call(prompt, SEARCH, vec![wanted]));
            };
            if report::is_failed(found) {
                return Some(tell(prompt, Some(report::unread(found))));
            }
            let ids = report::entities(found, subject);
            if ids.is_empty() {
                // "Why is the sky blue" is not about a lamp.
                return Some(tell(prompt, None));
            }
            let ids: Vec<String> = ids.into_iter().take(LOOKED_INTO_MAX).collect();
            let arguments = if is_past {
                vec![with_period(json!({ "entity_ids": ids }), period.as_deref())]
            } else {
                ids.iter().map(|id| with_period(json!({ "entity_id": id }), period.as_deref())).collect()
            };
            Some(call(prompt, tool, arguments))
        }
    }
}

/// Why a question about the state of something cannot be answered: the home cannot be reached. The
/// notes beside a message say so if it is about the home.
pub fn out_of_reach(message: Option<&Message>) -> Option<String> {
    let Some(Message::User { text, notes, .. }) = message else { return None };
    let (_, rest) = notes.split_once(OUT_OF_REACH)?;
    let (why, _) = rest.split_once(OUT_OF_REACH_END)?;
    question::asks_for_state(text).then(|| format!("The home cannot be reached: {}.", why.trim_end_matches('.')))
}

/// Whether the message is about the home: it says so, or the prompt describes the home for it.
fn is_about_home(prompt: &Prompt, asked_at: usize, asked: &HomeQuestion) -> bool {
    let names_home = !matches!(asked, HomeQuestion::Why { .. } | HomeQuestion::Past { .. });
    let is_told = prompt.system.contains("`search_entities` finds them");
    let is_begun = prompt.messages[asked_at..].iter().any(|message| matches!(message, Message::Result { .. }));
    names_home || is_told || is_begun
}

fn with_period(mut arguments: Value, period: Option<&str>) -> Value {
    if let (Some(period), Some(fields)) = (period, arguments.as_object_mut()) {
        fields.insert("period".to_owned(), period.into());
    }
    arguments
}

fn call(prompt: &Prompt, tool: &str, arguments: Vec<Value>) -> OfflineAnswer {
    if tools::offered(prompt, tool).is_none() {
        return OfflineAnswer { text: tools::missing(prompt, tool), calls: Vec::new() };
    }
    let calls = arguments.into_iter().enumerate().map(|(number, arguments)| Call {
        id: format!("offline-{}-{}", prompt.messages.len(), number + 1),
        tool: tool.to_owned(),
        arguments,
        signatures: Vec::new(),
    });
    OfflineAnswer { text: String::new(), calls: calls.collect() }
}

fn tell(prompt: &Prompt, words: Option<String>) -> OfflineAnswer {
    let text = match words {
        Some(words) if prompt.system.contains("simulated home") => format!("{words}\n\n(This is the simulated home.)"),
        Some(words) => words,
        None => fallback::notice(),
    };
    OfflineAnswer { text, calls: Vec::new() }
}
