//! A turn that has not ended.

use protocol::{
    AgentId, CallStatus, MessageAccepted, Origin, OutcomeQuestion, Request, Response, StatusChanged, Step, TextDelta,
    Timestamp, Transition, TurnId, TurnStatus, Usage,
};
use serde::{Deserialize, Serialize};

use crate::{
    activity::DesktopActivity,
    thread::{Thread, ThreadCall},
};

/// Why it is unknown whether a call took effect.
pub(crate) enum DoubtReason {
    /// The server stopped while the call was running.
    Stopped,
    /// The caller's report, for example that the call timed out.
    Told(String),
    /// One of several calls in doubt whose outcome is still unknown.
    Still,
}

/// Characters per token, roughly. It estimates the usage of a stopped turn, for which the provider
/// reports none.
const CHARS_PER_TOKEN: u64 = 4;

/// A turn that has not ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// Its id.
    pub id: TurnId,
    /// The agent that runs it.
    pub agent_id: AgentId,
    /// The request.
    pub request: Request,
    /// Its status; never a final one.
    pub status: TurnStatus,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// The sequence number of its `message.accepted`.
    pub accepted_seq: u64,
    /// How often it was started.
    pub attempts: u32,
    /// The text that is in the journal so far.
    pub text: String,
    /// Length of that text in code points.
    pub text_chars: u64,
    /// Length in code points of the text that belongs to finished rounds, which an interruption
    /// does not discard.
    pub settled_chars: u64,
    /// Length in code points of the reasoning that is in the journal so far.
    pub thinking_chars: u64,
    /// When the first text arrived.
    pub first_word_at: Option<Timestamp>,
    /// The rounds and calls so far.
    pub thread: Thread,
    /// Usage of the finished rounds.
    pub usage: Usage,
    /// Length in code points of the reasoning that belongs to finished rounds.
    #[serde(default)]
    pub(crate) settled_thinking: u64,
    /// Tokens of the prompt.
    #[serde(default)]
    pub(crate) told_tokens: u64,
    /// Whether a model has received context beside the message.
    pub was_told: bool,
    /// Whether that context contains untrusted text.
    pub was_told_tainted: bool,
    /// Whether some of the untrusted text is in this turn's prompt only, and affects later turns
    /// through its answer.
    pub was_tainted_once: bool,
    /// Whether it is to be paused once its running calls have their results.
    #[serde(default)]
    pub(crate) is_pausing: bool,
    /// How many attempts there were before the last finished round.
    #[serde(default)]
    pub(crate) attempts_before_progress: u32,
    /// The turn it retries.
    pub retry_of: Option<TurnId>,
    /// The turn whose question it answers.
    pub answers: Option<TurnId>,
    /// Digest of the windows on its monitor when it was started.
    pub windows_digest: String,
    /// Digest of its context beside the conversation.
    pub known_digest: Option<String>,
    /// Its desktop actions and questions.
    pub doings: DesktopActivity,
    /// The answer, between `chat.final` and the end.
    pub(crate) response: Option<Response>,
}

impl OpenTurn {
    /// The answer, if there is one already.
    pub const fn response(&self) -> Option<&Response> {
        self.response.as_ref()
    }

    pub(crate) fn accepted(accepted: &MessageAccepted, seq: u64, at: Timestamp) -> Self {
        Self {
            id: accepted.turn_id,
            agent_id: accepted.agent_id.clone(),
            request: accepted.request.clone(),
            status: TurnStatus::Pending,
            accepted_at: at,
            accepted_seq: seq,
            attempts: 0,
            text: String::new(),
            text_chars: 0,
            settled_chars: 0,
            thinking_chars: 0,
            first_word_at: None,
            thread: Thread::default(),
            usage: Usage::default(),
            settled_thinking: 0,
            told_tokens: 0,
            was_told: false,
            was_told_tainted: false,
            was_tainted_once: false,
            is_pausing: false,
            attempts_before_progress: 0,
            retry_of: accepted.retry_of,
            answers: accepted.answers,
            windows_digest: String::new(),
            known_digest: None,
            doings: DesktopActivity::default(),
            response: None,
        }
    }

    /// The status change that continues the turn after an interruption. The text of its finished
    /// rounds is kept, the rest is requested again. An attempt that only waited for input, or that
    /// was paused, does not count.
    pub(crate) fn resumed(&self) -> StatusChanged {
        let was_cut = !self.awaits_input() && self.status != TurnStatus::Paused;
        StatusChanged {
            attempt: Some(self.attempts + u32::from(was_cut)),
            text_offset: Some(self.settled_chars),
            ..StatusChanged::to(Transition::Resumed)
        }
    }

    /// The status change that continues the turn after an answer it waited for. Nothing is
    /// requested again.
    pub(crate) fn continued(&self, reason: &str) -> StatusChanged {
        StatusChanged {
            attempt: Some(self.attempts),
            text_offset: Some(self.text_chars),
            ..StatusChanged::to(Transition::Resumed).because(reason)
        }
    }

