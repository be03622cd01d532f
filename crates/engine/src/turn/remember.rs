//! What memory has to do with a message before it is answered: what it states is kept, what fits it is looked up. Neither
//! needs a language model, and an answer never waits for memory for long.

use std::time::Duration;

use memory::{
    agent::STARTED_OVER,
    room::{Provenance, Recall, worth_keeping},
    statements::Statement,
};
use protocol::{AgentId, Fact, Item, Level, MemoryWritten, Source};
use session::Report;

use super::{recalled::Rolling, work::Work};

/// How long an answer waits for memory.
const PATIENCE: Duration = Duration::from_secs(2);

/// Keeps what the message states, then looks up what fits it.
pub(super) async fn enter(work: &mut Work) {
    // Pressing something states nothing, and nothing said before fits it.
    if work.job.turn.request.window.as_ref().is_some_and(|window| window.act.is_some()) {
        return;
    }
    let is_kept = !work.job.is_temporary && work.house.room.options().follows_sessions;
    let stated = if is_kept { worth_keeping(&work.job.turn.request.message) } else { Vec::new() };
    if !stated.is_empty() && work.thread.rounds() == 0 {
        keep(work, stated).await;
    }
    recall(work).await;
}

async fn keep(work: &mut Work, stated: Vec<Statement>) {
    let source = Source {
        session_id: Some(work.job.session_id),
        turn_id: Some(work.job.turn.id),
        seq: Some(work.job.turn.accepted_seq),
        ..Source::default()
    };
    let provenance = Provenance { source, origin: work.job.turn.request.origin, at: work.job.turn.accepted_at };
    let stated = match work.house.room.state(&work.job.owner, stated, provenance).await {
        Ok(stated) => stated,
        Err(error @ memory::room::Error::Full { .. }) => {
            work.recalled.notices.push(format!("what the message states is not remembered: {error}"));
            return;
        }
        Err(error) => {
            // The follower reads the message again.
            tracing::warn!(session = %work.job.session_id, %error, "failed to keep what was stated");
            return;
        }
    };
    // What ended because something else took its place is told by that.
    let news: Vec<&Fact> = stated.changed.iter().filter(|fact| fact.superseded_by.is_none()).collect();
    let written = news.iter().map(|fact| {
        Report::Keep(MemoryWritten {
            level: fact.level,
            key: fact.key.clone(),
            value: fact.is_current().then(|| fact.value.clone()),
            origin: fact.origin,
            id: Some(fact.fact_id),
            source: Some(work.job.turn.id),
        })
    });
    work.reporter.tell_all(written.collect()).await;
    work.recalled.kept = stated.holds;
}

async fn recall(work: &mut Work) {
    let (owner, session_id) = (&work.job.owner, Some(work.job.session_id));
    let asked = work.house.room.recall(owner, &work.job.turn.request.message, session_id);
    let recall = match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(recall)) => recall,
        Ok(Err(error)) => {
            tracing::warn!(session = %work.job.session_id, %error, "failed to look into memory");
            work.recalled.notices.push(format!("memory could not be looked into: {error}"));
            return;
        }
        Err(_) => {
            work.recalled.notices.push("memory took too long to look into".to_owned());
            return;
        }
    };
    let Recall { profile, summary, mut items, notices } = recall;
    let agent_id = &work.job.turn.agent_id;
    // What the session comes to is the conversation of its first monitor's main agent; the others have their own.
    let summary = summary.filter(|_| *agent_id == AgentId::main());
    if !agent_id.is_main() {
        let is_said_here = |item: &Item| item.level == Level::Entry && item.source.session_id == session_id;
        items.retain(|found| !is_said_here(&found.item));
    }
    // What a conversation came to before it started over is no longer told.
    let is_told = |at| work.job.started_over_at.is_none_or(|over| at > over);
    let summary = summary.filter(|summary| summary.written_by != STARTED_OVER && is_told(summary.at));
    work.recalled.summary =
        summary.map(|it| Rolling { id: it.id, text: it.text, version: it.version, origin: it.origin });
    work.recalled.profile = profile;
    work.recalled.items = items;
    work.recalled.notices.extend(notices);
}
