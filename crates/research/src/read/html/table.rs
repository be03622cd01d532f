//! Tables as rows: `| a | b |`, with the header row first.

use super::tree::{Node, Tree};

/// Maximum number of columns.
const COLUMNS_MAX: usize = 64;
/// A cell with more letters is a part of the page's layout.
const CELL_LETTERS_MAX: usize = 1500;

/// Whether a table is used for layout only: it is marked so, contains tables, has one cell per row,
/// or has very long cells.
pub(super) fn is_layout(tree: &Tree, table: usize) -> bool {
    if matches!(tree.node(table).attribute("role"), Some("presentation" | "none")) {
        return true;
    }
    if tree.inside(table).any(|(_, node)| matches!(node.name(), "table" | "main" | "article" | "form" | "h1")) {
        return true;
    }
    let is_wide = rows_of(tree, table).any(|row| cells_of(tree, row).nth(1).is_some());
    let is_page = |cell: usize| {
        tree.inside(cell).filter_map(|(_, node)| node.text()).map(str::len).sum::<usize>() > CELL_LETTERS_MAX
    };
    !is_wide || rows_of(tree, table).any(|row| cells_of(tree, row).any(is_page))
}

/// The rows of a table, after its caption.
pub(super) fn rows(tree: &Tree, table: usize, is_left_out: &impl Fn(usize) -> bool) -> Vec<String> {
    let caption = tree.inside(table).find(|(_, node)| node.name() == "caption");
    let caption = caption.map(|(at, _)| words(tree, at, is_left_out)).filter(|words| !words.is_empty());
    let (heads, others): (Vec<usize>, Vec<usize>) = rows_of(tree, table)
        .filter(|row| !is_left_out(*row))
        .partition(|row| tree.node(tree.node(*row).parent).name() == "thead");
    // Cells that span the rows below: number of rows, and their text.
    let mut reaching: Vec<(usize, String)> = Vec::new();
    let rows = heads.into_iter().chain(others).filter_map(|row| line(tree, row, &mut reaching, is_left_out));
    caption.into_iter().chain(rows).collect()
}

fn line(
    tree: &Tree,
    row: usize,
    reaching: &mut Vec<(usize, String)>,
    is_left_out: &impl Fn(usize) -> bool,
) -> Option<String> {
    let mut cells: Vec<String> = Vec::new();
    let reached = |cells: &mut Vec<String>, reaching: &mut Vec<(usize, String)>| {
        while let Some((rows, words)) = reaching.get_mut(cells.len()).filter(|(rows, _)| *rows > 0) {
            *rows -= 1;
            cells.push(words.clone());
        }
    };
    let mut has_own = false;
    for cell in cells_of(tree, row).filter(|cell| !is_left_out(*cell)) {
        reached(&mut cells, reaching);
        if cells.len() >= COLUMNS_MAX {
            break;
        }
        let words = words(tree, cell, is_left_out);
        has_own |= !words.is_empty();
        let node = tree.node(cell);
        let (columns, rows) = (number(node, "colspan").min(COLUMNS_MAX - cells.len()), number(node, "rowspan"));
        for column in 0..columns {
            let words = if column == 0 { words.clone() } else { String::new() };
            if reaching.len() <= cells.len() {
                reaching.resize(cells.len() + 1, (0, String::new()));
            }
            reaching[cells.len()] = (rows - 1, if rows > 1 { words.clone() } else { String::new() });
            cells.push(words);
        }
    }
    reached(&mut cells, reaching);
    has_own.then(|| format!("| {} |", cells.join(" | ")))
}

/// Number of rows or columns that a cell spans.
fn number(node: &Node, name: &str) -> usize {
    node.attribute(name).and_then(|value| value.trim().parse().ok()).unwrap_or(1).clamp(1, 1000)
}

/// The text of a cell on one line.
fn words(tree: &Tree, at: usize, is_left_out: &impl Fn(usize) -> bool) -> String {
    let mut words = String::new();
    for (_, node) in tree.inside(at).filter(|(at, _)| !is_left_out(*at)) {
        match node.text() {
            Some(text) => words.push_str(text),
            None if node.name() == "img" => words.push_str(node.attribute("alt").unwrap_or_default()),
            None if matches!(node.name(), "br" | "p" | "div" | "li" | "ul" | "ol") => words.push(' '),
            None => {}
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The rows of this table, without those of nested tables.
fn rows_of(tree: &Tree, table: usize) -> impl Iterator<Item = usize> {
    tree.inside(table).filter(|(_, node)| node.name() == "tr").map(|(at, _)| at)
}

fn cells_of(tree: &Tree, row: usize) -> impl Iterator<Item = usize> {
    tree.inside(row).filter(move |(_, node)| matches!(node.name(), "td" | "th") && node.parent == row).map(|(at, _)| at)
}
