//! A turn that has not ended.

use protocol::{
    AgentId, CallStatus, MessageAccepted, Origin, Question, Request, Response, StatusChanged, Step, Text, Timestamp,
    Transition, TurnId, TurnStatus, Usage,
};
use serde::{Deserialize, Serialize};

use crate::{
    doings::Doings,
    thread::{Call, Thread},
};

/// Why nobody knows whether a call happened.
pub(crate) enum Doubt {
    /// The server stopped while it ran.
    Stopped,
    /// What was told of it, as that it did not answer in time.
    Told(String),
    /// Of several, this one was not answered yet.
    Still,
}

/// Characters of a token, roughly: what was streamed when a turn was stopped is counted by nobody else.
const CHARS_PER_TOKEN: u64 = 4;

/// A turn that has not ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// Its id.
    pub id: TurnId,
    /// Who runs it.
    pub agent_id: AgentId,
    /// What was asked.
    pub request: Request,
    /// Where it stands; never a final status.
    pub status: TurnStatus,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// The number of its `message.accepted`.
    pub accepted_seq: u64,
    /// How many times it was begun.
    pub attempts: u32,
    /// The text that is in the journal so far.
    pub text: String,
    /// Length of that text in code points.
    pub text_chars: u64,
    /// Length in code points of the text that belongs to finished rounds: what an interruption leaves standing.
    pub settled_chars: u64,
    /// Length in code points of the reasoning that is in the journal so far.
    pub thinking_chars: u64,
    /// When the first word came.
    pub first_word_at: Option<Timestamp>,
    /// What the model said and called so far.
    pub thread: Thread,
    /// What the finished rounds took.
    pub usage: Usage,
    /// Length in code points of the reasoning that belongs to finished rounds.
    #[serde(default)]
    pub(crate) settled_thinking: u64,
    /// Tokens of what its model is told.
    #[serde(default)]
    pub(crate) told_tokens: u64,
    /// Whether a model was told what stands beside the message.
    pub was_told: bool,
    /// Whether it was told words that may be anybody's.
    pub was_told_tainted: bool,
    /// Whether some of them are told this once, and live on in its answer.
    pub was_tainted_once: bool,
    /// The turn it tries again.
    pub retry_of: Option<TurnId>,
    /// The turn whose question it answers.
    pub answers: Option<TurnId>,
    /// What stands for the windows on its monitor when it was taken up.
    pub windows_digest: String,
    /// What stands for all it was told beside the conversation.
    pub known_digest: Option<String>,
    /// What it has done and asked on the desktop.
    pub doings: Doings,
    /// The answer, between `chat.final` and the end.
    pub(crate) response: Option<Response>,
}

impl OpenTurn {
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
            retry_of: accepted.retry_of,
            answers: accepted.answers,
            windows_digest: String::new(),
            known_digest: None,
            doings: Doings::default(),
            response: None,
        }
    }

    /// The status change that lets it go on after an interruption: what its finished rounds said stands, the rest is
    /// asked anew. One that has only waited for a person was not tried in vain.
    pub(crate) fn resumed(&self) -> StatusChanged {
        StatusChanged {
            attempt: Some(self.attempts + u32::from(!self.awaits_person())),
            text_offset: Some(self.settled_chars),
            ..StatusChanged::to(Transition::Resumed)
        }
    }

    /// The status change that lets it go on after an answer it waited for: nothing is asked anew.
    pub(crate) fn continued(&self, reason: &str) -> StatusChanged {
        StatusChanged {
            attempt: Some(self.attempts),
            text_offset: Some(self.text_chars),
            ..StatusChanged::to(Transition::Resumed).because(reason)
        }
    }

    /// The status change that asks whether its doubtful calls have happened.
    pub(crate) fn in_doubt<'a>(&self, why: &Doubt, calls: impl Iterator<Item = &'a Call>) -> StatusChanged {
        let calls: Vec<_> = calls.map(Call::in_doubt).collect();
        let names: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
        let names = names.join("`, `");
        let text = match why {
            Doubt::Stopped => format!(
                "The server stopped while `{names}` ran, and nobody can tell whether it took effect. Did it happen?"
            ),
            Doubt::Told(told) => {
                let told = told.trim_end_matches('.');
                format!("{told}. Nobody can tell whether `{names}` took effect. Did it happen?")
            }
            Doubt::Still => format!("Nobody can tell yet whether `{names}` took effect. Did it happen?"),
        };
        StatusChanged {
            question: Some(Question { text, calls }),
            ..StatusChanged::to(Transition::Waiting).because("outcome_unknown")
        }
    }

    /// Whether a person has to say if a call may run.
    pub fn awaits_approval(&self) -> bool {
        self.thread.calls().any(Call::is_undecided)
    }

    /// Whether its client has to tell what came of a call.
    pub fn awaits_client(&self) -> bool {
        self.thread.calls().any(Call::awaits_client)
    }

    /// Whether somebody outside has to say something before it goes on.
    pub fn awaits_person(&self) -> bool {
        self.awaits_approval() || self.doings.awaits_answer() || self.awaits_client()
    }

    /// Whose words what it says may be.
    pub(crate) fn origin(&self) -> Origin {
        self.request.origin.and(Origin::untrusted_if(self.was_told_tainted || self.thread.is_tainted()))
    }

    /// Whether nothing came into it but its message, and all it called was done on the desktop, unasked, and worked: then
    /// doing the same again is all that asking the same again would be.
    pub(crate) fn has_only_acted(&self) -> bool {
        let is_act = |call: &Call| {
            let is_done = call.result.as_ref().is_some_and(|result| result.status == CallStatus::Ok);
            is_done
                && call.asked.is_none()
                && call.begun.as_ref().is_some_and(|begun| self.doings.keys.contains(&begun.key))
        };
        // An answer means what its question meant.
        let is_plain = self.request.images.is_empty() && self.thread.steers() == 0 && self.answers.is_none();
        is_plain && self.origin() == Origin::Trusted && self.thread.calls().all(is_act)
    }

    /// The milliseconds it may take, given the session's budget.
    pub fn time_budget_ms(&self, session_max: u64) -> u64 {
        self.request.time_budget_ms.map_or(session_max, |own| own.min(session_max))
    }

    /// Whether the first words came later than the client wanted to wait.
    pub(crate) fn is_late(&self, now: Timestamp) -> bool {
        let Some(patience) = self.request.early_wait_ms else { return false };
        let first_word_at = self.first_word_at.unwrap_or(now);
        first_word_at.as_millis().saturating_sub(self.accepted_at.as_millis())
            > i64::try_from(patience).unwrap_or(i64::MAX)
    }

    pub(crate) fn append(&mut self, range: &Text, at: Timestamp) {
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
            self.usage = self.usage.plus(plan.usage.unwrap_or_default());
        }
    }

    /// What it took when it is stopped: its finished rounds, and an estimate of the one that was on its way.
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
