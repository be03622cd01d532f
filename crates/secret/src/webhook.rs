//! Signatures of webhooks, as the convention Standard Webhooks describes them: an HMAC-SHA256 over
//! id, time and body. The same code signs what Dwell sends and verifies what it receives.

use std::{fmt, str::FromStr};

use base64::{
    Engine as _,
    alphabet::STANDARD as ALPHABET,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString, zeroize::Zeroize};
use sha2::Sha256;

use crate::{NoEntropy, Secret};

/// What the text of a secret begins with.
const PREFIX: &str = "whsec_";
/// The version of the signatures.
const VERSION: &str = "v1";
/// How many bytes a secret may have.
const BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// How far the time of a webhook may be from the receiver's clock, in seconds.
pub const WEBHOOK_SECONDS_MAX: i64 = 5 * 60;
/// How many signatures of one webhook are looked at. A sender that changes its secret signs with
/// both.
const SIGNATURES_MAX: usize = 8;
/// Secrets are copied by hand, and some tools leave out the padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The secret that the sender and the receiver of a webhook share, as `whsec_…`.
#[derive(Clone)]
pub struct WebhookSecret(Hmac<Sha256>);

/// A text that is not the secret of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be `whsec_` and 24 to 64 random bytes in Base64, as `echo whsec_$(openssl rand -base64 32)` prints")]
pub struct BadWebhookSecret;

/// A webhook as it was received.
#[derive(Debug, Clone, Copy)]
pub struct SignedWebhook<'a> {
    /// The header `webhook-id`. Another webhook with the same id is a repetition.
    pub id: &'a str,
    /// The header `webhook-timestamp`: seconds since 1970.
    pub timestamp: &'a str,
    /// The header `webhook-signature`.
    pub signature: &'a str,
    /// The body, byte for byte.
    pub body: &'a [u8],
}

/// Why a webhook is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadWebhook {
    /// The id is empty or contains a dot, which separates the parts that are signed.
    #[error("`webhook-id` must not be empty and must not contain a dot")]
    Id,
    /// The time is not a number.
    #[error("`webhook-timestamp` must be the seconds since 1970")]
    Timestamp,
    /// It was signed too long ago.
    #[error(
        "`webhook-timestamp` is more than five minutes ago; check the sender's clock, and sign again before each attempt"
    )]
    Old,
    /// It was signed in the future.
    #[error("`webhook-timestamp` is more than five minutes in the future; check the sender's clock")]
    Early,
    /// No signature fits.
    #[error("no signature in `webhook-signature` fits; check the secret, and sign the bytes that are sent")]
    Signature,
}

impl WebhookSecret {
    /// Draws a new secret. The text is for the client that asked for it.
    pub fn generate() -> Result<SecretString, NoEntropy> {
        let drawn = Secret::generate()?.text();
        Ok(format!("{PREFIX}{}", STANDARD.encode(drawn.expose_secret())).into())
    }

    /// The header `webhook-signature` of a webhook with this id, sent at this time.
    pub fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let signature = self.mac(id, &timestamp.to_string(), body).finalize().into_bytes();
        format!("{VERSION},{}", STANDARD.encode(signature))
    }

    /// Checks id, time and signature of a received webhook. Signatures are compared in constant
    /// time. That an id is used only once is for the caller to check.
    pub fn verify(&self, webhook: &SignedWebhook<'_>, now: i64) -> Result<(), BadWebhook> {
        // A dot in the id would let a sender's signature fit another split into id, time and body.
        if webhook.id.is_empty() || webhook.id.contains('.') {
            return Err(BadWebhook::Id);
        }
        let is_number = !webhook.timestamp.is_empty() && webhook.timestamp.bytes().all(|byte| byte.is_ascii_digit());
        let timestamp: i64 = webhook.timestamp.parse().ok().filter(|_| is_number).ok_or(BadWebhook::Timestamp)?;
        if now.saturating_sub(timestamp) > WEBHOOK_SECONDS_MAX {
            return Err(BadWebhook::Old);
        }
        if timestamp.saturating_sub(now) > WEBHOOK_SECONDS_MAX {
            return Err(BadWebhook::Early);
        }
        let signatures = webhook.signature.split_ascii_whitespace().take(SIGNATURES_MAX);
        let fits = signatures.filter_map(|signature| signature.strip_prefix("v1,")).any(|signature| {
            let Ok(signature) = LENIENT.decode(signature) else { return false };
            self.mac(webhook.id, webhook.timestamp, webhook.body).verify_slice(&signature).is_ok()
        });
        if fits { Ok(()) } else { Err(BadWebhook::Signature) }
    }

    fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        mac
    }
}

