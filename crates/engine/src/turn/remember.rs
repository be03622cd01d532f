//! Memory before the answer: stores the facts that the message states, and recalls items that match
//! it. Neither needs a language model, and an answer never waits long for memory.

use std::time::Duration;

use memory::{
    agent::STARTED_OVER,
    long_term::{Provenance, Recall, worth_keeping},
    statements::Statement,
};
use protocol::{AgentId, Fact, ItemSource, Level, MemoryItem, MemoryWritten};
use session::TurnReport;

use super::{recalled_memory::RollingSummary, state::TurnState};
use crate::hub::opened;

/// How long an answer waits for memory.
const PATIENCE: Duration = Duration::from_secs(2);

/// Stores the facts that the message states, then recalls items that match it.
pub(super) async fn enter(state: &mut TurnState) {
    // An act in a window states no facts, and nothing is recalled for it.
    if state.input.turn.request.window.as_ref().is_some_and(|window| window.act.is_some()) {
        return;
    }
    // What an untrusted message says of the user is stored as an entry only.
    let is_own = state.input.turn.request.origin.is_trusted();
    let is_kept = is_own && !state.input.is_temporary && state.services.long_term.options().follows_sessions;
    if is_kept && state.thread.rounds() == 0 {
        let stated = worth_keeping(&state.input.turn.request.message);
        keep(state, stated).await;
    }
    recall(state).await;
}

async fn keep(state: &mut TurnState, stated: Vec<Statement>) {
    let source = ItemSource {
        session_id: Some(state.input.session_id),
        turn_id: Some(state.input.turn.id),
        seq: Some(state.input.turn.accepted_seq),
        window_id: state.input.turn.request.window.as_ref().map(|window| window.window_id.clone()),
        ..ItemSource::default()
    };
    let turn = &state.input.turn;
    let provenance = Provenance { source, origin: turn.request.origin, at: turn.accepted_at, vault_id: None };
    let message = turn.request.message.clone();
    let stated = match state.services.long_term.state(&state.input.owner, message, stated, provenance).await {
        Ok(stated) => stated,
        Err(error @ memory::long_term::Error::Full { .. }) => {
            state.recalled.notices.push(format!("the facts in the message were not stored: {error}"));
            return;
        }
        Err(error) => {
            // The follower processes the message again.
            tracing::warn!(session = %state.input.session_id, %error, "failed to store the facts of a message");
            return;
        }
    };
    // A superseded fact is reported by the fact that replaced it.
    let is_news = |fact: &&Fact| fact.superseded_by.is_none() && fact.doubt.is_none();
    let news: Vec<&Fact> = stated.changed.iter().filter(is_news).collect();
    let written = news.iter().map(|fact| {
        TurnReport::Keep(MemoryWritten {
            level: fact.level,
            key: fact.key.clone(),
            value: fact.is_current().then(|| fact.value.clone()),
            origin: fact.origin,
            id: Some(fact.fact_id),
            source: Some(state.input.turn.id),
        })
    });
    state.reporter.tell_all(written.collect()).await;
    state.recalled.doubtful =
        stated.changed.iter().filter(|fact| fact.is_current() && fact.doubt.is_some()).cloned().collect();
    state.recalled.kept = stated.holds;
}

async fn recall(state: &mut TurnState) {
    let (owner, session_id) = (&state.input.owner, Some(state.input.session_id));
    let open = opened(&state.input.desktop);
    let asked = state.services.long_term.recall(owner, &state.input.turn.request.message, session_id, Some(&open));
    let mut span = state.trace.recall();
    let recall = match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(recall)) => recall,
        Ok(Err(error)) => {
            span.fail("memory_failed");
            tracing::warn!(session = %state.input.session_id, %error, "failed to search memory");
            state.recalled.notices.push(format!("memory could not be searched: {error}"));
            return;
        }
        Err(_) => {
            span.fail("timeout");
            state.recalled.notices.push("the memory search took too long".to_owned());
            return;
        }
    };
    span.set("dwell.recall.items", || recall.items.len() as u64);
    span.finish();
    let Recall { profile, summary, mut items, notices } = recall;
    let agent_id = &state.input.turn.agent_id;
    // The session's summary covers the conversation of the primary monitor's main agent; the others
    // have their own.
    let summary = summary.filter(|_| *agent_id == AgentId::main());
    if !agent_id.is_main() {
        let is_said_here = |item: &MemoryItem| item.level == Level::Entry && item.source.session_id == session_id;
        items.retain(|found| !is_said_here(&found.item));
    }
    // A summary from before the last reset is not used.
    let is_told = |at| state.input.started_over_at.is_none_or(|over| at > over);
    let summary = summary.filter(|summary| summary.written_by != STARTED_OVER && is_told(summary.at));
    state.recalled.summary =
        summary.map(|it| RollingSummary { id: it.id, text: it.text, version: it.version, origin: it.origin });
    state.recalled.profile = profile;
    state.recalled.items = items;
    state.recalled.notices.extend(notices);
}
