//! The elements of a page, as a list in the order of the page: what is inside an element follows it, up to its end. There
//! is nothing to climb about in, so nothing recurses, however deeply a page is nested.
//!
//! It reads tags as forgivingly as is of use for text, which is less than a browser does. What nests deeper than
//! [`DEPTH_MAX`] is read as if it stood side by side.

use std::{cell::RefCell, collections::HashMap};

use html5ever::{
    LocalName,
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::RawKind::{Rawtext, Rcdata, ScriptData},
    },
};

use super::boilerplate::is_hidden;

/// How deeply elements nest.
const DEPTH_MAX: usize = 256;
/// How many elements and texts are looked at.
const NODES_MAX: usize = 400_000;
/// What is read of an element's attributes.
const ATTRIBUTES: [&str; 18] = [
    "alt",
    "aria-hidden",
    "class",
    "colspan",
    "content",
    "datetime",
    "hidden",
    "href",
    "id",
    "itemprop",
    "name",
    "open",
    "property",
    "pubdate",
    "role",
    "rowspan",
    "style",
    "type",
];

/// A page in its order.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// An element, or words between two tags.
pub(super) struct Node {
    /// The number after the last one inside.
    pub(super) end: usize,
    /// The element around it; the first one is around itself.
    pub(super) parent: usize,
    data: Data,
}

enum Data {
    Element(LocalName, Vec<(LocalName, StrTendril)>),
    Text(StrTendril),
}

impl Node {
    /// The words, if it is no element.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            Data::Element(..) => None,
        }
    }

    /// The element's name; empty for words.
    pub(super) fn name(&self) -> &str {
        match &self.data {
            Data::Element(name, _) => name,
            Data::Text(_) => "",
        }
    }

    /// One of the attributes that are read.
    pub(super) fn attribute(&self, wanted: &str) -> Option<&str> {
        match &self.data {
            Data::Element(_, attributes) => {
                attributes.iter().find(|(name, _)| &**name == wanted).map(|(_, value)| &**value)
            }
            Data::Text(_) => None,
        }
    }
}

impl Tree {
    /// Reads a page.
    pub(super) fn of(html: &str) -> Self {
        let input = BufferQueue::default();
        input.push_back(StrTendril::from(html));
        let sink = Sink(RefCell::new(Growing::new(html.trim_start().starts_with("<?xml"))));
        let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
        // The sink never asks for a pause.
        let _ = tokenizer.feed(&input);
        tokenizer.end();
        tokenizer.sink.0.into_inner().grown()
    }

    /// How many elements and texts there are; the first one is around all others.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// One of them.
    pub(super) fn node(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    /// Those that are inside of one, in order.
    pub(super) fn inside(&self, at: usize) -> impl Iterator<Item = (usize, &Node)> {
        let end = self.nodes[at].end;
        (at + 1..end).zip(&self.nodes[at + 1..end])
    }

    /// The elements around one, from the inside out.
    pub(super) fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        let mut at = at;
        std::iter::from_fn(move || {
            let parent = self.nodes[at].parent;
            let is_outermost = parent == at;
            at = parent;
            (!is_outermost).then_some(parent)
        })
    }

    /// All words inside, as they stand there.
    pub(super) fn words(&self, at: usize) -> String {
        self.inside(at).filter_map(|(_, node)| node.text()).collect()
    }
}

