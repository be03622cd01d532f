//! The server's key, by which push services recognise it: RFC 8292 (VAPID).

use std::{fmt, str::FromStr, time::Duration};

use aws_lc_rs::{
    agreement,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use protocol::Timestamp;
use reqwest::Url;
use serde_json::json;

/// How long a push service may accept a signature; 24 hours at most.
const VALID: Duration = Duration::from_secs(12 * 60 * 60);

/// The server's key.
pub struct VapidKey {
    pair: EcdsaKeyPair,
    public: String,
}

impl VapidKey {
    /// The public key in Base64url: a page subscribes with it (`applicationServerKey`).
    pub fn public(&self) -> &str {
        &self.public
    }

    /// The header `Authorization` for a push service.
    pub(super) fn authorization(&self, endpoint: &Url, contact: &str, now: Timestamp) -> Option<String> {
        let expires = now.plus(VALID).as_millis().div_euclid(1000);
        let claims = json!({ "aud": endpoint.origin().ascii_serialization(), "exp": expires, "sub": contact });
        let head = json!({ "typ": "JWT", "alg": "ES256" });
        let signed = [head, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).ok()?;
        let signature = URL_SAFE_NO_PAD.encode(signature.as_ref());
        Some(format!("vapid t={signed}.{signature}, k={}", self.public))
    }
}

/// A text that is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the 32 bytes of a P-256 private key in Base64url, as `npx web-push generate-vapid-keys` prints it")]
pub struct BadVapidKey;

impl FromStr for VapidKey {
    type Err = BadVapidKey;

    fn from_str(text: &str) -> Result<Self, BadVapidKey> {
        let bytes = URL_SAFE_NO_PAD.decode(text.trim().trim_end_matches('=')).map_err(|_| BadVapidKey)?;
        // The other form of the same key gives the public one.
        let public = agreement::PrivateKey::from_private_key(&agreement::ECDH_P256, &bytes)
            .and_then(|key| {
                key.compute_public_key().map_err(|_| aws_lc_rs::error::KeyRejected::from(aws_lc_rs::error::Unspecified))
            })
            .map_err(|_| BadVapidKey)?;
        let pair =
            EcdsaKeyPair::from_private_key_and_public_key(&ECDSA_P256_SHA256_FIXED_SIGNING, &bytes, public.as_ref());
        Ok(Self { pair: pair.map_err(|_| BadVapidKey)?, public: URL_SAFE_NO_PAD.encode(public.as_ref()) })
    }
}

impl fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VapidKey({})", self.public)
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    const PRIVATE: &str = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
    const PUBLIC: &str = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";

    #[test]
    fn a_push_service_can_verify_who_sends() {
        let key: VapidKey = PRIVATE.parse().unwrap();
        assert_eq!(key.public(), PUBLIC);
        let endpoint = "https://push.example:8443/wpush/v2/abc?x=1".parse().unwrap();
        let header = key.authorization(&endpoint, "mailto:a@example.org", Timestamp::from_millis(5_000)).unwrap();
        let (token, public) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(public, PUBLIC);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let public = URL_SAFE_NO_PAD.decode(public).unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public).verify(signed.as_bytes(), &signature).unwrap();
        let claims = URL_SAFE_NO_PAD.decode(signed.split_once('.').unwrap().1).unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        let expected = json!({ "aud": "https://push.example:8443", "exp": 43_205, "sub": "mailto:a@example.org" });
        assert_eq!(claims, expected);
    }

    #[test]
    fn other_texts_are_no_keys() {
        for wrong in ["", "abc", PUBLIC, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "%"] {
            assert_eq!(wrong.parse::<VapidKey>().err(), Some(BadVapidKey), "{wrong}");
        }
    }
}
