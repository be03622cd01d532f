//! What a client has read here taints what it does here afterwards: it is written down before the client sees it.

use engine::client_name;
use protocol::{Origin, TurnView, Via, WayIn};
use rmcp::{RoleServer, service::RequestContext};

use super::{Mcp, trouble::Trouble};

impl Mcp {
    /// The way in of what a client asks for: whose words it is made of, and who asks.
    pub(super) async fn way(&self, context: &RequestContext<RoleServer>) -> Result<WayIn, Trouble> {
        let client = client(context);
        let origin = self.hub.client_origin(&self.owner, &client).await?;
        Ok(WayIn { origin, via: Via::Client(client) })
    }

    /// The client is about to be shown something.
    pub(super) async fn shows(
        &self,
        context: &RequestContext<RoleServer>,
        origin: Origin,
        what: &str,
    ) -> Result<(), Trouble> {
        if !origin.is_trusted() {
            self.hub.client_reads(&self.owner, &client(context), what).await?;
        }
        Ok(())
    }

    /// The client is about to be shown a turn. Its own words tell it nothing that it has not said.
    pub(super) async fn shows_turn(
        &self,
        context: &RequestContext<RoleServer>,
        turn: &TurnView,
    ) -> Result<(), Trouble> {
        let is_own = turn.request.via == Via::Client(client(context));
        let is_untrusted = turn.tainted || (!turn.request.origin.is_trusted() && !is_own);
        self.shows(context, Origin::untrusted_if(is_untrusted), "a turn").await
    }
}

/// The client by the name it gives itself.
fn client(context: &RequestContext<RoleServer>) -> String {
    client_name(&context.client_info().map(|info| info.name).unwrap_or_default())
}
