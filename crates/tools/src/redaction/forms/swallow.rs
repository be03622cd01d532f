//! The rest of a secret, which is dropped however long it is and however it is cut into pieces.

use super::pem;

/// Characters that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Letters, digits, `_` and `-`.
    Token,
    /// Capitals and digits.
    Capitals,
    /// What the value of `name=value` is made of: all but what ends one.
    Value,
    /// What may follow `Bearer`.
    Credential,
    /// What may stand before the path of a URL.
    Userinfo,
    /// Letters, digits, `/` and `+`.
    Base64,
    /// Words up to the end of their clause.
    Phrase,
}

impl Class {
    /// Whether the byte belongs; bytes of other scripts go where the class is open.
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

    /// How many bytes at the beginning belong.
    pub fn run(self, text: &str) -> usize {
        text.bytes().take_while(|byte| self.has(*byte)).count()
    }
}

/// How a string is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote {
    mark: u8,
    /// Whether the quotes are escaped themselves: a document inside a string of another.
    is_escaped: bool,
}

impl Quote {
    /// The opening quote that the text begins with.
    pub fn at(text: &str) -> Option<Self> {
        let bare = text.strip_prefix('\\');
        let mark = *bare.unwrap_or(text).as_bytes().first()?;
        matches!(mark, b'"' | b'\'' | b'`').then_some(Self { mark, is_escaped: bare.is_some() })
    }

    /// How many bytes it takes.
    pub fn length(self) -> usize {
        1 + usize::from(self.is_escaped)
    }
}

/// How the rest of a secret is told from what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swallow {
    /// As long as the characters are of this class.
    Run(Class),
    /// The same for parts that are joined by dots; a dot at the end ends a sentence.
    Dotted,
    /// Up to the closing quote, or the end of the line.
    Quoted(Quote),
    /// Up to the end of the armoured block.
    Pem,
}

impl Swallow {
    /// How many bytes are part of the secret, and whether it is over. If not, the rest is wanted again with more.
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

/// How many of the backslashes at the end have to wait for what they escape. Of many, two or three tell as much.
fn escaping(text: &str) -> usize {
    match text.len() - text.trim_end_matches('\\').len() {
        many @ 4.. => 2 + many % 2,
        few => few,
    }
}

fn dotted(text: &str, whole: bool) -> (usize, bool) {
    let mut end = 0;
    loop {
        end += Class::Token.run(&text[end..]);
        let mut next = text[end..].bytes();
        match (next.next(), next.next()) {
            (Some(b'.'), Some(after)) if Class::Token.has(after) => end += 1,
            (Some(b'.'), None) if !whole => return (end, false),
            (None, _) => return (end, false),
            _ => return (end, true),
        }
    }
}

/// Where the string ends: at its closing quote, or at the end of the line. None when it goes on.
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
            // Whether these escape something is not known yet.
            return whole.then_some(bytes.len());
        };
        if quote.is_escaped && slashes == 1 && next == quote.mark {
            return Some(at);
        }
        // An even number escapes itself; an odd one escapes the quote as well.
        let escapes_next = next == quote.mark && (quote.is_escaped || slashes % 2 == 1);
        at += slashes + usize::from(escapes_next);
    }
    None
}
