//! Finding the main content of a page.

use super::{boilerplate::Measures, table, tree::Tree};

/// The main content is the smallest element with this percentage of the letters worth reading.
const SHARE_MIN: usize = 90;
/// An element marked as the main content needs at least this percentage.
const NAMED_SHARE_MIN: usize = 25;
/// It also needs at least this many letters.
const NAMED_LETTERS_MIN: usize = 140;

/// The element to read: the one marked as the main content if it has enough text, or else the
/// smallest one with most of the text.
pub(super) fn main_part(tree: &Tree, measures: &Measures<'_>) -> usize {
    let all = measures.good(0);
    named(tree, measures, all).unwrap_or_else(|| smallest(tree, measures, all))
}

fn named(tree: &Tree, measures: &Measures<'_>, all: usize) -> Option<usize> {
    let is_believed = |at: &usize| {
        let good = measures.good(*at);
        good >= NAMED_LETTERS_MIN && good * 100 >= all * NAMED_SHARE_MIN
    };
    let is_main = |at: &usize| tree.node(*at).name() == "main" || tree.node(*at).attribute("role") == Some("main");
    let mains = (0..tree.len()).filter(is_main).filter(|at| !measures.is_marked(*at));
    if let Some(main) = mains.filter(is_believed).max_by_key(|at| measures.good(*at)) {
        return Some(main);
    }
    // Several articles are a list, which is read as a whole.
    let mut articles = (0..tree.len()).filter(|at| tree.node(*at).name() == "article" && !measures.is_marked(*at));
    let article = articles.next()?;
    let others = articles.filter(|at| *at >= tree.node(article).end).map(|at| measures.good(at)).max().unwrap_or(0);
    (is_believed(&article) && others * 4 < measures.good(article)).then_some(article)
}

/// Descends as long as one element has most of the text.
fn smallest(tree: &Tree, measures: &Measures<'_>, all: usize) -> usize {
    let mut part = 0;
    // Inner elements come later, so one pass finds the innermost.
    for (at, node) in tree.inside(0) {
        let is_container = matches!(
            node.name(),
            "body" | "div" | "section" | "article" | "td" | "tr" | "tbody" | "table" | "form" | "center" | "blockquote"
        );
        if is_container && at < tree.node(part).end && measures.good(at) * 100 >= all * SHARE_MIN && all > 0 {
            part = at;
        }
    }
    // A part of a table is extended to the whole table.
    let table = tree.around(part).find(|at| tree.node(*at).name() == "table");
    table.filter(|table| !table::is_layout(tree, *table)).unwrap_or(part)
}
