//! Taint tracking: what a client has read here taints its later actions. The read is journaled
//! before the client sees the text.

use engine::client_name;
use protocol::{MessageChannel, MessageTrust, Origin, TurnView};
use rmcp::{RoleServer, service::RequestContext};

use super::{McpHandler, error::McpError};

impl McpHandler {
    /// The trust of a client's request: whether its text may stem from untrusted sources, and which
    /// client sends it.
    pub(super) async fn way(&self, context: &RequestContext<RoleServer>) -> Result<MessageTrust, McpError> {
        let client = client(context);
        let origin = self.hub.client_origin(&self.owner, &client).await?;
        Ok(MessageTrust { origin, via: MessageChannel::Client(client) })
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
