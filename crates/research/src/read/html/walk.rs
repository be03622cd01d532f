//! A page as lines of text.

use super::{
    table,
    tree::{Node, Tree, is_heading},
};
use crate::read::BODY_BYTES_MAX;

/// The text inside an element, without the skipped parts.
pub(super) fn lines(tree: &Tree, root: usize, is_left_out: impl Fn(usize) -> bool) -> String {
    let mut page = TextBuilder::default();
    let mut open: Vec<usize> = Vec::new();
    let (mut at, end) = (root, tree.node(root).end);
    while at < end && page.out.len() < BODY_BYTES_MAX {
        while let Some(innermost) = open.pop_if(|open| tree.node(*open).end <= at) {
            page.leave(tree.node(innermost));
        }
        let node = tree.node(at);
        if let Some(text) = node.text() {
            if !is_left_out(at) {
                page.text(text);
            }
        } else if at != root && is_left_out(at) {
            page.leave_out(node);
            at = node.end;
            continue;
        } else if node.name() == "table" && !table::is_layout(tree, at) {
            page.table(&table::rows(tree, at, &is_left_out));
            at = node.end;
            continue;
        } else {
            page.enter(node);
            open.push(at);
        }
        at += 1;
    }
    page.end()
}

/// Distance of a line from the one before.
#[derive(Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Line,
    Paragraph,
}

/// The text so far.
#[derive(Default)]
struct TextBuilder {
    out: String,
    line: String,
    /// Prefix of the next line, for example `- `.
    prefix: String,
    gap: Gap,
    verbatim: usize,
    lists: usize,
}

impl TextBuilder {
    fn text(&mut self, text: &str) {
        if self.verbatim > 0 {
            self.line.push_str(text);
            return;
        }
        for char in text.chars() {
            match char.is_whitespace() {
                true if self.line.is_empty() || self.line.ends_with([' ', '\n']) => {}
                true => self.line.push(' '),
                false => self.line.push(char),
            }
        }
    }

    fn enter(&mut self, node: &Node) {
        match node.name() {
            "br" if self.verbatim > 0 => self.line.push('\n'),
            "br" => {
                let kept = self.line.trim_end_matches(' ').len();
                self.line.truncate(kept);
                if !self.line.is_empty() {
                    self.line.push('\n');
                }
            }
            "img" => {
                let alt = node.attribute("alt").unwrap_or_default();
                self.text(&format!(" {alt} "));
            }
            "pre" => {
                self.apart(Gap::Paragraph);
                self.verbatim += 1;
            }
            "ul" | "ol" | "menu" => {
                self.apart(if self.lists > 0 { Gap::Line } else { Gap::Paragraph });
                self.lists += 1;
            }
            "li" => {
                self.apart(Gap::Line);
                self.prefix = format!("{}- ", "  ".repeat(self.lists.saturating_sub(1).min(8)));
            }
            name if is_heading(name) => {
                self.apart(Gap::Paragraph);
                let level = name.as_bytes().get(1).map_or(1, |digit| usize::from(digit - b'0'));
                self.prefix = format!("{} ", "#".repeat(level));
            }
            name => self.apart(gap(name, self.lists > 0)),
        }
    }

    fn leave(&mut self, node: &Node) {
        match node.name() {
            "pre" => {
                self.apart(Gap::Paragraph);
                self.verbatim = self.verbatim.saturating_sub(1);
            }
            "ul" | "ol" | "menu" => {
                self.lists = self.lists.saturating_sub(1);
                self.apart(if self.lists > 0 { Gap::Line } else { Gap::Paragraph });
            }
            "li" => {
                self.apart(Gap::Line);
                // An item or a heading without text is dropped.
                self.prefix.clear();
            }
            name if is_heading(name) => {
                self.apart(Gap::Paragraph);
                self.prefix.clear();
            }
            name => self.apart(gap(name, self.lists > 0)),
        }
    }

    /// A skipped element still separates the words around it.
    fn leave_out(&mut self, node: &Node) {
        match gap(node.name(), self.lists > 0) {
            Gap::None => self.text(" "),
            gap => self.apart(gap),
        }
    }

    fn table(&mut self, rows: &[String]) {
        self.apart(Gap::Paragraph);
        for row in rows {
            self.prefix.clear();
            self.line.push_str(row);
            self.apart(Gap::Line);
        }
        self.apart(Gap::Paragraph);
    }

    /// Ends the line, with at least this distance to the next one.
    fn apart(&mut self, gap: Gap) {
        if gap == Gap::None {
            return;
        }
        let line = if self.verbatim > 0 { self.line.trim_matches('\n').trim_end() } else { self.line.trim() };
        if !line.is_empty() {
            if !self.out.is_empty() {
                self.out.push_str(if self.gap == Gap::Paragraph { "\n\n" } else { "\n" });
            }
            self.out.push_str(&std::mem::take(&mut self.prefix));
            self.out.push_str(line);
            self.gap = Gap::None;
        }
        self.line.clear();
        self.gap = self.gap.max(gap);
    }

    fn end(mut self) -> String {
        self.apart(Gap::Paragraph);
        self.out
    }
}

/// Distance of an element from its surroundings.
fn gap(name: &str, is_in_list: bool) -> Gap {
    match name {
        "address" | "article" | "aside" | "blockquote" | "body" | "caption" | "center" | "details" | "div" | "dl"
        | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "header" | "hr" | "html" | "main" | "nav"
        | "p" | "pre" | "section" | "table" | "td" | "th" | "ul" | "ol" => {
            if is_in_list {
                Gap::Line
            } else {
                Gap::Paragraph
            }
        }
        "dd" | "dt" | "li" | "option" | "summary" | "tr" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Gap::Line,
        _ => Gap::None,
    }
}
