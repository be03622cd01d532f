//! Recovery: loads sessions with unfinished turns, at the start and while the hub is open.
//!
//! Loading a session resumes it, and loading is idempotent, so this can be repeated at will: after
//! a temporary failure of the store no session stays unloaded.

use std::{sync::Arc, time::Duration};

use super::{Directory, OwnersGained};
use crate::{
    live::Mail,
    plans::{load_triggers, tell_others, untold},
};

/// How often the turns of other nodes that have died are looked for.
const SHARED_INTERVAL: Duration = Duration::from_secs(1);
/// Pause before ends of turns are told again that may have been missed.
const MISSED_PAUSE: Duration = Duration::from_secs(1);

pub(super) fn spawn(directory: Arc<Directory>) {
    let services = directory.services.clone();
    services.tasks.clone().spawn(async move {
        let mut gained = OwnersGained::of(&*services.store);
        // Turns of a node that has died should not wait much longer than for the end of its lease.
        let interval = if gained.is_possible() { SHARED_INTERVAL } else { services.options.recovery_interval };
        follow_triggers(&directory).await;
        loop {
            wake_moving(&directory).await;
            tokio::select! {
                () = services.stopping.cancelled() => return,
                () = gained.next() => follow_triggers(&directory).await,
                () = services.ends_missed.notified() => {
                    // What has failed may fail again.
                    let _ = services.stopping.run_until_cancelled(tokio::time::sleep(MISSED_PAUSE)).await;
                    follow_triggers(&directory).await;
                }
                () = tokio::time::sleep(interval) => {}
            }
        }
    });
}

/// Reads what schedules wait for, and tells them of turns that have ended without them.
async fn follow_triggers(directory: &Arc<Directory>) {
    let untold = untold(directory, &load_triggers(directory).await).await;
    for ended in untold {
        tell_others(directory, ended).await;
    }
}

async fn wake_moving(directory: &Arc<Directory>) {
    let moving = match directory.services.store.moving().await {
        Ok(moving) => moving,
        Err(error) => {
            tracing::warn!(%error, "failed to look for interrupted turns; trying again");
            return;
        }
    };
    let damaged: Vec<_> = directory.services.store.damaged().into_iter().map(|damage| damage.session_id).collect();
    for session_id in moving {
        if !directory.is_live(session_id) && !damaged.contains(&session_id) {
            tracing::info!(session = %session_id, "loading a session with open turns");
            // The only error is that the server is stopping.
            let _ = directory.post(session_id, Mail::Wake).await;
        }
    }
}
