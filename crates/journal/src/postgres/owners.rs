//! The owners that this node serves, and who serves the others.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use protocol::{OwnerId, Timestamp};
use tokio::sync::watch;

use super::{
    Postgres,
    failure::Failure,
    node::Node,
    params::params,
    pool::Connection,
    rows::{self, unsigned},
};
use crate::{Error, NodeEntry, OtherNode, OwnerHold, OwnerLeases, OwnerPlace, lease_clock::LeaseClock};

/// How long it is remembered that another node serves an owner. The node itself refuses what is
/// not its own, so that this costs a detour at worst.
const REMEMBERED: Duration = Duration::from_secs(1);
/// Owners of other nodes that are remembered at once.
const REMEMBERED_MAX: usize = 10_000;
/// How often an owner is claimed again because this node's lease ended before the answer came.
const CLAIMS_MAX: u32 = 3;

/// A condition on a session `s`: no living node but this one, whose number is the parameter `at`,
/// serves its owner.
pub(super) fn not_elsewhere(at: usize) -> String {
    format!(
        "NOT EXISTS (SELECT 1 FROM dwell.owner_leases l JOIN dwell.nodes n ON n.number = l.node
             WHERE l.owner = s.owner AND l.node <> ${at} AND n.lease_until > clock_timestamp())"
    )
}

/// What this node knows of owners.
#[derive(Debug)]
pub(super) struct Owners {
    served: Mutex<HashMap<OwnerId, ServedOwner>>,
    /// Counts the ends of this node's lease. What the database said in an earlier term may not hold
    /// any more, however late it arrives.
    term: AtomicU64,
    elsewhere: Mutex<HashMap<OwnerId, (Instant, OtherNode)>>,
    gained: watch::Sender<u64>,
    clock: LeaseClock,
}

/// An owner whom this node serves.
#[derive(Debug)]
struct ServedOwner {
    epoch: u64,
    lost: watch::Sender<bool>,
}

impl Owners {
    /// None yet, of a node whose lease has this clock.
    pub(super) fn new(clock: LeaseClock) -> Self {
        Self {
            served: Mutex::default(),
            term: AtomicU64::new(0),
            elsewhere: Mutex::default(),
            gained: watch::Sender::new(0),
            clock,
        }
    }

    /// The hold on an owner, as far as it is known here.
    fn hold_of(&self, owner: &OwnerId) -> Option<OwnerHold> {
        self.served().get(owner).map(|served| OwnerHold::new(served.lost.subscribe(), self.clock.clone()))
    }

    /// The current term, which an answer of the database belongs to if it was asked now.
    fn term(&self) -> u64 {
        self.term.load(Ordering::SeqCst)
    }

    /// Enters an owner whom the database gave to this node in this term; none if the term is over.
    /// With another epoch than the one known here, another node has served the owner meanwhile, and
    /// everything that was based on the old hold ends.
    fn enter(&self, owner: &OwnerId, epoch: u64, term: u64) -> Option<OwnerHold> {
        let mut served = self.served();
        if self.term() != term {
            return None;
        }
        if let Some(known) = served.get(owner)
            && known.epoch == epoch
        {
            return Some(OwnerHold::new(known.lost.subscribe(), self.clock.clone()));
        }
        let (lost, hold) = watch::channel(false);
        if let Some(old) = served.insert(owner.clone(), ServedOwner { epoch, lost }) {
            old.lost.send_replace(true);
        }
        self.gained.send_modify(|count| *count += 1);
        Some(OwnerHold::new(hold, self.clock.clone()))
    }

    /// An owner is served by another node.
    fn lose(&self, owner: &OwnerId) {
        if let Some(served) = self.served().remove(owner) {
            served.lost.send_replace(true);
        }
    }

    /// Begins a new term after an end of the lease, with only the owners whom the database says
    /// this node serves.
    pub(super) fn keep(&self, own: &HashMap<OwnerId, u64>) {
        let mut served = self.served();
        self.term.fetch_add(1, Ordering::SeqCst);
        served.retain(|owner, served| {
            let is_kept = own.get(owner) == Some(&served.epoch);
            if !is_kept {
                tracing::warn!(%owner, "another node serves this owner now");
                served.lost.send_replace(true);
            }
            is_kept
        });
    }

