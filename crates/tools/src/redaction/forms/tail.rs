//! The tail of a secret, which is dropped however long it is and however it is split into pieces.

use super::pem;

/// A class of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharClass {
    /// Letters, digits, `_` and `-`.
    Token,
    /// Capitals and digits.
    Capitals,
    /// Characters of a value in `name=value`: all except those that end it.
    Value,
    /// Characters of credentials after `Bearer`.
    Credential,
    /// Characters of the user info in a URL.
    Userinfo,
    /// Letters, digits, `/` and `+`.
    Base64,
    /// Words up to the end of a clause.
    Phrase,
}

impl CharClass {
    /// Whether the byte belongs to the class; non-ASCII bytes belong to the open classes.
    pub fn has(self, byte: u8) -> bool {
        match self {
            Self::Token => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Credential => byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte),
            Self::Value => !byte.is_ascii_whitespace() && !b"&;,\"'`<>()[]{}|\\".contains(&byte),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+'),
            Self::Phrase => !b"\r\n.,;:!?\"'`<>()[]{}|\\".contains(&byte),
            Self::Userinfo => !byte.is_ascii_whitespace() && !b"/?#\"'`<>\\".contains(&byte),
        }
    }

    /// The number of bytes at the beginning that belong to the class.
    pub fn run(self, text: &str) -> usize {
        text.bytes().take_while(|byte| self.has(*byte)).count()
    }
}

/// The quotation of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote {
    mark: u8,
    /// Whether the quotes themselves are escaped: a document inside a string of another.
    is_escaped: bool,
}

impl Quote {
    /// The opening quote at the beginning of the text.
    pub fn at(text: &str) -> Option<Self> {
        let bare = text.strip_prefix('\\');
        let mark = *bare.unwrap_or(text).as_bytes().first()?;
        matches!(mark, b'"' | b'\'' | b'`').then_some(Self { mark, is_escaped: bare.is_some() })
    }

    /// Its length in bytes.
    pub fn length(self) -> usize {
        1 + usize::from(self.is_escaped)
    }
}

/// How the end of a secret is recognized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretTail {
    /// While the characters belong to this class.
    Run(CharClass),
    /// Token parts joined by dots; a final dot ends a sentence.
    Dotted,
    /// Up to the closing quote, or the end of the line.
    Quoted(Quote),
    /// Up to the end of the PEM block.
    Pem,
}

impl SecretTail {
    /// The number of bytes that belong to the secret, and whether it is complete. If not, the rest
    /// is passed again with more text.
    pub fn take(self, text: &str, whole: bool) -> (usize, bool) {
        match self {
            Self::Run(class) => {
                let length = class.run(text);
                (length, length < text.len())
            }
            Self::Dotted => dotted(text, whole),
            Self::Quoted(quote) => match closing(text, quote, whole) {
                Some(end) => (end, true),
                None => (text.len() - escaping(text), false),
            },
            Self::Pem => pem::take(text, whole),
        }
    }
}

/// The number of trailing backslashes that have to wait for the character they escape. Two or three
/// stand for any larger number.
fn escaping(text: &str) -> usize {
    match text.len() - text.trim_end_matches('\\').len() {
        many @ 4.. => 2 + many % 2,
        few => few,
    }
}

fn dotted(text: &str, whole: bool) -> (usize, bool) {
    let mut end = 0;
    loop {
        end += CharClass::Token.run(&text[end..]);
        let mut next = text[end..].bytes();
        match (next.next(), next.next()) {
            (Some(b'.'), Some(after)) if CharClass::Token.has(after) => end += 1,
            (Some(b'.'), None) if !whole => return (end, false),
            (None, _) => return (end, false),
            _ => return (end, true),
        }
    }
}

/// The end of the string: its closing quote, or the end of the line. `None` if it continues.
pub fn closing(text: &str, quote: Quote, whole: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\n' || byte == quote.mark {
            return Some(at);
        }
        if byte != b'\\' {
            at += 1;
            continue;
        }
        let slashes = bytes[at..].iter().take_while(|byte| **byte == b'\\').count();
        let Some(&next) = bytes.get(at + slashes) else {
            // It is not known yet whether these escape something.
            return whole.then_some(bytes.len());
        };
        if quote.is_escaped && slashes == 1 && next == quote.mark {
            return Some(at);
        }
        // An even number of backslashes escape each other; an odd number also escapes the quote.
        let escapes_next = next == quote.mark && (quote.is_escaped || slashes % 2 == 1);
        at += slashes + usize::from(escapes_next);
    }
    None
}
