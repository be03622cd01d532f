//! Where the browsers are kept that owners have subscribed to Web Push.

use async_trait::async_trait;
use protocol::{OwnerId, Problem, PushDevice, PushSubscribe};

/// The browsers of all owners, and the server's key. There is one if a channel of Web Push is
/// configured.
#[async_trait]
pub trait PushDevices: Send + Sync + 'static {
    /// The server's public key in Base64url.
    fn public_key(&self) -> &str;

    /// The browsers of an owner, oldest first.
    async fn list(&self, owner: &OwnerId) -> Result<Vec<PushDevice>, Problem>;

    /// Subscribes a browser; a repetition replaces it.
    async fn add(&self, owner: &OwnerId, asked: PushSubscribe) -> Result<PushDevice, Problem>;

    /// Removes a browser of an owner. Returns whether there was one with this id.
    async fn remove(&self, owner: &OwnerId, device_id: &str) -> Result<bool, Problem>;
}
