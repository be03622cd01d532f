//! Secrets are taken out of every text before it reaches the journal, a stream, an artifact or the model.
//!
//! Twice over: by value, for the secrets that are configured, in each spelling in which they may turn up; and by form, for
//! what looks like somebody's key, token or password. Values go first, since those are secrets for certain. Both are
//! read in one pass, so that a text in pieces gives the same as the text in one: [`Redactor::redact`] is a [`Stream`] that
//! is given everything at once.

mod values;

mod forms;

mod json;
mod spellings;
mod stream;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod told_tests;

use std::{borrow::Cow, fmt, sync::Arc};

use secrecy::{ExposeSecret, SecretString};

pub use stream::Stream;
use values::Values;

/// Shorter than this, a configured secret is not looked for: it would be found in ordinary words.
const SECRET_CHARS_MIN: usize = 8;

/// Takes secrets out of texts. Clones are cheap.
#[derive(Clone)]
pub struct Redactor {
    values: Arc<Values>,
}

impl Redactor {
    /// A redactor for these secrets, and for everything that looks like one.
    pub fn new(secrets: impl IntoIterator<Item = SecretString>) -> Self {
        let mut patterns = Vec::new();
        for secret in secrets {
            let secret = secret.expose_secret().trim();
            if secret.chars().count() >= SECRET_CHARS_MIN {
                patterns.extend(spellings::of(secret));
            }
        }
        Self { values: Arc::new(Values::new(&patterns)) }
    }

    /// The text without its secrets.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut stream = self.stream();
        let mut redacted = stream.push(text);
        redacted.push_str(&stream.finish());
        if redacted == text { Cow::Borrowed(text) } else { Cow::Owned(redacted) }
    }

    /// The document without its secrets: those in its strings, and the values of keys that name a secret.
    pub fn redact_json(&self, value: serde_json::Value) -> serde_json::Value {
        json::redact(self, value)
    }

    /// The same for a text that comes in pieces.
    pub fn stream(&self) -> Stream {
        Stream::new(Arc::clone(&self.values))
    }
}

impl Default for Redactor {
    /// A redactor that knows secrets by their form only.
    fn default() -> Self {
        Self::new([])
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}
