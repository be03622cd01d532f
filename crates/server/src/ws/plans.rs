//! Schedules and alerts.

use protocol::{ClientBody, NoticeBody, Problem};
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::task::AbortOnDropHandle;

use super::{
    connection::{WebSocketConnection, notice},
    dispatch::answer,
};

/// Answers a message about schedules or alerts.
pub(super) async fn answer_to(connection: &mut WebSocketConnection, body: ClientBody) -> Result<Value, Problem> {
    let (hub, owner) = (connection.app.hub.clone(), connection.owner.clone());
    match body {
        ClientBody::ScheduleCreate(asked) => answer(hub.create_schedule(&owner, asked, (&connection.way).into()).await),
        ClientBody::ScheduleList(asked) => answer(hub.schedules(&owner, &asked).await),
        ClientBody::ScheduleGet(asked) => answer(hub.schedule(&owner, asked.schedule_id).await),
        ClientBody::ScheduleUpdate(asked) => {
            answer(hub.update_schedule(&owner, asked, &(&connection.way).into()).await)
        }
        ClientBody::ScheduleDo(asked) => answer(hub.step_schedule(&owner, asked).await),
        ClientBody::SchedulePreview(asked) => answer(hub.preview_schedule(&asked)),
        ClientBody::AlertList(asked) => answer(hub.alerts(&owner, asked).await),
        ClientBody::AlertSeen(asked) => answer(hub.see_alert(&owner, asked.alert_id).await),
        _ => follow(connection).await,
    }
}

/// Lists alerts, and sends those that are raised from now on.
async fn follow(connection: &mut WebSocketConnection) -> Result<Value, Problem> {
    let hub = connection.app.hub.clone();
    // Followed before they are listed: what is raised in between is told twice rather than never.
    let mut raised = hub.follow_alerts(&connection.owner);
    let (app, outbox) = (connection.app.clone(), connection.outbox.clone());
    let task = tokio::spawn(async move {
        loop {
            match raised.recv().await {
                Ok(alert) => {
                    if notice(&app, &outbox, None, NoticeBody::AlertRaised((*alert).clone())).await.is_err() {
                        return;
                    }
                }
                // The list has what was missed.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
        }
    });
    connection.alerts = Some(AbortOnDropHandle::new(task));
    answer(hub.alerts(&connection.owner, protocol::AlertList::default()).await)
}
