//! The thread of a turn: the rounds of the model, the results of its calls, and the steering
//! messages in between. A resumed turn continues from it, so it holds everything that must not be
//! asked or done again.

use protocol::{
    ApprovalDecision, ApprovalId, ApprovalRequest, Body, CallStatus, DoubtfulCall, Effect, ObservationKind, Origin,
    Plan, PlannedCall, Step, StopReason, Timestamp, ToolCall, ToolResult,
};
use serde::{Deserialize, Serialize};

/// One entry of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadEntry {
    /// A round of the model.
    Round(Round),
    /// A steering message.
    Steered(String),
}

/// The text of the model before it called tools, and the calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The text.
    pub text: String,
    /// Its calls, in order.
    pub calls: Vec<ThreadCall>,
    /// Whether a model asked for the calls, rather than the plan.
    pub by_model: bool,
    /// Why the text ended.
    #[serde(default, skip_serializing_if = "StopReason::is_complete")]
    pub stop_reason: StopReason,
}

impl Round {
    /// Whether the text reached the maximum length, so that the model has to continue it.
    pub fn is_cut(&self) -> bool {
        self.stop_reason == StopReason::Length
    }
}

/// A call and its progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreadCall {
    /// What the model asked for.
    pub planned: PlannedCall,
    /// The approval request, and the decision.
    pub asked: Option<CallApproval>,
    /// The record that was written before the call ran.
    pub begun: Option<ToolCall>,
    /// The last delivery to a tool worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<CallDelivery>,
    /// The result.
    pub result: Option<ToolResult>,
}

/// The delivery of a call to a tool worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallDelivery {
    /// Name of the worker, if it has one of its own.
    pub worker: Option<String>,
}

/// An approval request for a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallApproval {
    /// The request.
    pub request: ApprovalRequest,
    /// The decision.
    pub decision: Option<ApprovalDecision>,
}

impl ThreadCall {
    /// Whether it is unknown if the call took effect: it was started, has no result, and must not
    /// run twice.
    pub fn is_doubtful(&self) -> bool {
        let is_begun = self.begun.as_ref().is_some_and(|begun| begun.effect == Effect::AtMostOnce);
        self.result.is_none() && is_begun && !self.is_clients()
    }

    /// Whether its result comes from outside: from the client, or from a tool worker.
    pub fn is_clients(&self) -> bool {
        self.client_until().is_some()
    }

    /// Whether a tool worker runs it.
    pub fn is_served(&self) -> bool {
        self.begun.as_ref().is_some_and(|begun| begun.served)
    }

    /// The deadline of the result, if it comes from outside.
    pub fn client_until(&self) -> Option<Timestamp> {
        self.begun.as_ref().and_then(|begun| begun.client_until)
    }

    /// Whether a result from outside is missing.
    pub fn awaits_client(&self) -> bool {
        self.is_clients() && self.result.is_none()
    }

    /// Whether it was started and cannot simply be run again.
    pub(crate) fn is_unsettled(&self) -> bool {
        let effect = self.begun.as_ref().map(|begun| begun.effect);
        let is_begun = matches!(effect, Some(Effect::AtMostOnce | Effect::Verifiable));
        self.result.is_none() && is_begun && !self.is_clients()
    }

    /// Whether it waits for the user's approval.
    pub fn is_undecided(&self) -> bool {
        let is_open = self.result.is_none() && self.begun.is_none();
        is_open && self.asked.as_ref().is_some_and(|asked| asked.decision.is_none())
    }

    /// Its open approval request.
    pub fn open_question(&self) -> Option<&ApprovalRequest> {
        self.asked.as_ref().filter(|asked| asked.decision.is_none()).map(|asked| &asked.request)
    }

    /// The call as clients see it when its outcome is in doubt.
    pub fn in_doubt(&self) -> DoubtfulCall {
        let planned = &self.planned;
        let arguments = self.begun.as_ref().map_or(&planned.arguments, |begun| &begun.arguments).clone();
        DoubtfulCall { call_id: planned.call_id.clone(), tool: planned.tool.clone(), arguments }
    }

