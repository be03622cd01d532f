//! Events of a turn as log messages, with a level and the name of a logger.

#![allow(deprecated, reason = "newer versions of the protocol deprecate logging; clients use it")]

use protocol::{
    ApprovalDecision, Body, CallStatus, Event, MemoryUsed, ObservationKind, Stage, StatusChanged, Step, Transition,
};
use rmcp::model::LoggingLevel;
use serde_json::{Map, Value, json};

/// The loggers: of turns, of tool calls, of models and of memory.
const TURN: &str = "dwell.turn";
const TOOL: &str = "dwell.tool";
const MODEL: &str = "dwell.model";
const MEMORY: &str = "dwell.memory";

/// A log message.
#[derive(Debug, PartialEq)]
pub(super) struct LogRecord {
    pub(super) level: LoggingLevel,
    pub(super) logger: &'static str,
    /// Always with `session_id`, `turn_id`, `seq`, `at` and `message`.
    pub(super) data: Value,
}

/// The message about an event, if it is worth one.
pub(super) fn of(event: &Event) -> Option<LogRecord> {
    let (level, logger, message, more) = match &event.body {
        Body::MessageAccepted(_) => (LoggingLevel::Debug, TURN, "message accepted", json!({})),
        Body::MessageQueued(queued) => {
            (LoggingLevel::Info, TURN, "waiting in the queue", json!({ "position": queued.position }))
        }
        Body::TurnStage(entered) if entered.stage == Stage::Receive => {
            (LoggingLevel::Info, TURN, "turn started", json!({ "stage": entered.stage }))
        }
        Body::TurnStage(entered) => (LoggingLevel::Debug, TURN, "stage entered", json!({ "stage": entered.stage })),
        Body::MemoryUsed(used) => of_memory(used),
        Body::Clarification(_) => (LoggingLevel::Notice, TURN, "clarification needed", json!({})),
        Body::Step(step) => of_step(step)?,
        Body::ApprovalRequested(asked) => (
            LoggingLevel::Notice,
            TOOL,
            "approval needed",
            json!({ "tool": asked.tool, "approval_id": asked.approval_id }),
        ),
        Body::ApprovalResolved(settled) => {
            let is_denied = matches!(settled.decision, ApprovalDecision::Deny | ApprovalDecision::Never);
            let level = if is_denied { LoggingLevel::Warning } else { LoggingLevel::Info };
            let more = json!({ "approval_id": settled.approval_id, "decision": settled.decision });
            (level, TOOL, "approval settled", more)
        }
        Body::TurnStatus(change) => of_status(change),
        _ => return None,
    };
    let mut data = Map::new();
    data.insert("message".to_owned(), message.into());
    data.insert("session_id".to_owned(), json!(event.session_id));
    data.insert("turn_id".to_owned(), json!(event.turn_id));
    data.insert("seq".to_owned(), event.seq.into());
    data.insert("at".to_owned(), json!(event.at));
    if let Value::Object(more) = more {
        data.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Some(LogRecord { level, logger, data: data.into() })
}

type RecordParts = (LoggingLevel, &'static str, &'static str, Value);

fn of_memory(used: &MemoryUsed) -> RecordParts {
    // Notices repeat with every turn, for example that there is no embedding model.
    let more = json!({ "tokens": used.tokens, "items": used.items.len(), "notices": used.notices });
    (LoggingLevel::Debug, MEMORY, "prompt assembled", more)
}

fn of_step(step: &Step) -> Option<RecordParts> {
    Some(match step {
        Step::Plan(plan) => {
            let more = json!({ "round": plan.round, "calls": plan.calls.len(), "model": plan.model });
            (LoggingLevel::Debug, MODEL, "model answered", more)
        }
        Step::ToolCall(call) => {
            (LoggingLevel::Info, TOOL, "tool called", json!({ "tool": call.tool, "call_id": call.call_id }))
        }
        Step::ToolResult(result) => {
            let level = match result.status {
                CallStatus::Ok => LoggingLevel::Info,
                CallStatus::Cancelled | CallStatus::Assumed => LoggingLevel::Notice,
                CallStatus::Error | CallStatus::Denied => LoggingLevel::Warning,
            };
            let more = json!({
                "tool": result.tool, "call_id": result.call_id, "status": result.status,
                "duration_ms": result.duration_ms,
            });
            (level, TOOL, "tool answered", more)
        }
        Step::Error(error) => {
            let more = json!({
                "code": error.code, "model": error.model, "retry_in_ms": error.retry_in_ms, "fallback": error.fallback,
            });
            (LoggingLevel::Warning, MODEL, "model failed", more)
        }
        Step::ObservedEvent(observed) => match observed.kind {
            ObservationKind::BudgetSpent => (LoggingLevel::Warning, TURN, "budget spent", json!({})),
            ObservationKind::CallDelivered => {
                (LoggingLevel::Debug, TOOL, "call handed to a worker", json!({ "call_id": observed.call_id }))
            }
            ObservationKind::CallDidNotHappen => {
                (LoggingLevel::Notice, TOOL, "call is run again", json!({ "call_id": observed.call_id }))
            }
        },
        Step::Retrieval(_) | Step::Summary(_) => return None,
    })
}

fn of_status(change: &StatusChanged) -> RecordParts {
    let (level, message) = match change.status {
        Transition::Resumed => (LoggingLevel::Info, "turn resumed"),
        Transition::Waiting => (LoggingLevel::Notice, "turn waits for an answer"),
        Transition::Interrupted => (LoggingLevel::Warning, "turn interrupted"),
        Transition::Pausing => (LoggingLevel::Info, "turn is to be paused"),
        Transition::Paused => (LoggingLevel::Notice, "turn paused"),
        Transition::Completed => (LoggingLevel::Info, "turn completed"),
        Transition::Failed => (LoggingLevel::Error, "turn failed"),
        Transition::Cancelled => (LoggingLevel::Notice, "turn cancelled"),
        Transition::Expired => (LoggingLevel::Warning, "turn expired"),
    };
    let error = change.error.as_ref();
    let more = json!({
        "status": change.status, "attempt": change.attempt,
        "code": error.map(|error| &error.code), "recoverable": error.map(|error| error.recoverable),
    });
    (level, TURN, message, more)
}

#[cfg(test)]
mod tests {
    use protocol::{AgentId, Origin, ToolCall, ToolResult, TurnError};

    use super::*;

    fn record(body: Body) -> Option<LogRecord> {
        of(&Event {
            seq: 7,
            session_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            turn_id: Some("01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap()),
            agent_id: None::<AgentId>,
            at: protocol::Timestamp::from_millis(0),
            body,
        })
    }

    #[test]
    fn a_call_is_logged_by_name_and_without_its_arguments() {
        let call = ToolCall {
            call_id: "c1".to_owned(),
            tool: "send_mail".to_owned(),
            arguments: json!({ "to": "private@example.org" }),
            effect: protocol::Effect::default(),
            key: "key".to_owned(),
            approval_id: None,
            client_until: None,
            served: false,
        };
        let called = record(Body::Step(Step::ToolCall(call))).unwrap();
        assert_eq!((called.level, called.logger), (LoggingLevel::Info, TOOL));
        assert_eq!((&called.data["tool"], &called.data["seq"]), (&json!("send_mail"), &json!(7)));
        assert!(!called.data.to_string().contains("private"), "{called:?}");
        let result = ToolResult {
            call_id: "c1".to_owned(),
            tool: "send_mail".to_owned(),
            status: CallStatus::Denied,
            content: "private".to_owned(),
            origin: Origin::default(),
            artifact_id: None,
            sources: Vec::new(),
            duration_ms: None,
        };
        let answered = record(Body::Step(Step::ToolResult(result))).unwrap();
        assert_eq!(answered.level, LoggingLevel::Warning);
        assert!(!answered.data.to_string().contains("private"), "{answered:?}");
    }

    #[test]
    fn a_failed_turn_is_an_error_with_its_code() {
        let error = TurnError {
            code: "model_unreachable".to_owned(),
            message: "words".to_owned(),
            recoverable: true,
            details: None,
        };
        let change = StatusChanged { error: Some(error), ..StatusChanged::to(Transition::Failed) };
        let failed = record(Body::TurnStatus(change)).unwrap();
        assert_eq!((failed.level, &failed.data["code"]), (LoggingLevel::Error, &json!("model_unreachable")));
        let done = record(Body::TurnStatus(StatusChanged::to(Transition::Completed))).unwrap();
        assert_eq!(done.level, LoggingLevel::Info);
        assert!(done.data.get("code").is_none(), "{done:?}");
    }
}
