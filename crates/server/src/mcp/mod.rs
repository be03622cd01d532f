//! The Model Context Protocol: Dwell as a server whose tools are sessions, turns, memory, and all
//! registered tools.
//!
//! [`Mcp`] is the handler of one owner, for all protocol versions: stateless requests (2026-07-28),
//! or a session that begins with a handshake (2025-11-25 and before). It holds no essential state:
//! a turn that was started here continues without its client, is a task with the same id for
//! clients that support tasks, and can be found again by its idempotency key.

mod continuation;
mod direct;
mod error;
mod handler;
mod http;
mod log_record;
mod logging;
mod metadata;
mod notifications;
mod progress;
mod prompts;
mod questions;
mod resources;
mod seal;
mod sessions;
mod taint;
mod tasks;
mod tool_list;
mod tools;
mod turn_wait;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use engine::Hub;
pub(crate) use http::{OwnerServices, handle};
use logging::ClientLogLevel;
pub(crate) use metadata::{ENDPOINT, ResourceMetadata, challenge, is_metadata, resource_metadata, with_challenge};
use protocol::{OwnerId, TurnId};
use rmcp::{RoleServer, model::RequestId, service::RequestContext};
use seal::Seal;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use crate::SealKey;

/// The handler of one owner.
#[derive(Clone)]
pub struct McpHandler {
    hub: Hub,
    owner: OwnerId,
    seal: Arc<Seal>,
    /// Turns that requests of this client have started and still wait for: cancelling such a
    /// request cancels its turn.
    begun: Arc<Mutex<HashMap<RequestId, TurnId>>>,
    /// The notification tasks of a client with a session, by resource name; they end with the
    /// client.
    followed: Arc<Mutex<HashMap<String, AbortOnDropHandle<()>>>>,
    /// The least level of log messages that a client with a session wants.
    log_level: ClientLogLevel,
}

impl McpHandler {
    /// A handler for one client of an owner.
    fn new(hub: Hub, owner: OwnerId, key: &SealKey) -> Self {
        Self {
            hub,
            owner,
            seal: Arc::new(Seal::new(key)),
            begun: Arc::default(),
            followed: Arc::default(),
            log_level: ClientLogLevel::default(),
        }
    }

    /// Records that a request waits for a turn that it has started, until the guard is dropped.
    fn began(&self, context: &RequestContext<RoleServer>, turn_id: TurnId) -> TurnRequestGuard {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).insert(context.id.clone(), turn_id);
        TurnRequestGuard { begun: self.begun.clone(), request: context.id.clone(), taken_back: context.ct.clone() }
    }

    /// Starts a notification task, and stops an earlier one with the same name.
    fn follow(&self, name: String, turn_stream: impl Future<Output = ()> + Send + 'static) {
        let turn_stream = AbortOnDropHandle::new(tokio::spawn(turn_stream));
        self.followed.lock().unwrap_or_else(PoisonError::into_inner).insert(name, turn_stream);
    }

    /// Starts a notification task, unless one with the same name runs or there are too many;
    /// returns whether it was started.
    fn follow_once<F>(&self, name: String, tasks_max: usize, start: impl FnOnce() -> F) -> bool
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        followed.retain(|_, task| !task.is_finished());
        if followed.contains_key(&name) || followed.len() >= tasks_max {
            return false;
        }
        followed.insert(name, AbortOnDropHandle::new(tokio::spawn(start())));
        true
    }

    /// Stops it.
    fn unfollow(&self, name: &str) {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// The turn that a cancelled request has started and waited for.
    fn begun_by(&self, request: &RequestId) -> Option<TurnId> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).remove(request)
    }
}

/// A request that waits for the turn that it has started.
struct TurnRequestGuard {
    begun: Arc<Mutex<HashMap<RequestId, TurnId>>>,
    request: RequestId,
    taken_back: CancellationToken,
}

impl Drop for TurnRequestGuard {
    fn drop(&mut self) {
        if self.taken_back.is_cancelled() {
            // The cancellation handler still needs to look up the turn.
            return;
        }
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.request);
    }
}
