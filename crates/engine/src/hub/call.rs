//! A call that a client makes itself. What only looks is answered at once; what changes something is a turn, so that it is
//! written down before it runs, happens once, and can be asked about.

use std::{sync::Arc, time::Duration};

use protocol::{
    Accepted, CallStatus, ChatSend, DirectCall, OnBusy, Origin, OwnerId, SessionId, SessionRef, TurnId, WayIn,
};
use serde_json::Value;
use session::Refusal;
use tools::{
    Context, Entry, Failure, Judged, NoDesktop, NoKeeper, NoStudy, Output, SessionRules, Standing, Verdict, judge, view,
};

use super::Hub;
use crate::Error;

/// What a call came to that was answered at once.
#[derive(Debug, Clone, PartialEq)]
pub struct CallAnswer {
    /// Whether it worked.
    pub status: CallStatus,
    /// The answer.
    pub value: Value,
    /// Whose words it is made of.
    pub origin: Origin,
}

impl Hub {
    /// Makes a call as a turn of a session. A key makes making it again harmless.
    pub async fn call(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        call: DirectCall,
        key: Option<String>,
        way: WayIn,
    ) -> Result<Accepted, Error> {
        let send = ChatSend { calls: vec![call], idempotency_key: key, way, ..ChatSend::text(String::new()) };
        // Calls of one client do not wait for each other as long as there is room.
        let beside = ChatSend { on_busy: OnBusy::Fork, ..send.clone() };
        match self.send(owner, session, beside).await {
            Err(Error::Refused(Refusal::TooManyAgents)) => self.send(owner, session, send).await,
            accepted => accepted,
        }
    }

    /// Answers a call that needs no session and that nobody has to allow. None where it has to be a turn. `origin` says whose words
    /// the call is made of.
    pub async fn look(
        &self,
        owner: &OwnerId,
        call: &DirectCall,
        origin: Origin,
        progress: impl Fn(String) + Send + Sync + 'static,
    ) -> Option<CallAnswer> {
        let house = self.house();
        let arguments = house.redactor.redact_json(Value::Object(call.arguments.clone()));
        let checked = match house.tools.check(&call.tool, &arguments) {
            Ok(checked) => checked,
            Err(what) => return Some(CallAnswer::refused(CallStatus::Error, what)),
        };
        let declaration = &checked.entry.declaration;
        if !declaration.stands_alone() {
            return None;
        }
        let confirm = checked.entry.tool.confirm(&arguments).await;
        let judged = Judged {
            tool: &call.tool,
            scope: checked.scope.as_deref(),
            safety: declaration.safety,
            tainted: !origin.is_trusted(),
            confirm: confirm.as_deref(),
        };
        match judge(&judged, &house.rules, &SessionRules::default(), Standing::default()) {
            Verdict::Allow => {}
            Verdict::Ask(_) => return None,
            Verdict::Deny(reason) => {
                return Some(CallAnswer::refused(CallStatus::Denied, format!("The call was refused: {reason}.")));
            }
        }
        if let Some(max) = declaration.calls_per_minute_max
            && let Err(too_many) = house.take_call(owner, &call.tool, max)
        {
            return Some(CallAnswer::refused(CallStatus::Error, too_many.to_string()));
        }
        Some(self.run_alone(owner, &checked.entry, arguments, origin, progress).await)
    }

    async fn run_alone(
        &self,
        owner: &OwnerId,
        entry: &Entry,
        arguments: Value,
        origin: Origin,
        progress: impl Fn(String) + Send + Sync + 'static,
    ) -> CallAnswer {
        let house = self.house();
        let (said, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let redactor = house.redactor.clone();
        // It ends with the call, which holds the other end.
        tokio::spawn(async move {
            while let Some(message) = heard.recv().await {
                let message: String = message;
                progress(redactor.redact(&message).into_owned());
            }
        });
        let context = Context {
            owner: owner.clone(),
            session_id: SessionId::new(house.world.ulid()),
            turn_id: TurnId::new(house.world.ulid()),
            call_id: "direct_1".to_owned(),
            place: 0,
            key: house.world.ulid().to_string(),
            now: house.world.now(),
            origin,
            keeper: Arc::new(NoKeeper),
            desktop: Arc::new(NoDesktop::default()),
            study: Arc::new(NoStudy),
            progress: said,
        };
        let begun_at = tokio::time::Instant::now();
        let answer = tools::run(entry, arguments, context).await;
        let took: Duration = begun_at.elapsed();
        house.counters.tool_ended(&entry.declaration.name, took, answer.is_ok());
        match answer {
            Ok(Output { value, origin, .. }) => {
                CallAnswer { status: CallStatus::Ok, value: house.redactor.redact_json(value), origin }
            }
            Err(failure) => {
                let origin = match &failure {
                    Failure::Invalid(_) => Origin::Trusted,
                    Failure::Failed(_) | Failure::Unknown(_) => entry.declaration.origin,
                };
                let words = house.redactor.redact(&failure.to_string()).into_owned();
                CallAnswer { status: CallStatus::Error, value: Value::String(words), origin }
            }
        }
    }

    /// A tool, if there is one of that name.
    pub fn tool(&self, name: &str) -> Option<protocol::ToolView> {
        let house = self.house();
        house.tools.get(name).map(|entry| view(&entry, &house.rules))
    }
}

impl CallAnswer {
    fn refused(status: CallStatus, why: String) -> Self {
        Self { status, value: Value::String(why), origin: Origin::Trusted }
    }
}
