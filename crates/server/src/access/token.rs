//! Tokens: compared in constant time, kept as digests only.

use protocol::OwnerId;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// An owner and the token that proves it.
#[derive(Debug, Clone)]
pub struct Credential {
    /// Who.
    pub owner: OwnerId,
    /// Their token.
    pub token: SecretString,
}

/// The tokens that are known.
pub(crate) struct Tokens {
    known: Vec<(OwnerId, [u8; 32])>,
}

impl Tokens {
    pub(crate) fn new(credentials: &[Credential]) -> Self {
        let digest = |credential: &Credential| {
            (credential.owner.clone(), Sha256::digest(credential.token.expose_secret()).into())
        };
        Self { known: credentials.iter().map(digest).collect() }
    }

    /// Whose token this is. Looks at all of them, so that the time it takes says nothing.
    pub(crate) fn owner(&self, token: &str) -> Option<OwnerId> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let mut found = None;
        for (owner, known) in &self.known {
            if bool::from(known.ct_eq(&digest)) {
                found = Some(owner.clone());
            }
        }
        found
    }
}
