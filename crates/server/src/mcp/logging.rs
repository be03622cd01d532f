//! `logging`: what a turn does, as log messages of the level that the client asked for.
//!
//! A client with a session sets its level with `logging/setLevel`; from then on every turn that it
//! starts or waits for is logged to it until the turn ends, also after the request has returned. A
//! request of the stateless version states its level in `_meta` and gets the messages on its own
//! stream, before its answer. Without a level nothing is sent. Messages have ids, names and states,
//! and neither texts nor arguments.

#![allow(deprecated, reason = "newer versions of the protocol deprecate logging; clients use it")]

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use engine::{Delivery, Hub};
use protocol::{Body, Event, OwnerId, SessionId, TurnId};
use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{
        LoggingLevel, LoggingMessageNotificationParam, ProtocolVersion, SetLevelRequestMethod, SetLevelRequestParams,
    },
    service::RequestContext,
};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::{McpHandler, log_record};

/// Most notification tasks of one client; beyond that no more turns are logged to it.
const TASKS_MAX: usize = 128;
/// How long an answer waits for the last messages about its turn.
const FLUSH_MAX: Duration = Duration::from_secs(1);

/// The level that a client with a session has set.
#[derive(Clone, Default)]
pub(super) struct ClientLogLevel(Arc<Mutex<Option<LoggingLevel>>>);

impl ClientLogLevel {
    fn get(&self) -> Option<LoggingLevel> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, level: LoggingLevel) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }
}

/// The least level of the messages that are sent.
enum LogThreshold {
    /// Of one request.
    Request(LoggingLevel),
    /// Of a client, which can change it at any time.
    Client(ClientLogLevel),
}

impl LogThreshold {
    fn passes(&self, level: LoggingLevel) -> bool {
        let least = match self {
            Self::Request(least) => Some(*least),
            Self::Client(set) => set.get(),
        };
        least.is_some_and(|least| rank(level) >= rank(least))
    }
}

/// The order of the levels.
const fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

/// The log of a request's turn. Dropping it ends the log of a stateless request.
#[derive(Default)]
pub(super) struct TurnLog {
    task: Option<AbortOnDropHandle<()>>,
    /// The number of the last event that was handled.
    handled: Option<watch::Receiver<u64>>,
}

impl TurnLog {
    /// Waits until the messages about a turn's events so far are sent.
    pub(super) async fn flush(self, turn: impl Future<Output = Option<u64>>) {
        let Self { task: _task, handled: Some(mut handled) } = self else { return };
        if let Some(last_seq) = turn.await {
            // A log that has ended has sent everything.
            let _ = tokio::time::timeout(FLUSH_MAX, handled.wait_for(|seq| *seq >= last_seq)).await;
        }
    }
}

impl McpHandler {
    /// `logging/setLevel`, which exists only for clients with a session.
    pub(super) fn set_log_level(
        &self,
        request: &SetLevelRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_stateless(context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.log_level.set(request.level);
        Ok(())
    }

    /// Logs a turn to the client, if it has asked for that: from its start on, where `begun` is the
    /// number of its first event, or from now on.
    pub(super) async fn log_turn(
        &self,
        context: &RequestContext<RoleServer>,
        turn_id: TurnId,
        begun: Option<u64>,
    ) -> TurnLog {
        let threshold = match (is_stateless(context), context.meta.log_level(), self.log_level.get()) {
            (true, Some(level), _) => LogThreshold::Request(level),
            (false, _, Some(_)) => LogThreshold::Client(self.log_level.clone()),
            _ => return TurnLog::default(),
        };
        // The request itself reports a turn that does not exist.
        let Ok(turn) = self.hub.turn(&self.owner, turn_id).await else { return TurnLog::default() };
        let after = begun.map_or(turn.last_seq, |first| first.saturating_sub(1));
        let (handling, handled) = watch::channel(after);
        let stays = matches!(threshold, LogThreshold::Client(_));
        let follower = TurnFollower {
            hub: self.hub.clone(),
            owner: self.owner.clone(),
            session_id: turn.session_id,
            turn_id,
            threshold,
            to: context.peer.clone(),
            handling,
        };
        if !stays {
            let task = AbortOnDropHandle::new(tokio::spawn(follower.run(after)));
            return TurnLog { task: Some(task), handled: Some(handled) };
        }
        let is_new = self.follow_once(format!("log:{turn_id}"), TASKS_MAX, || follower.run(after));
        TurnLog { task: None, handled: Some(handled).filter(|_| is_new) }
    }
}

fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    // Versions are dates, so they compare as strings.
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Sends the messages about one turn.
struct TurnFollower {
    hub: Hub,
    owner: OwnerId,
    session_id: SessionId,
    turn_id: TurnId,
    threshold: LogThreshold,
    to: Peer<RoleServer>,
    handling: watch::Sender<u64>,
}

impl TurnFollower {
    /// Runs until the turn has ended or the client is gone.
    async fn run(self, after: u64) {
        let Ok(mut feed) = self.hub.subscribe(&self.owner, self.session_id, after).await else { return };
        while let Ok(delivery) = feed.next().await {
            let Delivery::Event(event) = delivery else { continue };
            let is_last = event.turn_id == Some(self.turn_id) && {
                if !self.send(&event).await {
                    return;
                }
                matches!(&event.body, Body::TurnStatus(change) if change.status.status().is_final())
            };
            self.handling.send_replace(event.seq);
            if is_last {
                return;
            }
        }
    }

    /// Sends the message about an event; returns whether the client is still connected.
    async fn send(&self, event: &Event) -> bool {
        let Some(record) = log_record::of(event).filter(|record| self.threshold.passes(record.level)) else {
            return true;
        };
        let message = LoggingMessageNotificationParam::new(record.level, record.data).with_logger(record.logger);
        self.to.notify_logging_message(message).await.is_ok()
    }
}