impl FromStr for WebhookSecret {
    type Err = BadWebhookSecret;

    fn from_str(text: &str) -> Result<Self, BadWebhookSecret> {
        let text = text.trim().strip_prefix(PREFIX).ok_or(BadWebhookSecret)?;
        let mut bytes = LENIENT.decode(text).map_err(|_| BadWebhookSecret)?;
        let is_long_enough = BYTES.contains(&bytes.len());
        let mac = Hmac::new_from_slice(&bytes).map_err(|_| BadWebhookSecret);
        bytes.zeroize();
        mac.map(Self).and_then(|secret| is_long_enough.then_some(secret).ok_or(BadWebhookSecret))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example that the convention's own libraries are tested with.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const AT: i64 = 1_614_265_330;
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn secret() -> WebhookSecret {
        SECRET.parse().unwrap()
    }

    fn check<'a>(change: impl FnOnce(&mut SignedWebhook<'a>), now: i64) -> Result<(), BadWebhook> {
        let mut webhook = SignedWebhook { id: ID, timestamp: "1614265330", signature: SIGNATURE, body: BODY };
        change(&mut webhook);
        secret().verify(&webhook, now)
    }

    #[test]
    fn the_example_of_the_convention_is_signed_and_verified() {
        assert_eq!(secret().sign(ID, AT, BODY), SIGNATURE);
        assert_eq!(check(|_| {}, AT), Ok(()));
    }

    #[test]
    fn what_was_changed_on_the_way_is_not_accepted() {
        assert_eq!(check(|webhook| webhook.body = br#"{"test": 2432232315}"#, AT), Err(BadWebhook::Signature));
        assert_eq!(check(|webhook| webhook.body = b"", AT), Err(BadWebhook::Signature));
        assert_eq!(check(|webhook| webhook.id = "msg_other", AT), Err(BadWebhook::Signature));
        assert_eq!(check(|webhook| webhook.timestamp = "1614265331", AT), Err(BadWebhook::Signature));
        assert_eq!(check(|webhook| webhook.timestamp = "01614265330", AT), Err(BadWebhook::Signature));
        for wrong in ["", "v1", "v1,", "v1,%%%", "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "v1,g0hM9SsE"] {
            assert_eq!(check(|webhook| webhook.signature = wrong, AT), Err(BadWebhook::Signature), "{wrong}");
        }
    }

    #[test]
    fn a_webhook_counts_for_five_minutes_before_and_after() {
        assert_eq!(check(|_| {}, AT + 300), Ok(()));
        assert_eq!(check(|_| {}, AT + 301), Err(BadWebhook::Old));
        assert_eq!(check(|_| {}, AT - 300), Ok(()));
        assert_eq!(check(|_| {}, AT - 301), Err(BadWebhook::Early));
    }

    #[test]
    fn another_secret_does_not_fit_and_one_of_several_signatures_is_enough() {
        let other: WebhookSecret = WebhookSecret::generate().unwrap().expose_secret().parse().unwrap();
        let signature = other.sign(ID, AT, BODY);
        assert_eq!(check(|webhook| webhook.signature = &signature, AT), Err(BadWebhook::Signature));
        let both = format!("v1a,unknown {signature} {SIGNATURE}");
        assert_eq!(check(|webhook| webhook.signature = &both, AT), Ok(()));
    }

    #[test]
    fn ids_and_times_of_another_form_are_named() {
        assert_eq!(check(|webhook| webhook.id = "", AT), Err(BadWebhook::Id));
        assert_eq!(check(|webhook| webhook.id = "msg.1", AT), Err(BadWebhook::Id));
        for wrong in ["", "now", "-1", "+1614265330", "1614265330.5", "99999999999999999999"] {
            assert_eq!(check(|webhook| webhook.timestamp = wrong, AT), Err(BadWebhook::Timestamp), "{wrong}");
        }
    }

    #[test]
    fn secrets_are_read_with_and_without_padding_and_never_shown() {
        let padded = format!("whsec_{}", STANDARD.encode([7; 25]));
        let unpadded = padded.trim_end_matches('=');
        let sign = |text: &str| text.parse::<WebhookSecret>().unwrap().sign(ID, AT, BODY);
        assert_eq!(sign(&padded), sign(unpadded));
        for wrong in ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ", "whsec_%"] {
            assert_eq!(wrong.parse::<WebhookSecret>().err(), Some(BadWebhookSecret), "{wrong}");
        }
        assert_eq!(format!("{:?}", secret()), "WebhookSecret");
    }
}
