//! The thread of a turn: what the model said and called, what came of the calls, and what was said in between. It is what
//! a resumed turn goes on from, so it holds everything that must not be asked or done again.

use protocol::{
    ApprovalId, ApprovalRequest, Body, CallStatus, Decision, DoubtfulCall, Effect, ObservedKind, Origin, Plan,
    PlannedCall, Step, StopReason, Timestamp, ToolCall, ToolResult,
};
use serde::{Deserialize, Serialize};

/// One entry of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// A round of the model.
    Round(Round),
    /// A message that came in between.
    Steered(String),
}

/// What the model said before it called tools, and the calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Its words.
    pub text: String,
    /// Its calls, in order.
    pub calls: Vec<Call>,
    /// Whether a model asked for them, rather than the plan.
    pub by_model: bool,
    /// Why its words ended.
    #[serde(default, skip_serializing_if = "StopReason::is_complete")]
    pub stop_reason: StopReason,
}

impl Round {
    /// Whether it reached the longest length allowed, so that the model goes on where it stopped.
    pub fn is_cut(&self) -> bool {
        self.stop_reason == StopReason::Length
    }
}

/// A call and how far it has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// What the model asked for.
    pub planned: PlannedCall,
    /// The question whether it may run, and the answer.
    pub asked: Option<Asked>,
    /// What was written down before it ran.
    pub begun: Option<ToolCall>,
    /// What came of it.
    pub result: Option<ToolResult>,
}

/// A question whether a call may run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The question.
    pub request: ApprovalRequest,
    /// The answer.
    pub decision: Option<Decision>,
}

impl Call {
    /// Whether nobody knows if it happened: it was begun, there is no result, and it must not happen twice.
    pub fn is_doubtful(&self) -> bool {
        let is_begun = self.begun.as_ref().is_some_and(|begun| begun.effect == Effect::AtMostOnce);
        self.result.is_none() && is_begun && !self.is_clients()
    }

    /// Whether it was handed to the client, whose tool it is of.
    pub fn is_clients(&self) -> bool {
        self.client_until().is_some()
    }

    /// How long the client is waited for, if it was handed to it.
    pub fn client_until(&self) -> Option<Timestamp> {
        self.begun.as_ref().and_then(|begun| begun.client_until)
    }

    /// Whether the client has still to tell what came of it.
    pub fn awaits_client(&self) -> bool {
        self.is_clients() && self.result.is_none()
    }

    /// Whether it was begun and may not simply be run again.
    pub(crate) fn is_unsettled(&self) -> bool {
        let effect = self.begun.as_ref().map(|begun| begun.effect);
        let is_begun = matches!(effect, Some(Effect::AtMostOnce | Effect::Verifiable));
        self.result.is_none() && is_begun && !self.is_clients()
    }

    /// Whether a person still has to say if it may run.
    pub fn is_undecided(&self) -> bool {
        let is_open = self.result.is_none() && self.begun.is_none();
        is_open && self.asked.as_ref().is_some_and(|asked| asked.decision.is_none())
    }

    /// The question that is open about it.
    pub fn open_question(&self) -> Option<&ApprovalRequest> {
        self.asked.as_ref().filter(|asked| asked.decision.is_none()).map(|asked| &asked.request)
    }

    /// How clients are asked about it when its outcome is in doubt.
    pub fn in_doubt(&self) -> DoubtfulCall {
        let planned = &self.planned;
        let arguments = self.begun.as_ref().map_or(&planned.arguments, |begun| &begun.arguments).clone();
        DoubtfulCall { call_id: planned.call_id.clone(), tool: planned.tool.clone(), arguments }
    }

