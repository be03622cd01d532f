//! Escapes text for markup.

/// The text escaped for an element or an attribute, in XML and HTML. Characters that XML does not
/// allow are dropped, and line breaks become spaces.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\r' | '\t' => escaped.push(' '),
            char if is_unfit(char) => {}
            char => escaped.push(char),
        }
    }
    escaped
}

/// The same, but line breaks stay.
pub(super) fn escape_lines(text: &str) -> String {
    text.split('\n').map(escape).collect::<Vec<_>>().join("\n")
}

/// Whether XML does not allow a character, or it changes the text direction.
fn is_unfit(char: char) -> bool {
    char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words() {
        assert_eq!(escape("<a href=\"x\" b='y'>&\0\n"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp; ");
        assert_eq!(escape("Grüße \u{202e}🦉\u{ffff}"), "Grüße 🦉");
        assert_eq!(escape_lines("a\n<b>\n"), "a\n&lt;b&gt;\n");
    }
}
