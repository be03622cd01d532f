//! A newtype per id, so that a device's id can never be passed where an area's is meant.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an entity id: it has a domain and a name, as in `light.kitchen`")]
pub struct InvalidId(String);

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps an id of the home.
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id! {
    /// A device.
    DeviceId
}
id! {
    /// An area, usually a room.
    AreaId
}
id! {
    /// A floor.
    FloorId
}

/// An entity: its domain and its name in it, as in `light.kitchen`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct EntityId(#[schemars(regex(pattern = r"^[a-z0-9_]+\.[a-z0-9_]+$"))] String);

impl EntityId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The domain, as `light`.
    pub fn domain(&self) -> &str {
        self.0.split_once('.').map_or("", |(domain, _)| domain)
    }

    /// Its name within the domain.
    pub fn object(&self) -> &str {
        self.0.split_once('.').map_or("", |(_, object)| object)
    }
}

impl FromStr for EntityId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let is_word = |word: &str| {
            !word.is_empty()
                && word.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
        };
        match text.split_once('.') {
            Some((domain, object)) if is_word(domain) && is_word(object) => Ok(Self(text.to_owned())),
            _ => Err(InvalidId(text.chars().take(100).collect())),
        }
    }
}

impl TryFrom<String> for EntityId {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        text.parse()
    }
}

impl From<EntityId> for String {
    fn from(id: EntityId) -> Self {
        id.0
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