    /// A result for a call that gets none, so that the thread stays one that a provider accepts.
    fn wound_up(&self, why: &str) -> ToolResult {
        let content = match &self.begun {
            None => format!("The call was not run: {why}."),
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
    entries: Vec<Entry>,
}

impl Thread {
    /// The entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The calls of all rounds, oldest first.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.entries.iter().flat_map(|entry| match entry {
            Entry::Round(round) => round.calls.as_slice(),
            Entry::Steered(_) => &[],
        })
    }

    /// How many rounds there were.
    pub fn rounds(&self) -> u32 {
        let count = self.entries.iter().filter(|entry| matches!(entry, Entry::Round(_))).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// How many rounds a model has made.
    pub fn model_rounds(&self) -> u32 {
        let by_model = |entry: &&Entry| matches!(entry, Entry::Round(round) if round.by_model);
        u32::try_from(self.entries.iter().filter(by_model).count()).unwrap_or(u32::MAX)
    }

    /// How many rounds were cut at the longest length allowed.
    pub fn cuts(&self) -> usize {
        self.entries.iter().filter(|entry| matches!(entry, Entry::Round(round) if round.is_cut())).count()
    }

    /// Whether the next words follow those of the last round without a break.
    pub fn goes_on(&self) -> bool {
        matches!(self.entries.last(), Some(Entry::Round(round)) if round.is_cut() && round.calls.is_empty())
    }

    /// Takes the words of a last round that was cut: what follows them belongs to the same answer.
    pub(crate) fn take_cut(&mut self) -> String {
        if !self.goes_on() {
            return String::new();
        }
        match self.entries.pop() {
            Some(Entry::Round(round)) => round.text,
            _ => String::new(),
        }
    }

    /// How many calls were begun.
    pub fn calls_begun(&self) -> u32 {
        u32::try_from(self.calls().filter(|call| call.begun.is_some()).count()).unwrap_or(u32::MAX)
    }

    /// How many messages have come in between.
    pub fn steers(&self) -> u32 {
        let count = self.entries.iter().filter(|entry| matches!(entry, Entry::Steered(_))).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Whether some call is in doubt.
    pub fn is_doubtful(&self) -> bool {
        self.calls().any(Call::is_doubtful)
    }

    /// Whether it has read text that is anybody's.
    pub fn is_tainted(&self) -> bool {
        self.calls().filter_map(|call| call.result.as_ref()).any(|result| result.origin == Origin::Untrusted)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes a step in; the text is what the model said in the round that a plan ends.
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
            Step::ObservedEvent(observed) if observed.kind == ObservedKind::CallDidNotHappen => {
                if let Some(call) = self.call(observed.call_id.as_deref().unwrap_or_default()) {
                    call.begun = None;
                }
            }
            Step::Retrieval(_) | Step::ObservedEvent(_) | Step::Summary(_) | Step::Error(_) => {}
        }
    }

    fn plan(&mut self, plan: &Plan, text: &str) {
        let call = |planned: &PlannedCall| Call { planned: planned.clone(), asked: None, begun: None, result: None };
        // Words of a later round begin on a line of their own; that is for whoever reads the whole text.
        let text = if self.goes_on() { text } else { text.trim_start_matches('\n') }.to_owned();
        let (by_model, stop_reason) = (plan.model.is_some(), plan.stop_reason);
        let round = Entry::Round(Round { text, calls: plan.calls.iter().map(call).collect(), by_model, stop_reason });
        // What the model had not seen was said after it spoke.
        let unseen = self.steers().saturating_sub(plan.steers) as usize;
        self.entries.insert(self.entries.len() - unseen, round);
    }

    /// Takes in a message that came in between.
    pub fn steer(&mut self, message: &str) {
        self.entries.push(Entry::Steered(message.to_owned()));
    }

    /// Takes in a question about a call.
    pub fn ask(&mut self, request: &ApprovalRequest) {
        if let Some(call) = self.call(&request.call_id) {
            call.asked = Some(Asked { request: request.clone(), decision: None });
        }
    }

    /// Takes in the answer.
    pub fn decide(&mut self, approval_id: ApprovalId, decision: Decision) {
        let asked = self.calls_mut().filter_map(|call| call.asked.as_mut());
        for asked in asked.filter(|asked| asked.request.approval_id == approval_id) {
            asked.decision = Some(decision);
        }
    }

    /// The newest call of that id that has no result: an id may be used again in a later round.
    fn call(&mut self, call_id: &str) -> Option<&mut Call> {
        let is_meant = |call: &&mut Call| call.planned.call_id == call_id && call.result.is_none();
        self.calls_mut().filter(is_meant).last()
    }

    fn calls_mut(&mut self) -> impl Iterator<Item = &mut Call> {
        self.entries.iter_mut().flat_map(|entry| match entry {
            Entry::Round(round) => round.calls.as_mut_slice(),
            Entry::Steered(_) => &mut [],
        })
    }

    /// The events that close every open question and every open call of a turn that ends.
    pub(crate) fn wind_up(&self, why: &str) -> Vec<Body> {
        let mut events = Vec::new();
        for call in self.calls().filter(|call| call.result.is_none()) {
            if let Some(request) = call.open_question() {
                events.push(Body::ApprovalResolved(protocol::ApprovalResolved {
                    approval_id: request.approval_id,
                    decision: Decision::Deny,
                    by: protocol::SettledBy::TurnEnd,
                }));
            }
            events.push(Body::Step(Step::ToolResult(call.wound_up(why))));
        }
        events
    }
}
