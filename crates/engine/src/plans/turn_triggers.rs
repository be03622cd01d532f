//! Schedules that wait for the end of a turn in another session.
//!
//! A session tells the others once the end is written. A crash in between leaves it untold, and so
//! does a session that could not be told or could not write what it was told. The ends that were
//! written last are therefore told again: at the start, when this node begins to serve an owner,
//! and after such a failure. A schedule knows the turns that have started it, and starts once for
//! each.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use journal::SessionFilter;
use protocol::{Body, MessageChannel, Order, OwnerId, SessionId, Timestamp, TurnId};

use super::WatchKey;
use crate::{Error, hub::Directory, live::Mail};

/// Turns of a session, and sessions of an owner, whose ends may be untold.
const TURNS_MAX: usize = 16;
const SESSIONS_MAX: usize = 32;
/// Ends that were written so long before the last event are told long since. It is much longer than
/// the telling takes, since clocks are set, and far shorter than a schedule remembers its causes.
pub(crate) const TOLD_WITHIN: Duration = Duration::from_secs(2 * 60);

/// A turn that has ended and that no schedule had begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EndedTurn {
    pub(crate) owner: OwnerId,
    pub(crate) session_id: SessionId,
    pub(crate) turn_id: TurnId,
    pub(crate) at: Timestamp,
    /// Whether it may have been told before, and before the schedule was made.
    pub(crate) is_retold: bool,
}

/// Tells the other sessions that wait for it.
pub(crate) async fn tell_others(directory: &Arc<Directory>, ended: EndedTurn) {
    let triggers = &directory.services.home_triggers;
    let key = |session| WatchKey::Turns { owner: ended.owner.clone(), session }.to_string();
    let mut waiting: BTreeSet<SessionId> = triggers.sessions(&key(Some(ended.session_id))).into_iter().collect();
    waiting.extend(triggers.sessions(&key(None)));
    waiting.remove(&ended.session_id);
    for session_id in waiting {
        // Refused only while the server stops; it is told again at the next start. A session that
        // cannot write it asks for it again.
        let _ = directory.post(session_id, Mail::TurnEnded(Box::new(ended.clone()))).await;
    }
}

/// The ends of turns that may be untold.
pub(crate) async fn untold(directory: &Directory, keys: &[WatchKey]) -> Vec<EndedTurn> {
    let mut watched: BTreeSet<(OwnerId, SessionId)> = BTreeSet::new();
    for key in keys {
        let WatchKey::Turns { owner, session } = key else { continue };
        match session {
            Some(id) => drop(watched.insert((owner.clone(), *id))),
            None => match directory.services.store.list(owner, &SessionFilter::default(), None, SESSIONS_MAX).await {
                Ok(page) => watched.extend(page.sessions.iter().map(|view| (owner.clone(), view.session_id))),
                Err(error) => {
                    tracing::warn!(%error, "failed to look for turns that schedules wait for; trying again");
                    directory.services.ends_missed.notify_one();
                }
            },
        }
    }
    let mut untold = Vec::new();
    for (owner, session_id) in watched {
        match latest(directory, &owner, session_id).await {
            Ok(found) => untold.extend(found),
            Err(error) => {
                tracing::warn!(%error, session = %session_id, "failed to look for ended turns; trying again");
                directory.services.ends_missed.notify_one();
            }
        }
    }
    untold
}

async fn latest(directory: &Directory, owner: &OwnerId, session_id: SessionId) -> Result<Vec<EndedTurn>, Error> {
    let store = &directory.services.store;
    let (mut found, mut last_at) = (Vec::new(), Timestamp::from_millis(0));
    for entry in store.turns(session_id, Order::Newest, None, TURNS_MAX).await? {
        let (mut is_own_work, mut ended_at) = (false, None);
        for event in store.turn(entry.turn_id).await? {
            last_at = last_at.max(event.at);
            match &event.body {
                Body::MessageAccepted(accepted) => {
                    is_own_work = matches!(accepted.request.via, MessageChannel::Schedule(_));
                }
                Body::TurnStatus(change) if change.status.status().is_final() => ended_at = Some(event.at),
                _ => {}
            }
        }
        let ended = ended_at.filter(|_| !is_own_work);
        found.extend(ended.map(|at| EndedTurn {
            owner: owner.clone(),
            session_id,
            turn_id: entry.turn_id,
            at,
            is_retold: true,
        }));
    }
    found.retain(|ended| last_at.since(ended.at) <= TOLD_WITHIN);
    found.sort_by_key(|ended| ended.at);
    Ok(found)
}
