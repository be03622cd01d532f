//! What the model is given: the new messages, and the known facts that they may concern.

use std::collections::{BTreeMap, BTreeSet};

use model::{Message, Prompt, ToolRequirement};
use protocol::{Entry, FORGOTTEN, Fact, ItemId, Level, ModelSettings, Timestamp};
use serde_json::{Value, json};

use super::{EXTRACTION, operation, stated::parts, words::content};
use crate::{
    agent::echo::REPEATS,
    long_term::OwnerRecords,
    statements::{ClosedReason, GateDecision, gate},
};

/// Known facts in a prompt.
const KNOWN_MAX: usize = 80;
/// Facts of these that are only there because they are new or in the profile.
const RECENT_MAX: usize = 40;
/// Characters of an assistant's message, which is context only.
const CONTEXT_CHARS_MAX: usize = 400;
/// The longest answer in tokens.
const OUTPUT_TOKENS_MAX: u64 = 4_000;

/// A message of the batch.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractionMessage {
    /// Its entry.
    pub entry: Entry,
    /// Whether it is the assistant's: context only.
    pub is_context: bool,
}

/// The input of one extraction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExtractionMaterial {
    /// The messages in order, with the assistant's between them.
    pub messages: Vec<ExtractionMessage>,
    /// The facts shown, in the order of their ids `f1`, `f2` and so on.
    pub known: Vec<Fact>,
}

/// Whether a message goes to the model: one of the user's own that can be trusted, that the gate
/// does not call a question, a pasted text or another voice, and that was not said in a window that
/// is closed now.
pub fn is_sent(entry: &Entry) -> bool {
    let is_own = entry.role == "user" && entry.origin.is_trusted() && entry.corrected_by.is_none();
    let is_plain = !entry.raw_entry.contains(FORGOTTEN) && !entry.tags.contains_key(REPEATS);
    is_own && is_plain && !entry.source.window_closed && is_open(&entry.raw_entry)
}

fn is_open(message: &str) -> bool {
    let closed = |text: &str| match gate(text, "user") {
        GateDecision::Open { .. } => None,
        GateDecision::Closed { why } => Some(why),
    };
    match closed(message) {
        Some(ClosedReason::Pasted | ClosedReason::OtherVoice | ClosedReason::NotTheUser) => false,
        // "Did I say Siemens? I meant Bosch.": the gate judges the whole message by its question.
        Some(ClosedReason::Question) => {
            parts(message).into_iter().any(|part| closed(part) != Some(ClosedReason::Question))
        }
        _ => true,
    }
}

impl ExtractionMaterial {
    /// The material for these entries; `near` are facts that a search has found for them.
    pub fn gather(
        owner_records: &OwnerRecords,
        messages: Vec<ExtractionMessage>,
        near: &[ItemId],
        now: Timestamp,
    ) -> Self {
        let own: Vec<&Entry> = messages.iter().filter(|it| !it.is_context).map(|it| &it.entry).collect();
        let said: BTreeSet<String> = own.iter().flat_map(|entry| content(&entry.raw_entry)).collect();
        let mut ranked: Vec<((u8, usize), &Fact)> = owner_records
            .facts()
            .filter(|fact| fact.origin.is_trusted() && fact.expires_at.is_none_or(|at| at > now))
            .filter_map(|fact| Some((rank(fact, &own, &said, near)?, fact)))
            .collect();
        // The newest first where nothing else decides.
        ranked.sort_by_key(|((group, shared), fact)| {
            (*group, std::cmp::Reverse(*shared), std::cmp::Reverse((fact.valid_from, fact.fact_id)))
        });
        let mut recent = 0;
        ranked.retain(|((group, _), _)| {
            recent += usize::from(*group >= OTHER);
            *group < OTHER || recent <= RECENT_MAX
        });
        let known = ranked.into_iter().take(KNOWN_MAX).map(|(_, fact)| fact.clone()).collect();
        Self { messages, known }
    }

