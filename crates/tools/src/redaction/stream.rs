//! A text that comes in pieces.

use std::sync::Arc;

use super::{
    forms,
    values::{self, Values},
};

/// Takes secrets out of a text that comes in pieces, and holds back no more than could be the beginning of one.
pub struct Stream {
    patterns: Arc<Values>,
    values: values::Scan,
    forms: forms::Scan,
}

impl Stream {
    pub(super) fn new(patterns: Arc<Values>) -> Self {
        Self { patterns, values: values::Scan::default(), forms: forms::Scan::default() }
    }

    /// Takes the next piece, and gives what may go out now.
    pub fn push(&mut self, delta: &str) -> String {
        let mut known = String::new();
        self.values.push(&self.patterns, delta, &mut known);
        let mut out = String::new();
        self.forms.push(&known, &mut out);
        out
    }

    /// The text has ended: gives what was held back. The stream is then as good as new.
    pub fn finish(&mut self) -> String {
        let mut known = String::new();
        self.values.finish(&mut known);
        let mut out = String::new();
        self.forms.push(&known, &mut out);
        self.forms.finish(&mut out);
        out
    }

    /// How many bytes are held back at the moment; never more than 8 KiB.
    pub fn held(&self) -> usize {
        self.values.held() + self.forms.held()
    }
}
