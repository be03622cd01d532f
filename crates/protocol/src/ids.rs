//! A newtype per id, so that a turn's id can never be passed where a session's is meant.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

/// Why a text is not an id or a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not a ULID.
    #[error("`{0}` is not a ULID (26 characters, digits and upper-case letters)")]
    NotUlid(String),
    /// A name of small letters, digits, `-` and `_` was wanted.
    #[error("a {what}'s name has 1 to {max} small letters, digits, `-` and `_`, and begins with a letter or a digit")]
    BadSlug {
        /// Whose name.
        what: &'static str,
        /// The longest name allowed.
        max: usize,
    },
    /// A name with characters or a length that is not allowed.
    #[error("a name has 1 to {max} characters and no control characters")]
    BadName {
        /// The longest name allowed.
        max: usize,
    },
}

macro_rules! ulid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(#[schemars(with = "String", regex(pattern = "^[0-9A-HJKMNP-TV-Z]{26}$"))] Ulid);

        impl $name {
            /// Wraps a ULID that the caller has drawn.
            pub const fn new(ulid: Ulid) -> Self {
                Self(ulid)
            }

            /// The sixteen bytes a store keeps.
            pub fn to_bytes(self) -> [u8; 16] {
                self.0.to_bytes()
            }

            /// The id behind the sixteen bytes of a store.
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
    /// A session: the long-lived conversation of one owner.
    SessionId
}
ulid_id! {
    /// A turn: one message in, one response out.
    TurnId
}
ulid_id! {
    /// A question whether a call may run.
    ApprovalId
}
ulid_id! {
    /// Something too large for the conversation, kept beside it.
    ArtifactId
}
ulid_id! {
    /// A vault: a shelf of memories.
    VaultId
}
ulid_id! {
    /// A memory: entries and context documents that belong together.
    MemoryId
}
ulid_id! {
    /// Something memory holds that can be found, corrected and forgotten: a fact, an entry, a context document.
    ItemId
}
ulid_id! {
    /// A passage of a source: the same words in the same source have the same one.
    PassageId
}
ulid_id! {
    /// A folder of the library.
    FolderId
}
ulid_id! {
    /// A toast or a notification on the desktop.
    ToastId
}
ulid_id! {
    /// A dialog or a prompt on the desktop.
    DialogId
}
ulid_id! {
    /// Something an app in a window is asked.
    AppRequestId
}
ulid_id! {
    /// One connection of a client, for as long as it lasts.
    ConnectionId
}

/// A text of a certain form, with the schema that says so and the check that holds it to it.
macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $schema:meta, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(#[$schema] String);

        impl $name {
            /// The name as text.
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

/// A name that people choose: anything that can be printed, up to a length.
fn check_name(text: &str, max: usize) -> Result<(), IdError> {
    let length = text.chars().count();
    if length == 0 || length > max || text.chars().any(char::is_control) {
        return Err(IdError::BadName { max });
    }
    Ok(())
}

text! {
    /// Whose sessions they are; it comes from the credential, never from a payload.
    OwnerId, schemars(length(min = 1, max = 64)), |text: &str| check_name(text, 64)
}
text! {
    /// Who runs a turn.
    AgentId, schemars(length(min = 1, max = 128)), |text: &str| check_name(text, 128)
}
text! {
    /// A client's own name for a session, unique per owner (`key`, `conversation_id`).
    SessionName, schemars(length(min = 1, max = 200)), |text: &str| check_name(text, 200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_what_they_write() {
        let id = TurnId::new(Ulid::from_parts(1_700_000_000_000, 42));
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(TurnId::from_bytes(id.to_bytes()), id);
    }

    #[test]
    fn what_is_no_id_is_refused_by_name() {
        let error = "nonsense".parse::<SessionId>().unwrap_err();
        assert!(error.to_string().contains("`nonsense` is not a ULID"));
        assert!("".parse::<SessionName>().is_err());
        assert!("a\nb".parse::<SessionName>().is_err());
        assert!("x".repeat(201).parse::<SessionName>().is_err());
    }
}
