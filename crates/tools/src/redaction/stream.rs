//! Redaction of a text that comes in pieces.

use std::sync::Arc;

use super::{
    forms,
    values::{self, SecretMatcher},
};

/// Removes secrets from a text that comes in pieces. It holds back only what could be the beginning
/// of a secret.
pub struct StreamRedactor {
    patterns: Arc<SecretMatcher>,
    values: values::ValueScan,
    forms: forms::FormScan,
}

impl StreamRedactor {
    pub(super) fn new(patterns: Arc<SecretMatcher>) -> Self {
        Self { patterns, values: values::ValueScan::default(), forms: forms::FormScan::default() }
    }

    /// Takes the next piece, and returns what is safe to emit.
    pub fn push(&mut self, delta: &str) -> String {
        let mut known = String::new();
        self.values.push(&self.patterns, delta, &mut known);
        let mut out = String::new();
        self.forms.push(&known, &mut out);
        out
    }

    /// Ends the text and returns what was held back. The redactor can then be reused.
    pub fn finish(&mut self) -> String {
        let mut known = String::new();
        self.values.finish(&mut known);
        let mut out = String::new();
        self.forms.push(&known, &mut out);
        self.forms.finish(&mut out);
        out
    }

    /// The number of bytes held back; never more than 8 KiB.
    pub fn held(&self) -> usize {
        self.values.held() + self.forms.held()
    }
}
