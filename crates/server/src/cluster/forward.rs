//! Passing a request on to another node, with its answer, stream or WebSocket back.

use std::time::Duration;

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::Request,
    http::{HeaderMap, HeaderName, Method, StatusCode, header, request::Parts},
    response::Response,
};
use engine::OtherNode;
use futures::StreamExt;
use hyper::{client::conn::http1, upgrade::OnUpgrade};
use hyper_util::rt::TokioIo;
use protocol::OwnerId;
use tokio::{io::copy_bidirectional, net::TcpStream, time::timeout};

use super::{Cluster, hop};
use crate::{app::AppState, listener};

/// How long connecting to a node may take.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// Bodies up to this size are kept, so that they can be sent again.
const KEPT_BYTES_MAX: u64 = 1024 * 1024;

/// Headers that are about one connection.
const OF_CONNECTION: [HeaderName; 6] = [
    header::CONNECTION,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    HeaderName::from_static("keep-alive"),
];

/// Why a request was not answered by another node.
pub(super) enum ForwardFault {
    /// It has not reached a node that serves the owner, and can be sent again.
    NotSent(Box<Request>),
    /// It was sent, and no answer came.
    Unanswered,
}

impl Cluster {
    /// Passes a request on to a node.
    pub(super) async fn forward(
        &self,
        app: &AppState,
        owner: &OwnerId,
        node: &OtherNode,
        address: &str,
        request: Request,
    ) -> Result<Response, ForwardFault> {
        let Ok(Ok(stream)) = timeout(CONNECT_MAX, TcpStream::connect(address)).await else {
            return Err(ForwardFault::NotSent(Box::new(request)));
        };
        listener::prepare(&stream, &app.limits);
        let (mut sender, connection) = match http1::handshake(TokioIo::new(stream)).await {
            Ok(opened) => opened,
            Err(_) => return Err(ForwardFault::NotSent(Box::new(request))),
        };
        tokio::spawn(async move {
            if let Err(error) = connection.with_upgrades().await {
                tracing::debug!(%error, "a connection to another node broke");
            }
        });
        let (mut sent, kept) = keep(request).await?;
        let upgrade = is_upgrade(sent.headers()).then(|| hyper::upgrade::on(&mut sent));
        self.key.introduce(&mut sent);
        strip(sent.headers_mut(), upgrade.is_some());
        let answered = tokio::select! {
            answered = sender.send_request(sent) => answered,
            () = self.died(&node.id) => return Err(again(kept)),
        };
        let response = match answered {
            Ok(response) if hop::is_not_here(&response) => return Err(kept.map_or(ForwardFault::Unanswered, not_sent)),
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(node = node.id, %error, "another node has not answered");
                return Err(again(kept));
            }
        };
        Ok(self.pass_back(app, owner, node, response, upgrade))
    }

    /// The node's answer, as the client gets it.
    fn pass_back(
        &self,
        app: &AppState,
        owner: &OwnerId,
        node: &OtherNode,
        mut response: hyper::Response<hyper::body::Incoming>,
        upgrade: Option<OnUpgrade>,
    ) -> Response {
        let is_upgraded = response.status() == StatusCode::SWITCHING_PROTOCOLS;
        strip(response.headers_mut(), is_upgraded);
        if is_upgraded && let Some(client) = upgrade {
            let (server, app, owner, id) =
                (hyper::upgrade::on(&mut response), app.clone(), owner.clone(), node.id.clone());
            tokio::spawn(async move {
                let Ok(_permit) = app.stream_permit(&owner) else { return };
                let Ok((client, server)) = futures::future::try_join(client, server).await else { return };
                let (mut client, mut server) = (TokioIo::new(client), TokioIo::new(server));
                let Some(cluster) = &app.cluster else { return };
                // Either side may end it; so does a node that does not answer any more.
                tokio::select! {
                    _ = copy_bidirectional(&mut client, &mut server) => {}
                    () = cluster.died(&id) => {}
                    () = app.stopping.cancelled() => {}
                }
            });
            return response.map(|_| Body::empty());
        }
        if response.body().size_hint().exact().is_some() {
            return response.map(Body::new);
        }
        let (app, id) = (app.clone(), node.id.clone());
        response.map(|body| {
            Body::from_stream(async_stream::stream! {
                let mut body = Body::new(body).into_data_stream();
                let died = async {
                    match &app.cluster {
                        Some(cluster) => cluster.died(&id).await,
                        None => std::future::pending().await,
                    }
                };
                let mut died = std::pin::pin!(died);
                loop {
                    let bytes = tokio::select! {
                        bytes = body.next() => bytes,
                        () = &mut died => return yield Err(axum::Error::new(DeadNode)),
                    };
                    match bytes {
                        Some(bytes) => yield bytes,
                        None => return,
                    }
                }
            })
        })
    }
}

/// Why an answer was aborted.
#[derive(Debug, thiserror::Error)]
#[error("the node that answered is gone")]
struct DeadNode;

/// A request that can be sent again: its head and its body.
type KeptRequest = (Parts, Bytes);

/// Keeps a copy of a request whose body is small, so that it can be sent again.
async fn keep(request: Request) -> Result<(Request, Option<KeptRequest>), ForwardFault> {
    let size = request.body().size_hint().exact();
    if is_upgrade(request.headers()) || size.is_none_or(|size| size > KEPT_BYTES_MAX) {
        return Ok((request, None));
    }
    let (parts, body) = request.into_parts();
    let limit = usize::try_from(KEPT_BYTES_MAX).unwrap_or(usize::MAX);
    // The client has gone, or has sent less than it said.
    let bytes = axum::body::to_bytes(body, limit).await.map_err(|_| ForwardFault::Unanswered)?;
    let kept = (parts.clone(), bytes.clone());
    Ok((Request::from_parts(parts, Body::from(bytes)), Some(kept)))
}

fn not_sent((parts, bytes): KeptRequest) -> ForwardFault {
    ForwardFault::NotSent(Box::new(Request::from_parts(parts, Body::from(bytes))))
}

/// A request that was sent and not answered is sent again only if that does no harm.
fn again(kept: Option<KeptRequest>) -> ForwardFault {
    match kept {
        Some(kept) if [Method::GET, Method::HEAD].contains(&kept.0.method) => not_sent(kept),
        _ => ForwardFault::Unanswered,
    }
}

fn is_upgrade(headers: &HeaderMap) -> bool {
    headers.contains_key(header::UPGRADE)
}

/// Removes the headers that are about one connection, but not those of an upgrade.
fn strip(headers: &mut HeaderMap, is_upgraded: bool) {
    for name in OF_CONNECTION {
        if !(is_upgraded && [header::CONNECTION, header::UPGRADE].contains(&name)) {
            headers.remove(name);
        }
    }
}
