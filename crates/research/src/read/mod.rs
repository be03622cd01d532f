//! Readable text of what was fetched or opened: paragraphs apart by an empty line, tables as rows of `|`, headings as `#`.
//!
//! Nothing here trusts what it reads: no input makes it panic, recurse without bound or go on for ever, and what people
//! would not see on a page is not read either.

mod charset;
pub(crate) mod date;
mod html;
mod markdown;
pub mod pdf;

/// Where a text is cut off.
pub const BODY_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Where a title is cut off, in characters.
const TITLE_CHARS_MAX: usize = 200;

/// What a file or a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A page.
    Html,
    /// Markdown.
    Markdown,
    /// Plain text.
    Plain,
    /// A PDF.
    Pdf,
}

/// A text that can be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// What it calls itself.
    pub title: Option<String>,
    /// When it was written, as `2026-03-03`, as far as it says.
    pub published: Option<String>,
    /// The words.
    pub body: String,
}

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

impl Kind {
    /// What a file of that name is; none if it is nothing that can be read.
    pub fn of_path(path: &std::path::Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "html" | "htm" | "xhtml" => Self::Html,
            "md" | "markdown" => Self::Markdown,
            "txt" | "text" => Self::Plain,
            "pdf" => Self::Pdf,
            _ => return None,
        })
    }
}

/// Reads a text. It may take its time, so it is called where that is no harm.
///
/// A PDF is read in this very process: for those of strangers there is [`pdf::Child`].
pub fn read(kind: Kind, bytes: &[u8], charset: Option<&str>) -> Result<Text, Unreadable> {
    let mut text = match kind {
        Kind::Html => html::read(&charset::decode(bytes, charset, true)),
        Kind::Markdown => markdown::read(&charset::decode(bytes, charset, false)),
        Kind::Plain => {
            let body = charset::decode(bytes, charset, false).trim().to_owned();
            Text { body, ..Text::default() }
        }
        Kind::Pdf => pdf::read(bytes)?,
    };
    cut(&mut text.body);
    Ok(text)
}

/// Cuts a body off where it gets too long.
fn cut(body: &mut String) {
    if body.len() > BODY_BYTES_MAX {
        body.truncate(body.floor_char_boundary(BODY_BYTES_MAX));
    }
}

/// A title on one line and of a reasonable length; none if it says nothing.
fn title(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = line.chars().filter(|char| !charset::is_unseen(*char)).take(TITLE_CHARS_MAX).collect();
    (!title.trim().is_empty()).then(|| title.trim().to_owned())
}
