//! Requests and answers about values: bytes that programs store under keys of their own.
//!
//! A value is opaque: it comes back byte for byte, nothing is extracted from it, and it is no part
//! of the memory of the user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// The key of a value: its parts, from the general to the particular. A part may be any text, also
/// an empty one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minItems" = 1, "maxItems" = 24, "items" = { "type": "string", "maxLength": 1_024 }))]
pub struct ValueKey(pub Vec<String>);

impl ValueKey {
    /// The most parts of a key.
    pub const PARTS_MAX: usize = 24;
    /// The most characters of a part.
    pub const PART_CHARS_MAX: usize = 1_024;
}

/// A value to store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutValue {
    /// The key; an earlier value under it is replaced.
    pub key: ValueKey,
    /// The bytes as Base64, at most 32 MiB of them.
    pub value: String,
    /// Time to live in seconds, after which the value is deleted. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub ttl_s: Option<u64>,
    /// Embeddings by which `near` finds it, all of the same length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 4_096)))]
    pub vectors: Vec<Vec<f32>>,
    /// Leave a value that is there already as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
}

/// Changes of values, made together or not at all. Deletions come first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ValueWrite {
    /// Keys whose values are deleted. Keys without a value are ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1_000))]
    pub deletes: Vec<ValueKey>,
    /// All values are deleted whose keys begin with one of these and have further parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1_000))]
    pub deletes_below: Vec<ValueKey>,
    /// Values to store.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1_000))]
    pub puts: Vec<PutValue>,
    /// Keys whose time to live starts again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1_000))]
    pub refreshes: Vec<ValueKey>,
}

/// The result of a write of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ValueWriteResult {
    /// Number of values that were stored.
    pub written: u64,
    /// Number of values that were deleted.
    pub deleted: u64,
}

/// Values to read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ValueRead {
    /// Their keys.
    #[schemars(length(max = 1_000))]
    pub keys: Vec<ValueKey>,
}

/// The order of a list of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueOrder {
    /// By key, part by part, each by its bytes in UTF-8.
    #[default]
    Key,
    /// By key, from the last one on.
    KeyDescending,
    /// By the last change, newest first.
    Newest,
}

/// Values to list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ValueList {
    /// Only values whose keys begin with these parts and have further ones. Default: all.
    #[schemars(length(max = 24), inner(length(max = 1_024)))]
    pub below: Vec<String>,
    /// The order.
    pub order: ValueOrder,
    /// Only values whose keys come before this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<ValueKey>,
    /// The most similar values first, by the cosine of this embedding and theirs; those without an
    /// embedding of the same length come last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 4_096))]
    pub near: Option<Vec<f32>>,
    /// Leave the bytes out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keys_only: bool,
    /// Maximum number of values: 100 by default, up to 1000. A page with many bytes ends earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from this `next_cursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[0-9]{1,15}\.([0-9a-f]{2})*$"))]
    pub cursor: Option<String>,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoredValue {
    /// Its key.
    pub key: ValueKey,
    /// The bytes as Base64; absent if only keys were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Number of the bytes.
    pub size: u64,
    /// When there first was a value under the key.
    pub created_at: Timestamp,
    /// When the value was stored.
    pub updated_at: Timestamp,
    /// When it will be deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// With `near`: the similarity, from -1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// A page of values.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ValuePage {
    /// The values.
    pub data: Vec<StoredValue>,
    /// Cursor of the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
