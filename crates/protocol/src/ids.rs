//! A newtype per id, so that the compiler rejects a turn's id in place of a session's.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

use crate::patterns::NO_CONTROL;

/// A text that is not a valid id or name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not a ULID.
    #[error("`{0}` is not a ULID (26 characters, digits and upper-case letters)")]
    NotUlid(String),
    /// Not a name of lowercase letters, digits, `-` and `_`.
    #[error(
        "a {what}'s name has 1 to {max} lowercase letters, digits, `-` and `_`, and begins with a letter or a digit"
    )]
    BadSlug {
        /// What the name belongs to.
        what: &'static str,
        /// Maximum length.
        max: usize,
    },
    /// A name with control characters or an invalid length.
    #[error("a name has 1 to {max} characters and no control characters")]
    BadName {
        /// Maximum length.
        max: usize,
    },
}

macro_rules! ulid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(#[schemars(with = "String", regex(pattern = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$"))] Ulid);

        impl $name {
            /// Wraps a ULID that the caller has generated.
            pub const fn new(ulid: Ulid) -> Self {
                Self(ulid)
            }

            /// The sixteen bytes that a store keeps.
            pub fn to_bytes(self) -> [u8; 16] {
                self.0.to_bytes()
            }

            /// The id with the sixteen bytes from a store.
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Ulid::from_bytes(bytes))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Ulid::from_string(text).map(Self).map_err(|_| IdError::NotUlid(text.chars().take(64).collect()))
            }
        }
    };
}

ulid_id! {
    /// Id of a session: the long-lived conversation of one owner. A ULID.
    SessionId
}
ulid_id! {
    /// Id of a turn: one message and its answer. A ULID.
    TurnId
}
ulid_id! {
    /// Id of a request for approval. A ULID.
    ApprovalId
}
ulid_id! {
    /// Id of an artifact: data that is too large for the conversation. A ULID.
    ArtifactId
}
ulid_id! {
    /// Id of a vault: a collection of memories. A ULID.
    VaultId
}
ulid_id! {
    /// Id of a memory: entries and context documents that belong together. A ULID.
    MemoryId
}
ulid_id! {
    /// Id of a memory item that can be found, corrected and forgotten: a fact, an entry or a
    /// context document. A ULID.
    ItemId
}
ulid_id! {
    /// Id of a passage of a source. The same text in the same source has the same id. A ULID.
    PassageId
}
ulid_id! {
    /// Id of a folder in the library. A ULID.
    FolderId
}
ulid_id! {
    /// Id of a toast or a notification on the desktop. A ULID.
    ToastId
}
ulid_id! {
    /// Id of a dialog or a prompt on the desktop. A ULID.
    DialogId
}
ulid_id! {
    /// Id of a request to an app in a window. A ULID.
    AppRequestId
}
ulid_id! {
    /// Id of a client's connection. A ULID.
    ConnectionId
}
ulid_id! {
    /// Id of a schedule. A ULID.
    ScheduleId
}
ulid_id! {
    /// Id of an alert. A ULID.
    AlertId
}
ulid_id! {
    /// Id of a scoped token. A ULID.
    TokenId
}

/// Defines a newtype of a checked text, with its JSON Schema.
macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $schema:meta, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[$schema]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::IdError;

            fn try_from(text: String) -> Result<Self, $crate::IdError> {
                $check(&text).map(|()| Self(text))
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::IdError;

            fn from_str(text: &str) -> Result<Self, $crate::IdError> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
pub(crate) use text;

/// Checks a name that people choose: 1 to `max` characters without control characters.
fn check_name(text: &str, max: usize) -> Result<(), IdError> {
    let length = text.chars().count();
    if length == 0 || length > max || text.chars().any(char::is_control) {
        return Err(IdError::BadName { max });
    }
    Ok(())
}

text! {
    /// Owner of sessions and memory. It comes from the credential, never from a payload. 1 to 64
    /// characters without control characters.
    OwnerId,
    schemars(extend("minLength" = 1, "maxLength" = 64, "pattern" = NO_CONTROL)),
    |text: &str| check_name(text, 64)
}
text! {
    /// Id of an agent, for example `main` or `window-settings@work`. 1 to 128 characters without
    /// control characters.
    AgentId,
    schemars(extend("minLength" = 1, "maxLength" = 128, "pattern" = NO_CONTROL)),
    |text: &str| check_name(text, 128)
}
text! {
    /// The client's own name for a session, unique per owner (`key`, `conversation_id`). 1 to 200
    /// characters without control characters.
    SessionName,
    schemars(extend("minLength" = 1, "maxLength" = 200, "pattern" = NO_CONTROL)),
    |text: &str| check_name(text, 200)
}
