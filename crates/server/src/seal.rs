//! The persistent secret, and the keys derived from it, one for each use.

use rmcp::model::RequestStateCodec;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

/// The secret that seals the state that clients keep for us, and the cookies of browsers. It is
/// persistent, so both survive a restart.
#[derive(Debug, Clone)]
pub struct SealKey(SecretString);

impl SealKey {
    /// A key from a secret text.
    pub fn new(secret: SecretString) -> Self {
        Self(secret)
    }

    /// The codec for seals of one purpose; it does not open seals of another.
    pub(crate) fn codec(&self, purpose: &str) -> RequestStateCodec {
        RequestStateCodec::new_unchecked(self.derived(purpose).to_vec())
    }

    /// The key that signs exports.
    pub fn export_key(&self) -> [u8; 32] {
        self.derived("exports")
    }

    /// Derives a key of fixed length for a purpose.
    pub(crate) fn derived(&self, purpose: &str) -> [u8; 32] {
        let digest = Sha256::new().chain_update(purpose).chain_update([0]).chain_update(self.0.expose_secret());
        digest.finalize().into()
    }
}
