//! Browsers that show alerts as notifications, also while no page is open (Web Push).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// What a page needs to subscribe its browser, and the browsers that the owner has subscribed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PushView {
    /// The server's public key in Base64url, which is the page's `applicationServerKey`. Absent if
    /// the server has no channel of Web Push.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
    /// The browsers, oldest first.
    pub devices: Vec<PushDevice>,
}

/// A browser that is subscribed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PushDevice {
    /// Its id: the first 16 bytes of the SHA-256 digest of its endpoint, as hexadecimal digits.
    pub device_id: String,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The host of its push service.
    pub service: String,
    /// When it was subscribed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_at: Option<Timestamp>,
}

/// A browser's subscription, with the fields that browsers give it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushSubscribe {
    /// The address at the browser's push service.
    #[schemars(length(min = 1, max = 2048))]
    pub endpoint: String,
    /// The keys that messages are encrypted with.
    pub keys: PushKeys,
    /// What the browser is called. Default: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub name: Option<String>,
}

/// The keys of a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushKeys {
    /// The browser's public key (P-256, uncompressed) in Base64url.
    #[schemars(length(min = 86, max = 88))]
    pub p256dh: String,
    /// The secret that it shares with senders: 16 bytes in Base64url.
    #[schemars(length(min = 22, max = 24))]
    pub auth: String,
}
