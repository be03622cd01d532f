//! Requests about memory in a chat, answered by rules before any model is asked: "forget my locker
//! code", "that's wrong, it is 4711", "what do you know about me?", "why do you think that?", "set
//! my profile: diet = vegan". The phrases and the answers are data, by language: the answer is in
//! the language of the request.
//!
//! Forgetting is asked about first. The question is the answer of its turn, so it survives a
//! restart; a plain "yes" in the next message carries it out if it would still forget exactly what
//! was shown.

mod request;
mod source;
mod targets;

use std::time::Duration;

use memory::{
    language::requests::RequestWords,
    long_term::{Error as MemoryError, IdempotencyKey, NewFact, OwnerRecords, Provenance},
};
use ports::Reflex;
use protocol::{
    FORGOTTEN, Fact, ItemSource, Level, MemoryCorrect, MemoryForget, MemoryUsed, MemoryWritten, Origin, UsedItem,
};
use request::MemoryRequest;
use serde_json::Map;
use session::{RecentTurn, TurnReport};
use targets::{Targets, used_fact};

use super::{recalled_memory::day, state::TurnState};
use crate::Error;

/// Items that are forgotten at once. More cannot be looked over in a chat.
const TARGETS_MAX: usize = 40;
/// Lines of what is known.
const LINES_MAX: usize = 60;
/// How long the messages before may take to be read.
const READING_MAX: Duration = Duration::from_secs(2);

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
    if let Some((asked, language)) = pending(state) {
        match said(&message) {
            Some(true) => return confirmed(state, &asked).await,
            Some(false) => return Some(answer(language, "MemoryForget", language.answer("kept", &[]))),
            None => {}
        }
    }
    let (request, language) = request::read(&message)?;
    match request {
        MemoryRequest::Forget(names) => question(state, language, &names, &[]).await,
        MemoryRequest::Correct(value) => correct(state, language, value).await,
        MemoryRequest::AboutMe => about_me(state, language).await,
        MemoryRequest::Why => {
            let told = source::told(state, language).await?;
            state.recalled.told = told.used;
            Some(Reflex { is_question: true, ..answer(language, "MemorySource", told.words) })
        }
        MemoryRequest::SetProfile(key, value) => set_profile(state, language, key, value).await,
    }
}

/// The turn that asked whether to forget something, if this message answers it, and its language.
fn pending(state: &TurnState) -> Option<(RecentTurn, &'static RequestWords)> {
    let asked = state.input.turn.answers?;
    let turn = state.input.recent.iter().rfind(|turn| turn.turn_id == asked)?;
    let is_question = |language: &&RequestWords| turn.answer.starts_with(&language.answer("question", &[]));
    let language = match RequestWords::all().find(is_question) {
        Some(language) => language,
        // The question was redacted.
        None => RequestWords::all().next().filter(|_| turn.answer.contains(FORGOTTEN))?,
    };
    turn.origin.is_trusted().then(|| (turn.clone(), language))
}

/// The request that a question is about.
struct RequestBehind {
    names: Vec<String>,
    language: &'static RequestWords,
    /// The turns from the request to the question.
    asking: Vec<protocol::TurnId>,
}

/// The request that a question is about, and the turns from it to the question: where what would go
/// has changed, a yes was answered by another question.
fn request_behind(state: &TurnState, asked: &RecentTurn) -> Option<RequestBehind> {
    let mut asking = Vec::new();
    let earlier = state.input.recent.iter().rev().skip_while(|turn| turn.turn_id != asked.turn_id);
    for turn in earlier {
        asking.push(turn.turn_id);
        match request::read(&turn.message) {
            Some((MemoryRequest::Forget(names), language)) => return Some(RequestBehind { names, language, asking }),
            None if said(&turn.message) == Some(true) => {}
            _ => return None,
        }
    }
    None
}

