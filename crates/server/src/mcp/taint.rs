//! What a client may do: the scope of its token, and taint tracking. What a client has read here
//! taints its later actions; the read is journaled before the client sees the text.

use axum::http::request::Parts;
use engine::client_name;
use protocol::{MessageChannel, MessageTrust, Origin, Problem, Scope, TurnView};
use rmcp::{RoleServer, service::RequestContext};

use super::{McpHandler, error::McpError};
use crate::access::{AccessGrant, scopes};

impl McpHandler {
    /// The trust of a client's request: whether its text may stem from untrusted sources, and which
    /// client sends it.
    pub(super) async fn way(&self, context: &RequestContext<RoleServer>) -> Result<MessageTrust, McpError> {
        let client = client(context);
        let origin = self.hub.client_origin(&self.owner, &client).await?;
        Ok(MessageTrust { origin, via: MessageChannel::Client(client), reads_only: scope(context) < Scope::Act })
    }

    /// Records that the client is about to see something.
    pub(super) async fn shows(
        &self,
        context: &RequestContext<RoleServer>,
        origin: Origin,
        what: &str,
    ) -> Result<(), McpError> {
        if !origin.is_trusted() {
            self.hub.client_reads(&self.owner, &client(context), what).await?;
        }
        Ok(())
    }

    /// Records that the client is about to see a turn. The client's own message is not new to it.
    pub(super) async fn shows_turn(
        &self,
        context: &RequestContext<RoleServer>,
        turn: &TurnView,
    ) -> Result<(), McpError> {
        let is_own = turn.request.via == MessageChannel::Client(client(context));
        let is_untrusted = turn.tainted || (!turn.request.origin.is_trusted() && !is_own);
        self.shows(context, Origin::untrusted_if(is_untrusted), "a turn").await
    }
}

/// The client's own name.
fn client(context: &RequestContext<RoleServer>) -> String {
    client_name(&context.client_info().map(|info| info.name).unwrap_or_default())
}

/// What the token of a request may do. Every request comes through the guard, which has noted it; a
/// request without a note may do the least.
pub(super) fn scope(context: &RequestContext<RoleServer>) -> Scope {
    let grant = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<AccessGrant>());
    grant.map_or(Scope::Read, |grant| grant.scope)
}

/// Refuses what the token of a request may not do.
pub(super) fn check_scope(context: &RequestContext<RoleServer>, needs: Scope) -> Result<(), Problem> {
    scopes::check(scope(context), needs)
}
