//! From a client's message to the hub and back.

use protocol::{
    ClientBody, ClientEnvelope, Code, NoticeBody, Problem, Resume, SessionSend, SessionUpdate, SessionView, Start,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::connection::Connection;
use crate::rest::parse;

/// Events that one message can carry; a longer session is exported over REST, which streams.
const EXPORT_EVENTS_MAX: u64 = 5_000;

/// Does what a message asks.
pub(super) async fn dispatch(connection: &mut Connection, envelope: &ClientEnvelope<'_>) -> Result<Value, Problem> {
    let (hub, owner) = (connection.app.hub.clone(), connection.owner.clone());
    match read(envelope)? {
        ClientBody::SessionStart(asked) => start(connection, asked).await,
        ClientBody::SessionResume(asked) => resume(connection, asked).await,
        ClientBody::SessionGet(session) => answer(hub.session(&owner, &session).await),
        ClientBody::SessionList(list) => answer(hub.sessions(&owner, &list).await),
        ClientBody::SessionUpdate(SessionUpdate { session, update }) => {
            answer(hub.update(&owner, &session, update).await)
        }
        ClientBody::SessionReset(asked) => answer(hub.reset(&owner, asked).await),
        ClientBody::SessionEnd(asked) => answer(hub.end(&owner, asked).await),
        ClientBody::SessionFork(asked) => answer(hub.fork(&owner, asked).await),
        ClientBody::SessionExport(session) => {
            let view = hub.session(&owner, &session).await?;
            if view.last_seq > EXPORT_EVENTS_MAX {
                let message = format!("the session has {} events", view.last_seq);
                let hint = format!("Use GET /api/v1/sessions/{}/export, which streams.", view.session_id);
                return Err(Problem::new(Code::TooLarge, message, hint));
            }
            answer(hub.export(&owner, &view.session_id.into()).await.map(|events| json!({ "events": events })))
        }
        ClientBody::ChatSend(asked) => send(connection, asked).await,
        ClientBody::AgentCancel(asked) => answer(hub.cancel(&owner, asked).await),
        ClientBody::TurnGet(turn) => answer(hub.turn(&owner, turn.turn_id).await),
        ClientBody::TurnResume(turn) => answer(hub.resume_turn(&owner, turn.turn_id).await),
        ClientBody::TurnRetry(turn) => answer(hub.retry_turn(&owner, turn.turn_id, None).await),
        ClientBody::Ping(_) => {
            // If the client is gone, the answer that follows finds that out.
            let _ = connection.notice(None, NoticeBody::Pong {}).await;
            Ok(json!({}))
        }
    }
}

/// The message by its name; one without data has none.
fn read(envelope: &ClientEnvelope<'_>) -> Result<ClientBody, Problem> {
    let data = envelope.data.map_or("{}", |data| data.get());
    let tagged = format!("{{\"type\":{},\"data\":{data}}}", Value::from(envelope.kind.as_str()));
    // The depth was looked at when the envelope was read.
    parse(tagged.as_bytes(), usize::MAX)
}

async fn start(connection: &mut Connection, asked: Start) -> Result<Value, Problem> {
    let hub = connection.app.hub.clone();
    let view = hub.start(&connection.owner, asked).await?;
    follow(connection, &view, 0).await?;
    answer(Ok(view))
}

async fn resume(connection: &mut Connection, asked: Resume) -> Result<Value, Problem> {
    let hub = connection.app.hub.clone();
    let view = hub.session_or_new(&connection.owner, &asked.session).await?;
    follow(connection, &view, asked.after.unwrap_or(0)).await?;
    answer(Ok(view))
}

async fn send(connection: &mut Connection, asked: SessionSend) -> Result<Value, Problem> {
    let hub = connection.app.hub.clone();
    let mut session = asked.session;
    // Who speaks wants to hear the answer: a session that is not followed yet is followed from here on.
    if session.conversation_id.is_some() || session.session_id.is_some_and(|id| !connection.followers.has(id)) {
        let view = hub.session_or_new(&connection.owner, &session).await?;
        if !connection.followers.has(view.session_id) {
            follow(connection, &view, view.last_seq).await?;
        }
        session = view.session_id.into();
    }
    answer(hub.send(&connection.owner, &session, asked.send).await)
}

async fn follow(connection: &mut Connection, view: &SessionView, after: u64) -> Result<(), Problem> {
    let id = view.session_id;
    connection.followers.check_room(id)?;
    let subscription = connection.app.hub.subscribe(&connection.owner, id, after).await?;
    let info = NoticeBody::SessionInfo {
        user_id: connection.owner.clone(),
        session_id: id,
        connection_id: connection.id,
        last_seq: subscription.head(),
        model: connection.app.hub.model_name(view.settings.model.as_deref()),
    };
    // If the client is gone, the answer that follows finds that out.
    let _ = connection.notice(Some(id), info).await;
    connection.followers.follow(id, subscription);
    Ok(())
}

fn answer<T: Serialize>(outcome: Result<T, engine::Error>) -> Result<Value, Problem> {
    let value = outcome?;
    serde_json::to_value(value).map_err(|error| {
        Problem::new(Code::Internal, format!("failed to write the answer: {error}"), "Report this, please.")
    })
}
