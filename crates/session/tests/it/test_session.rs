//! A session in memory: commands in, events out, with the state kept up to date.

use std::time::Duration;

use protocol::{
    ApprovalAnswer, ApprovalDecision as Said, ApprovalId, ApprovalRequest, Body, CallStatus, ChatSend,
    Effect as CallEffect, Event, Origin, OwnerId, Plan, PlannedCall, Response, Safety, SessionId, SessionStart,
    Settings, Step, Timestamp, ToolCall, ToolResult, TurnId, TurnStatus, TurnView, Usage,
};
use serde_json::json;
use session::{
    Command, CommandDecision, CommandOutcome, Effect, Refusal, State, TurnReport, decide, fold_turns, start,
};
use ulid::Ulid;

pub(crate) struct TestSession {
    pub(crate) state: State,
    pub(crate) journal: Vec<Event>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) now: Timestamp,
}

pub(crate) fn turn(n: u8) -> TurnId {
    TurnId::new(Ulid::from_parts(1_000 + u64::from(n), u128::from(n)))
}

pub(crate) fn session_id(n: u8) -> SessionId {
    SessionId::new(Ulid::from_parts(1, u128::from(n)))
}

impl TestSession {
    pub(crate) fn begin(settings: Settings) -> Self {
        let owner: OwnerId = "ada".parse().unwrap();
        let now = Timestamp::from_millis(1_700_000_000_000);
        let asked =
            SessionStart { policy: Some(settings.policy), budgets: Some(settings.budgets), ..SessionStart::default() };
        let first = start(session_id(1), owner, asked, now).unwrap();
        Self { state: State::begin(&first).unwrap(), journal: vec![first], effects: Vec::new(), now }
    }

    /// Decides, numbers and applies a command, as the engine does around a commit.
    pub(crate) fn run(&mut self, command: Command) -> Result<CommandOutcome, Refusal> {
        let CommandDecision { events, effects, outcome } = decide(&self.state, command, self.now)?;
        for draft in events {
            let event = draft.number(self.state.id, self.state.head + 1, self.now);
            self.state.apply(&event);
            self.journal.push(event);
        }
        self.effects.extend(effects);
        Ok(outcome)
    }

    pub(crate) fn send(&mut self, n: u8, message: &str) -> Result<CommandOutcome, Refusal> {
        self.run(Command::Send { turn_id: turn(n), send: ChatSend::text(message) })
    }

    pub(crate) fn finish(&mut self, n: u8, message: &str) -> CommandOutcome {
        let usage = Some(Usage::of(3, 2));
        let response = Response { usage, ..Response::text(message, "m") };
        self.finish_knowing(n, response, 0)
    }

    pub(crate) fn finish_knowing(&mut self, n: u8, response: Response, steers: u32) -> CommandOutcome {
        self.report(n, TurnReport::Done { response, reason: None, steers })
    }

    pub(crate) fn text(&mut self, n: u8, delta: &str) -> CommandOutcome {
        self.report(n, TurnReport::Text(delta.to_owned()))
    }

    pub(crate) fn report(&mut self, n: u8, report: TurnReport) -> CommandOutcome {
        self.run(Command::Report { turn_id: turn(n), report }).unwrap()
    }

    /// The model asks for calls, by id and tool.
    pub(crate) fn plan(&mut self, n: u8, calls: &[(&str, &str)]) -> CommandOutcome {
        let calls = calls.iter().map(|(call_id, tool)| PlannedCall {
            call_id: (*call_id).to_owned(),
            tool: (*tool).to_owned(),
            arguments: json!({}),
            signatures: Vec::new(),
            looked_up: false,
        });
        self.report(n, TurnReport::Step(Step::Plan(Plan { round: 1, calls: calls.collect(), ..Plan::default() })))
    }

    pub(crate) fn begin_call(&mut self, n: u8, call_id: &str, tool: &str, effect: CallEffect) -> CommandOutcome {
        self.report(
            n,
            TurnReport::Step(Step::ToolCall(ToolCall {
                call_id: call_id.to_owned(),
                tool: tool.to_owned(),
                arguments: json!({}),
                effect,
                key: "k".to_owned(),
                approval_id: None,
                client_until: None,
                served: false,
            })),
        )
    }

    pub(crate) fn end_call(&mut self, n: u8, call_id: &str, tool: &str, origin: Origin) -> CommandOutcome {
        self.report(
            n,
            TurnReport::Step(Step::ToolResult(ToolResult {
                call_id: call_id.to_owned(),
                tool: tool.to_owned(),
                status: CallStatus::Ok,
                content: "done".to_owned(),
                origin,
                artifact_id: None,
                sources: Vec::new(),
                duration_ms: None,
            })),
        )
    }

    /// An approval request for a call, open for a minute.
    pub(crate) fn ask(&mut self, n: u8, id: u8, call_id: &str, tool: &str) -> ApprovalId {
        let approval_id = ApprovalId::new(Ulid::from_parts(5, u128::from(id)));
        let request = ApprovalRequest {
            approval_id,
            turn_id: turn(n),
            call_id: call_id.to_owned(),
            tool: tool.to_owned(),
            arguments: json!({}),
            digest: format!("digest of {tool}"),
            safety: Safety::Acts,
            effect: CallEffect::AtMostOnce,
            reason: "because".to_owned(),
            question: None,
            expires_at: self.now.plus(Duration::from_secs(60)),
        };
        self.report(n, TurnReport::Ask(request));
        approval_id
    }

    pub(crate) fn decide(&mut self, approval_id: ApprovalId, decision: Said) -> Result<CommandOutcome, Refusal> {
        self.run(Command::Answer(ApprovalAnswer { approval_id, decision, digest: None }))
    }

    pub(crate) fn view(&self, n: u8) -> TurnView {
        fold_turns(&self.journal).into_iter().find(|view| view.turn_id == turn(n)).unwrap()
    }

    pub(crate) fn status(&self, n: u8) -> TurnStatus {
        self.view(n).status
    }

    /// The names of all events so far, for tables.
    pub(crate) fn names(&self) -> Vec<String> {
        self.journal.iter().map(|event| name(&event.body)).collect()
    }
}

pub(crate) fn name(body: &Body) -> String {
    let json = serde_json::to_value(body).unwrap();
    json["type"].as_str().unwrap().to_owned()
}