/// Whether a message is a plain yes or no.
fn said(message: &str) -> Option<bool> {
    let plain = message.trim().trim_end_matches(['.', '!', ' ']).replace(',', "").replace('’', "'").to_lowercase();
    let is_in = |list: fn(&'static RequestWords) -> &'static [String]| {
        RequestWords::all().any(|language| list(language).contains(&plain))
    };
    if is_in(|language| &language.yes) {
        return Some(true);
    }
    is_in(|language| &language.no).then_some(false)
}

fn answer(language: &RequestWords, intent: &str, words: String) -> Reflex {
    Reflex {
        intent: intent.to_owned(),
        slots: Map::new(),
        language: language.code.to_owned(),
        confidence: 1.0,
        is_question: false,
        calls: Vec::new(),
        answer: Some(words),
        asks_back: false,
    }
}

/// Shows what would be forgotten, and asks. None if nothing is known about it: then the words mean
/// something else.
async fn question(
    state: &mut TurnState,
    language: &'static RequestWords,
    names: &[String],
    asking: &[protocol::TurnId],
) -> Option<Reflex> {
    let targets = find(state, language, names, asking).await?;
    if targets.ids.is_empty() {
        return None;
    }
    if targets.ids.len() > TARGETS_MAX {
        let words = language.answer("too_many", &[("count", &targets.ids.len().to_string())]);
        return Some(answer(language, "MemoryForget", words));
    }
    // The turn shows the items: forgetting them later strikes them out here too.
    let used = MemoryUsed { items: targets.used.clone(), ..MemoryUsed::default() };
    state.reporter.tell(TurnReport::Used(used)).await;
    Some(Reflex { asks_back: true, ..answer(language, "MemoryForget", in_words(language, &targets)) })
}

/// The question before something is forgotten: exactly what would go.
fn in_words(language: &RequestWords, targets: &Targets) -> String {
    let lines: String = targets.lines.iter().map(|line| format!("\n- {line}")).collect();
    format!("{}{lines}\n{}", language.answer("question", &[]), language.answer("confirm", &[]))
}

async fn find(
    state: &TurnState,
    language: &'static RequestWords,
    names: &[String],
    asking: &[protocol::TurnId],
) -> Option<Targets> {
    let hub = state.services.hub()?;
    hub.await_reading(&state.input.owner, state.input.session_id, state.input.turn.accepted_seq, READING_MAX).await;
    let mut asking = asking.to_vec();
    asking.push(state.input.turn.id);
    let named = |records: &OwnerRecords| Targets::named(records, language, names, &asking);
    let found = state.services.long_term.read(&state.input.owner, named);
    found.await.ok()
}

/// Forgets what the question has shown. If that has changed meanwhile, it asks again.
async fn confirmed(state: &mut TurnState, asked: &RecentTurn) -> Option<Reflex> {
    let RequestBehind { names, language, asking } = request_behind(state, asked)?;
    let targets = find(state, language, &names, &asking).await?;
    if targets.ids.is_empty() {
        return Some(answer(language, "MemoryForget", language.answer("nothing_left", &[])));
    }
    if in_words(language, &targets) != asked.answer {
        return question(state, language, &names, &asking).await;
    }
    let hub = state.services.hub()?;
    let forget = MemoryForget { ids: targets.ids.clone(), ..MemoryForget::default() };
    let words = match hub.memory_forget_within(&state.input.owner, &forget, state.input.turn.id).await {
        Ok(_) => {
            let keys: Vec<&str> = targets.keys.iter().map(String::as_str).collect();
            let messages = targets.ids.len() - targets.used.iter().filter(|item| item.level != Level::Entry).count();
            let messages = match messages {
                0 => None,
                1 => Some(language.answer("message", &[])),
                count => Some(language.answer("messages", &[("count", &count.to_string())])),
            };
            let gone: Vec<String> = keys.into_iter().map(str::to_owned).chain(messages).collect();
            language.answer("forgotten", &[("gone", &gone.join(", "))])
        }
        Err(Error::InUse { .. }) => language.answer("in_use", &[]),
        Err(error) => {
            tracing::warn!(session = %state.input.session_id, %error, "failed to forget");
            language.answer("not_forgotten", &[("error", &error.to_string())])
        }
    };
    Some(answer(language, "MemoryForget", words))
}

/// Corrects the fact that was told last.
async fn correct(state: &mut TurnState, language: &RequestWords, value: String) -> Option<Reflex> {
    let wrong = source::last_fact(state).await?;
    let value = state.services.redactor.redact(&value).into_owned();
    let asked = MemoryCorrect { id: wrong.fact_id, text: value, idempotency_key: None };
    let right = match state.services.long_term.correct(&state.input.owner, asked).await {
        Ok(right) => right,
        // The turn was interrupted after the correction.
        Err(MemoryError::Corrected(_)) => {
            return Some(answer(language, "MemoryCorrect", language.answer("corrected_before", &[])));
        }
        Err(error) => {
            let words = language.answer("not_corrected", &[("error", &error.to_string())]);
            return Some(answer(language, "MemoryCorrect", words));
        }
    };
    let (key, value) = (right.key.clone().unwrap_or_default(), right.value.clone().unwrap_or_default());
    tell_written(state, right.level, &key, &value, right.id).await;
    let now = UsedItem { id: Some(right.id), key: right.key, ..UsedItem::text(right.level, value.clone()) };
    state.recalled.told = vec![used_fact(&wrong), now];
    let words = language.answer("corrected", &[("key", &key), ("value", &value), ("old", &wrong.value)]);
    Some(answer(language, "MemoryCorrect", words))
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
async fn about_me(state: &mut TurnState, language: &RequestWords) -> Option<Reflex> {
    let known = state.services.long_term.read(&state.input.owner, |records| {
        let own = |fact: &&Fact| fact.is_current() && fact.origin.is_trusted() && records.vault_of(fact).is_none();
        let mut known: Vec<Fact> = records.facts().filter(own).cloned().collect();
        let rank = |fact: &Fact| (fact.level != Level::Profile, std::cmp::Reverse((fact.priority, fact.valid_from)));
        known.sort_by_key(rank);
        known
    });
    let known = known.await.ok()?;
    let mut words = language.answer(if known.is_empty() { "nothing_known" } else { "known" }, &[]);
    for fact in known.iter().take(LINES_MAX) {
        let since = day(fact.valid_from);
        let places = [("key", fact.key.as_str()), ("value", fact.value.as_str()), ("day", since.as_str())];
        let line = match &fact.doubt {
            Some(doubt) => {
                let [key, value, since] = places;
                language.answer("doubtful_line", &[key, value, since, ("text", &doubt.text)])
            }
            None => language.answer("known_line", &places),
        };
        words.push_str(&format!("\n- {line}"));
    }
    if known.len() > LINES_MAX {
        let more = (known.len() - LINES_MAX).to_string();
        words.push_str(&format!("\n{}", language.answer("more", &[("count", &more)])));
    }
    state.recalled.told = known.iter().take(LINES_MAX).map(used_fact).collect();
    Some(Reflex { is_question: true, ..answer(language, "MemoryProfile", words) })
}

async fn set_profile(state: &mut TurnState, language: &RequestWords, key: String, value: String) -> Option<Reflex> {
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
        Err(error) => {
            let words = language.answer("not_set", &[("error", &error.to_string())]);
            return Some(answer(language, "MemorySet", words));
        }
    };
    tell_written(state, line.level, &line.key, &line.value, line.fact_id).await;
    state.recalled.told = vec![used_fact(&line)];
    let words = language.answer("set", &[("key", &line.key), ("value", &line.value)]);
    Some(answer(language, "MemorySet", words))
}
