//! How this node reaches Home Assistant: by a connection of its own, or through the node that has
//! the connection.

use std::{fmt, sync::Arc};

use secrecy::SecretString;
use tokio::sync::watch;

/// Why a node that was suspended does not use the connection.
pub(super) const LEASE_ENDED: &str = "this node's lease has ended";

/// How Home Assistant is reached.
#[derive(Debug, Clone)]
pub enum HomeRoute {
    /// By a connection of this node, for as long as it may act.
    Direct(ActPermit),
    /// Through the node that has the connection.
    Through(RelayAddress),
    /// Not at the moment.
    None {
        /// Why.
        why: String,
    },
}

/// Whether this node may use the connection to Home Assistant at this moment.
#[derive(Clone)]
pub struct ActPermit(Arc<dyn Fn() -> bool + Send + Sync>);

impl ActPermit {
    /// A permit that is asked each time.
    pub fn new(may_act: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(may_act))
    }

    /// A permit that never ends.
    pub fn always() -> Self {
        Self::new(|| true)
    }

    pub(super) fn may_act(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for ActPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ActPermit").field(&self.may_act()).finish()
    }
}

/// Where another node passes its connection on.
#[derive(Debug, Clone)]
pub struct RelayAddress {
    /// The id of that node.
    pub node: String,
    /// The URL of its WebSocket.
    pub url: String,
    /// The name of the header by which nodes know each other.
    pub header: &'static str,
    /// The value of that header.
    pub key: SecretString,
}

/// The only route of a node that shares its store with no other.
pub(super) fn direct() -> watch::Receiver<HomeRoute> {
    watch::Sender::new(HomeRoute::Direct(ActPermit::always())).subscribe()
}
