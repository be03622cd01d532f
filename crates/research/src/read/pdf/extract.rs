//! The text of a PDF file: page by page, with wrapped lines joined again.

use pdf_extract::{Dictionary, Document, Object, PlainTextOutput, output_doc_page};

use super::damaged;
use crate::read::{BODY_BYTES_MAX, ExtractedText, ReadError, charset::is_unseen, date, title as tidy};

/// Maximum number of pages.
const PAGES_MAX: u32 = 2000;
/// A shorter line was ended on purpose.
const FULL_LINE_CHARS: usize = 45;

/// Reads a PDF file. It may panic.
pub(super) fn text(bytes: &[u8]) -> Result<ExtractedText, ReadError> {
    // Some servers put a few bytes before the beginning.
    if !bytes.iter().take(1024).copied().collect::<Vec<_>>().windows(5).any(|window| window == b"%PDF-") {
        return Err(ReadError("this is not a PDF file".to_owned()));
    }
    let mut document = Document::load_mem(bytes).map_err(|_| damaged())?;
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(ReadError("the PDF is encrypted and needs a password".to_owned()));
    }
    let body = pages(&document);
    if !body.chars().any(char::is_alphanumeric) {
        return Err(ReadError("the PDF has no text: perhaps it is a scan".to_owned()));
    }
    let facts = document.trailer.get(b"Info").ok().and_then(|info| dictionary(&document, info));
    let fact = |name: &[u8]| string(&document, facts?.get(name).ok()?);
    Ok(ExtractedText {
        title: fact(b"Title").as_deref().and_then(tidy),
        published: fact(b"CreationDate").or_else(|| fact(b"ModDate")).as_deref().and_then(date::day),
        body,
    })
}

fn pages(document: &Document) -> String {
    let mut body = String::new();
    for page in 1..=PAGES_MAX.min(u32::try_from(document.get_pages().len()).unwrap_or(PAGES_MAX)) {
        let mut words = String::new();
        // A page that cannot be read does not affect the others.
        let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            output_doc_page(document, &mut PlainTextOutput::new(&mut words), page)
        }));
        if matches!(read, Ok(Ok(()))) {
            add_paragraphs(&mut body, &words);
        }
        if body.len() > BODY_BYTES_MAX {
            break;
        }
    }
    body
}

fn add_paragraphs(body: &mut String, words: &str) {
    let words: String = words.chars().filter(|char| !is_unseen(*char)).collect();
    let mut paragraph = String::new();
    for line in words.lines().map(str::trim).chain([""]) {
        if line.is_empty() {
            if !paragraph.is_empty() {
                body.push_str(if body.is_empty() { "" } else { "\n\n" });
                body.push_str(&paragraph);
                paragraph.clear();
            }
            continue;
        }
        add_line(&mut paragraph, line);
    }
}

fn add_line(paragraph: &mut String, line: &str) {
    let last = paragraph.rsplit('\n').next().unwrap_or_default();
    if paragraph.is_empty() {
    } else if last.chars().count() < FULL_LINE_CHARS {
        paragraph.push('\n');
    } else if is_hyphenated(last) && line.starts_with(char::is_lowercase) {
        paragraph.pop();
    } else {
        paragraph.push(' ');
    }
    paragraph.push_str(line);
}

/// Whether a line ends with a hyphenated word.
fn is_hyphenated(line: &str) -> bool {
    line.strip_suffix('-').is_some_and(|line| line.ends_with(char::is_lowercase))
}

fn dictionary<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Dictionary> {
    document.dereference(object).ok()?.1.as_dict().ok()
}

/// A text string: UTF-16 if it has a byte order mark, else one byte per character.
fn string(document: &Document, object: &Object) -> Option<String> {
    let bytes = document.dereference(object).ok()?.1.as_str().ok()?;
    Some(match bytes {
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    })
}