    /// The status change that asks for the outcome of its calls in doubt.
    pub(crate) fn in_doubt<'a>(&self, why: &DoubtReason, calls: impl Iterator<Item = &'a ThreadCall>) -> StatusChanged {
        let calls: Vec<_> = calls.map(ThreadCall::in_doubt).collect();
        let names: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
        let names = names.join("`, `");
        let text = match why {
            DoubtReason::Stopped => format!(
                "The server stopped while `{names}` was running. It is unknown whether it took effect. Did it happen?"
            ),
            DoubtReason::Told(told) => {
                let told = told.trim_end_matches('.');
                format!("{told}. It is unknown whether `{names}` took effect. Did it happen?")
            }
            DoubtReason::Still => format!("It is still unknown whether `{names}` took effect. Did it happen?"),
        };
        StatusChanged {
            question: Some(OutcomeQuestion { text, calls }),
            ..StatusChanged::to(Transition::Waiting).because("outcome_unknown")
        }
    }

    /// The calls that have begun on the server and have no result yet.
    pub(crate) fn running_calls(&self) -> impl Iterator<Item = &ThreadCall> {
        self.thread.calls().filter(|call| call.begun.is_some() && call.result.is_none() && !call.awaits_client())
    }

    /// Whether a call is running on the server.
    pub(crate) fn has_running_calls(&self) -> bool {
        self.running_calls().next().is_some()
    }

    /// How many attempts in a row have ended without a finished round. A turn in the background may
    /// run for days, over any number of restarts, as long as it gets on.
    pub(crate) const fn attempts_without_progress(&self) -> u32 {
        if self.request.background {
            self.attempts.saturating_sub(self.attempts_before_progress)
        } else {
            self.attempts
        }
    }

    /// Whether a call waits for the user's approval.
    pub fn awaits_approval(&self) -> bool {
        self.thread.calls().any(ThreadCall::is_undecided)
    }

    /// Whether a call waits for its result from the client that sent the message.
    pub fn awaits_client(&self) -> bool {
        self.thread.calls().any(|call| call.awaits_client() && !call.is_served())
    }

    /// Whether a call waits for its result from a tool worker. For clients the turn goes on
    /// meanwhile: there is nothing for them to do.
    pub fn awaits_worker(&self) -> bool {
        self.thread.calls().any(|call| call.awaits_client() && call.is_served())
    }

    /// Whether nothing happens in the turn until someone outside of the server answers.
    pub(crate) fn awaits_input(&self) -> bool {
        self.awaits_person() || self.awaits_worker()
    }

    /// Whether the turn waits for input from the user or the client.
    pub fn awaits_person(&self) -> bool {
        self.awaits_approval() || self.doings.awaits_answer() || self.awaits_client()
    }

    /// The origin that the turn's output has to be assumed to have.
    pub(crate) fn origin(&self) -> Origin {
        self.request.origin.and(Origin::untrusted_if(self.was_told_tainted || self.thread.is_tainted()))
    }

    /// Whether the turn had no input but its message, and all of its calls were successful desktop
    /// actions without questions. Then replaying the actions has the same effect as running the
    /// request again.
    pub(crate) fn has_only_acted(&self) -> bool {
        let is_act = |call: &ThreadCall| {
            let is_done = call.result.as_ref().is_some_and(|result| result.status == CallStatus::Ok);
            is_done
                && call.asked.is_none()
                && call.begun.as_ref().is_some_and(|begun| self.doings.keys.contains(&begun.key))
        };
        // The text of an answer to a question depends on that question.
        let is_plain = self.request.images.is_empty() && self.thread.steers() == 0 && self.answers.is_none();
        is_plain && self.origin() == Origin::Trusted && self.thread.calls().all(is_act)
    }

    /// Its time limit in milliseconds, given the session's budget.
    pub fn time_budget_ms(&self, session_max: u64) -> u64 {
        self.request.time_budget_ms.map_or(session_max, |own| own.min(session_max))
    }

    /// Whether the first text came later than the client's early wait.
    pub(crate) fn is_late(&self, now: Timestamp) -> bool {
        let Some(patience) = self.request.early_wait_ms else { return false };
        let first_word_at = self.first_word_at.unwrap_or(now);
        first_word_at.as_millis().saturating_sub(self.accepted_at.as_millis())
            > i64::try_from(patience).unwrap_or(i64::MAX)
    }

    pub(crate) fn append(&mut self, range: &TextDelta, at: Timestamp) {
        self.status = TurnStatus::Streaming;
        self.first_word_at.get_or_insert(at);
        self.text.push_str(&range.delta);
        self.text_chars += range.delta.chars().count() as u64;
    }

    pub(crate) fn take_in(&mut self, step: &Step) {
        let said = if matches!(step, Step::Plan(_)) { self.unsettled_text() } else { String::new() };
        self.thread.take_in(step, || said);
        if let Step::Plan(plan) = step {
            self.settled_chars = self.text_chars;
            self.settled_thinking = self.thinking_chars;
            self.attempts_before_progress = self.attempts.saturating_sub(1);
            self.usage = self.usage.plus(plan.usage.unwrap_or_default());
        }
    }

    /// Usage of a stopped turn: its finished rounds, and an estimate of the unfinished one.
    pub(crate) fn usage_so_far(&self) -> Option<Usage> {
        let said = self.text_chars.saturating_sub(self.settled_chars);
        let thought = self.thinking_chars.saturating_sub(self.settled_thinking);
        let is_asked = said + thought > 0 && self.was_told;
        let estimate = Usage::of(self.told_tokens, (said + thought).div_ceil(CHARS_PER_TOKEN));
        let usage = if is_asked { self.usage.plus(estimate) } else { self.usage };
        (usage != Usage::default()).then_some(usage)
    }

    /// The text since the last finished round.
    pub(crate) fn unsettled_text(&self) -> String {
        self.text.chars().skip(usize::try_from(self.settled_chars).unwrap_or(usize::MAX)).collect()
    }

    pub(crate) fn cut_text(&mut self, offset: u64) {
        if offset < self.text_chars {
            self.text = self.text.chars().take(usize::try_from(offset).unwrap_or(usize::MAX)).collect();
            self.text_chars = offset;
        }
    }
}
