//! Direct tool calls of a client. A call that only reads is answered at once. A call that changes
//! something becomes a turn, so that it is recorded before it runs, happens once, and can require
//! an approval.

use std::{sync::Arc, time::Duration};

use journal::OwnerHold;
use observe::Measurement;
use ports::{NoDesktop, NoPinStore, NoResearch, ToolFailure};
use protocol::{
    CallStatus, ChatSend, DirectCall, MessageTrust, OnBusy, Origin, OwnerId, SessionId, SessionRef, TurnAccepted,
    TurnId,
};
use serde_json::Value;
use session::Refusal;
use tools::{CallContext, Output, PastDecision, PolicyInput, RegisteredTool, SessionRules, Verdict, judge, view};

use super::Hub;
use crate::Error;

/// The result of a call that was answered at once.
#[derive(Debug, Clone, PartialEq)]
pub struct CallAnswer {
    /// Whether it succeeded.
    pub status: CallStatus,
    /// The answer.
    pub value: Value,
    /// The origin of its content.
    pub origin: Origin,
}

impl Hub {
    /// Makes a call as a turn of a session. Idempotent by the key.
    pub async fn call(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        call: DirectCall,
        key: Option<String>,
        way: MessageTrust,
    ) -> Result<TurnAccepted, Error> {
        let send = ChatSend { calls: vec![call], idempotency_key: key, way, ..ChatSend::text(String::new()) };
        // Calls of one client run in parallel as long as there is capacity.
        let beside = ChatSend { on_busy: OnBusy::Fork, ..send.clone() };
        match self.send(owner, session, beside).await {
            Err(Error::Refused(Refusal::TooManyAgents)) => self.send(owner, session, send).await,
            accepted => accepted,
        }
    }

    /// Answers a call that needs no session and no approval. `None` if it has to be a turn.
    /// `origin` is the origin of the arguments.
    pub async fn look(
        &self,
        owner: &OwnerId,
        call: &DirectCall,
        origin: Origin,
        progress: impl Fn(String) + Send + Sync + 'static,
    ) -> Option<CallAnswer> {
        let services = self.services();
        let arguments = services.redactor.redact_json(Value::Object(call.arguments.clone()));
        let checked = match services.tools.check(&call.tool, &arguments) {
            Ok(checked) => checked,
            Err(what) => return Some(CallAnswer::refused(CallStatus::Error, what)),
        };
        let declaration = &checked.entry.declaration;
        if !declaration.runs_without_session() {
            return None;
        }
        let confirm = checked.entry.tool.confirm(&arguments).await;
        let judged = PolicyInput {
            tool: &call.tool,
            scope: checked.scope.as_deref(),
            safety: declaration.safety,
            tainted: !origin.is_trusted(),
            confirm: confirm.as_deref(),
        };
        match judge(&judged, &services.rules, &SessionRules::default(), PastDecision::default()) {
            Verdict::Allow => {}
            Verdict::Ask(_) => return None,
            Verdict::Deny(reason) => {
                return Some(CallAnswer::refused(CallStatus::Denied, format!("The call was refused: {reason}.")));
            }
        }
        if let Some(max) = declaration.calls_per_minute_max
            && let Err(too_many) = services.take_call(owner, &call.tool, max)
        {
            return Some(CallAnswer::refused(CallStatus::Error, too_many.to_string()));
        }
        Some(self.run_alone(owner, &checked.entry, arguments, origin, progress).await)
    }

    async fn run_alone(
        &self,
        owner: &OwnerId,
        entry: &RegisteredTool,
        arguments: Value,
        origin: Origin,
        progress: impl Fn(String) + Send + Sync + 'static,
    ) -> CallAnswer {
        let services = self.services();
        let (said, mut heard) = tokio::sync::mpsc::channel(tools::PROGRESS_MAX);
        let redactor = services.redactor.clone();
        // It ends with the call, which holds the other end.
        tokio::spawn(async move {
            while let Some(message) = heard.recv().await {
                let message: String = message;
                progress(redactor.redact(&message).into_owned());
            }
        });
        let context = CallContext {
            owner: owner.clone(),
            session_id: SessionId::new(services.world.ulid()),
            turn_id: TurnId::new(services.world.ulid()),
            call_id: "direct_1".to_owned(),
            place: 0,
            key: services.world.ulid().to_string(),
            now: services.world.now(),
            origin,
            schedule_id: None,
            satellite: None,
            pin_store: Arc::new(NoPinStore),
            desktop: Arc::new(NoDesktop::default()),
            research: Arc::new(NoResearch),
            // What runs here only reads.
            hold: OwnerHold::default(),
            progress: said,
        };
        let begun_at = tokio::time::Instant::now();
        let answer = tools::run(entry, arguments, context).await;
        let took: Duration = begun_at.elapsed();
        services.counters.tool_ended(&entry.declaration.name, took, answer.is_ok());
        services.options.observers.measure(|| Measurement::ToolCall {
            tool: &entry.declaration.name,
            kind: entry.tool.kind().as_str(),
            outcome: if answer.is_ok() { "ok" } else { "error" },
            took: Some(took),
        });
        match answer {
            Ok(Output { value, origin, .. }) => {
                CallAnswer { status: CallStatus::Ok, value: services.redactor.redact_json(value), origin }
            }
            Err(failure) => {
                let origin = match &failure {
                    ToolFailure::Invalid(_) => Origin::Trusted,
                    ToolFailure::Failed(_) | ToolFailure::Unknown(_) => entry.declaration.origin,
                };
                let words = services.redactor.redact(&failure.to_string()).into_owned();
                CallAnswer { status: CallStatus::Error, value: Value::String(words), origin }
            }
        }
    }

    /// A tool, if there is one of that name.
    pub fn tool(&self, name: &str) -> Option<protocol::ToolView> {
        let services = self.services();
        services.tools.get(name).map(|entry| view(&entry, &services.rules))
    }
}

impl CallAnswer {
    fn refused(status: CallStatus, why: String) -> Self {
        Self { status, value: Value::String(why), origin: Origin::Trusted }
    }
}
