//! Extracting text from what was fetched or opened: paragraphs separated by an empty line, tables
//! as rows with `|`, headings with `#`.
//!
//! All input is untrusted: none may cause a panic, unbounded recursion or an endless loop. Content
//! that people would not see on a page is not extracted either.

mod charset;
pub(crate) mod date;
mod html;
mod markdown;
pub mod pdf;

/// Maximum length of a text in bytes. The rest is cut off.
pub const BODY_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Maximum length of a title in characters. The rest is cut off.
const TITLE_CHARS_MAX: usize = 200;

/// Kind of a file or a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MediaKind {
    /// An HTML page.
    Html,
    /// Markdown.
    Markdown,
    /// Plain text.
    Plain,
    /// A PDF.
    Pdf,
}

/// An extracted text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExtractedText {
    /// Its title.
    pub title: Option<String>,
    /// Its date, as `2026-03-03`, if it is stated.
    pub published: Option<String>,
    /// The text.
    pub body: String,
}

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(pub String);

impl MediaKind {
    /// The kind of a file with that name; `None` if it cannot be read.
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

/// Extracts a text. It can take long, so async callers use a blocking thread.
///
/// A PDF is read in this process. For untrusted files there is [`pdf::SubprocessPdfReader`].
pub fn read(kind: MediaKind, bytes: &[u8], charset: Option<&str>) -> Result<ExtractedText, ReadError> {
    let mut text = match kind {
        MediaKind::Html => html::read(&charset::decode(bytes, charset, true)),
        MediaKind::Markdown => markdown::read(&charset::decode(bytes, charset, false)),
        MediaKind::Plain => {
            let body = charset::decode(bytes, charset, false).trim().to_owned();
            ExtractedText { body, ..ExtractedText::default() }
        }
        MediaKind::Pdf => pdf::read(bytes)?,
    };
    cut(&mut text.body);
    Ok(text)
}

/// Cuts a body at the maximum length.
fn cut(body: &mut String) {
    if body.len() > BODY_BYTES_MAX {
        body.truncate(body.floor_char_boundary(BODY_BYTES_MAX));
    }
}

/// A title on one line and within the maximum length; `None` if it is empty.
fn title(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = line.chars().filter(|char| !charset::is_unseen(*char)).take(TITLE_CHARS_MAX).collect();
    (!title.trim().is_empty()).then(|| title.trim().to_owned())
}
