//! The beginning of an actor: the session is loaded, and what the actor leaves is passed on.

use std::sync::Arc;

use protocol::SessionId;
use tokio::{sync::mpsc, time::Instant};

use super::{
    super::{
        batch::CommitBatch,
        load::{LoadedSession, load},
        mail::{MAIL_MAX, Mailbox},
        snapshot::SnapshotSchedule,
        text::PendingText,
        workers::Workers,
    },
    Actor, ExitReason,
    leftover_mail::{close, leave_unloaded, refuse},
};
use crate::{
    Error, QuotaKind,
    hub::{Directory, Services},
    pool::BackgroundLimiter,
};

/// Starts the task for a session. It answers all mail it gets, even if the session cannot be
/// loaded.
pub(crate) fn spawn(directory: Arc<Directory>, session_id: SessionId) -> Mailbox {
    let (mailbox, mut mail) = mpsc::channel(MAIL_MAX);
    let own = mailbox.clone();
    let services = directory.services.clone();
    services.tasks.clone().spawn(async move {
        match Actor::load(services, session_id, own.clone()).await {
            Ok(actor) => {
                let (ending, leftover) = actor.live(&mut mail).await;
                directory.remove(session_id, &own);
                match ending {
                    ExitReason::Broken(error) => {
                        // It may have been told of a turn's end and not have written that.
                        directory.services.ends_missed.notify_one();
                        refuse(leftover, &error);
                    }
                    ExitReason::Idle
                    | ExitReason::Removed
                    | ExitReason::Deleted
                    | ExitReason::Rewritten
                    | ExitReason::Stopping => {
                        directory.post_again(session_id, leftover).await;
                    }
                }
            }
            Err(error) => {
                directory.remove(session_id, &own);
                leave_unloaded(&directory.services, session_id, close(&mut mail).await, &error);
            }
        }
    });
    mailbox
}

impl Actor {
    async fn load(services: Arc<Services>, session_id: SessionId, mailbox: Mailbox) -> Result<Self, Error> {
        let lease = services.store.acquire(session_id).await?;
        let mut loaded = load(services.store.as_ref(), session_id).await?;
        let hold = services.store.hold(&loaded.state.owner).await?;
        if hold.can_be_lost() {
            // Another node may have served the owner for a moment while the session was read.
            loaded = loaded.read_on(services.store.as_ref()).await?;
        }
        let LoadedSession { state, events_since_snapshot } = loaded;
        let background = BackgroundLimiter::new(&services.options);
        let open_turns = services.reservations.hold(&state.owner, QuotaKind::Turns, state.open_turns().count() as u64);
        Ok(Self {
            services,
            lease,
            hold: hold.clone(),
            state,
            mailbox,
            feed: None,
            pending: PendingText::default(),
            batch: CommitBatch::default(),
            writing: None,
            snapshots: SnapshotSchedule::after_loading(events_since_snapshot),
            workers: Workers::new(background, hold),
            forget: Vec::new(),
            remove: Vec::new(),
            idle_since: Instant::now(),
            open_turns,
        })
    }
}
