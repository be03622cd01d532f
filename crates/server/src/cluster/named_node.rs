//! Requests that say which node answers them: for what each node has of its own.

use axum::{
    extract::{MatchedPath, Request},
    http::Method,
};
use engine::{OtherNode, OwnerHold};
use protocol::{Code, OwnerId, Problem};

use super::{Routing, forward::ForwardFault, silent_node, unanswered, unreachable_node};
use crate::app::AppState;

/// Routes that are read, on which `node` in the query says which node answers.
const ROUTES: [&str; 3] = ["/api/v1/config", "/api/v1/logs", "/api/v1/stats"];

/// The id of the node that is to answer a request, if it says so.
pub(super) fn of(request: &Request) -> Option<String> {
    let path = request.extensions().get::<MatchedPath>()?;
    // A method that the route does not have is refused by the router, whatever the query says.
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    if !is_read || !ROUTES.contains(&path.as_str()) {
        return None;
    }
    let query = request.uri().query()?;
    query.split('&').find_map(|pair| pair.strip_prefix("node=")).map(str::to_owned)
}

/// Answers a request here if this is the node, and passes it on otherwise.
pub(super) async fn route(app: &AppState, owner: &OwnerId, id: &str, request: Request) -> Result<Routing, Problem> {
    let node = app.hub.nodes().await?.into_iter().find(|node| node.id == id).ok_or_else(|| unknown(id))?;
    let (Some(cluster), false) = (&app.cluster, node.is_this) else {
        return Ok(Routing::Here(Box::new(request), OwnerHold::default()));
    };
    let node = OtherNode { id: node.id, address: node.address, lease_left: node.lease_left };
    let Some(address) = &node.address else { return Err(unreachable_node(&node)) };
    match cluster.forward(app, owner, &node, address, request).await {
        Ok(response) => Ok(Routing::Answered(response)),
        Err(ForwardFault::NotSent(_)) => Err(silent_node(&node)),
        Err(ForwardFault::Unanswered) => Err(unanswered(&node)),
    }
}

fn unknown(id: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no node {id}"), "`dwell nodes` lists the nodes and their ids.")
}
