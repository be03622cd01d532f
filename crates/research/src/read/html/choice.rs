//! Where on a page the text is.

use super::{boilerplate::Measures, table, tree::Tree};

/// Of so many hundredths of the words worth reading, the smallest element that has them is the main part.
const SHARE_MIN: usize = 90;
/// A part that calls itself the main one has at least so many hundredths.
const NAMED_SHARE_MIN: usize = 25;
/// And at least so many letters.
const NAMED_LETTERS_MIN: usize = 140;

/// The element to read: the one that says it is the main part, if it says something, or else the smallest that has most of
/// the words.
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
    // Several articles are a list of them, which is read as a whole.
    let mut articles = (0..tree.len()).filter(|at| tree.node(*at).name() == "article" && !measures.is_marked(*at));
    let article = articles.next()?;
    let others = articles.filter(|at| *at >= tree.node(article).end).map(|at| measures.good(at)).max().unwrap_or(0);
    (is_believed(&article) && others * 4 < measures.good(article)).then_some(article)
}

/// Goes inwards as long as one element has most of the words.
fn smallest(tree: &Tree, measures: &Measures<'_>, all: usize) -> usize {
    let mut part = 0;
    // What is further in comes later, so one pass finds the innermost.
    for (at, node) in tree.inside(0) {
        let is_container = matches!(
            node.name(),
            "body" | "div" | "section" | "article" | "td" | "tr" | "tbody" | "table" | "form" | "center" | "blockquote"
        );
        if is_container && at < tree.node(part).end && measures.good(at) * 100 >= all * SHARE_MIN && all > 0 {
            part = at;
        }
    }
    // Half a table is no table.
    let table = tree.around(part).find(|at| tree.node(*at).name() == "table");
    table.filter(|table| !table::is_layout(tree, *table)).unwrap_or(part)
}
