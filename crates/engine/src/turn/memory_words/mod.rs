//! Requests about memory in a chat, answered by rules before any model is asked: "forget my locker
//! code", "that's wrong, it is 4711", "what do you know about me?", "why do you think that?", "set
//! my profile: diet = vegan".
//!
//! Forgetting is asked about first. The question is the answer of its turn, so it survives a
//! restart; a plain "yes" in the next message carries it out if it would still forget exactly what
//! was shown.

mod request;
mod source;
mod targets;

use std::time::Duration;

use memory::long_term::{Error as MemoryError, IdempotencyKey, NewFact, Provenance};
use protocol::{
    FORGOTTEN, Fact, ItemSource, Level, MemoryCorrect, MemoryForget, MemoryUsed, MemoryWritten, Origin, UsedItem,
};
use request::MemoryRequest;
use serde_json::Map;
use session::{RecentTurn, TurnReport};
use targets::{Targets, used_fact};
use tools::Reflex;

use super::{recalled_memory::day, state::TurnState};
use crate::Error;

/// The beginning of the question before something is forgotten.
const QUESTION: &str = "This would be forgotten for good:";
const CONFIRM: &str = "Shall I forget it? \"Yes\" does it; anything else leaves it as it is.";
/// Items that are forgotten at once. More cannot be looked over in a chat.
const TARGETS_MAX: usize = 40;
/// Lines of what is known.
const LINES_MAX: usize = 60;
/// How long the messages before may take to be read.
const READING_MAX: Duration = Duration::from_secs(2);

const YES: &[&str] =
    &["yes", "yes please", "yes do it", "yes forget it", "yes do", "confirm", "i confirm", "ja", "oui", "sí", "si"];
const NO: &[&str] = &["no", "no thanks", "nope", "don't", "do not", "stop", "cancel", "never mind", "nein", "non"];

/// The answer to a request about memory, if the message is one.
pub(super) async fn read(state: &mut TurnState) -> Option<Reflex> {
    let request = &state.input.turn.request;
    // An untrusted message changes nothing that is known, and a client with tools of its own wants
    // a model to choose.
    let is_plain = request.origin.is_trusted()
        && request.window.is_none()
        && request.images.is_empty()
        && request.calls.is_empty()
        && request.offer.response_schema.is_none()
        && request.offer.shown().is_empty();
    if !is_plain || state.input.is_temporary || state.thread.steers() > 0 || state.thread.rounds() > 0 {
        return None;
    }
    let message = request.message.clone();
    if let Some(asked) = pending(state) {
        match said(&message) {
            Some(true) => return confirmed(state, &asked).await,
            Some(false) => return Some(answer("MemoryForget", "Nothing was forgotten.".to_owned())),
            None => {}
        }
    }
    match request::read(&message)? {
        MemoryRequest::Forget(names) => question(state, &names, &[]).await,
        MemoryRequest::Correct(value) => correct(state, value).await,
        MemoryRequest::AboutMe => about_me(state).await,
        MemoryRequest::Why => {
            let told = source::told(state).await?;
            state.recalled.told = told.used;
            Some(Reflex { is_question: true, ..answer("MemorySource", told.words) })
        }
        MemoryRequest::SetProfile(key, value) => set_profile(state, key, value).await,
    }
}

/// The turn that asked whether to forget something, if this message answers it.
fn pending(state: &TurnState) -> Option<RecentTurn> {
    let asked = state.input.turn.answers?;
    let turn = state.input.recent.iter().rfind(|turn| turn.turn_id == asked)?;
    let is_ours = turn.answer.starts_with(QUESTION) || turn.answer.contains(FORGOTTEN);
    (is_ours && turn.origin.is_trusted()).then(|| turn.clone())
}

/// The request that a question is about, and the turns from it to the question: where what would go
/// has changed, a yes was answered by another question.
fn request_behind(state: &TurnState, asked: &RecentTurn) -> Option<(Vec<String>, Vec<protocol::TurnId>)> {
    let mut asking = Vec::new();
    let earlier = state.input.recent.iter().rev().skip_while(|turn| turn.turn_id != asked.turn_id);
    for turn in earlier {
        asking.push(turn.turn_id);
        match request::read(&turn.message) {
            Some(MemoryRequest::Forget(names)) => return Some((names, asking)),
            None if said(&turn.message) == Some(true) => {}
            _ => return None,
        }
    }
    None
}