    /// A result for a call that gets no other, so that providers accept the thread.
    fn wound_up(&self, why: &str) -> ToolResult {
        let content = match &self.begun {
            None => format!("The call was not run: {why}."),
            Some(_) if self.is_served() && self.delivery.is_none() => {
                format!("The call was not run, since no tool worker had taken it yet: {why}.")
            }
            Some(_) if self.is_served() => {
                format!("The call was sent to a tool worker, which has not answered; it may have taken effect: {why}.")
            }
            Some(_) if self.is_clients() => {
                format!("The call was handed to the client, which has not told what came of it: {why}.")
            }
            Some(begun) if begun.effect == Effect::Pure => format!("The call was stopped: {why}."),
            Some(_) => format!("The call was stopped while it ran, so it may have taken effect: {why}."),
        };
        ToolResult {
            call_id: self.planned.call_id.clone(),
            tool: self.planned.tool.clone(),
            status: CallStatus::Cancelled,
            content,
            origin: Origin::Trusted,
            artifact_id: None,
            sources: Vec::new(),
            duration_ms: None,
        }
    }
}

/// The entries of a turn, oldest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Thread {
    entries: Vec<ThreadEntry>,
}

impl Thread {
    /// The entries, oldest first.
    pub fn entries(&self) -> &[ThreadEntry] {
        &self.entries
    }

    /// The calls of all rounds, oldest first.
    pub fn calls(&self) -> impl Iterator<Item = &ThreadCall> {
        self.entries.iter().flat_map(|entry| match entry {
            ThreadEntry::Round(round) => round.calls.as_slice(),
            ThreadEntry::Steered(_) => &[],
        })
    }

