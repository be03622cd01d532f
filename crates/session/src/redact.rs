//! Redaction: removes text from events, which keep their sequence numbers. The only part of this
//! crate that rewrites recorded events.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{Body, Event, FORGOTTEN, ItemId, Level, Step, TurnId};
use serde_json::Value;

use crate::redact_turn::without_words;

/// Replaces each character of redacted streamed text, so that offsets stay valid.
pub(crate) const MASK: char = '█';

/// What is to be redacted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Redaction {
    /// Texts that are removed wherever they occur.
    pub texts: Vec<String>,
    /// Events that lose all of their text.
    pub records: BTreeSet<u64>,
    /// Words whose sentences are removed from a turn.
    pub turns: BTreeMap<TurnId, Vec<String>>,
    /// Words whose sentences are removed from every turn that had the item in its context.
    pub items: BTreeMap<ItemId, Vec<String>>,
    /// Turns that lose all of their text.
    pub whole_turns: BTreeSet<TurnId>,
}

/// The events that change, with their redacted content.
pub fn redact_events(events: &[Event], redaction: &Redaction) -> Vec<(u64, Body)> {
    let turns = turns(events, redaction);
    let mut struck: BTreeMap<u64, Body> = BTreeMap::new();
    for event in events {
        let words = event.turn_id.and_then(|turn| turns.get(&turn)).map_or(&[][..], Vec::as_slice);
        if let Some(body) = redact_body(event, redaction, words) {
            struck.insert(event.seq, body);
        }
    }
    let read_off = redact_extracted(events, &struck);
    struck.extend(read_off);
    for turn_id in events.iter().filter_map(|event| event.turn_id).collect::<BTreeSet<_>>() {
        let words = turns.get(&turn_id).map_or(&[][..], Vec::as_slice);
        let of_turn: Vec<&Event> = events.iter().filter(|event| event.turn_id == Some(turn_id)).collect();
        struck.extend(mask_stream(&of_turn, redaction, words));
    }
    for event in events.iter().filter(|event| event.turn_id.is_some_and(|id| redaction.whole_turns.contains(&id))) {
        let left = without_words(struck.get(&event.seq).unwrap_or(&event.body));
        if left != event.body {
            struck.insert(event.seq, left);
        }
    }
    struck.into_iter().collect()
}

/// The words to redact in each turn: those listed for the turn, and those of the items in its
/// context or in the results of its calls.
fn turns(events: &[Event], redaction: &Redaction) -> BTreeMap<TurnId, Vec<String>> {
    let mut turns = redaction.turns.clone();
    for event in events {
        let Some(turn_id) = event.turn_id else { continue };
        let items: Vec<&Vec<String>> = match &event.body {
            Body::MemoryUsed(used) => used.items.iter().filter_map(|item| redaction.items.get(&item.id?)).collect(),
            // A tool that looks into memory gives the ids of what it found.
            Body::Step(Step::ToolResult(result)) => {
                let is_found = |id: &ItemId| result.content.contains(&id.to_string());
                redaction.items.iter().filter(|(id, _)| is_found(id)).map(|(_, words)| words).collect()
            }
            _ => Vec::new(),
        };
        for words in items {
            turns.entry(turn_id).or_default().extend(words.iter().cloned());
        }
    }
    turns
}

