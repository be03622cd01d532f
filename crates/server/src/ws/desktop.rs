//! Messages about a session's desktop.

use protocol::{ClientBody, Code, MonitorRef, Problem};
use serde_json::{Value, json};

use super::{
    connection::WebSocketConnection,
    dispatch::{answer, follow_spoken_to},
};

/// Handles a message about the desktop.
pub(super) async fn answer_to(connection: &mut WebSocketConnection, body: ClientBody) -> Result<Value, Problem> {
    let (hub, owner) = (connection.app.hub.clone(), connection.owner.clone());
    match body {
        ClientBody::WindowMessage(mut asked) => {
            asked.session = follow_spoken_to(connection, asked.session).await?;
            answer(hub.window_message(&owner, asked).await)
        }
        ClientBody::WindowAction(mut asked) => {
            asked.session = follow_spoken_to(connection, asked.session).await?;
            answer(hub.window_action(&owner, asked).await)
        }
        ClientBody::UserInteraction(asked) => done(hub.interact(&owner, asked).await),
        ClientBody::RenderFeedback(asked) => done(hub.render_feedback(&owner, asked).await),
        ClientBody::DialogAnswer(asked) => done(hub.answer_dialog(&owner, asked).await),
        ClientBody::PromptAnswer(asked) => done(hub.answer_prompt(&owner, asked).await),
        ClientBody::ToastAction(asked) => done(hub.act_on_toast(&owner, asked).await),
        ClientBody::AppReady(asked) => answer(hub.app_ready(&owner, asked).await),
        ClientBody::AppResponse(asked) => done(hub.app_response(&owner, asked).await),
        ClientBody::MonitorSubscribe(asked) => subscribe(connection, asked).await,
        ClientBody::MonitorRemove(asked) => answer(hub.remove_monitor(&owner, &asked).await),
        // The dispatch passes on no other messages; if it does, the client must not get a success.
        _ => Err(Problem::new(
            Code::Internal,
            "the message has no handler",
            "This is a bug of the server: please report it.",
        )),
    }
}

fn done(outcome: Result<(), engine::Error>) -> Result<Value, Problem> {
    answer(outcome.map(|()| json!({})))
}

/// Subscribes to a monitor. After the first subscription, only subscribed monitors are sent.
async fn subscribe(connection: &mut WebSocketConnection, asked: MonitorRef) -> Result<Value, Problem> {
    let session = follow_spoken_to(connection, asked.session).await?;
    let asked = MonitorRef { session, monitor_id: asked.monitor_id };
    let (hub, owner) = (connection.app.hub.clone(), connection.owner.clone());
    hub.add_monitor(&owner, &asked).await?;
    // The subscription starts before the desktop is read, so that nothing is missed in between.
    if let Some(watched) = asked.session.session_id.and_then(|id| connection.followers.watched(id)) {
        watched.add(asked.monitor_id);
    }
    answer(hub.desktop(&owner, &asked.session).await)
}
