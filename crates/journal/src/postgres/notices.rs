//! Commits of other nodes, for followers here.
//!
//! While other nodes are alive, each commit leaves a row in `dwell.notices` with its sessions and
//! their heads, and notifies. One connection listens and says when to read those rows. Where that
//! does not work, for example behind a pooler, they are read twice a second. A node that is alone
//! neither writes nor reads them.

use std::{collections::HashSet, sync::Arc, time::Duration};

use protocol::SessionId;
use tokio::{
    sync::{Notify, broadcast},
    task::JoinHandle,
    time::Instant,
};
use tokio_postgres::{AsyncMessage, Client};

use super::{
    database::Database,
    failure::words,
    node::Node,
    params::params,
    rows::{self, id, unsigned},
};
use crate::{Commit, Error};

/// How often the rows are read without and with a connection that listens. The latter is for what a
/// lost notification would leave unread.
const POLL_EVERY: Duration = Duration::from_millis(500);
const CHECK_EVERY: Duration = Duration::from_secs(5);
/// Rows are read for this long; after a longer pause some may have been missed.
const READ_SECONDS: i64 = 20;
const PAUSE_MAX: Duration = Duration::from_secs(10);

/// The part of the statement that appends which leaves a row; `$29` is this node.
pub(super) const NOTICED: &str = "noticed AS (
    INSERT INTO dwell.notices (node, sessions, heads)
    SELECT $29, array_agg(s.id), array_agg(c.new_head) FROM chosen c JOIN dwell.sessions s ON s.sid = c.sid
    HAVING count(*) > 0),";
/// What that statement selects from in addition, so that the others are notified.
pub(super) const NOTIFIED: &str = ", (SELECT pg_notify('dwell', '')) AS notified";

/// The head that stands for a removed session.
const REMOVED: i64 = -1;

/// Reads the commits of other nodes.
pub(super) struct NoticeReader {
    pub(super) database: Arc<Database>,
    pub(super) commits: broadcast::Sender<Commit>,
    pub(super) node: Node,
}

/// A connection that listens. It ends when it is dropped.
struct Listener {
    client: Client,
    task: JoinHandle<()>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl NoticeReader {
    /// Reads until the task is aborted.
    pub(super) async fn run(self) {
        let (woken, started) = (Arc::new(Notify::new()), Instant::now());
        let (mut listener, mut seen, mut read_at) = (None::<Listener>, HashSet::new(), None::<Instant>);
        loop {
            if !self.node.has_others() {
                (listener, read_at) = (None, None);
                tokio::time::sleep(POLL_EVERY).await;
                continue;
            }
            if listener.as_ref().is_none_or(|listener| listener.task.is_finished()) {
                listener = self.listen(&woken).await;
            }
            let began = Instant::now();
            // Others learn of this node when they renew their leases, and leave rows only then.
            let is_young = started.elapsed() < self.node.renew_every() * 2;
            let must_catch_up = is_young || read_at.is_none_or(|at| at.elapsed() > PAUSE_MAX);
            let caught_up = if must_catch_up { self.catch_up().await } else { Ok(()) };
            match caught_up.and(self.read(&mut seen).await) {
                Ok(()) => read_at = Some(began),
                Err(error) => tracing::debug!(%error, "the commits of other nodes could not be read"),
            }
            let pause = if listener.is_some() && !is_young { CHECK_EVERY } else { POLL_EVERY };
            // Either way the rows are read again.
            let _ = tokio::time::timeout(pause, woken.notified()).await;
        }
    }

    async fn listen(&self, woken: &Arc<Notify>) -> Option<Listener> {
        let address = &self.database.pool.address;
        let (client, mut connection) = address.connect().await.ok()?;
        let woken = woken.clone();
        let task = tokio::spawn(async move {
            loop {
                match std::future::poll_fn(|cx| connection.poll_message(cx)).await {
                    Some(Ok(AsyncMessage::Notification(_))) => woken.notify_one(),
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return woken.notify_one(),
                }
            }
        });
        let listener = Listener { client, task };
        match tokio::time::timeout(CHECK_EVERY, listener.client.batch_execute("LISTEN dwell")).await {
            Ok(Ok(())) => Some(listener),
            Ok(Err(error)) => {
                tracing::info!(
                    error = words(&error),
                    "notifications do not work here; commits of other nodes are polled"
                );
                None
            }
            // The database does not answer; the next round tries again.
            Err(_) => None,
        }
    }

    /// Reads the rows of the last seconds, and hands on those that were not read before. Rows
    /// become visible in another order than that of their numbers, so the last number is not
    /// enough.
    async fn read(&self, seen: &mut HashSet<i64>) -> Result<(), Error> {
        let action = "read the commits of other nodes";
        let sql = "SELECT id, sessions, heads FROM dwell.notices
             WHERE node <> $1 AND at > clock_timestamp() - $2 * interval '1 second' ORDER BY id";
        let found = self.database.query(action, sql, &params![self.node.number, READ_SECONDS]).await?;
        let notices = rows::all(action, &found, |row| {
            Ok((row.try_get::<_, i64>(0)?, row.try_get::<_, Vec<Vec<u8>>>(1)?, row.try_get::<_, Vec<i64>>(2)?))
        })?;
        let before = std::mem::take(seen);
        for (number, sessions, heads) in notices {
            if !before.contains(&number) {
                for (session, head) in sessions.into_iter().zip(heads) {
                    if let Ok(session) = <[u8; 16]>::try_from(session) {
                        self.tell(SessionId::from_bytes(session), head);
                    }
                }
            }
            seen.insert(number);
        }
        Ok(())
    }

    /// Hands on the heads of all sessions that other nodes have, since their rows may have been
    /// missed.
    async fn catch_up(&self) -> Result<(), Error> {
        let action = "read the heads of other nodes' sessions";
        let sql = "SELECT s.id, h.head FROM dwell.heads h JOIN dwell.sessions s USING (sid)
             WHERE h.node IS NOT NULL AND h.node <> $1";
        let found = self.database.query(action, sql, &params![self.node.number]).await?;
        let heads = rows::all(action, &found, |row| Ok((SessionId::from_bytes(id(row, 0)?), row.try_get(1)?)))?;
        heads.into_iter().for_each(|(session_id, head)| self.tell(session_id, head));
        Ok(())
    }

    fn tell(&self, session_id: SessionId, head: i64) {
        let commit = if head == REMOVED {
            Commit::removed(session_id)
        } else {
            Commit { session_id, head: unsigned(head), events: Arc::default(), is_foreign: true }
        };
        // Without followers there is no receiver.
        let _ = self.commits.send(commit);
    }
}

/// The statement that leaves a row for a removed session, of which `$1` is the id and `$2` this
/// node.
pub(super) fn removal() -> String {
    format!(
        "WITH noticed AS (
             INSERT INTO dwell.notices (node, sessions, heads) VALUES ($2, ARRAY[$1], ARRAY[{REMOVED}::bigint]))
         SELECT pg_notify('dwell', '')"
    )
}
