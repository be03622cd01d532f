//! HTML pages: the text that a person would read. `tree` parses a page, `metadata` finds its title
//! and date, `boilerplate` recognises navigation and hidden elements, `main_content` finds the
//! text, `walk` and `table` write it as lines.
//!
//! There are libraries that find the main content of a page. The one that was tried needed 26 s for
//! 5,000 nested elements, so that one page could have blocked the server. This code runs in linear
//! time.

mod boilerplate;
mod main_content;
mod metadata;
mod table;
mod tree;
mod walk;

use boilerplate::Measures;
use tree::Tree;

use super::ExtractedText;

/// With fewer letters the main content is not trusted.
const LETTERS_MIN: usize = 200;

/// Reads a page.
pub(super) fn read(html: &str) -> ExtractedText {
    let tree = Tree::of(html);
    ExtractedText { title: metadata::title(&tree), published: metadata::published(&tree), body: body(&tree) }
}

/// The main content or, if that has almost no text, the whole page.
fn body(tree: &Tree) -> String {
    let measures = Measures::of(tree);
    let main = walk::lines(tree, main_content::main_part(tree, &measures), |at| measures.is_left_out(at));
    if letters(&main) >= LETTERS_MIN {
        return main;
    }
    // A short page or a list of links: the text with its menus is better than none.
    let frugal = walk::lines(tree, 0, |at| measures.is_marked(at));
    let whole = if letters(&frugal) > 0 { frugal } else { walk::lines(tree, 0, |at| measures.is_hidden(at)) };
    if letters(&main) * 2 >= letters(&whole) { main } else { whole }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|char| char.is_alphanumeric()).count()
}
