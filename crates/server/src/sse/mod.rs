//! Server-sent events: the same events as on the WebSocket, resumable by number.

mod coarse;

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::{
        Sse,
        sse::{Event as Frame, KeepAlive},
    },
};
use coarse::PartialBuffer;
use engine::{Delivery, Subscription, WatchedMonitors};
use futures::Stream;
use protocol::{Body, LiveUpdate, MonitorId, SessionId};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    access::Principal,
    app::AppState,
    problem::HttpResult,
    rest::{Params, PathId, invalid},
    streams::StreamPermit,
};

const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The level of detail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StreamView {
    /// Every event.
    #[default]
    Full,
    /// Four kinds only.
    Coarse,
}

/// What to follow.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FollowQuery {
    #[serde(default)]
    after: Option<u64>,
    #[serde(default)]
    view: StreamView,
    /// Names separated by commas.
    #[serde(default)]
    monitors: Option<String>,
    /// Read by the guard.
    #[serde(default, rename = "ticket")]
    _ticket: Option<String>,
}

pub(crate) async fn events(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    Params(follow): Params<FollowQuery>,
    headers: HeaderMap,
) -> HttpResult<Sse<impl Stream<Item = Result<Frame, Infallible>>>> {
    let permit = app.stream_permit(&owner)?;
    let after = last_event_id(&headers)?.or(follow.after).unwrap_or(0);
    let monitors = follow.monitors.iter().flat_map(|names| names.split(','));
    let monitors: Result<Vec<MonitorId>, _> = monitors.map(|name| name.trim().parse()).collect();
    let watched = WatchedMonitors::new(monitors.map_err(|error| invalid(error.to_string()))?);
    let subscription = app.hub.watch(&owner, id, after, Arc::new(watched)).await?;
    let frames = frames(id, subscription, follow.view, app.stopping.clone(), permit);
    Ok(Sse::new(frames).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// The number in `Last-Event-ID`. A browser that reconnects sends it; it is newer than the one in
/// the URL.
fn last_event_id(headers: &HeaderMap) -> HttpResult<Option<u64>> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    number.map(Some).ok_or_else(|| invalid("the Last-Event-ID is not an event number"))
}

fn frames(
    session_id: SessionId,
    mut subscription: Subscription,
    view: StreamView,
    stopping: CancellationToken,
    permit: StreamPermit,
) -> impl Stream<Item = Result<Frame, Infallible>> {
    async_stream::stream! {
        let _permit = permit;
        let mut coarse = PartialBuffer::default();
        loop {
            let due = coarse.due();
            let delivery = tokio::select! {
                () = stopping.cancelled() => return,
                () = tokio::time::sleep_until(due) => {
                    if let Some(frame) = coarse.partial() {
                        yield Ok(frame);
                    }
                    continue;
                }
                delivery = subscription.next() => delivery,
            };
            let delivery = match delivery {
                Ok(delivery) => delivery,
                Err(engine::Error::Deleted) => {
                    yield Ok(deleted(session_id));
                    return;
                }
                // A shutdown or a failing store ends a subscription; the client reconnects with its
                // last number.
                Err(_) => return,
            };
            let is_over = matches!(&delivery, Delivery::Event(event) if matches!(event.body, Body::SessionEnded(_)));
            match view {
                StreamView::Full => yield Ok(frame(&delivery)),
                StreamView::Coarse => {
                    for frame in coarse.take(&delivery) {
                        yield Ok(frame);
                    }
                }
            }
            if is_over {
                return;
            }
        }
    }
}

/// The session was deleted: no more events follow.
fn deleted(session_id: SessionId) -> Frame {
    let json = json!({ "type": "session.deleted", "session_id": session_id, "data": {} });
    Frame::default().event("session.deleted").data(json.to_string())
}

fn frame(delivery: &Delivery) -> Frame {
    match delivery {
        Delivery::Event(event) => {
            let json = serde_json::to_value(event.as_ref()).unwrap_or_default();
            let name = json["type"].as_str().unwrap_or_default().to_owned();
            Frame::default().id(event.seq.to_string()).event(name).data(json.to_string())
        }
        Delivery::Live(live) => {
            // Plain data always serialises.
            let json = serde_json::to_string(live).unwrap_or_default();
            let name = match live {
                LiveUpdate::Text(_) => "chat.token",
                LiveUpdate::Thinking(_) => "agent.thinking",
                LiveUpdate::Progress(_) => "tool.progress",
            };
            Frame::default().event(name).data(json)
        }
    }
}
