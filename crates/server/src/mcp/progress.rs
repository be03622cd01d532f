//! How far a request is, for clients that want to know.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use protocol::{Body, Event, Live, Stage, Step, TurnId};
use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};
use tokio::time::Instant;

/// Words are gathered for this long before they are told.
const GATHER: Duration = Duration::from_millis(500);

/// Tells a client how far its request is; nobody need listen.
#[derive(Clone)]
pub(super) struct Progress {
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    told: Arc<AtomicU64>,
}

impl Progress {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self { to: token.map(|token| (context.peer.clone(), token)), told: Arc::default() }
    }

    /// Says how far it is.
    pub(super) async fn say(&self, message: String) {
        let Some((peer, token)) = &self.to else { return };
        // Each is one more than the one before: nobody knows how many there will be.
        let count = self.told.fetch_add(1, Ordering::Relaxed) + 1;
        #[allow(clippy::cast_precision_loss, reason = "nobody counts that far")]
        let progress = ProgressNotificationParam::new(token.clone(), count as f64).with_message(message);
        // A client that has gone away hears nothing.
        let _ = peer.notify_progress(progress).await;
    }

    /// Whether anybody listens.
    pub(super) const fn is_heard(&self) -> bool {
        self.to.is_some()
    }
}

/// Words of a turn that were gathered since they were told last.
#[derive(Default)]
pub(super) struct Gathered {
    words: String,
    chars: u64,
    due: Option<Instant>,
}

impl Gathered {
    /// Takes in more words.
    pub(super) fn add(&mut self, offset: u64, delta: &str) {
        let known = usize::try_from(self.chars.saturating_sub(offset)).unwrap_or(usize::MAX);
        let fresh: String = delta.chars().skip(known).collect();
        if !fresh.is_empty() {
            self.chars = self.chars.max(offset) + fresh.chars().count() as u64;
            self.words.push_str(&fresh);
            self.due.get_or_insert_with(|| Instant::now() + GATHER);
        }
    }

    /// When they are to be told.
    pub(super) const fn due(&self) -> Option<Instant> {
        self.due
    }

    /// What was gathered.
    pub(super) fn take(&mut self) -> Option<String> {
        self.due = None;
        Some(std::mem::take(&mut self.words)).filter(|words| !words.is_empty())
    }
}

/// What an event means for somebody who waits, in a few words.
pub(super) fn in_words(event: &Event) -> Option<String> {
    Some(match &event.body {
        Body::MessageQueued(queued) => format!("waiting in line, place {}", queued.position),
        Body::TurnStage(entered) => match entered.stage {
            Stage::Receive => "taken up".to_owned(),
            Stage::Understand => "understanding".to_owned(),
            Stage::Plan => "planning".to_owned(),
            Stage::Execute => "working".to_owned(),
            Stage::Complete => "completing".to_owned(),
        },
        Body::Step(Step::ToolCall(call)) => format!("calling {}", call.tool),
        Body::Step(Step::ToolResult(result)) => format!("{} has answered", result.tool),
        Body::Step(Step::ObservedEvent(observed)) => observed.message.clone(),
        Body::ApprovalRequested(asked) => format!("may {} be called? {}", asked.tool, asked.reason),
        _ => return None,
    })
}

/// What a tool of a turn says of its progress.
pub(super) fn remark(live: &Live, turn_id: TurnId) -> Option<String> {
    match live {
        Live::Progress(live) if live.turn_id == turn_id => Some(format!("{}: {}", live.data.tool, live.data.message)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_gathered_once() {
        let mut gathered = Gathered::default();
        gathered.add(0, "Grüß");
        gathered.add(0, "Grüß");
        gathered.add(2, "üß Gott");
        assert!(gathered.due().is_some());
        assert_eq!(gathered.take().as_deref(), Some("Grüß Gott"));
        assert_eq!((gathered.take(), gathered.due()), (None, None));
    }
}