fn redact_body(event: &Event, redaction: &Redaction, words: &[String]) -> Option<Body> {
    let mut body = event.body.clone();
    match &mut body {
        // Streamed text is masked as a whole, since a word may span two events.
        Body::Text(_) | Body::Thinking(_) => return None,
        Body::MessageAccepted(accepted) if redaction.records.contains(&event.seq) => {
            FORGOTTEN.clone_into(&mut accepted.request.message);
            accepted.request.images.clear();
        }
        Body::MessageSteered(steered) if redaction.records.contains(&event.seq) => {
            FORGOTTEN.clone_into(&mut steered.request.message);
            steered.request.images.clear();
        }
        Body::Final(response) if redaction.records.contains(&event.seq) => {
            FORGOTTEN.clone_into(&mut response.message);
            response.reasoning_summary = None;
            response.suggestions.clear();
        }
        Body::MemoryUsed(used) => {
            for item in &mut used.items {
                if item.id.is_some_and(|id| redaction.items.contains_key(&id)) {
                    FORGOTTEN.clone_into(&mut item.text);
                } else if item.level == Level::Context {
                    redact_summary(&mut item.text, redaction);
                }
            }
        }
        Body::SummaryCreated(summary) => redact_summary(&mut summary.value, redaction),
        Body::MemoryWritten(written) if written.id.is_some_and(|id| redaction.items.contains_key(&id)) => {
            written.value = written.value.as_ref().map(|_| FORGOTTEN.to_owned());
        }
        _ => {}
    }
    let mut value = serde_json::to_value(&body).ok()?;
    let texts = with_written(&redaction.texts);
    redact_value(&mut value, &texts, words);
    let mut body = serde_json::from_value(value).unwrap_or_else(|_| redact_each(body, &texts, words));
    keep_rules(&mut body, &event.body);
    (body != event.body).then_some(body)
}

/// Restores what a session's settings say about models and tools. They hold names, no words of a
/// conversation, and a rule whose name is redacted would no longer forbid anything.
fn keep_rules(redacted: &mut Body, original: &Body) {
    let (redacted, original) = match (redacted, original) {
        (Body::SessionStarted(redacted), Body::SessionStarted(original)) => {
            (&mut redacted.settings, &original.settings)
        }
        (Body::SessionUpdated(redacted), Body::SessionUpdated(original)) => {
            (&mut redacted.settings, &original.settings)
        }
        _ => return,
    };
    redacted.policy.clone_from(&original.policy);
    redacted.model.clone_from(&original.model);
    redacted.pinned_tools.clone_from(&original.pinned_tools);
}

/// The texts, and the texts as they look inside a JSON string, which is how a tool's answer
/// contains them.
fn with_written(texts: &[String]) -> Vec<String> {
    let mut all = texts.to_vec();
    for text in texts {
        let written = Value::String(text.clone()).to_string();
        let written = written.trim_start_matches('"').strip_suffix('"').unwrap_or_default();
        if written != text {
            all.push(written.to_owned());
        }
    }
    all
}

/// Redacts text by text. Ids and names of kinds stay even if they contain the words, so that the
/// event remains valid.
fn redact_each(body: Body, texts: &[String], words: &[String]) -> Body {
    let Ok(whole) = serde_json::to_value(&body) else { return body };
    let mut places = Vec::new();
    places_of(&whole, String::new(), &mut places);
    places.iter().fold(body, |left, place| {
        let Ok(mut value) = serde_json::to_value(&left) else { return left };
        let Some(text) = value.pointer_mut(place) else { return left };
        redact_value(text, texts, words);
        serde_json::from_value(value).unwrap_or(left)
    })
}

/// The JSON pointers of all strings in a value.
pub(crate) fn places_of(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::String(_) => places.push(place),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| places_of(item, format!("{place}/{at}"), places));
        }
        Value::Object(fields) => fields.iter().for_each(|(name, field)| {
            let name = name.replace('~', "~0").replace('/', "~1");
            places_of(field, format!("{place}/{name}"), places);
        }),
        _ => {}
    }
}