    fn remember(&self, owner: &OwnerId, node: &OtherNode) {
        let mut elsewhere = self.elsewhere();
        if elsewhere.len() >= REMEMBERED_MAX {
            elsewhere.clear();
        }
        elsewhere.insert(owner.clone(), (Instant::now(), node.clone()));
    }

    fn remembered(&self, owner: &OwnerId) -> Option<OtherNode> {
        let elsewhere = self.elsewhere();
        elsewhere.get(owner).filter(|(at, _)| at.elapsed() < REMEMBERED).map(|(_, node)| node.clone())
    }

    fn served(&self) -> MutexGuard<'_, HashMap<OwnerId, ServedOwner>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn elsewhere(&self) -> MutexGuard<'_, HashMap<OwnerId, (Instant, OtherNode)>> {
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl OwnerLeases for Postgres {
    async fn place(&self, owner: &OwnerId) -> Result<OwnerPlace, Error> {
        if self.node.is_alive() {
            if let Some(hold) = self.owners.hold_of(owner) {
                return Ok(OwnerPlace::Here(hold));
            }
            if let Some(node) = self.owners.remembered(owner) {
                return Ok(OwnerPlace::Elsewhere(node));
            }
        }
        self.claim(owner).await
    }

    fn gained(&self) -> Option<watch::Receiver<u64>> {
        Some(self.owners.gained.subscribe())
    }

    async fn nodes(&self) -> Result<Vec<NodeEntry>, Error> {
        let action = "list the nodes";
        let sql = "SELECT n.id, n.version, n.address, n.is_leaving, n.number = $1,
             (extract(epoch FROM n.started_at) * 1000)::bigint,
             (extract(epoch FROM n.lease_until - clock_timestamp()) * 1000)::bigint,
             (SELECT count(*) FROM dwell.owner_leases l WHERE l.node = n.number),
             (SELECT count(*) FROM dwell.heads h WHERE h.node = n.number)
             FROM dwell.nodes n ORDER BY n.id";
        let found = self.database.query(action, sql, &params![self.node.number]).await?;
        rows::all(action, &found, |row| {
            Ok(NodeEntry {
                id: row.try_get(0)?,
                version: row.try_get(1)?,
                address: row.try_get(2)?,
                is_leaving: row.try_get(3)?,
                is_this: row.try_get(4)?,
                started_at: Timestamp::from_millis(row.try_get(5)?),
                lease_left: Duration::from_millis(unsigned(row.try_get(6)?)),
                owners: unsigned(row.try_get(7)?),
                sessions: unsigned(row.try_get(8)?),
            })
        })
    }

    async fn living_nodes(&self) -> Result<Vec<String>, Error> {
        let action = "list the living nodes";
        let sql = "SELECT id FROM dwell.nodes WHERE lease_until > clock_timestamp()";
        let found = self.database.query(action, sql, &[]).await?;
        rows::all(action, &found, |row| Ok(row.try_get(0)?))
    }

    async fn announce_leave(&self) {
        let sql = "UPDATE dwell.nodes SET is_leaving = true WHERE number = $1 AND boot = $2";
        let params = params![self.node.number, self.node.boot];
        if let Err(error) = self.database.query("say that this node leaves", sql, &params).await {
            tracing::warn!(%error, "the other nodes do not know yet that this one leaves");
        }
    }

    async fn leave(&self) {
        self.background.iter().for_each(tokio::task::AbortHandle::abort);
        self.node.clone().leave(self.database.clone()).await;
    }
}

impl Postgres {
    /// Takes an owner over, unless another living node has them.
    async fn claim(&self, owner: &OwnerId) -> Result<OwnerPlace, Error> {
        for _ in 0..CLAIMS_MAX {
            let term = self.owners.term();
            match self.claimed(owner).await? {
                ClaimAnswer::Given(epoch) => {
                    if let Some(hold) = self.owners.enter(owner, epoch, term) {
                        return Ok(OwnerPlace::Here(hold));
                    }
                }
                ClaimAnswer::Elsewhere(node) => {
                    self.owners.lose(owner);
                    self.owners.remember(owner, &node);
                    return Ok(OwnerPlace::Elsewhere(node));
                }
            }
        }
        Err(Error::Away { cause: "this node's lease ends again and again".to_owned() })
    }

    async fn claimed(&self, owner: &OwnerId) -> Result<ClaimAnswer, Error> {
        let action = "take an owner over";
        // The epoch stays while the owner does. A node whose own lease has ended takes over none.
        let sql = "INSERT INTO dwell.owner_leases AS l (owner, epoch, node)
             SELECT $1, 1, n.number FROM dwell.nodes n
             WHERE n.number = $2 AND n.boot = $3 AND n.lease_until > clock_timestamp() AND (NOT n.is_leaving
                 OR EXISTS (SELECT 1 FROM dwell.owner_leases own WHERE own.owner = $1 AND own.node = $2))
             ON CONFLICT (owner) DO UPDATE SET node = excluded.node,
                 epoch = CASE WHEN l.node = excluded.node THEN l.epoch ELSE l.epoch + 1 END
             WHERE l.node IS NULL OR l.node = excluded.node OR NOT EXISTS (
                 SELECT 1 FROM dwell.nodes o WHERE o.number = l.node AND o.lease_until > clock_timestamp())
             RETURNING l.epoch";
        let params = params![owner.as_str(), self.node.number, self.node.boot];
        if let Some(row) = self.database.first(action, sql, &params).await? {
            let epoch = row.try_get(0).map(unsigned).map_err(|error| Failure::from(error).explain(action))?;
            return Ok(ClaimAnswer::Given(epoch));
        }
        let sql = "SELECT n.id, n.address, (extract(epoch FROM n.lease_until - clock_timestamp()) * 1000)::bigint
             FROM dwell.owner_leases l JOIN dwell.nodes n ON n.number = l.node WHERE l.owner = $1 AND l.node <> $2";
        let row = self.database.first(action, sql, &params![owner.as_str(), self.node.number]).await?;
        let found = rows::one(action, row, |row| {
            let lease_left = Duration::from_millis(unsigned(row.try_get(2)?));
            Ok(OtherNode { id: row.try_get(0)?, address: row.try_get(1)?, lease_left })
        })?;
        found
            .map(ClaimAnswer::Elsewhere)
            .ok_or_else(|| Error::Away { cause: "this node's lease has ended, and is not renewed yet".to_owned() })
    }
}

/// What the database says of an owner whom this node wants to serve.
enum ClaimAnswer {
    /// This node serves them, in this epoch.
    Given(u64),
    /// Another node does.
    Elsewhere(OtherNode),
}

/// Refuses a write for an owner whom another node serves. The owner's row is locked, so that a node
/// that takes the owner over sees everything that was written before.
pub(super) async fn fence(on: &Connection, owner: &OwnerId, node: &Node) -> Result<(), Failure> {
    let sql = "WITH served AS MATERIALIZED (SELECT node FROM dwell.owner_leases WHERE owner = $1 FOR SHARE)
         SELECT EXISTS (SELECT 1 FROM dwell.nodes
                        WHERE number = $2 AND boot = $3 AND lease_until > clock_timestamp()),
             (SELECT n.id FROM served s JOIN dwell.nodes n ON n.number = s.node WHERE s.node <> $2)";
    let row = on.first(sql, &params![owner.as_str(), node.number, node.boot]).await?;
    let (is_alive, other): (bool, Option<String>) = match row {
        Some(row) => (row.try_get(0)?, row.try_get(1)?),
        None => (false, None),
    };
    match other {
        Some(node) => Err(Error::Elsewhere { owner: owner.clone(), node, left_ms: 0 }.into()),
        None if is_alive => Ok(()),
        None => Err(Failure::lease_ended()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_from_before_the_end_of_the_lease_gives_no_owner() {
        let owners = Owners::new(LeaseClock::default());
        let owner = OwnerId::try_from("ada".to_owned()).unwrap();
        let term = owners.term();
        // The lease ends while the answer is under way, and another node takes the owner over.
        owners.keep(&HashMap::new());
        assert!(owners.enter(&owner, 1, term).is_none());
        assert!(owners.hold_of(&owner).is_none());
        assert!(owners.enter(&owner, 3, owners.term()).is_some());
    }
}
