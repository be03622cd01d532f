//! Boilerplate of a page: menus, banners, forms and hidden elements.

use super::tree::{Node, Tree};

/// Words in an element's class or id that mark boilerplate.
const TELLTALES: [&str; 34] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "breadcrumb",
    "breadcrumbs",
    "catlinks",
    "comments",
    "consent",
    "cookie",
    "cookiebanner",
    "cookiebar",
    "cookieconsent",
    "cookies",
    "disqus",
    "editsection",
    "gdpr",
    "menu",
    "modal",
    "navbar",
    "navbox",
    "navigation",
    "newsletter",
    "onetrust",
    "pagination",
    "popup",
    "promo",
    "related",
    "share",
    "sharing",
    "sidebar",
    "social",
    "sponsored",
    "subscribe",
];
/// Classes of elements that only screen readers see.
const UNSEEN: [&str; 4] = ["sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text"];
/// A block with a larger share of its letters in links is a menu.
const LINKS_SHARE: f64 = 0.7;
/// A block with fewer links is text that happens to contain links.
const LINKS_MIN: usize = 3;

/// Measures of each element: how much text it has, and whether it is boilerplate.
pub(super) struct Measures<'a> {
    tree: &'a Tree,
    /// Running sums of letters: visible ones, those in links, and those outside of links and
    /// boilerplate.
    seen: Vec<usize>,
    linked: Vec<usize>,
    good: Vec<usize>,
    links: Vec<usize>,
    /// Running sums of elements that indicate text: headings, paragraphs, tables.
    h1: Vec<usize>,
    signs: Vec<usize>,
    hidden: Vec<bool>,
    marked: Vec<bool>,
}

impl<'a> Measures<'a> {
    /// Measures a page, with one pass per measure.
    pub(super) fn of(tree: &'a Tree) -> Self {
        let hidden = spread(tree, |_, node| is_hidden(node));
        let in_link = spread(tree, |_, node| node.name() == "a" && node.attribute("href").is_some());
        let letters: Vec<usize> =
            (0..tree.len()).map(|at| if hidden[at] { 0 } else { tree.node(at).text().map_or(0, letters) }).collect();
        let mut measures = Self {
            tree,
            seen: sums(tree, |at, _| letters[at]),
            linked: sums(tree, |at, _| if in_link[at] { letters[at] } else { 0 }),
            good: Vec::new(),
            links: sums(tree, |at, node| usize::from(node.name() == "a" && !hidden[at])),
            h1: sums(tree, |_, node| usize::from(matches!(node.name(), "h1" | "main" | "article"))),
            signs: sums(tree, |_, node| usize::from(matches!(node.name(), "p" | "table"))),
            hidden,
            marked: Vec::new(),
        };
        let marked = spread(tree, |at, node| measures.is_marked_itself(at, node));
        measures.good = sums(tree, |at, _| if marked[at] || in_link[at] { 0 } else { letters[at] });
        measures.marked = marked;
        measures
    }

    /// Whether it is hidden.
    pub(super) fn is_hidden(&self, at: usize) -> bool {
        self.hidden[at]
    }

    /// Whether it is hidden, or its name or class marks boilerplate.
    pub(super) fn is_marked(&self, at: usize) -> bool {
        self.hidden[at] || self.marked[at]
    }

    /// Whether it is skipped: marked as boilerplate, or a menu.
    pub(super) fn is_left_out(&self, at: usize) -> bool {
        self.is_marked(at) || self.is_menu(at)
    }

    /// Number of letters inside that are worth reading.
    pub(super) fn good(&self, at: usize) -> usize {
        self.within(&self.good, at)
    }

    fn within(&self, sums: &[usize], at: usize) -> usize {
        sums[self.tree.node(at).end] - sums[at]
    }

    fn is_menu(&self, at: usize) -> bool {
        let is_block = matches!(self.tree.node(at).name(), "ul" | "ol" | "dl" | "div" | "section" | "p");
        if !is_block || self.within(&self.links, at) < LINKS_MIN {
            return false;
        }
        let (linked, seen) = (self.within(&self.linked, at), self.within(&self.seen, at));
        share(linked, seen) > LINKS_SHARE
    }

