//! The secret that outlives the process, and the keys that are made of it, one for each use.

use rmcp::model::RequestStateCodec;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

/// The secret that seals are made with: what clients keep for us, and what lets browsers in. It outlives the process, and
/// so do they.
#[derive(Debug, Clone)]
pub struct SealKey(SecretString);

impl SealKey {
    /// A key made of a secret text.
    pub fn new(secret: SecretString) -> Self {
        Self(secret)
    }

    /// What makes and opens seals of one kind; those of another kind mean nothing to it.
    pub(crate) fn codec(&self, purpose: &str) -> RequestStateCodec {
        RequestStateCodec::new_unchecked(self.derived(purpose).to_vec())
    }

    /// What exports are signed with.
    pub fn export_key(&self) -> [u8; 32] {
        self.derived("exports")
    }

    /// However long the secret is, what is made of it has the length that keys have.
    pub(crate) fn derived(&self, purpose: &str) -> [u8; 32] {
        let digest = Sha256::new().chain_update(purpose).chain_update([0]).chain_update(self.0.expose_secret());
        digest.finalize().into()
    }
}
