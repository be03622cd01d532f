//! Which node serves an owner: all of the owner's sessions, and the memory with its one index.
//!
//! On one machine that is always this process. Several nodes on one database agree by a lease for
//! each owner: requests that reach another node are passed on to the one that has it.

use std::time::Duration;

use async_trait::async_trait;
use protocol::{OwnerId, Timestamp};
use tokio::sync::watch;

use crate::{Error, lease_clock::LeaseClock};

/// How often it is looked whether a lease was renewed.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The right of this node to serve an owner, until it is lost.
#[derive(Debug, Clone, Default)]
pub struct OwnerHold {
    /// Becomes true when another node may serve the owner; `None` if that cannot happen.
    lost: Option<watch::Receiver<bool>>,
    /// Until when this node may act.
    clock: Option<LeaseClock>,
}

impl OwnerHold {
    /// A hold that is lost when the sender says so.
    pub(crate) const fn new(lost: watch::Receiver<bool>, clock: LeaseClock) -> Self {
        Self { lost: Some(lost), clock: Some(clock) }
    }

    /// Whether it can be lost at all.
    pub const fn can_be_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Whether it is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.as_ref().is_some_and(|lost| *lost.borrow())
    }

    /// Whether this node may do now what cannot be undone. A node that was suspended past its lease
    /// may not, even if it does not know yet that another one serves the owner.
    pub fn may_act(&self) -> bool {
        // In this order: a lease that had ended counts again only after holds were found lost.
        self.clock.as_ref().is_none_or(LeaseClock::is_alive) && !self.is_lost()
    }

    /// Waits until this node may act. Waits without end if the hold is lost.
    pub async fn until_may_act(&self) {
        while !self.may_act() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Waits until it is lost.
    pub async fn lost(&mut self) {
        match &mut self.lost {
            // A store that is closed serves no owner either.
            Some(lost) => drop(lost.wait_for(|is_lost| *is_lost).await),
            None => std::future::pending().await,
        }
    }
}

/// Where an owner is served.
#[derive(Debug, Clone)]
pub enum OwnerPlace {
    /// By this node.
    Here(OwnerHold),
    /// By another node.
    Elsewhere(OtherNode),
}

/// Another node, which serves an owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherNode {
    /// Its id.
    pub id: String,
    /// Where it takes requests of other nodes; `None` if it takes none.
    pub address: Option<String>,
    /// How long its lease lasts unless it is renewed.
    pub lease_left: Duration,
}

/// A node in the list of all nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeEntry {
    /// Its id.
    pub id: String,
    /// The version of its program.
    pub version: String,
    /// Where it takes requests of other nodes.
    pub address: Option<String>,
    /// Whether it is this one.
    pub is_this: bool,
    /// Whether it hands its owners over.
    pub is_leaving: bool,
    /// When it was started.
    pub started_at: Timestamp,
    /// How long its lease lasts unless it is renewed; zero if it has ended.
    pub lease_left: Duration,
    /// Owners that it serves.
    pub owners: u64,
    /// Sessions that it has loaded.
    pub sessions: u64,
}

/// The leases of owners. A store that only one process can open serves all of them here.
#[async_trait]
pub trait OwnerLeases: Send + Sync + 'static {
    /// Where an owner is served. An owner whom no living node serves is taken over.
    async fn place(&self, _owner: &OwnerId) -> Result<OwnerPlace, Error> {
        Ok(OwnerPlace::Here(OwnerHold::default()))
    }

    /// The right to serve an owner, who is taken over if no living node serves them. Refused with
    /// [`Error::Elsewhere`] if another node does.
    async fn hold(&self, owner: &OwnerId) -> Result<OwnerHold, Error> {
        match self.place(owner).await? {
            OwnerPlace::Here(hold) => Ok(hold),
            OwnerPlace::Elsewhere(OtherNode { id, lease_left, .. }) => {
                let left_ms = lease_left.as_millis().try_into().unwrap_or(u64::MAX);
                Err(Error::Elsewhere { owner: owner.clone(), node: id, left_ms })
            }
        }
    }

    /// Changes whenever this node has begun to serve another owner; `None` if it serves all.
    fn gained(&self) -> Option<watch::Receiver<u64>> {
        None
    }

    /// All nodes that use the store; none if only one can.
    async fn nodes(&self) -> Result<Vec<NodeEntry>, Error> {
        Ok(Vec::new())
    }

    /// The ids of the nodes that are alive.
    async fn living_nodes(&self) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    /// Takes no more owners from now on, and says so to the other nodes.
    async fn announce_leave(&self) {}

    /// Gives all owners to the other nodes. Nothing may be written after that.
    async fn leave(&self) {}
}