/// Names and numbers were extracted from the message literally. Those that have gone from the
/// message are removed here too.
fn redact_extracted(events: &[Event], struck: &BTreeMap<u64, Body>) -> Vec<(u64, Body)> {
    let mut left: BTreeMap<TurnId, String> = BTreeMap::new();
    for body in struck.values() {
        if let Body::MessageAccepted(accepted) = body {
            left.insert(accepted.turn_id, accepted.request.message.to_lowercase());
        }
    }
    let stages = events.iter().filter_map(|event| {
        let message = left.get(&event.turn_id?)?;
        let body = struck.get(&event.seq).unwrap_or(&event.body);
        let Body::TurnStage(stage) = body else { return None };
        let mut stage = stage.clone();
        let entities = stage.detail.as_mut()?.get_mut("entities")?.as_array_mut()?;
        for text in entities.iter_mut().filter_map(|entity| entity.get_mut("text")) {
            if text.as_str().is_some_and(|text| !message.contains(&text.to_lowercase())) {
                *text = Value::from(FORGOTTEN);
            }
        }
        let body = Body::TurnStage(stage);
        (body != event.body).then_some((event.seq, body))
    });
    stages.collect()
}

/// A summary may mention redacted text of any turn.
fn redact_summary(text: &mut String, redaction: &Redaction) {
    let words: Vec<String> = redaction.items.values().chain(redaction.turns.values()).flatten().cloned().collect();
    if let Some(struck) = redact_text(text, &redaction.texts, &words) {
        *text = struck;
    }
}

fn redact_value(value: &mut Value, texts: &[String], words: &[String]) {
    match value {
        Value::String(text) => {
            if let Some(struck) = redact_text(text, texts, words) {
                *text = struck;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(item, texts, words)),
        Value::Object(fields) => fields.values_mut().for_each(|field| redact_value(field, texts, words)),
        _ => {}
    }
}

/// The text without the given texts and without the sentences that contain one of the words; `None`
/// if it contains neither.
pub fn redact_text(text: &str, texts: &[String], words: &[String]) -> Option<String> {
    let ranges = ranges(text, texts, words);
    if ranges.is_empty() {
        return None;
    }
    let mut struck = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to) in ranges {
        struck.push_str(&text[at..from]);
        struck.push_str(FORGOTTEN);
        at = to;
    }
    struck.push_str(&text[at..]);
    Some(struck)
}

