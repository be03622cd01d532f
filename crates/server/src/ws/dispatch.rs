//! Dispatches a client's message to the hub, and returns the answer.

use std::sync::Arc;

use engine::{HomeChanges, WatchedMonitors, WorkerFeed};
use futures::{FutureExt, future::BoxFuture};
use protocol::{
    ChatSend, ClientBody, ClientEnvelope, Code, ExportFormat, Image, NoticeBody, Problem, ProviderSet, SessionExport,
    SessionRef, SessionResume, SessionSend, SessionStart, SessionUpdate, SessionView, Update,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{connection::WebSocketConnection, desktop, home, memory, plans, tool_worker};
use crate::{
    access::scopes,
    rest::{check_object, parse},
};

/// Most events that one message can carry; longer sessions are exported over REST, which streams.
const EXPORT_EVENTS_MAX: u64 = 5_000;

/// A pending answer.
pub(super) type AnswerFuture = BoxFuture<'static, Result<Value, Problem>>;

/// The result of a message.
pub(super) enum DispatchOutcome {
    /// The answer.
    Now(Result<Value, Problem>),
    /// The home, and its later changes.
    Home(Value, Box<dyn HomeChanges>),
    /// The tools that the connection serves, and its calls.
    Serving(Value, WorkerFeed),
    /// The answer takes longer; the reader does not wait for it.
    Later(AnswerFuture),
}

/// Handles a message.
pub(super) async fn dispatch(connection: &mut WebSocketConnection, envelope: &ClientEnvelope<'_>) -> DispatchOutcome {
    let body = read(envelope).and_then(|body| {
        scopes::check(connection.grant.scope, scopes::of_message(&body))?;
        Ok(body)
    });
    match body {
        Ok(ClientBody::ChatSend(asked)) if takes_a_while(&asked) => match send_later(connection, *asked).await {
            Ok(sending) => DispatchOutcome::Later(sending),
            Err(problem) => DispatchOutcome::Now(Err(problem)),
        },
        Ok(ClientBody::MemoryGet(asked)) => DispatchOutcome::Later(memory::get(connection, asked)),
        Ok(ClientBody::MemorySearch(asked)) => DispatchOutcome::Later(memory::search(connection, asked)),
        Ok(ClientBody::MemoryGraph(asked)) => DispatchOutcome::Later(memory::graph(connection, asked)),
        Ok(ClientBody::MemoryForget(asked)) => DispatchOutcome::Later(memory::forget(connection, asked)),
        Ok(ClientBody::MemoryExport(_)) => DispatchOutcome::Later(memory::export(connection)),
        Ok(ClientBody::MemoryImport(asked)) => DispatchOutcome::Later(memory::import(connection, asked)),
        Ok(ClientBody::SessionDelete(asked)) => {
            let (hub, owner) = (connection.app.hub.clone(), connection.owner.clone());
            DispatchOutcome::Later(async move { answer(hub.delete(&owner, asked).await) }.boxed())
        }
        Ok(ClientBody::SessionImport(asked)) => {
            let (hub, owner) = (connection.app.hub.clone(), connection.owner.clone());
            DispatchOutcome::Later(async move { answer(hub.import_session(&owner, asked).await) }.boxed())
        }
        Ok(ClientBody::HomeFollow(_)) => match home::follow(connection) {
            Ok((view, news)) => DispatchOutcome::Home(view, news),
            Err(problem) => DispatchOutcome::Now(Err(problem)),
        },
        Ok(ClientBody::ToolServe(asked)) => match tool_worker::serve(connection, asked).await {
            Ok((serving, Some(feed))) => DispatchOutcome::Serving(serving, feed),
            Ok((serving, None)) => DispatchOutcome::Now(Ok(serving)),
            Err(problem) => DispatchOutcome::Now(Err(problem)),
        },
        Ok(body) => DispatchOutcome::Now(answer_to(connection, body).await),
        Err(problem) => DispatchOutcome::Now(Err(problem)),
    }
}

/// Whether accepting it has to wait: for the first text, or for the download of an image.
fn takes_a_while(asked: &SessionSend) -> bool {
    asked.send.early_wait_ms.is_some() || asked.send.images.iter().any(|image| matches!(image, Image::Url { .. }))
}

async fn answer_to(connection: &mut WebSocketConnection, body: ClientBody) -> Result<Value, Problem> {
    let (hub, owner) = (connection.app.hub.clone(), connection.owner.clone());
    match body {
        ClientBody::SessionStart(asked) => start(connection, asked).await,
        ClientBody::SessionResume(asked) => resume(connection, asked).await,
        ClientBody::SessionGet(session) => answer(hub.session(&owner, &session).await),
        ClientBody::SessionWindow(asked) => answer(hub.window(&owner, &asked).await),
        ClientBody::SessionList(list) => answer(hub.sessions(&owner, &list).await),
        ClientBody::SessionUpdate(SessionUpdate { session, update }) => {
            answer(hub.update(&owner, &session, update).await)
        }
        ClientBody::SessionReset(asked) => answer(hub.reset(&owner, asked).await),
        ClientBody::SessionEnd(asked) => answer(hub.end(&owner, asked).await),
        ClientBody::SessionDelete(asked) => answer(hub.delete(&owner, asked).await),
        ClientBody::SessionFork(asked) => answer(hub.fork(&owner, asked).await),
        ClientBody::SessionExport(asked) => export(connection, asked).await,
        ClientBody::SessionImport(asked) => answer(hub.import_session(&owner, asked).await),
        ClientBody::ChatSend(asked) => send(connection, *asked).await,
        ClientBody::AgentCancel(asked) => answer(hub.cancel(&owner, asked).await),
        ClientBody::AgentInterrupt(asked) => answer(hub.interrupt(&owner, asked).await),
        ClientBody::ApprovalAnswer(asked) => {
            let settled = json!({ "approval_id": asked.approval_id, "decision": asked.decision });
            answer(hub.answer_approval(&owner, asked).await.map(|()| settled))
        }
        ClientBody::ProviderSet(ProviderSet { session, model }) => {
            answer(hub.update(&owner, &session, Update { model: Some(model), ..Update::default() }).await)
        }
        ClientBody::TurnGet(turn) => answer(hub.turn(&owner, turn.turn_id).await),
        ClientBody::TurnPause(turn) => answer(hub.pause_turn(&owner, turn.turn_id).await),
        ClientBody::BackgroundList(list) => answer(hub.background_turns(&owner, list).await),
        ClientBody::TurnResume(asked) => answer(hub.resume_turn(&owner, asked).await),
        ClientBody::ToolAnswer(asked) => tool_worker::take_results(connection, asked).await,
        // Calls follow after the answer, so `dispatch` handles it.
        ClientBody::ToolServe(asked) => tool_worker::serve(connection, asked).await.map(|(serving, _)| serving),
        ClientBody::ToolProgress(asked) => tool_worker::progress(connection, asked).await,
        ClientBody::TurnRetry(turn) => answer(hub.retry_turn(&owner, turn.turn_id, None, connection.way.clone()).await),
        ClientBody::MemorySet(asked) => answer(hub.memory_set(&owner, asked).await),
        ClientBody::MemoryGet(asked) => memory::get(connection, asked).await,
        ClientBody::MemorySearch(asked) => memory::search(connection, asked).await,
        ClientBody::MemoryGraph(asked) => memory::graph(connection, asked).await,
        ClientBody::MemoryCorrect(asked) => answer(hub.memory_correct(&owner, asked).await),
        ClientBody::MemoryForget(asked) => memory::forget(connection, asked).await,
        ClientBody::MemoryUpdate(asked) => memory::update(connection, asked).await,
        ClientBody::VaultUpdate(asked) => memory::update_vault(connection, asked).await,
        ClientBody::MemoryExport(_) => memory::export(connection).await,
        ClientBody::MemoryImport(asked) => memory::import(connection, asked).await,
        ClientBody::DesktopGet(session) => answer(hub.desktop(&owner, &session).await),
        ClientBody::SessionRestore(asked) => answer(hub.restore(&owner, asked).await),
        ClientBody::WindowMessage(_)
        | ClientBody::WindowAction(_)
        | ClientBody::UserInteraction(_)
        | ClientBody::RenderFeedback(_)
        | ClientBody::DialogAnswer(_)
        | ClientBody::PromptAnswer(_)
        | ClientBody::ToastAction(_)
        | ClientBody::AppReady(_)
        | ClientBody::AppResponse(_)
        | ClientBody::MonitorSubscribe(_)
        | ClientBody::MonitorRemove(_) => desktop::answer_to(connection, body).await,
        ClientBody::ScheduleCreate(_)
        | ClientBody::ScheduleList(_)
        | ClientBody::ScheduleGet(_)
        | ClientBody::ScheduleUpdate(_)
        | ClientBody::ScheduleDo(_)
        | ClientBody::SchedulePreview(_)
        | ClientBody::AlertList(_)
        | ClientBody::AlertSeen(_)
        | ClientBody::AlertFollow(_) => plans::answer_to(connection, body).await,
        // Following starts after the home was answered, so `dispatch` handles it.
        ClientBody::HomeFollow(_) => home::follow(connection).map(|(view, _)| view),
        ClientBody::HomeUnfollow(_) => home::unfollow(connection).await,
        ClientBody::Ping(_) => {
            // If the client is gone, sending the answer will fail too.
            let _ = connection.notice(None, NoticeBody::Pong {}).await;
            Ok(json!({}))
        }
    }
}

async fn export(connection: &WebSocketConnection, asked: SessionExport) -> Result<Value, Problem> {
    let (hub, owner, SessionExport { session, format }) = (&connection.app.hub, &connection.owner, asked);
    let view = hub.session(owner, &session).await?;
    if view.last_seq > EXPORT_EVENTS_MAX {
        let message = format!("the session has {} events", view.last_seq);
        let hint = format!("Use GET /api/v1/sessions/{}/export, which streams.", view.session_id);
        return Err(Problem::new(Code::TooLarge, message, hint));
    }
    let session = view.session_id.into();
    match format {
        ExportFormat::Ndjson => {
            let (manifest, _) = hub.export_file(owner, &session, false).await?;
            let events = hub.export(owner, &session).await;
            answer(events.map(|all| json!({ "manifest": manifest.line(), "events": all })))
        }
        format => {
            let written = hub.export_as(owner, &session, format).await;
            answer(written.map(|data| json!({ "format": format, "data": data })))
        }
    }
}

/// Parses the message by its type; the data may be absent.
fn read(envelope: &ClientEnvelope<'_>) -> Result<ClientBody, Problem> {
    let data = envelope.data.map_or("{}", |data| data.get());
    check_object(data.as_bytes())?;
    let tagged = format!("{{\"type\":{},\"data\":{data}}}", Value::from(envelope.kind.as_str()));
    // The depth was checked when the envelope was read.
    parse(tagged.as_bytes(), usize::MAX)
}

async fn start(connection: &mut WebSocketConnection, asked: SessionStart) -> Result<Value, Problem> {
    let hub = connection.app.hub.clone();
    let view = hub.start(&connection.owner, asked).await?;
    follow(connection, &view, 0).await?;
    answer(Ok(view))
}

async fn resume(connection: &mut WebSocketConnection, asked: SessionResume) -> Result<Value, Problem> {
    let hub = connection.app.hub.clone();
    let view = hub.session_or_new(&connection.owner, &asked.session).await?;
    let watched = Arc::new(WatchedMonitors::new(asked.monitors));
    follow_some(connection, &view, asked.after.unwrap_or(0), watched).await?;
    answer(Ok(view))
}

async fn send(connection: &mut WebSocketConnection, asked: SessionSend) -> Result<Value, Problem> {
    let session = follow_spoken_to(connection, asked.session).await?;
    let send = ChatSend { way: connection.way.clone(), ..asked.send };
    answer(connection.app.hub.send(&connection.owner, &session, send).await)
}

async fn send_later(connection: &mut WebSocketConnection, asked: SessionSend) -> Result<AnswerFuture, Problem> {
    let session = follow_spoken_to(connection, asked.session).await?;
    let (hub, owner) = (connection.app.hub.clone(), connection.owner.clone());
    let send = ChatSend { way: connection.way.clone(), ..asked.send };
    Ok(async move { answer(hub.send(&owner, &session, send).await) }.boxed())
}

/// Follows the session of a sent message, so that the client gets the answer.
pub(super) async fn follow_spoken_to(
    connection: &mut WebSocketConnection,
    session: SessionRef,
) -> Result<SessionRef, Problem> {
    if session.conversation_id.is_none() && session.session_id.is_some_and(|id| connection.followers.has(id)) {
        return Ok(session);
    }
    let view = connection.app.hub.session_or_new(&connection.owner, &session).await?;
    if !connection.followers.has(view.session_id) {
        follow(connection, &view, view.last_seq).await?;
    }
    Ok(view.session_id.into())
}

async fn follow(connection: &mut WebSocketConnection, view: &SessionView, after: u64) -> Result<(), Problem> {
    follow_some(connection, view, after, Arc::default()).await
}

/// Follows some of a session's monitors. The whole desktop is sent first, so that only later events
/// are needed.
pub(super) async fn follow_some(
    connection: &mut WebSocketConnection,
    view: &SessionView,
    after: u64,
    watched: Arc<WatchedMonitors>,
) -> Result<(), Problem> {
    let id = view.session_id;
    connection.followers.check_room(id)?;
    let hub = connection.app.hub.clone();
    let subscription = hub.watch(&connection.owner, id, after, watched.clone()).await?;
    let desktop = hub.desktop(&connection.owner, &id.into()).await?;
    let info = NoticeBody::SessionInfo {
        user_id: connection.owner.clone(),
        session_id: id,
        connection_id: connection.id,
        last_seq: subscription.head(),
        model: hub.model_name(view.settings.model.as_deref()),
    };
    // If the client is gone, sending the answer will fail too.
    let _ = connection.notice(Some(id), info).await;
    let _ = connection.notice(Some(id), NoticeBody::Desktop(desktop)).await;
    connection.followers.follow(id, subscription, watched);
    Ok(())
}

pub(super) fn answer<T: Serialize>(outcome: Result<T, engine::Error>) -> Result<Value, Problem> {
    let value = outcome?;
    serde_json::to_value(value).map_err(|error| {
        Problem::new(Code::Internal, format!("failed to write the answer: {error}"), "This is a bug: please report it.")
    })
}
