//! The text of HTML, with a line for each block.

use std::{cell::RefCell, mem};

use html5ever::{
    tendril::StrTendril,
    tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
};

use crate::content::is_link;

/// The text of sanitized HTML.
pub(super) fn html_as_text(html: &str) -> String {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(HtmlTextReader::default(), TokenizerOpts::default());
    // The reader never pauses the tokenizer.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner().end()
}

/// The tokenizer calls it by shared reference.
#[derive(Default)]
struct HtmlTextReader(RefCell<HtmlText>);

impl TokenSink for HtmlTextReader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reading = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => reading.text(&text),
            Token::TagToken(tag) => reading.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// The text read so far.
#[derive(Default)]
struct HtmlText {
    lines: Vec<String>,
    line: String,
    is_verbatim: bool,
    address: Option<String>,
}

impl HtmlText {
    fn text(&mut self, text: &str) {
        if self.is_verbatim {
            for (n, part) in text.split('\n').enumerate() {
                if n > 0 {
                    self.break_line();
                }
                self.line.push_str(part);
            }
            return;
        }
        for char in text.chars() {
            match char.is_whitespace() {
                true if self.line.is_empty() || self.line.ends_with(' ') => {}
                true => self.line.push(' '),
                false => self.line.push(char),
            }
        }
    }

    fn tag(&mut self, tag: &Tag) {
        let (name, begins) = (&*tag.name, tag.kind == TagKind::StartTag);
        let attribute =
            |name: &str| tag.attrs.iter().find(|attr| &*attr.name.local == name).map(|attr| attr.value.to_string());
        match (name, begins) {
            ("td" | "th", true) if !self.line.is_empty() => self.line.push_str(" | "),
            ("img", true) => self.text(&format!("[picture: {}]", attribute("alt").unwrap_or_default())),
            ("a", true) => self.address = attribute("href").filter(|address| is_link(address)),
            ("a", false) => {
                if let Some(address) = self.address.take().filter(|address| !self.line.ends_with(address.as_str())) {
                    self.text(&format!(" ({address})"));
                }
            }
            (name, _) if is_block(name) => {
                self.break_line();
                self.is_verbatim = (name == "pre" && begins) || (name != "pre" && self.is_verbatim);
                if begins && name == "li" {
                    self.line.push_str("- ");
                }
            }
            _ => {}
        }
    }

    fn break_line(&mut self) {
        let line = mem::take(&mut self.line);
        if self.is_verbatim || !line.trim().is_empty() {
            self.lines.push(line.trim_end().to_owned());
        }
    }

    fn end(mut self) -> String {
        self.break_line();
        self.lines.join("\n").trim_matches('\n').to_owned()
    }
}

/// Whether an element is a block.
fn is_block(name: &str) -> bool {
    matches!(
        name,
        "blockquote"
            | "br"
            | "caption"
            | "dd"
            | "details"
            | "div"
            | "dl"
            | "dt"
            | "figcaption"
            | "figure"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "hr"
            | "li"
            | "ol"
            | "p"
            | "pre"
            | "summary"
            | "table"
            | "tr"
            | "ul"
    )
}