    fn is_marked_itself(&self, at: usize, node: &Node) -> bool {
        let has_core = self.within(&self.h1, at) > 0;
        match node.name() {
            "" | "html" | "body" | "main" | "article" => false,
            "nav" | "footer" | "aside" | "button" | "select" | "textarea" | "input" | "label" => true,
            // The header of a page. That of an article has its title.
            "header" => {
                let is_inner =
                    self.tree.around(at).any(|at| matches!(self.tree.node(at).name(), "main" | "article" | "section"));
                !is_inner && (!has_core || self.within(&self.links, at) >= LINKS_MIN)
            }
            // Some pages are one form from top to bottom.
            "form" => !has_core && self.within(&self.signs, at) < 3,
            _ if is_role(node) => !has_core,
            _ if has_telltale(node) => {
                !has_core && share(self.within(&self.seen, at), self.within(&self.seen, 0)) < 0.5
            }
            _ => false,
        }
    }
}

/// Extends a property of an element to everything inside it.
fn spread(tree: &Tree, holds: impl Fn(usize, &Node) -> bool) -> Vec<bool> {
    let mut until = 0;
    let spread = (0..tree.len()).map(|at| {
        let node = tree.node(at);
        if at >= until && holds(at, node) {
            until = node.end;
        }
        at < until
    });
    spread.collect()
}

/// Running sums: entry `n` is the sum over all nodes before `n`.
fn sums(tree: &Tree, weigh: impl Fn(usize, &Node) -> usize) -> Vec<usize> {
    let mut sum = 0;
    let mut sums = Vec::with_capacity(tree.len() + 1);
    sums.push(0);
    for at in 0..tree.len() {
        sum += weigh(at, tree.node(at));
        sums.push(sum);
    }
    sums
}

fn letters(text: &str) -> usize {
    text.chars().filter(|char| !char.is_whitespace()).count()
}

#[expect(clippy::cast_precision_loss, reason = "a share")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn is_role(node: &Node) -> bool {
    let role = node.attribute("role").unwrap_or_default();
    matches!(
        role.trim(),
        "alert"
            | "alertdialog"
            | "banner"
            | "complementary"
            | "contentinfo"
            | "dialog"
            | "menu"
            | "menubar"
            | "navigation"
            | "search"
            | "tablist"
            | "toolbar"
    )
}

fn has_telltale(node: &Node) -> bool {
    let is_one = |word: &str| TELLTALES.contains(&word.to_ascii_lowercase().as_str());
    let names = [node.attribute("class"), node.attribute("id")];
    names.into_iter().flatten().flat_map(|names| names.split(|char: char| !char.is_alphanumeric())).any(is_one)
}

/// Whether a browser would not show it.
pub(super) fn is_hidden(node: &Node) -> bool {
    match node.name() {
        "" => return false,
        "script" | "style" | "noscript" | "template" | "iframe" | "object" | "embed" | "svg" | "canvas" | "video"
        | "audio" | "title" | "noembed" | "noframes" | "datalist" | "annotation" | "rp" => return true,
        "dialog" if node.attribute("open").is_none() => return true,
        // Some pages are hidden until a script has run.
        "html" | "body" => return false,
        _ => {}
    }
    let is_hidden = node.attribute("hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found"));
    let is_aria = node.attribute("aria-hidden").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
    let is_for_programs = node.attribute("class").is_some_and(|class| {
        class.split_whitespace().any(|name| UNSEEN.iter().any(|unseen| name.eq_ignore_ascii_case(unseen)))
    });
    is_hidden || is_aria || is_for_programs || node.attribute("style").is_some_and(is_hiding)
}

fn is_hiding(style: &str) -> bool {
    let style: String = style.chars().filter(|char| !char.is_whitespace()).collect::<String>().to_ascii_lowercase();
    style.split(';').any(|rule| {
        let Some((name, value)) = rule.split_once(':') else { return false };
        let value = value.trim_end_matches("!important");
        let is_zero =
            || value.trim_end_matches(|char: char| char.is_ascii_alphabetic() || char == '%').parse() == Ok(0.0);
        match name {
            "display" => value == "none",
            "visibility" => matches!(value, "hidden" | "collapse"),
            "opacity" | "font-size" => is_zero(),
            _ => false,
        }
    })
}
