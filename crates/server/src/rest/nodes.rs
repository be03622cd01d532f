//! The nodes that use the same database, for the operator.

use axum::{Json, extract::State};
use engine::NodeEntry;
use protocol::{NodePage, NodeStatus, NodeView};

use super::meta::operator;
use crate::{access::Principal, app::AppState, problem::HttpResult};

pub(crate) async fn nodes(State(app): State<AppState>, Principal(owner): Principal) -> HttpResult<Json<NodePage>> {
    operator(&app, &owner, "only the operator can list the nodes")?;
    Ok(Json(NodePage { data: app.hub.nodes().await?.into_iter().map(view).collect() }))
}

fn view(node: NodeEntry) -> NodeView {
    let NodeEntry { id, version, address, is_this, is_leaving, started_at, lease_left, owners, sessions } = node;
    let status = match (lease_left.is_zero(), is_leaving) {
        (true, _) => NodeStatus::Gone,
        (false, true) => NodeStatus::Leaving,
        (false, false) => NodeStatus::Serving,
    };
    let lease_left_ms = lease_left.as_millis().try_into().unwrap_or(u64::MAX);
    NodeView { node_id: id, version, is_this, status, address, started_at, lease_left_ms, owners, sessions }
}
