//! Detecting the character encoding.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// The part of a page in which it declares its encoding.
const HEAD_BYTES: usize = 4096;

/// Decodes a text. The encoding comes from the byte order mark, or else the server, or else the
/// page itself, or else the look of the bytes.
pub(super) fn decode(bytes: &[u8], told: Option<&str>, is_html: bool) -> String {
    let bytes_of = |label: &str| Encoding::for_label(label.as_bytes());
    let encoding = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None => told
            .and_then(bytes_of)
            .or_else(|| if is_html { in_page(bytes) } else { None })
            .unwrap_or_else(|| if looks_like_utf8(bytes) { UTF_8 } else { WINDOWS_1252 }),
    };
    let (text, ..) = encoding.decode(bytes);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if text.contains(is_unseen) { text.replace(is_unseen, "") } else { text }
}

/// Invisible characters, some of which are used to hide text from people.
pub(super) fn is_unseen(char: char) -> bool {
    matches!(char,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// A truncated text may end within a character.
fn looks_like_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// The encoding in `<meta charset=…>`, its older form, or `<?xml encoding=…?>`.
fn in_page(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]).to_ascii_lowercase();
    let after = |mark: &str| {
        let (_, rest) = head.split_once(mark)?;
        let rest = rest.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        let label = rest.split(|char: char| !char.is_ascii_alphanumeric() && !"-_:.".contains(char)).next()?;
        Encoding::for_label(label.as_bytes())
    };
    let xml = head.starts_with("<?xml").then(|| after("encoding")).flatten();
    // A page whose beginning can be read as ASCII is not in UTF-16.
    xml.or_else(|| after("charset")).map(|encoding| if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}
