//! Shortens large results: the conversation keeps the beginning and the end, an artifact has the
//! full text.

use protocol::ArtifactId;

/// How much of a result the conversation keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortenLimits {
    /// Texts up to this many bytes are kept whole.
    pub whole_bytes_max: usize,
    /// Bytes kept from the beginning of a longer one.
    pub head_bytes: usize,
    /// Bytes kept from the end of a longer one.
    pub tail_bytes: usize,
}

impl Default for ShortenLimits {
    fn default() -> Self {
        Self { whole_bytes_max: 8 * 1024, head_bytes: 4 * 1024, tail_bytes: 2 * 1024 }
    }
}

/// A result as the conversation keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortenedText {
    /// The text.
    pub text: String,
    /// Whether something was left out.
    pub is_cut: bool,
}

/// Keeps the beginning and the end of a text that is too long. A line between them says how much
/// was left out and which artifact has the full text.
pub fn shorten(text: &str, lengths: ShortenLimits, whole: Option<ArtifactId>) -> ShortenedText {
    if text.len() <= lengths.whole_bytes_max {
        return ShortenedText { text: text.to_owned(), is_cut: false };
    }
    let head = text.floor_char_boundary(lengths.head_bytes);
    let tail = text.ceil_char_boundary(text.len().saturating_sub(lengths.tail_bytes)).max(head);
    // A missing line reads better than half a line.
    let head = text[..head].rfind('\n').map_or(head, |end| if end >= head / 2 { end } else { head });
    let rest = &text[tail..];
    let tail = rest.find('\n').map_or(tail, |end| if end <= rest.len() / 2 { tail + end + 1 } else { tail });
    let left_out = tail - head;
    let whereabouts = match whole {
        Some(id) => format!("; artifact {id} has the full text"),
        None => String::new(),
    };
    let text =
        format!("{}\n[… {left_out} of {} bytes left out{whereabouts} …]\n{}", &text[..head], text.len(), &text[tail..]);
    ShortenedText { text, is_cut: true }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SMALL: ShortenLimits = ShortenLimits { whole_bytes_max: 40, head_bytes: 16, tail_bytes: 8 };

    #[test]
    fn short_texts_stay_whole() {
        for text in ["", "short", &"x".repeat(40)] {
            assert_eq!(shorten(text, SMALL, None), ShortenedText { text: text.to_owned(), is_cut: false });
        }
    }

    #[test]
    fn long_texts_keep_head_and_tail() {
        let id = ArtifactId::from_bytes([7; 16]);
        let text = format!("{}{}{}", "a".repeat(16), "b".repeat(100), "c".repeat(8));
        let short = shorten(&text, SMALL, Some(id));
        let line = format!("[… 100 of 124 bytes left out; artifact {id} has the full text …]");
        assert_eq!(
            short,
            ShortenedText { text: format!("{}\n{line}\n{}", "a".repeat(16), "c".repeat(8)), is_cut: true }
        );
    }

    #[test]
    fn cuts_fall_on_lines_where_some_are_near() {
        let text = format!("first line\n{}\nend", "x".repeat(100));
        let short = shorten(&text, SMALL, None).text;
        assert!(short.starts_with("first line\n[… ") && short.ends_with("left out …]\nend"), "{short}");
    }

    proptest! {
        #[test]
        fn any_text_is_cut_without_breaking_characters(
            text in "(\\PC|\n|ä|🦉){0,200}", head in 0usize..60, tail in 0usize..60, whole in 0usize..60,
        ) {
            let lengths = ShortenLimits { whole_bytes_max: whole, head_bytes: head, tail_bytes: tail };
            let short = shorten(&text, lengths, None);
            prop_assert_eq!(short.is_cut, text.len() > whole);
            if short.is_cut {
                prop_assert!(short.text.len() <= head + tail + 80);
                let (before, after) = short.text.split_once("\n[… ").unwrap();
                prop_assert!(text.starts_with(before));
                prop_assert!(text.ends_with(after.rsplit_once("left out …]\n").unwrap().1));
            }
        }
    }
}
