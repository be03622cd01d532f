//! The home: why something happened there, what went on, what is wrong. An answer takes several rounds, each read off the
//! results so far: what is meant is looked for, what was found is looked into, and what came of that is told with its
//! sources.

mod asked;
mod told;

use serde_json::{Value, json};

use super::{Answer, Scene, fallback, reading, text_of, tools};
use crate::{Call, Message, Prompt};
use asked::Asked;

const SEARCH: &str = "search_entities";
const DIAGNOSE: &str = "diagnose_entity";
const ANALYZE: &str = "analyze_errors";
const LOGBOOK: &str = "get_logbook";
const HISTORY: &str = "get_history";
/// Entities that are looked into.
const LOOKED_INTO_MAX: usize = 3;
/// Entities that are looked for.
const FOUND_MAX: usize = 8;

/// The next step of an answer about the home; none if the message is not about it.
pub fn answer(prompt: &Prompt) -> Option<Answer> {
    let asked_at = prompt.messages.iter().rposition(|message| matches!(message, Message::User { .. }))?;
    let asked = asked::read(text_of(prompt.messages.get(asked_at)))?;
    let offered = |name: &str| tools::offered(prompt, name).is_some();
    if !offered(SEARCH) || !is_about_home(prompt, asked_at, &asked) {
        return None;
    }
    // "Open the timer" is not about the home.
    if matches!(asked, Asked::Command { .. }) {
        let scene = Scene { prompt, before: &prompt.messages[..asked_at] };
        let reading = reading::read(text_of(prompt.messages.get(asked_at)), &scene);
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
    // What another model asked for is told by whoever knows that.
    let ours = [SEARCH, DIAGNOSE, ANALYZE, LOGBOOK, HISTORY];
    if results.iter().any(|(tool, _)| !ours.contains(tool)) {
        return None;
    }
    match &asked {
        Asked::Trouble { period } => {
            let found = of(ANALYZE);
            Some(match found.first() {
                Some(text) => tell(prompt, told::incidents(text)),
                None => call(prompt, ANALYZE, vec![with_period(json!({}), period.as_deref())]),
            })
        }
        Asked::Happened { period } => {
            let found = of(LOGBOOK);
            Some(match found.first() {
                Some(text) => tell(prompt, told::logbook(text)),
                None => call(prompt, LOGBOOK, vec![with_period(json!({}), period.as_deref())]),
            })
        }
        Asked::Command { subject } => Some(match of(SEARCH).first() {
            Some(found) => tell(prompt, told::near(found, subject)),
            None => call(prompt, SEARCH, vec![json!({ "text": subject, "limit": LOOKED_INTO_MAX })]),
        }),
        Asked::Why { subject, period } | Asked::Past { subject, period } => {
            let is_past = matches!(asked, Asked::Past { .. });
            let (tool, looked_into) = if is_past { (HISTORY, of(HISTORY)) } else { (DIAGNOSE, of(DIAGNOSE)) };
            if !looked_into.is_empty() {
                let words = if is_past { told::history(&looked_into) } else { told::diagnoses(&looked_into) };
                return Some(tell(prompt, words));
            }
            let Some(found) = of(SEARCH).first().copied() else {
                let wanted = json!({ "text": subject, "limit": FOUND_MAX });
                return Some(call(prompt, SEARCH, vec![wanted]));
            };
            let ids = told::entities(found, subject);
            if ids.is_empty() {
                // Whoever asks why the sky is blue does not mean a lamp.
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

/// Whether the home is what the message is about: it says so, or the model was told of the home for it.
fn is_about_home(prompt: &Prompt, asked_at: usize, asked: &Asked) -> bool {
    let names_home = !matches!(asked, Asked::Why { .. } | Asked::Past { .. });
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

fn call(prompt: &Prompt, tool: &str, arguments: Vec<Value>) -> Answer {
    if tools::offered(prompt, tool).is_none() {
        return Answer { text: tools::missing(prompt, tool), calls: Vec::new() };
    }
    let calls = arguments.into_iter().enumerate().map(|(number, arguments)| Call {
        id: format!("offline-{}-{}", prompt.messages.len(), number + 1),
        tool: tool.to_owned(),
        arguments,
        signatures: Vec::new(),
    });
    Answer { text: String::new(), calls: calls.collect() }
}

fn tell(prompt: &Prompt, words: Option<String>) -> Answer {
    let text = match words {
        Some(words) if prompt.system.contains("simulated home") => format!("{words}\n\n(This is the simulated home.)"),
        Some(words) => words,
        None => fallback::notice(prompt),
    };
    Answer { text, calls: Vec::new() }
}
