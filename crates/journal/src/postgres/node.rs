//! This node in the database: its row, whose lease it renews by the database's clock.
//!
//! A lease on an owner or a session is alive as long as its node renews this row. Another node may
//! take both over after that; the epoch in the session's row then refuses whatever the old node
//! still wants to write. A node that could not renew acts no more some time before that, and no
//! statement of it writes anything until it has renewed.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use protocol::OwnerId;

use super::{
    PostgresOptions,
    database::Database,
    failure::Failure,
    params::{Param, params},
    rows::{self, unsigned},
    schema,
};
use crate::{Error, lease_clock::LeaseClock};

/// Into how many parts a lease is divided: it is renewed after each, so that one lost renewal does
/// no harm, and the last one is left for clocks that run unequally.
const PARTS: u32 = 4;
/// The pause after a renewal that failed.
const PAUSE: Duration = Duration::from_millis(250);

/// This node.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) id: String,
    /// The number that stands for it in the database.
    pub(super) number: i64,
    /// Grows with every start of the node.
    pub(super) boot: i64,
    /// How long a lease lasts after its renewal.
    lease: Duration,
    /// Until when this node may rely on its lease without asking the database.
    pub(super) clock: LeaseClock,
    /// Whether other nodes are alive.
    has_others: Arc<AtomicBool>,
}

impl Node {
    /// Enters the node. One with the same id has ended: only one process has a node's data folder.
    pub(super) async fn enter(database: &Database, options: &PostgresOptions) -> Result<Self, Error> {
        let action = "register this node in the database";
        let began = LeaseClock::now();
        let sql = "INSERT INTO dwell.nodes AS n (id, boot, version, address, schema, started_at, lease_until)
             VALUES ($1, 1, $2, $4, $5, clock_timestamp(), clock_timestamp() + $3 * interval '1 millisecond')
             ON CONFLICT (id) DO UPDATE SET boot = n.boot + 1, version = excluded.version, address = excluded.address,
                 schema = excluded.schema, is_leaving = false, started_at = excluded.started_at, lease_until = excluded.lease_until
             RETURNING number, boot, EXISTS (
                 SELECT 1 FROM dwell.nodes o WHERE o.id <> $1 AND o.lease_until > clock_timestamp())";
        let (id, version) = (options.node.as_str(), env!("CARGO_PKG_VERSION"));
        let params = params![id, version, millis(options.lease), options.address.as_deref(), schema::CURRENT];
        let row = database.first(action, sql, &params).await?.ok_or(Error::Closed)?;
        let read = || Ok::<_, tokio_postgres::Error>((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?));
        let (number, boot, has_others) = read().map_err(|error| Failure::from(error).explain(action))?;
        let node = Self {
            id: id.to_owned(),
            number,
            boot,
            lease: options.lease,
            clock: LeaseClock::default(),
            has_others: Arc::new(AtomicBool::new(has_others)),
        };
        node.note_renewal(began);
        Ok(node)
    }

    /// Names this process among all processes of all nodes.
    pub(super) fn process(&self) -> String {
        format!("{}.{}", self.number, self.boot)
    }

    /// Whether other nodes were alive at the last renewal.
    pub(super) fn has_others(&self) -> bool {
        self.has_others.load(Ordering::Relaxed)
    }

    /// Whether this node may rely on its lease. It stops before the database ends it.
    pub(super) fn is_alive(&self) -> bool {
        self.clock.is_alive()
    }

    /// How often the lease is renewed.
    pub(super) fn renew_every(&self) -> Duration {
        self.lease / PARTS
    }

    fn note_renewal(&self, began: Duration) {
        self.clock.renewed(began, self.renew_every() * (PARTS - 1));
    }

    /// Renews the lease until the task is aborted. After a lease that had ended, `keep` is given
    /// the owners who are still served here, before this node acts again.
    pub(super) async fn renew(self, database: Arc<Database>, keep: impl Fn(&HashMap<OwnerId, u64>)) {
        loop {
            tokio::time::sleep(self.renew_every()).await;
            while let Err(error) = self.renew_once(&database, &keep).await {
                if error == Error::Closed {
                    tracing::error!(node = self.id, "another process has registered under this node's id; it wins");
                    return;
                }
                tracing::warn!(%error, "this node's lease could not be renewed; trying again");
                tokio::time::sleep(PAUSE).await;
            }
            if let Err(error) = database.forget_old().await {
                tracing::debug!(%error, "the tokens of old writes stay for now");
            }
        }
    }

    /// Renews the lease. If it had ended, other nodes may have taken owners over.
    async fn renew_once(&self, database: &Database, keep: &impl Fn(&HashMap<OwnerId, u64>)) -> Result<(), Error> {
        let action = "renew this node's lease";
        let began = LeaseClock::now();
        let sql = "WITH before AS MATERIALIZED (
                 SELECT lease_until <= clock_timestamp() AS has_ended FROM dwell.nodes
                 WHERE number = $1 AND boot = $2 FOR UPDATE)
             UPDATE dwell.nodes SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
             FROM before WHERE number = $1 AND boot = $2
             RETURNING before.has_ended, EXISTS (
                 SELECT 1 FROM dwell.nodes o WHERE o.number <> $1 AND o.lease_until > clock_timestamp())";
        let params = params![self.number, self.boot, millis(self.lease)];
        let row = database.first(action, sql, &params).await?.ok_or(Error::Closed)?;
        let read = || Ok::<_, tokio_postgres::Error>((row.try_get(0)?, row.try_get(1)?));
        let (has_ended, has_others) = read().map_err(|error| Failure::from(error).explain(action))?;
        self.has_others.store(has_others, Ordering::Relaxed);
        // A renewal whose answer was lost may have been the first one after the end.
        if has_ended || !self.is_alive() {
            tracing::warn!("this node's lease had ended before it was renewed, or may have");
            keep(&self.own_owners(database).await?);
        }
        self.note_renewal(began);
        Ok(())
    }

    /// The owners whom the database says this node serves, with their epochs.
    async fn own_owners(&self, database: &Database) -> Result<HashMap<OwnerId, u64>, Error> {
        let action = "list this node's owners";
        let sql = "SELECT owner, epoch FROM dwell.owner_leases WHERE node = $1";
        let found = database.query(action, sql, &params![self.number]).await?;
        let own = rows::all(action, &found, |row| Ok((rows::owner(row, 0)?, unsigned(row.try_get(1)?))))?;
        Ok(own.into_iter().collect())
    }

    /// Ends the lease, so that other nodes need not wait for its end.
    pub(super) async fn leave(self, database: Arc<Database>) {
        let sql = "UPDATE dwell.nodes SET lease_until = clock_timestamp() WHERE number = $1 AND boot = $2";
        let left = database.query("end this node's lease", sql, &params![self.number, self.boot]).await;
        if let Err(error) = left {
            tracing::debug!(%error, "this node's lease was not ended; it ends by itself");
        }
    }
}

fn millis(time: Duration) -> Param<'static> {
    Param::Int(Some(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
}
