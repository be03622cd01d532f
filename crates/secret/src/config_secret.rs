//! Secrets in the configuration. They serialize without their value, so that code that prints
//! settings needs no list of what to leave out.

use std::{fmt, ops::Deref};

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Shown in place of a secret.
pub const HIDDEN: &str = "(set, not shown)";

/// A secret of the configuration: a key, a token, a header. It serializes as [`HIDDEN`].
#[derive(Clone, Default)]
pub struct ConfigSecret(SecretString);

impl ConfigSecret {
    /// The secret itself.
    pub fn secret(&self) -> SecretString {
        self.0.clone()
    }

    /// Whether it is not empty.
    pub fn is_set(&self) -> bool {
        !self.0.expose_secret().is_empty()
    }
}

impl ExposeSecret<str> for ConfigSecret {
    fn expose_secret(&self) -> &str {
        self.0.expose_secret()
    }
}

impl From<&str> for ConfigSecret {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl<'de> Deserialize<'de> for ConfigSecret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(text.into()))
    }
}

impl Serialize for ConfigSecret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(HIDDEN)
    }
}

impl fmt::Debug for ConfigSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// The URL of a service. It may contain a key in the query or a password before the host, so it
/// serializes without these.
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct ServiceUrl(String);

impl ServiceUrl {
    /// The part that may be shown.
    pub fn shown(&self) -> String {
        let (before, query) = match self.0.find(['?', '#']) {
            Some(at) => (&self.0[..at], "?…"),
            None => (self.0.as_str(), ""),
        };
        let (scheme, rest) = match before.find("://") {
            Some(at) => before.split_at(at + 3),
            None => ("", before),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit_once('@').map(|(_, host)| format!("…@{host}"));
        format!("{scheme}{}{path}{query}", host.as_deref().unwrap_or(authority))
    }
}

impl Deref for ServiceUrl {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Serialize for ServiceUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown())
    }
}

impl fmt::Debug for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.shown(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_and_never_written() {
        let key: ConfigSecret = serde_json::from_str(r#""abc-123""#).unwrap();
        assert_eq!(key.expose_secret(), "abc-123");
        let written = format!("{}{key:?}", serde_json::to_string(&key).unwrap());
        assert!(!written.contains("abc") && written.contains(HIDDEN), "{written}");
    }

    #[test]
    fn an_address_is_shown_without_what_opens_it() {
        for (url, shown) in [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
            ("https://ada:pw@host:1/x", "https://…@host:1/x"),
            ("https://host/a@b", "https://host/a@b"),
            ("ada:p@w@host", "…@host"),
            ("https://host/mcp?key=1", "https://host/mcp?…"),
            ("https://host#key", "https://host?…"),
            ("host:11434", "host:11434"),
            ("", ""),
        ] {
            let url = ServiceUrl(url.to_owned());
            assert_eq!(serde_json::to_value(&url).unwrap(), shown);
            assert_eq!(format!("{url:?}"), format!("{shown:?}"));
        }
    }
}
