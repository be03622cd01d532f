//! The Model Context Protocol: Dwell as a server whose tools are conversations, memory, and everything that is registered.
//!
//! [`Mcp`] is one owner's door, whichever wire its client speaks: requests that stand alone (2026-07-28), or a session that
//! begins with a handshake (2025-11-25 and before). It holds no state that matters: a turn that was begun here goes on
//! without its client, is a task of the same id for those who know tasks, and is found again by its idempotency key.

mod asking;
mod continuation;
mod declared;
mod direct;
mod following;
mod handler;
mod http;
mod progress;
mod prompts;
mod reading;
mod resources;
mod seal;
mod sessions;
mod tasks;
mod tools;
mod trouble;
mod waiting;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use engine::Hub;
pub(crate) use http::{Doors, handle};
use protocol::{OwnerId, TurnId};
use rmcp::{RoleServer, model::RequestId, service::RequestContext};
use seal::Seal;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use crate::SealKey;

/// One owner's door.
#[derive(Clone)]
pub struct Mcp {
    hub: Hub,
    owner: OwnerId,
    seal: Arc<Seal>,
    /// Turns that requests of this client have begun and still wait for: taking such a request back cancels its turn.
    begun: Arc<Mutex<HashMap<RequestId, TurnId>>>,
    /// What a client with a session is told of, by the name of the resource; it ends with the client.
    followed: Arc<Mutex<HashMap<String, AbortOnDropHandle<()>>>>,
}

impl Mcp {
    /// The door of an owner, for one client.
    fn new(hub: Hub, owner: OwnerId, key: &SealKey) -> Self {
        Self { hub, owner, seal: Arc::new(Seal::new(key)), begun: Arc::default(), followed: Arc::default() }
    }

    /// Remembers that a request waits for a turn that it has begun, until the guard is dropped.
    fn began(&self, context: &RequestContext<RoleServer>, turn_id: TurnId) -> Began {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).insert(context.id.clone(), turn_id);
        Began { begun: self.begun.clone(), request: context.id.clone(), taken_back: context.ct.clone() }
    }

    /// Runs what tells a client of something, in the place of what did so before.
    fn follow(&self, name: String, telling: impl Future<Output = ()> + Send + 'static) {
        let telling = AbortOnDropHandle::new(tokio::spawn(telling));
        self.followed.lock().unwrap_or_else(PoisonError::into_inner).insert(name, telling);
    }

    /// Ends it.
    fn unfollow(&self, name: &str) {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// The turn that a request has begun and waited for until it was taken back.
    fn begun_by(&self, request: &RequestId) -> Option<TurnId> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).remove(request)
    }
}

/// A request that waits for the turn it has begun.
struct Began {
    begun: Arc<Mutex<HashMap<RequestId, TurnId>>>,
    request: RequestId,
    taken_back: CancellationToken,
}

impl Drop for Began {
    fn drop(&mut self) {
        if self.taken_back.is_cancelled() {
            // Whoever takes it back is about to ask which turn it was.
            return;
        }
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.request);
    }
}
