//! Removes secrets from every text before it reaches the journal, a stream, an artifact or the
//! model.
//!
//! There are two detectors. The first finds configured secrets by value, in every encoding in which
//! they may appear. The second finds anything that has the form of a key, token or password. Values
//! go first, since those are secrets for certain. Both work in one pass, so that a text in pieces
//! gives the same result as the whole text: [`Redactor::redact`] is a [`StreamRedactor`] that gets
//! everything at once.

mod values;

mod forms;

mod json;
#[cfg(test)]
mod prose_tests;
mod spellings;
mod stream;
#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use secrecy::{ExposeSecret, SecretString};

pub use stream::StreamRedactor;
use values::SecretMatcher;

/// Shorter configured secrets are ignored: they would match ordinary words.
const SECRET_CHARS_MIN: usize = 8;

/// Removes secrets from texts. Clones are cheap, and all of them know what is added to one.
#[derive(Clone)]
pub struct Redactor {
    known: Arc<RwLock<KnownSecrets>>,
}

/// The configured secrets in all their spellings, and what finds them.
struct KnownSecrets {
    spellings: Vec<String>,
    values: Arc<SecretMatcher>,
}

impl Redactor {
    /// A redactor for these secrets, and for everything that has the form of one.
    pub fn new(secrets: impl IntoIterator<Item = SecretString>) -> Self {
        let mut known = KnownSecrets { spellings: Vec::new(), values: Arc::new(SecretMatcher::new(&[])) };
        known.add(secrets);
        Self { known: Arc::new(RwLock::new(known)) }
    }

    /// Removes this secret, too, from every text that begins after this.
    pub fn add(&self, secret: SecretString) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).add([secret]);
    }

    /// The text without its secrets.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut stream = self.stream();
        let mut redacted = stream.push(text);
        redacted.push_str(&stream.finish());
        if redacted == text { Cow::Borrowed(text) } else { Cow::Owned(redacted) }
    }

    /// The document without its secrets: those in its strings, and the values of keys that name a
    /// secret.
    pub fn redact_json(&self, value: serde_json::Value) -> serde_json::Value {
        json::redact(self, value)
    }

    /// A redactor for a text that comes in pieces.
    pub fn stream(&self) -> StreamRedactor {
        StreamRedactor::new(Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner).values))
    }
}

impl KnownSecrets {
    fn add(&mut self, secrets: impl IntoIterator<Item = SecretString>) {
        for secret in secrets {
            let secret = secret.expose_secret().trim();
            if secret.chars().count() >= SECRET_CHARS_MIN {
                self.spellings.extend(spellings::of(secret));
            }
        }
        self.values = Arc::new(SecretMatcher::new(&self.spellings));
    }
}

impl Default for Redactor {
    /// A redactor that detects secrets by their form only.
    fn default() -> Self {
        Self::new([])
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}