/// Whether a message is a plain yes or no.
fn said(message: &str) -> Option<bool> {
    let plain = message.trim().trim_end_matches(['.', '!', ' ']).replace(',', "").replace('’', "'").to_lowercase();
    match plain.as_str() {
        yes if YES.contains(&yes) => Some(true),
        no if NO.contains(&no) => Some(false),
        _ => None,
    }
}

fn answer(intent: &str, words: String) -> Reflex {
    Reflex {
        intent: intent.to_owned(),
        slots: Map::new(),
        language: "en".to_owned(),
        confidence: 1.0,
        is_question: false,
        calls: Vec::new(),
        answer: Some(words),
        asks_back: false,
    }
}

/// Shows what would be forgotten, and asks. None if nothing is known about it: then the words mean
/// something else.
async fn question(state: &mut TurnState, names: &[String], asking: &[protocol::TurnId]) -> Option<Reflex> {
    let targets = find(state, names, asking).await?;
    if targets.ids.is_empty() {
        return None;
    }
    if targets.ids.len() > TARGETS_MAX {
        let words = format!(
            "{} things would be forgotten, too many to look over here. Name them more closely, or use `dwell memory \
             forget`.",
            targets.ids.len()
        );
        return Some(answer("MemoryForget", words));
    }
    // The turn shows the items: forgetting them later strikes them out here too.
    let used = MemoryUsed { items: targets.used.clone(), ..MemoryUsed::default() };
    state.reporter.tell(TurnReport::Used(used)).await;
    Some(Reflex { asks_back: true, ..answer("MemoryForget", in_words(&targets)) })
}

/// The question before something is forgotten: exactly what would go.
fn in_words(targets: &Targets) -> String {
    let lines: String = targets.lines.iter().map(|line| format!("\n- {line}")).collect();
    format!("{QUESTION}{lines}\n{CONFIRM}")
}

async fn find(state: &TurnState, names: &[String], asking: &[protocol::TurnId]) -> Option<Targets> {
    let hub = state.services.hub()?;
    hub.await_reading(&state.input.owner, state.input.session_id, state.input.turn.accepted_seq, READING_MAX).await;
    let mut asking = asking.to_vec();
    asking.push(state.input.turn.id);
    let found = state.services.long_term.read(&state.input.owner, |records| Targets::named(records, names, &asking));
    found.await.ok()
}

/// Forgets what the question has shown. If that has changed meanwhile, it asks again.
async fn confirmed(state: &mut TurnState, asked: &RecentTurn) -> Option<Reflex> {
    let (names, asking) = request_behind(state, asked)?;
    let targets = find(state, &names, &asking).await?;
    if targets.ids.is_empty() {
        return Some(answer("MemoryForget", "Nothing is left of it.".to_owned()));
    }
    if in_words(&targets) != asked.answer {
        return question(state, &names, &asking).await;
    }
    let hub = state.services.hub()?;
    let forget = MemoryForget { ids: targets.ids.clone(), ..MemoryForget::default() };
    let words = match hub.memory_forget_within(&state.input.owner, &forget, state.input.turn.id).await {
        Ok(_) => {
            let keys: Vec<&str> = targets.keys.iter().map(String::as_str).collect();
            let messages = targets.ids.len() - targets.used.iter().filter(|item| item.level != Level::Entry).count();
            let messages = match messages {
                0 => None,
                1 => Some("1 message".to_owned()),
                count => Some(format!("{count} messages")),
            };
            let gone: Vec<String> = keys.into_iter().map(str::to_owned).chain(messages).collect();
            format!("Forgotten: {}.", gone.join(", "))
        }
        Err(Error::InUse { .. }) => {
            "Nothing was forgotten: another conversation is using it just now. Ask again in a moment.".to_owned()
        }
        Err(error) => {
            tracing::warn!(session = %state.input.session_id, %error, "failed to forget");
            format!("It could not be forgotten: {error}.")
        }
    };
    Some(answer("MemoryForget", words))
}

