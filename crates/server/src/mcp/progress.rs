//! Progress notifications, for clients that ask for them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use protocol::{Body, Event, LiveUpdate, Stage, Step, TurnId};
use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};
use tokio::time::Instant;

/// Text is collected for this long before it is sent.
const GATHER: Duration = Duration::from_millis(500);

/// Sends a client the progress of its request, if it asked for it.
#[derive(Clone)]
pub(super) struct ProgressReporter {
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    told: Arc<AtomicU64>,
}

impl ProgressReporter {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self { to: token.map(|token| (context.peer.clone(), token)), told: Arc::default() }
    }

    /// Sends a progress message.
    pub(super) async fn say(&self, message: String) {
        let Some((peer, token)) = &self.to else { return };
        // A counter, since the total is not known.
        let count = self.told.fetch_add(1, Ordering::Relaxed) + 1;
        #[allow(clippy::cast_precision_loss, reason = "the count stays far below 2^52")]
        let progress = ProgressNotificationParam::new(token.clone(), count as f64).with_message(message);
        // A disconnected client gets nothing.
        let _ = peer.notify_progress(progress).await;
    }

    /// Whether the client asked for progress.
    pub(super) const fn has_listener(&self) -> bool {
        self.to.is_some()
    }
}

/// Text of a turn that was collected since the last message.
#[derive(Default)]
pub(super) struct TextBuffer {
    words: String,
    chars: u64,
    due: Option<Instant>,
}

impl TextBuffer {
    /// Adds text.
    pub(super) fn add(&mut self, offset: u64, delta: &str) {
        let known = usize::try_from(self.chars.saturating_sub(offset)).unwrap_or(usize::MAX);
        let fresh: String = delta.chars().skip(known).collect();
        if !fresh.is_empty() {
            self.chars = self.chars.max(offset) + fresh.chars().count() as u64;
            self.words.push_str(&fresh);
            self.due.get_or_insert_with(|| Instant::now() + GATHER);
        }
    }

    /// When the text is due.
    pub(super) const fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Takes the collected text.
    pub(super) fn take(&mut self) -> Option<String> {
        self.due = None;
        Some(std::mem::take(&mut self.words)).filter(|words| !words.is_empty())
    }
}

/// A short description of an event for a waiting user.
pub(super) fn in_words(event: &Event) -> Option<String> {
    Some(match &event.body {
        Body::MessageQueued(queued) => format!("waiting in the queue, position {}", queued.position),
        Body::TurnStage(entered) => match entered.stage {
            Stage::Receive => "started".to_owned(),
            Stage::Understand => "understanding".to_owned(),
            Stage::Plan => "planning".to_owned(),
            Stage::Execute => "working".to_owned(),
            Stage::Complete => "completing".to_owned(),
        },
        Body::Step(Step::ToolCall(call)) => format!("calling {}", call.tool),
        Body::Step(Step::ToolResult(result)) => format!("{} has answered", result.tool),
        Body::Step(Step::ObservedEvent(observed)) => observed.message.clone(),
        Body::ApprovalRequested(asked) => format!("approval needed for {}: {}", asked.tool, asked.reason),
        _ => return None,
    })
}

/// The progress message of a turn's tool.
pub(super) fn remark(live: &LiveUpdate, turn_id: TurnId) -> Option<String> {
    match live {
        LiveUpdate::Progress(live) if live.turn_id == turn_id => {
            Some(format!("{}: {}", live.data.tool, live.data.message))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_gathered_once() {
        let mut gathered = TextBuffer::default();
        gathered.add(0, "Grüß");
        gathered.add(0, "Grüß");
        gathered.add(2, "üß Gott");
        assert!(gathered.due().is_some());
        assert_eq!(gathered.take().as_deref(), Some("Grüß Gott"));
        assert_eq!((gathered.take(), gathered.due()), (None, None));
    }
}
