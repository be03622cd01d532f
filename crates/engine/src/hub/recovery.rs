//! Recovery: sessions in which a turn should be going on are loaded, at the start and for as long as the hub is open.
//!
//! Loading a session is what resumes it, and loading twice is loading once, so this can be repeated at will: a store
//! that fails for a moment strands nobody.

use std::sync::Arc;

use super::Directory;
use crate::live::Mail;

pub(super) fn spawn(directory: Arc<Directory>) {
    let house = directory.house.clone();
    house.tasks.clone().spawn(async move {
        loop {
            wake_moving(&directory).await;
            tokio::select! {
                () = house.stopping.cancelled() => return,
                () = tokio::time::sleep(house.options.recovery_interval) => {}
            }
        }
    });
}

async fn wake_moving(directory: &Arc<Directory>) {
    let moving = match directory.house.store.moving().await {
        Ok(moving) => moving,
        Err(error) => {
            tracing::warn!(%error, "failed to look for interrupted turns; trying again");
            return;
        }
    };
    let damaged: Vec<_> = directory.house.store.damaged().into_iter().map(|damage| damage.session_id).collect();
    for session_id in moving {
        if !directory.is_live(session_id) && !damaged.contains(&session_id) {
            tracing::info!(session = %session_id, "loading a session with open turns");
            // The only error is that the server is stopping.
            let _ = directory.post(session_id, Mail::Wake).await;
        }
    }
}