/// Corrects the fact that was told last.
async fn correct(state: &mut TurnState, value: String) -> Option<Reflex> {
    let wrong = source::last_fact(state).await?;
    let value = state.services.redactor.redact(&value).into_owned();
    let asked = MemoryCorrect { id: wrong.fact_id, text: value, idempotency_key: None };
    let right = match state.services.long_term.correct(&state.input.owner, asked).await {
        Ok(right) => right,
        // The turn was interrupted after the correction.
        Err(MemoryError::Corrected(_)) => return Some(answer("MemoryCorrect", "That is corrected.".to_owned())),
        Err(error) => return Some(answer("MemoryCorrect", format!("It could not be corrected: {error}."))),
    };
    let (key, value) = (right.key.clone().unwrap_or_default(), right.value.clone().unwrap_or_default());
    tell_written(state, right.level, &key, &value, right.id).await;
    let now = UsedItem { id: Some(right.id), key: right.key, ..UsedItem::text(right.level, value.clone()) };
    state.recalled.told = vec![used_fact(&wrong), now];
    Some(answer("MemoryCorrect", format!("Corrected. {key}: {value} (it was {}).", wrong.value)))
}

async fn tell_written(state: &TurnState, level: Level, key: &str, value: &str, id: protocol::ItemId) {
    let written = MemoryWritten {
        level,
        key: key.to_owned(),
        value: Some(value.to_owned()),
        origin: Origin::Trusted,
        id: Some(id),
        source: Some(state.input.turn.id),
    };
    state.reporter.tell(TurnReport::Keep(written)).await;
}

/// What is known about the user: the profile, then other facts, the newest first.
async fn about_me(state: &mut TurnState) -> Option<Reflex> {
    let known = state.services.long_term.read(&state.input.owner, |records| {
        let own = |fact: &&Fact| fact.is_current() && fact.origin.is_trusted() && records.vault_of(fact).is_none();
        let mut known: Vec<Fact> = records.facts().filter(own).cloned().collect();
        let rank = |fact: &Fact| (fact.level != Level::Profile, std::cmp::Reverse((fact.priority, fact.valid_from)));
        known.sort_by_key(rank);
        known
    });
    let known = known.await.ok()?;
    let mut words = match known.len() {
        0 => "I know nothing about you yet.".to_owned(),
        _ => "What I know about you:".to_owned(),
    };
    for fact in known.iter().take(LINES_MAX) {
        let doubt = fact.doubt.as_ref().map(|doubt| format!("; perhaps no longer: \"{}\"", doubt.text));
        let line =
            format!("{}: {} (since {}{})", fact.key, fact.value, day(fact.valid_from), doubt.unwrap_or_default());
        words.push_str(&format!("\n- {line}"));
    }
    if known.len() > LINES_MAX {
        let more = known.len() - LINES_MAX;
        words.push_str(&format!("\n{more} more; `dwell memory list --level fact` shows all."));
    }
    state.recalled.told = known.iter().take(LINES_MAX).map(used_fact).collect();
    Some(Reflex { is_question: true, ..answer("MemoryProfile", words) })
}

async fn set_profile(state: &mut TurnState, key: String, value: String) -> Option<Reflex> {
    let redact = |text: &str| state.services.redactor.redact(text).into_owned();
    let new = NewFact { level: Level::Profile, key: redact(&key), value: redact(&value), priority: None, ttl_s: None };
    let turn = &state.input.turn;
    let source = ItemSource {
        session_id: Some(state.input.session_id),
        turn_id: Some(turn.id),
        seq: Some(turn.accepted_seq),
        ..ItemSource::default()
    };
    let provenance = Provenance { source, origin: Origin::Trusted, at: turn.accepted_at, vault_id: None };
    let set = state.services.long_term.set(&state.input.owner, new, provenance, IdempotencyKey::none()).await;
    let line = match set {
        Ok(line) => line,
        Err(error) => return Some(answer("MemorySet", format!("The profile was not changed: {error}."))),
    };
    tell_written(state, line.level, &line.key, &line.value, line.fact_id).await;
    state.recalled.told = vec![used_fact(&line)];
    Some(answer("MemorySet", format!("Your profile says now: {}: {}.", line.key, line.value)))
}
