//! Pages: what a person would read of them. `tree` takes a page apart, `facts` finds its title and date, `boilerplate` knows
//! what is there for getting about or is not seen at all, `choice` where the text is, `walk` and `table` put it into lines.
//!
//! There are libraries that choose the main part of a page. The one that was tried needed 26 s for 5,000 nested elements, so
//! a page could have held up the house; this takes time in proportion to the page's length.

mod boilerplate;
mod choice;
mod facts;
mod table;
mod tree;
mod walk;

use boilerplate::Measures;
use tree::Tree;

use super::Text;

/// Below this many letters the main part is not believed.
const LETTERS_MIN: usize = 200;

/// Reads a page.
pub(super) fn read(html: &str) -> Text {
    let tree = Tree::of(html);
    Text { title: facts::title(&tree), published: facts::published(&tree), body: body(&tree) }
}

/// The main part; or, where that says next to nothing, all there is.
fn body(tree: &Tree) -> String {
    let measures = Measures::of(tree);
    let main = walk::lines(tree, choice::main_part(tree, &measures), |at| measures.is_left_out(at));
    if letters(&main) >= LETTERS_MIN {
        return main;
    }
    // A short page, or a list of links: better with its menus than without its words.
    let frugal = walk::lines(tree, 0, |at| measures.is_marked(at));
    let whole = if letters(&frugal) > 0 { frugal } else { walk::lines(tree, 0, |at| measures.is_hidden(at)) };
    if letters(&main) * 2 >= letters(&whole) { main } else { whole }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|char| char.is_alphanumeric()).count()
}
