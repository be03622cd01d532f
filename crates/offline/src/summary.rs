//! Extracts: the sentences of a text or of the conversation that share most words with the others,
//! in their order.

use std::collections::{BTreeMap, BTreeSet};

use model::Message;

use super::{
    PromptContext, ReplyStep, analyser, fallback,
    sentences::{quote, sentences},
    words::Clause,
};

const SENTENCES_MAX: usize = 5;
/// Bytes of a text, or of the conversation, that an extract is made of.
const TEXT_BYTES_MAX: usize = 64 * 1024;

const GIVEN: &[&str] = &[
    "summarise|summarize|recap|shorten this|the? following? text|article|message|passage|paragraph?",
    "sum up this|the? following? text|article|message?",
    "give me a summary of this|the following? text|article|message?",
    "tl dr",
    "tldr",
];

const CONVERSATION: &[&str] = &[
    "summarise|summarize|recap our|the|this? whole? conversation|chat|discussion|session|talk so? far?",
    "sum up our|the|this? conversation|chat|discussion|session|talk so? far?",
    "give|show|write me? a? short|brief? summary|recap of our|the|this conversation|chat|discussion|session so? far?",
    "what have|did we talked|talk|discussed|discuss about? so? far?",
    "summary of our|the|this conversation|chat|discussion|session",
    "summarise|summarize|recap everything? so? far?",
];

/// An extract if the clause asks for a summary of the conversation.
pub fn recognise(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    clause.is_any(CONVERSATION).then(|| ReplyStep::Say(of_conversation(scene)))
}

/// An extract if the message asks for a summary and contains the text.
pub fn of_given(clause: &Clause<'_>) -> Option<ReplyStep> {
    let rest = GIVEN.iter().find_map(|rule| {
        let rest = clause.after(clause.begins(rule)?).trim_start_matches([' ', '\t', '\r']);
        rest.strip_prefix([':', '\n'])
    })?;
    let found = sentences(&rest[..rest.floor_char_boundary(TEXT_BYTES_MAX)]);
    (!found.is_empty()).then(|| ReplyStep::Say(extract("the text", &found, quote)))
}

fn of_conversation(scene: &PromptContext<'_>) -> String {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for message in scene.before {
        let (who, text) = match message {
            Message::User { text, .. } => ("You", text),
            // A refusal says nothing about the conversation.
            Message::Assistant { text, .. } if !text.contains(fallback::NEEDS_MODEL) => ("I", text),
            _ => continue,
        };
        let space = TEXT_BYTES_MAX.saturating_sub(found.iter().map(|(_, sentence)| sentence.len()).sum());
        let text = &text[..text.floor_char_boundary(space)];
        found.extend(sentences(text).into_iter().map(|sentence| (who, sentence)));
    }
    if found.is_empty() {
        return "There is nothing to summarize yet: this conversation has just begun.".to_owned();
    }
    let texts: Vec<&str> = found.iter().map(|(_, text)| *text).collect();
    let who: BTreeMap<&str, &str> = found.iter().rev().map(|(who, text)| (*text, *who)).collect();
    extract("our conversation", &texts, |text| format!("{}: {}", who.get(text).unwrap_or(&"You"), quote(text)))
}

fn extract(of: &str, all: &[&str], line: impl Fn(&str) -> String) -> String {
    let chosen = central(all);
    let lines: Vec<String> =
        chosen.iter().filter_map(|at| all.get(*at)).map(|text| format!("- {}", line(text))).collect();
    let (count, total) = (lines.len(), all.len());
    let what =
        if count == total { "all of its sentences".to_owned() } else { format!("{count} of its {total} sentences") };
    format!("This is an extract of {of}, not a summary in words of my own: {what}.\n{}", lines.join("\n"))
}

/// The most central sentences, in their order.
fn central(all: &[&str]) -> Vec<usize> {
    let stems: Vec<BTreeSet<String>> =
        all.iter().map(|text| analyser::terms(text).map(|term| term.stem).collect()).collect();
    let mut spread: BTreeMap<&str, u32> = BTreeMap::new();
    for stem in stems.iter().flatten() {
        *spread.entry(stem.as_str()).or_default() += 1;
    }
    let score = |stems: &BTreeSet<String>| {
        let shared = stems.iter().filter_map(|stem| spread.get(stem.as_str())).filter(|count| **count > 1);
        let sum: f64 = shared.map(|count| f64::from(*count).ln_1p()).sum();
        // Long sentences share more words because they are long.
        sum / f64::from(u32::try_from(stems.len()).unwrap_or(u32::MAX)).max(4.0).sqrt()
    };
    let mut seen = BTreeSet::new();
    let mut ranked: Vec<(usize, f64)> = stems
        .iter()
        .enumerate()
        .filter(|(at, _)| seen.insert(all[*at]))
        .map(|(at, stems)| (at, score(stems)))
        .collect();
    // The opening of a text often says what it is about.
    if let Some((_, score)) = ranked.first_mut() {
        *score *= 1.2;
    }
    ranked.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0)));
    let mut chosen: Vec<usize> = ranked.into_iter().take(SENTENCES_MAX).map(|(at, _)| at).collect();
    chosen.sort_unstable();
    chosen
}
