//! Starting the runs of schedules. A run is a turn in the schedule's session, under a key that is
//! made from the schedule and the planned moment, so that it begins once however often it is tried.

use std::{sync::Arc, time::Duration};

use protocol::{
    ChatSend, DirectCall, MessageChannel, MessageTrust, Origin, OwnerId, RunCause, RunKey, RunOutcome, ScheduledAction,
    SessionId,
};
use schedule::ScheduleCommand;
use serde_json::Value;
use session::Command;

use crate::{
    Error,
    hub::{Hub, Services},
};

/// The waits before a run that could not begin is tried again.
const WAITS: [Duration; 4] =
    [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(20)];

/// A run that is to begin.
pub(crate) struct ScheduledRun {
    pub(crate) key: RunKey,
    pub(crate) action: ScheduledAction,
    pub(crate) origin: Origin,
    /// The name of its schedule.
    pub(crate) name: Option<String>,
    /// What started it, if it waited for something.
    pub(crate) cause: Option<RunCause>,
}

/// Starts a run and records that it has begun.
pub(crate) fn start(services: &Arc<Services>, owner: OwnerId, session_id: SessionId, run: ScheduledRun) {
    let Some(hub) = services.hub() else { return };
    let stopping = services.stopping.clone();
    services.tasks.spawn(async move {
        tokio::select! {
            // It is open in the journal, and begins after the restart.
            () = stopping.cancelled() => {}
            () = begin(&hub, &owner, session_id, run.key, message(run)) => {}
        }
    });
}

async fn begin(hub: &Hub, owner: &OwnerId, session_id: SessionId, key: RunKey, send: ChatSend) {
    let mut waits = WAITS.iter();
    let outcome = loop {
        match hub.send(owner, &session_id.into(), send.clone()).await {
            Ok(accepted) => break RunOutcome::Started { turn_id: accepted.turn_id },
            Err(Error::Stopping) => return,
            Err(error) => match waits.next().filter(|_| may_pass(&error)) {
                Some(wait) => tokio::time::sleep(*wait).await,
                None => break RunOutcome::Failed { message: error.to_string() },
            },
        }
    };
    let command = Command::Schedule(ScheduleCommand::Settle { key, outcome });
    if let Err(error) = hub.record(owner, session_id, command).await {
        tracing::warn!(run = %key, %error, "failed to record that a run has begun; it is tried again");
    }
}

/// Whether a later attempt may succeed.
fn may_pass(error: &Error) -> bool {
    !matches!(error, Error::NoSession | Error::Invalid(_))
}

fn message(run: ScheduledRun) -> ChatSend {
    let ScheduledRun { key, action, mut origin, name, cause } = run;
    let (message, calls, approved) = match action {
        ScheduledAction::Remind { text, .. } => (text, Vec::new(), Vec::new()),
        ScheduledAction::Turn { message } => match cause.filter(|cause| !cause.text.is_empty()) {
            Some(cause) => {
                origin = origin.and(cause.origin);
                (format!("{message}\n\n{}", cause.text), Vec::new(), Vec::new())
            }
            None => (message, Vec::new(), Vec::new()),
        },
        ScheduledAction::Call { tool, arguments, digest } => {
            let arguments = match arguments {
                Value::Object(arguments) => arguments,
                _ => serde_json::Map::new(),
            };
            // The words of the order, if there are any; otherwise lists show the call.
            (name.unwrap_or_default(), vec![DirectCall { tool, arguments }], vec![digest])
        }
    };
    ChatSend {
        calls,
        approved,
        idempotency_key: Some(format!("schedule:{key}")),
        way: MessageTrust { origin, via: MessageChannel::Schedule(key.schedule_id), reads_only: false },
        ..ChatSend::text(message)
    }
}