/// Where the words occur in a text, in order and without overlap.
fn ranges(text: &str, texts: &[String], words: &[String]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for needle in texts.iter().filter(|needle| !needle.is_empty()) {
        found.extend(occurrences(text, needle));
    }
    for needle in words.iter().filter(|needle| !needle.is_empty()) {
        let whole = occurrences(text, needle).into_iter().filter(|(from, to)| is_whole(text, *from, *to));
        found.extend(whole.map(|(from, to)| sentence_around(text, from, to)));
    }
    found.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (from, to) in found {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// Where one text occurs in another, ignoring case.
fn occurrences(text: &str, needle: &str) -> Vec<(usize, usize)> {
    let fold = |c: char| c.to_lowercase().next().unwrap_or(c);
    let needle: Vec<char> = needle.chars().map(fold).collect();
    let chars: Vec<(usize, char)> = text.char_indices().map(|(at, c)| (at, fold(c))).collect();
    let end_of = |index: usize| chars.get(index).map_or(text.len(), |(at, _)| *at);
    let mut found = Vec::new();
    let mut index = 0;
    while index + needle.len() <= chars.len() {
        if chars[index..index + needle.len()].iter().map(|(_, c)| c).eq(needle.iter()) {
            found.push((chars[index].0, end_of(index + needle.len())));
            index += needle.len();
        } else {
            index += 1;
        }
    }
    found
}

fn is_whole(text: &str, from: usize, to: usize) -> bool {
    let is_free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    is_free(text[..from].chars().next_back()) && is_free(text[to..].chars().next())
}

/// The sentence or line around a range.
fn sentence_around(text: &str, from: usize, to: usize) -> (usize, usize) {
    let is_end = |at: usize, c: char| {
        c == '\n' || (matches!(c, '.' | '!' | '?') && text[at + c.len_utf8()..].starts_with(char::is_whitespace))
    };
    let begin = text[..from].char_indices().rfind(|(at, c)| is_end(*at, *c)).map_or(0, |(at, c)| at + c.len_utf8());
    let rest = text[to..].char_indices().map(|(at, c)| (to + at, c)).find(|(at, c)| is_end(*at, *c));
    let end = match rest {
        Some((at, '\n')) => at,
        Some((at, c)) => at + c.len_utf8(),
        None => text.len(),
    };
    let lead = text[begin..from].len() - text[begin..from].trim_start().len();
    (begin + lead, end)
}

/// Masks words in streamed text, character by character.
fn mask_stream(events: &[&Event], redaction: &Redaction, words: &[String]) -> Vec<(u64, Body)> {
    let mut masked: BTreeMap<u64, Vec<char>> = BTreeMap::new();
    for is_thinking in [false, true] {
        let mut stream = StreamedText::default();
        for event in events {
            match &event.body {
                Body::Text(text) if !is_thinking => stream.push(event.seq, &text.delta),
                Body::Thinking(text) if is_thinking => stream.push(event.seq, &text.delta),
                Body::TurnStatus(status) if !is_thinking => {
                    if let Some(offset) = status.text_offset {
                        stream.mask(redaction, words, &mut masked);
                        stream.cut(usize::try_from(offset).unwrap_or(usize::MAX));
                    }
                }
                _ => {}
            }
        }
        stream.mask(redaction, words, &mut masked);
    }
    let bodies = events.iter().filter_map(|event| {
        let delta: String = masked.get(&event.seq)?.iter().collect();
        match &event.body {
            Body::Text(text) => Some((event.seq, Body::Text(protocol::TextDelta { offset: text.offset, delta }))),
            Body::Thinking(text) => {
                Some((event.seq, Body::Thinking(protocol::TextDelta { offset: text.offset, delta })))
            }
            _ => None,
        }
    });
    bodies.collect()
}

/// Streamed text, with the event that each character comes from.
#[derive(Default)]
struct StreamedText {
    text: String,
    places: Vec<(u64, usize)>,
    deltas: BTreeMap<u64, Vec<char>>,
}

impl StreamedText {
    fn push(&mut self, seq: u64, delta: &str) {
        self.text.push_str(delta);
        let chars: Vec<char> = delta.chars().collect();
        self.places.extend((0..chars.len()).map(|at| (seq, at)));
        self.deltas.insert(seq, chars);
    }

    fn cut(&mut self, chars: usize) {
        self.places.truncate(chars);
        self.text = self.text.chars().take(chars).collect();
    }

    fn mask(&self, redaction: &Redaction, words: &[String], masked: &mut BTreeMap<u64, Vec<char>>) {
        for (from, to) in ranges(&self.text, &redaction.texts, words) {
            let first = self.text[..from].chars().count();
            let count = self.text[from..to].chars().count();
            for (seq, at) in self.places.iter().skip(first).take(count) {
                let Some(delta) = self.deltas.get(seq) else { continue };
                masked.entry(*seq).or_insert_with(|| delta.clone())[*at] = MASK;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn words_go_wherever_they_stand_and_whatever_their_case() {
        let struck = redact_text("My PIN is 4711. Again: my pin is 4711!", &texts(&["my PIN is 4711"]), &[]);
        assert_eq!(struck.unwrap(), "[forgotten]. Again: [forgotten]!");
        assert_eq!(redact_text("nothing of it", &texts(&["4711"]), &[]), None);
    }

    #[test]
    fn sentences_go_with_a_word_in_them() {
        let struck = redact_text("Noted. You are allergic to peanuts. Anything else?", &[], &texts(&["peanuts"]));
        assert_eq!(struck.unwrap(), "Noted. [forgotten] Anything else?");
        assert_eq!(redact_text("Miami is nice.", &[], &texts(&["am"])), None);
    }

    #[test]
    fn text_outside_ascii_is_struck_at_its_borders() {
        let struck = redact_text("Ünder — größe: straße 5 ✓", &texts(&["STRASSE"]), &[]);
        assert_eq!(struck, None);
        assert_eq!(redact_text("é ÄPFEL ü", &texts(&["äpfel"]), &[]).unwrap(), "é [forgotten] ü");
    }
}
