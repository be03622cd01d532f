//! The elements of a page as a list in document order: the content of an element follows it, up to
//! its end. Nothing recurses, however deeply a page is nested.
//!
//! It parses tags as leniently as text needs, which is less than a browser does. Elements nested
//! deeper than [`DEPTH_MAX`] are treated as siblings.

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

/// Maximum nesting of elements.
const DEPTH_MAX: usize = 256;
/// Maximum number of elements and texts.
const NODES_MAX: usize = 400_000;
/// The attributes that are kept.
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

/// A page in document order.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// An element, or a text between two tags.
pub(super) struct Node {
    /// Index after the last node inside it.
    pub(super) end: usize,
    /// Index of the element around it. The root is its own parent.
    pub(super) parent: usize,
    data: NodeData,
}

enum NodeData {
    Element(LocalName, Vec<(LocalName, StrTendril)>),
    Text(StrTendril),
}

impl Node {
    /// The text, if it is not an element.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.data {
            NodeData::Text(text) => Some(text),
            NodeData::Element(..) => None,
        }
    }

    /// The element's name; empty for a text.
    pub(super) fn name(&self) -> &str {
        match &self.data {
            NodeData::Element(name, _) => name,
            NodeData::Text(_) => "",
        }
    }

    /// An attribute, if it is one of those that are kept.
    pub(super) fn attribute(&self, wanted: &str) -> Option<&str> {
        match &self.data {
            NodeData::Element(_, attributes) => {
                attributes.iter().find(|(name, _)| &**name == wanted).map(|(_, value)| &**value)
            }
            NodeData::Text(_) => None,
        }
    }
}

impl Tree {
    /// Parses a page.
    pub(super) fn of(html: &str) -> Self {
        let input = BufferQueue::default();
        input.push_back(StrTendril::from(html));
        let sink = Sink(RefCell::new(TreeBuilder::new(html.trim_start().starts_with("<?xml"))));
        let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
        // The sink never requests a pause.
        let _ = tokenizer.feed(&input);
        tokenizer.end();
        tokenizer.sink.0.into_inner().grown()
    }

    /// Number of nodes. The first one is the root.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node at an index.
    pub(super) fn node(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    /// The nodes inside a node, in order.
    pub(super) fn inside(&self, at: usize) -> impl Iterator<Item = (usize, &Node)> {
        let end = self.nodes[at].end;
        (at + 1..end).zip(&self.nodes[at + 1..end])
    }

    /// The elements around a node, from the inside out.
    pub(super) fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        let mut at = at;
        std::iter::from_fn(move || {
            let parent = self.nodes[at].parent;
            let is_outermost = parent == at;
            at = parent;
            (!is_outermost).then_some(parent)
        })
    }

    /// All text inside a node, verbatim.
    pub(super) fn words(&self, at: usize) -> String {
        self.inside(at).filter_map(|(_, node)| node.text()).collect()
    }
}

/// The tokenizer calls it by shared reference.
struct Sink(RefCell<TreeBuilder>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut growing = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => growing.text(text),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                growing.start(&tag);
                // In these elements, `<` is plain text.
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

/// A tree under construction.
struct TreeBuilder {
    nodes: Vec<Node>,
    open: Vec<usize>,
    /// Number of open elements by name. It is mostly zero, and then no search is needed.
    names: HashMap<String, usize>,
    /// Number of elements that are nested too deeply within a hidden element. Their end tags do not
    /// end it.
    buried: usize,
    is_xml: bool,
}

impl TreeBuilder {
    fn new(is_xml: bool) -> Self {
        let root = Node { end: 0, parent: 0, data: NodeData::Element(LocalName::from("html"), Vec::new()) };
        Self { nodes: vec![root], open: vec![0], names: HashMap::new(), buried: 0, is_xml }
    }

    fn push(&mut self, data: NodeData) -> usize {
        let (at, parent) = (self.nodes.len(), self.open.last().copied().unwrap_or(0));
        self.nodes.push(Node { end: at + 1, parent, data });
        at
    }

    fn text(&mut self, text: StrTendril) {
        if self.nodes.len() < NODES_MAX {
            self.push(NodeData::Text(text));
        }
    }

    fn start(&mut self, tag: &Tag) {
        self.make_way(&tag.name);
        if self.nodes.len() >= NODES_MAX || matches!(&*tag.name, "html" | "body" | "head") && self.is_open(&tag.name) {
            return;
        }
        let wanted = tag.attrs.iter().filter(|attribute| ATTRIBUTES.contains(&&*attribute.name.local));
        let attributes = wanted.map(|attribute| (attribute.name.local.clone(), attribute.value.clone())).collect();
        let at = self.push(NodeData::Element(tag.name.clone(), attributes));
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

    /// Closes elements with an optional end tag, which the next element of their kind ends.
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

    /// Closes the innermost element with one of these names and everything open in it, unless one
    /// of `walls` is further in.
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
            // Content after these end tags still belongs to the page.
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

/// Whether an open paragraph ends where this element starts.
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