    /// The number of rounds.
    pub fn rounds(&self) -> u32 {
        let count = self.entries.iter().filter(|entry| matches!(entry, ThreadEntry::Round(_))).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The number of rounds by a model.
    pub fn model_rounds(&self) -> u32 {
        let by_model = |entry: &&ThreadEntry| matches!(entry, ThreadEntry::Round(round) if round.by_model);
        u32::try_from(self.entries.iter().filter(by_model).count()).unwrap_or(u32::MAX)
    }

    /// The number of rounds that were cut at the maximum length.
    pub fn cuts(&self) -> usize {
        self.entries.iter().filter(|entry| matches!(entry, ThreadEntry::Round(round) if round.is_cut())).count()
    }

    /// Whether the next text continues the text of the last round.
    pub fn goes_on(&self) -> bool {
        matches!(self.entries.last(), Some(ThreadEntry::Round(round)) if round.is_cut() && round.calls.is_empty())
    }

    /// Takes the text of a last round that was cut: what follows belongs to the same answer.
    pub(crate) fn take_cut(&mut self) -> String {
        if !self.goes_on() {
            return String::new();
        }
        match self.entries.pop() {
            Some(ThreadEntry::Round(round)) => round.text,
            _ => String::new(),
        }
    }

    /// The number of calls that were started.
    pub fn calls_begun(&self) -> u32 {
        u32::try_from(self.calls().filter(|call| call.begun.is_some()).count()).unwrap_or(u32::MAX)
    }

    /// The number of steering messages.
    pub fn steers(&self) -> u32 {
        let count = self.entries.iter().filter(|entry| matches!(entry, ThreadEntry::Steered(_))).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Whether some call is in doubt.
    pub fn is_doubtful(&self) -> bool {
        self.calls().any(ThreadCall::is_doubtful)
    }

    /// Whether it has read untrusted text.
    pub fn is_tainted(&self) -> bool {
        self.calls().filter_map(|call| call.result.as_ref()).any(|result| result.origin == Origin::Untrusted)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Applies a step. `text` gives the model's text in the round that a plan ends.
    pub fn take_in(&mut self, step: &Step, text: impl FnOnce() -> String) {
        match step {
            Step::Plan(plan) => self.plan(plan, &text()),
            Step::ToolCall(begun) => {
                if let Some(call) = self.call(&begun.call_id) {
                    call.begun = Some(begun.clone());
                }
            }
            Step::ToolResult(result) => {
                if let Some(call) = self.call(&result.call_id) {
                    call.result = Some(result.clone());
                }
            }
            Step::ObservedEvent(observed) if observed.kind == ObservationKind::CallDidNotHappen => {
                if let Some(call) = self.call(observed.call_id.as_deref().unwrap_or_default()) {
                    call.begun = None;
                }
            }
            Step::ObservedEvent(observed) if observed.kind == ObservationKind::CallDelivered => {
                if let Some(call) = self.call(observed.call_id.as_deref().unwrap_or_default()) {
                    call.delivery = Some(CallDelivery { worker: observed.worker.clone() });
                }
            }
            Step::Retrieval(_) | Step::ObservedEvent(_) | Step::Summary(_) | Step::Error(_) => {}
        }
    }

    fn plan(&mut self, plan: &Plan, text: &str) {
        let call = |planned: &PlannedCall| ThreadCall {
            planned: planned.clone(),
            asked: None,
            begun: None,
            delivery: None,
            result: None,
        };
        // The text of a later round starts on a new line in the whole text; that line break is no
        // part of the round.
        let text = if self.goes_on() { text } else { text.trim_start_matches('\n') }.to_owned();
        let (by_model, stop_reason) = (plan.model.is_some(), plan.stop_reason);
        let round =
            ThreadEntry::Round(Round { text, calls: plan.calls.iter().map(call).collect(), by_model, stop_reason });
        // Steering messages that the model had not seen come after its round.
        let unseen = self.steers().saturating_sub(plan.steers) as usize;
        self.entries.insert(self.entries.len() - unseen, round);
    }

    /// Adds a steering message.
    pub fn steer(&mut self, message: &str) {
        self.entries.push(ThreadEntry::Steered(message.to_owned()));
    }

    /// Adds an approval request.
    pub fn ask(&mut self, request: &ApprovalRequest) {
        if let Some(call) = self.call(&request.call_id) {
            call.asked = Some(CallApproval { request: request.clone(), decision: None });
        }
    }

    /// Adds its decision.
    pub fn decide(&mut self, approval_id: ApprovalId, decision: ApprovalDecision) {
        let asked = self.calls_mut().filter_map(|call| call.asked.as_mut());
        for asked in asked.filter(|asked| asked.request.approval_id == approval_id) {
            asked.decision = Some(decision);
        }
    }

    /// The newest call of that id that has no result: an id may be used again in a later round.
    fn call(&mut self, call_id: &str) -> Option<&mut ThreadCall> {
        let is_meant = |call: &&mut ThreadCall| call.planned.call_id == call_id && call.result.is_none();
        self.calls_mut().filter(is_meant).last()
    }

    fn calls_mut(&mut self) -> impl Iterator<Item = &mut ThreadCall> {
        self.entries.iter_mut().flat_map(|entry| match entry {
            ThreadEntry::Round(round) => round.calls.as_mut_slice(),
            ThreadEntry::Steered(_) => &mut [],
        })
    }

    /// The events that close every open question and every open call of a turn that ends.
    pub(crate) fn wind_up(&self, why: &str) -> Vec<Body> {
        let mut events = Vec::new();
        for call in self.calls().filter(|call| call.result.is_none()) {
            if let Some(request) = call.open_question() {
                events.push(Body::ApprovalResolved(protocol::ApprovalResolved {
                    approval_id: request.approval_id,
                    decision: ApprovalDecision::Deny,
                    by: protocol::SettledBy::TurnEnd,
                }));
            }
            events.push(Body::Step(Step::ToolResult(call.wound_up(why))));
        }
        events
    }
}
