//! Secrets: how they are generated, stored, compared and hidden.
//!
//! [`Secret`] is a secret that the server issues: a ticket, an invitation, a token, a key. It has
//! one constructor, [`Secret::generate`], which uses the operating system's generator, so that
//! neither an id nor any other text can become one. The server stores its [`SecretDigest`], which
//! compares in constant time. [`ConfigSecret`] and [`ServiceUrl`] are secrets of the configuration:
//! their types define what is shown when settings are printed. [`WebhookSecret`] signs webhooks and
//! verifies them.

mod config_secret;
mod digest;
mod generated;
mod webhook;

pub use config_secret::{ConfigSecret, HIDDEN, ServiceUrl};
pub use digest::{BadDigest, SecretDigest};
pub use generated::{NoEntropy, Secret};
pub use webhook::{BadWebhook, BadWebhookSecret, SignedWebhook, WEBHOOK_SECONDS_MAX, WebhookSecret};
