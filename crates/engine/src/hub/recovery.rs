//! Recovery: loads sessions with unfinished turns, at the start and while the hub is open.
//!
//! Loading a session resumes it, and loading is idempotent, so this can be repeated at will: after
//! a temporary failure of the store no session stays unloaded.

use std::sync::Arc;

use super::Directory;
use crate::{
    live::Mail,
    plans::{load_triggers, tell_others, untold},
};

pub(super) fn spawn(directory: Arc<Directory>) {
    let services = directory.services.clone();
    services.tasks.clone().spawn(async move {
        let untold = untold(&directory, &load_triggers(&directory).await).await;
        for ended in untold {
            tell_others(&directory, ended).await;
        }
        loop {
            wake_moving(&directory).await;
            tokio::select! {
                () = services.stopping.cancelled() => return,
                () = tokio::time::sleep(services.options.recovery_interval) => {}
            }
        }
    });
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
