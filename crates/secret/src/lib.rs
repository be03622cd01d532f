//! Secrets: how they are drawn, what is kept of them, how they are compared, and how they are hidden.
//!
//! [`Secret`] is what the server gives out: tickets, invitations, tokens, keys. It has one constructor,
//! [`Secret::draw`], which asks the operating system, so that neither an id nor any other text can
//! become one. [`SecretDigest`] is what is kept of it, and compares in constant time.
//! [`Confidential`] and [`ServiceUrl`] are for secrets that come in by the configuration: whatever
//! prints the settings finds by their type what not to show.

mod configured;
mod digest;
mod drawn;

pub use configured::{Confidential, HIDDEN, ServiceUrl};
pub use digest::{BadDigest, SecretDigest};
pub use drawn::{NoEntropy, Secret};
