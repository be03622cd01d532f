//! The text of a turn, assembled from ranges that may overlap.

use protocol::TextDelta;

/// How much of a turn's text is known.
#[derive(Debug, Default)]
pub(super) struct TextSoFar {
    chars: u64,
}

impl TextSoFar {
    /// The part of a range that is not known yet.
    pub(super) fn add(&mut self, range: &TextDelta) -> String {
        let known = usize::try_from(self.chars.saturating_sub(range.offset)).unwrap_or(usize::MAX);
        let fresh: String = range.delta.chars().skip(known).collect();
        self.chars += fresh.chars().count() as u64;
        fresh
    }

    /// Discards the text from here on; it is sent again.
    pub(super) fn cut(&mut self, offset: u64) {
        self.chars = self.chars.min(offset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_are_known_add_nothing() {
        let mut text = TextSoFar::default();
        let range = |offset, delta: &str| TextDelta { offset, delta: delta.to_owned() };
        assert_eq!(text.add(&range(0, "Grüße")), "Grüße");
        assert_eq!(text.add(&range(0, "Grüße aus")), " aus");
        assert_eq!(text.add(&range(2, "üße")), "");
        text.cut(0);
        assert_eq!(text.add(&range(0, "Neu")), "Neu");
    }
}
