//! A preprocessor of mdBook. Pages link to files outside of docs/, which the site does not have:
//! such a link becomes plain text, or a link into the repository that `DWELL_REPOSITORY` names, as
//! in `https://example.com/dwell/blob/main`.

use std::io::Read;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::tidy::links::{resolve, until_closed};

/// The folder of the site's pages.
const PAGES: &str = "docs/";

/// Reads the book that mdBook writes to standard input, and prints it changed.
#[allow(clippy::disallowed_methods, reason = "a tool reads its environment")]
pub fn run() -> Result<()> {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).context("failed to read the book")?;
    let (_context, mut book): (Value, Value) = serde_json::from_str(&input).context("failed to understand the book")?;
    rewrite(&mut book, std::env::var("DWELL_REPOSITORY").ok().as_deref());
    println!("{book}");
    Ok(())
}

/// Changes every chapter, however the version of mdBook nests them.
fn rewrite(value: &mut Value, repository: Option<&str>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rewrite(item, repository)),
        Value::Object(fields) => {
            let path = fields.get("path").and_then(Value::as_str).map(|path| format!("{PAGES}{path}"));
            if let (Some(path), Some(Value::String(content))) = (path, fields.get_mut("content")) {
                *content = page(&path, content, repository);
            }
            fields.values_mut().for_each(|field| rewrite(field, repository));
        }
        _ => {}
    }
}

fn page(path: &str, text: &str, repository: Option<&str>) -> String {
    let mut in_code = false;
    let lines = text.lines().map(|line| {
        in_code ^= line.trim_start().starts_with("```");
        if in_code { line.to_owned() } else { rewrite_line(path, line, repository) }
    });
    lines.map(|line| line + "\n").collect()
}

fn rewrite_line(page: &str, line: &str, repository: Option<&str>) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        let target = until_closed(after);
        let following = after.get(target.len().saturating_add(1)..).unwrap_or_default();
        text.push_str(before);
        match outside(page, target) {
            None => text.push_str(&format!("]({target})")),
            Some(path) => match (repository, opening(&text)) {
                (Some(url), _) => text.push_str(&format!("]({url}/{path})")),
                (None, Some(start)) => {
                    text.remove(start);
                }
                (None, None) => text.push_str(&format!("]({target})")),
            },
        }
        rest = following;
    }
    text + rest
}

/// The path of a link's target from the root, if it is a file outside of the pages.
fn outside(page: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with(['#', '<']) || target.starts_with("mailto:") {
        return None;
    }
    resolve(page, target).filter(|path| !path.starts_with(PAGES))
}

/// Where the bracket stands that opens the text of a link, whose text ends here.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, c) in text.char_indices().rev() {
        match c {
            ']' => depth = depth.saturating_add(1),
            '[' if depth == 0 => return Some(index),
            '[' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, repository: Option<&str>, expected: &str) {
        assert_eq!(page("docs/how-to/a.md", text, repository), format!("{expected}\n"));
    }

    #[test]
    fn links_within_the_site_stay() {
        let text = "[a](b.md#c) and [d](../security.md), [e](https://example.com/x), [f](#g) ![h](../p/q.webp)";
        check(text, None, text);
        check("`x](../../README.md)` is code", None, "`x](../../README.md)` is code");
    }

    #[test]
    fn links_out_of_the_site_become_text_or_lead_into_the_repository() {
        let text = "See [`store.rs`](../../crates/journal/src/store.rs), [a](b.md) and [the README](../../README.md).";
        check(text, None, "See `store.rs`, [a](b.md) and the README.");
        let linked = "See [`store.rs`](https://r.example/main/crates/journal/src/store.rs), [a](b.md) and \
                      [the README](https://r.example/main/README.md).";
        check(text, Some("https://r.example/main"), linked);
    }

    #[test]
    fn code_blocks_are_left_alone() {
        check("```md\n[a](../../README.md)\n```", None, "```md\n[a](../../README.md)\n```");
    }

    #[test]
    fn chapters_are_found_at_any_depth() {
        let chapter = |content: &str| json!({ "Chapter": { "path": "a.md", "content": content, "sub_items": [] } });
        let mut book = json!({ "items": [chapter("[a](../README.md)"), "Separator"] });
        rewrite(&mut book, None);
        assert_eq!(book, json!({ "items": [chapter("a\n"), "Separator"] }));
    }
}
