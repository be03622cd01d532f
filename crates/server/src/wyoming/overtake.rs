//! A sentence that is queued behind a turn which begins to wait for an approval.
//!
//! Two satellites of one conversation may speak at the same moment: when the second sentence is
//! sent, the first one's question is not open yet, so the second is queued. It must not wait until
//! that question is answered, so it is taken out of the queue and handled beside it.

use engine::{Delivery, Error};
use protocol::{Body, ChatSend, OnBusy, SessionId, TurnAccepted, TurnStatus};
use tokio::time::timeout;

use super::WyomingService;
use crate::outcome::open_approvals;

/// What a queued sentence meets first.
enum QueueEnd {
    Started,
    Question,
}

/// Sends a sentence. If it is queued, this returns when it has started, or beside a turn that waits
/// for an approval, or after the peer's patience.
pub(super) async fn send(service: &WyomingService, session_id: SessionId, text: &str) -> Result<TurnAccepted, Error> {
    let queued = service.hub.send(&service.owner, &session_id.into(), ChatSend::text(text)).await?;
    if queued.position.is_none() {
        return Ok(queued);
    }
    match timeout(service.patience, watch(service, &queued)).await {
        Ok(Ok(QueueEnd::Question)) => overtake(service, queued, text).await,
        Ok(Err(error)) => Err(error),
        Ok(Ok(QueueEnd::Started)) | Err(_) => Ok(queued),
    }
}

async fn watch(service: &WyomingService, queued: &TurnAccepted) -> Result<QueueEnd, Error> {
    // Listening starts before looking, so that no question is opened unseen in between.
    let mut feed = service.hub.subscribe(&service.owner, queued.session_id, queued.seq).await?;
    if !open_approvals(&service.hub, &service.owner, queued.session_id).await?.is_empty() {
        return Ok(QueueEnd::Question);
    }
    loop {
        let Delivery::Event(event) = feed.next().await? else { continue };
        match &event.body {
            Body::ApprovalRequested(_) => return Ok(QueueEnd::Question),
            Body::TurnStatus(_) if event.turn_id == Some(queued.turn_id) => return Ok(QueueEnd::Started),
            _ => {}
        }
    }
}

/// Sends the sentence again, beside the turn that waits, if it has not started meanwhile.
async fn overtake(service: &WyomingService, queued: TurnAccepted, text: &str) -> Result<TurnAccepted, Error> {
    if service.hub.turn(&service.owner, queued.turn_id).await?.status != TurnStatus::Pending {
        return Ok(queued);
    }
    let why = "handled beside a turn that waits for an approval".to_owned();
    service.hub.cancel_turn(&service.owner, queued.turn_id, Some(why)).await?;
    // What has started may have acted, and is not done a second time.
    let turn = service.hub.turn(&service.owner, queued.turn_id).await?;
    if turn.status != TurnStatus::Cancelled || turn.attempts > 0 || !turn.steps.is_empty() {
        return Ok(queued);
    }
    let send = ChatSend { on_busy: OnBusy::Fork, ..ChatSend::text(text) };
    service.hub.send(&service.owner, &queued.session_id.into(), send).await
}