/// The tokenizer tells it what it meets, by shared reference.
struct Sink(RefCell<Growing>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut growing = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => growing.text(text),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                growing.start(&tag);
                // Within these, a `<` is a letter like any other.
                return match &*tag.name {
                    _ if growing.is_xml => TokenSinkResult::Continue,
                    "script" => TokenSinkResult::RawData(ScriptData),
                    "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(Rawtext),
                    "title" | "textarea" => TokenSinkResult::RawData(Rcdata),
                    _ => TokenSinkResult::Continue,
                };
            }
            Token::TagToken(tag) => growing.end(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// A tree while it is read.
struct Growing {
    nodes: Vec<Node>,
    open: Vec<usize>,
    /// How many of each name are open: mostly none, and then there is nothing to look for.
    names: HashMap<String, usize>,
    /// How many elements were begun, too deep, within something that is not shown: their ends are not its end.
    buried: usize,
    is_xml: bool,
}

impl Growing {
    fn new(is_xml: bool) -> Self {
        let root = Node { end: 0, parent: 0, data: Data::Element(LocalName::from("html"), Vec::new()) };
        Self { nodes: vec![root], open: vec![0], names: HashMap::new(), buried: 0, is_xml }
    }

    fn push(&mut self, data: Data) -> usize {
        let (at, parent) = (self.nodes.len(), self.open.last().copied().unwrap_or(0));
        self.nodes.push(Node { end: at + 1, parent, data });
        at
    }

    fn text(&mut self, text: StrTendril) {
        if self.nodes.len() < NODES_MAX {
            self.push(Data::Text(text));
        }
    }

    fn start(&mut self, tag: &Tag) {
        self.make_way(&tag.name);
        if self.nodes.len() >= NODES_MAX || matches!(&*tag.name, "html" | "body" | "head") && self.is_open(&tag.name) {
            return;
        }
        let wanted = tag.attrs.iter().filter(|attribute| ATTRIBUTES.contains(&&*attribute.name.local));
        let attributes = wanted.map(|attribute| (attribute.name.local.clone(), attribute.value.clone())).collect();
        let at = self.push(Data::Element(tag.name.clone(), attributes));
        let is_closed = is_void(&tag.name) || (self.is_xml && tag.self_closing);
        if !is_closed {
            self.open(at);
        }
    }

    fn open(&mut self, at: usize) {
        if self.open.len() >= DEPTH_MAX {
            let innermost = self.open[DEPTH_MAX - 1];
            if is_hidden(&self.nodes[innermost]) {
                self.buried += 1;
                return;
            }
            self.shut(DEPTH_MAX - 1);
        }
        self.open.push(at);
        let name = self.nodes[at].name();
        match self.names.get_mut(name) {
            Some(count) => *count += 1,
            None => drop(self.names.insert(name.to_owned(), 1)),
        }
    }

    /// Closes what nobody closes but the next of its kind.
    fn make_way(&mut self, name: &str) {
        match name {
            "body" => self.close(&["head"], &[]),
            "li" => self.close(&["li"], &["ul", "ol", "menu", "table"]),
            "dt" | "dd" => self.close(&["dt", "dd"], &["dl", "table"]),
            "tr" => self.close(&["tr"], &["table"]),
            "td" | "th" => self.close(&["td", "th"], &["tr", "table"]),
            "thead" | "tbody" | "tfoot" => self.close(&["thead", "tbody", "tfoot", "caption"], &["table"]),
            "option" => self.close(&["option"], &["select"]),
            "a" => self.close(&["a"], &["table", "td", "th", "li", "p"]),
            _ => {}
        }
        if ends_paragraph(name) {
            self.close(&["p"], &["table", "td", "th", "caption", "button", "object"]);
        }
        if name.len() == 2 && is_heading(name) && self.open.last().is_some_and(|at| is_heading(self.nodes[*at].name()))
        {
            self.shut(self.open.len() - 1);
        }
    }

    /// Closes the innermost of these, and what is open in it, unless something that holds it together is further in.
    fn close(&mut self, names: &[&str], walls: &[&str]) {
        if !names.iter().any(|name| self.names.get(*name).is_some_and(|count| *count > 0)) {
            return;
        }
        for depth in (1..self.open.len()).rev() {
            let name = self.nodes[self.open[depth]].name();
            if names.contains(&name) {
                return self.shut(depth);
            }
            if walls.contains(&name) {
                return;
            }
        }
    }

    fn end(&mut self, name: &str) {
        if self.buried > 0 {
            self.buried -= 1;
            return;
        }
        match name {
            // What comes after them belongs to the page all the same.
            "html" | "body" => {}
            "table" => self.close(&["table"], &[]),
            "tr" | "thead" | "tbody" | "tfoot" | "td" | "th" | "caption" => self.close(&[name], &["table"]),
            _ => self.close(&[name], &["td", "th", "caption", "table"]),
        }
    }

    fn shut(&mut self, depth: usize) {
        let end = self.nodes.len();
        for at in self.open.drain(depth..) {
            self.nodes[at].end = end;
            if let Some(count) = self.names.get_mut(self.nodes[at].name()) {
                *count = count.saturating_sub(1);
            }
        }
    }

    fn is_open(&self, name: &str) -> bool {
        name == "html" || self.names.get(name).is_some_and(|count| *count > 0)
    }

    fn grown(mut self) -> Tree {
        self.shut(0);
        Tree { nodes: self.nodes }
    }
}

/// Whether it is a heading.
pub(super) fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Whether a paragraph that is still open ends where this begins.
fn ends_paragraph(name: &str) -> bool {
    is_heading(name)
        || matches!(
            name,
            "address"
                | "article"
                | "aside"
                | "blockquote"
                | "details"
                | "dialog"
                | "div"
                | "dl"
                | "fieldset"
                | "figcaption"
                | "figure"
                | "footer"
                | "form"
                | "header"
                | "hr"
                | "li"
                | "main"
                | "menu"
                | "nav"
                | "ol"
                | "p"
                | "pre"
                | "section"
                | "table"
                | "ul"
        )
}