    /// The entries of the user, in the order of their numbers.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.messages.iter().filter(|message| !message.is_context).map(|message| &message.entry)
    }

    /// The prompt, with the operator's own instructions.
    pub fn prompt(&self, instructions: &str, now: Timestamp) -> Prompt {
        let schema = operation::schema();
        let mut system = EXTRACTION.trim().to_owned();
        if !instructions.trim().is_empty() {
            system.push_str("\n\nWhat the owner wants remembered and what not; it takes precedence over the rules on what is lasting:\n");
            system.push_str(instructions.trim());
        }
        system.push_str(&format!("\n\nThe JSON Schema of the answer: {}", schema.to_value()));
        Prompt {
            system,
            messages: vec![Message::user(self.told(now).to_string())],
            tools: Vec::new(),
            choice: ToolRequirement::Free,
            known: Vec::new(),
            now,
            output_tokens_max: Some(OUTPUT_TOKENS_MAX),
            settings: ModelSettings::default(),
            response_schema: Some(schema),
            is_temporary: false,
        }
    }

    /// Messages and facts as JSON, so that no text can pretend to be another field.
    fn told(&self, now: Timestamp) -> Value {
        let mut number = 0;
        let mut numbers: BTreeMap<ItemId, usize> = BTreeMap::new();
        let messages: Vec<Value> = self
            .messages
            .iter()
            .map(|ExtractionMessage { entry, is_context }| {
                if *is_context {
                    let text: String = entry.raw_entry.chars().take(CONTEXT_CHARS_MAX).collect();
                    return json!({ "role": "assistant", "context_only": true, "text": text });
                }
                number += 1;
                numbers.insert(entry.entry_id, number);
                json!({ "role": "user", "message": number, "at": entry.conversation_time, "text": entry.raw_entry })
            })
            .collect();
        let times: BTreeMap<Timestamp, usize> =
            self.entries().filter_map(|it| Some((it.conversation_time, *numbers.get(&it.entry_id)?))).collect();
        let known: Vec<Value> = self
            .known
            .iter()
            .zip(1..)
            .map(|(fact, n)| {
                let mut told = json!({
                    "fact": format!("f{n}"),
                    "subject": fact.subject.as_deref().unwrap_or("user"),
                    "key": fact.key,
                    "value": fact.value,
                    "since": fact.valid_from,
                });
                if let Some(number) = fact.source.item_id.and_then(|entry| numbers.get(&entry)) {
                    told["from_message"] = json!(number);
                }
                if let Some(number) = fact.valid_until.and_then(|until| times.get(&until)) {
                    told["ended_by_message"] = json!(number);
                }
                if fact.doubt.is_some() {
                    told["doubtful"] = json!(true);
                }
                told
            })
            .collect();
        json!({ "now": now, "messages": messages, "known": known })
    }
}

/// Groups of known facts, the most important first.
const FROM_MESSAGE: u8 = 0;
const ENDED_BY_MESSAGE: u8 = 1;
const NEAR: u8 = 2;
const OTHER: u8 = 3;

/// Which group a fact is in, and how many words it shares with the messages. None if it is not
/// shown: facts that ended before.
fn rank(fact: &Fact, own: &[&Entry], said: &BTreeSet<String>, near: &[ItemId]) -> Option<(u8, usize)> {
    if !fact.is_current() {
        let is_ended_here = own.iter().any(|entry| ended_by(fact, entry));
        return is_ended_here.then_some((ENDED_BY_MESSAGE, 0));
    }
    if own.iter().any(|entry| fact.source.item_id == Some(entry.entry_id)) {
        return Some((FROM_MESSAGE, 0));
    }
    let words: BTreeSet<String> = [fact.subject.as_deref().unwrap_or_default(), &fact.key, &fact.value]
        .iter()
        .flat_map(|it| content(it))
        .collect();
    let shared = words.intersection(said).count();
    if shared > 0 || near.contains(&fact.fact_id) {
        return Some((NEAR, shared));
    }
    Some((if fact.level == Level::Profile { OTHER } else { OTHER + 1 }, 0))
}

/// Whether the rules ended a fact because of an entry.
pub(crate) fn ended_by(fact: &Fact, entry: &Entry) -> bool {
    fact.valid_until == Some(entry.conversation_time) && fact.source.item_id != Some(entry.entry_id)
}
