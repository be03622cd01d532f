//! Digests of secrets, which the server stores in their place.

use std::{fmt, str::FromStr};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The SHA-256 digest of a secret. Secrets are long and random, so that a plain digest reveals
/// nothing. It has no `==`: [`matches`](Self::matches) compares two digests in constant time.
#[derive(Debug, Clone, Copy)]
pub struct SecretDigest([u8; 32]);

impl SecretDigest {
    /// The digest of what a client presents.
    pub fn of(presented: &str) -> Self {
        Self(Sha256::digest(presented).into())
    }

    /// Whether both are digests of the same secret, in constant time.
    pub fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Display for SecretDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A text that is not a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the digest of a secret has 64 hexadecimal digits")]
pub struct BadDigest;

impl FromStr for SecretDigest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        let digits: Option<Vec<u8>> =
            text.chars().map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok())).collect();
        let digits = digits.filter(|digits| digits.len() == 64).ok_or(BadDigest)?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair.iter().fold(0, |byte, digit| byte << 4 | digit);
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_what_it_writes() {
        let digest = SecretDigest::of("token");
        let text = digest.to_string();
        assert!(text.parse::<SecretDigest>().unwrap().matches(&digest));
        assert!(!SecretDigest::of("tokem").matches(&digest));
        for wrong in ["", "abc", &text[1..], &format!("{text}0"), &text.replace(['0', '3', 'c'], "ä"), &"+f".repeat(32)]
        {
            assert_eq!(wrong.parse::<SecretDigest>().err(), Some(BadDigest), "{wrong}");
        }
    }
}
