//! The manual does not point at nothing: relative links in README.md and docs/ lead to files that exist.

use crate::tree::File;
use crate::violation::Violation;

/// `exists` is asked for paths relative to the root.
pub fn check(files: &[File], exists: impl Fn(&str) -> bool) -> Vec<Violation> {
    let mut violations = Vec::new();
    for page in files.iter().filter(|file| is_page(&file.path)) {
        for link in links(&page.text()) {
            if let Some(what) = objection(&page.path, &link.target, &exists) {
                violations.push(Violation::new(page.path.as_str(), link.line, what));
            }
        }
    }
    violations
}

fn is_page(path: &str) -> bool {
    path == "README.md" || (path.starts_with("docs/") && path.ends_with(".md"))
}

#[derive(Debug, PartialEq, Eq)]
struct Link {
    target: String,
    line: usize,
}

fn objection(page: &str, target: &str, exists: impl Fn(&str) -> bool) -> Option<String> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    if path.is_empty() || has_scheme(target) {
        return None;
    }
    match resolve(page, path) {
        Some(path) if exists(&path) => None,
        Some(path) => Some(format!("links to {target}, but there is no {path}: correct or remove the link")),
        None => Some(format!("links to {target}, outside of the repository: link to it by URL")),
    }
}

/// `https:`, `mailto:`, and `//host`.
fn has_scheme(target: &str) -> bool {
    let scheme = target.split_once(':').map(|(scheme, _)| scheme);
    target.starts_with("//")
        || scheme.is_some_and(|scheme| !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// From a page's own path and a link in it to a path from the root; `None` if that would leave the root.
pub(super) fn resolve(page: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = match link.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => page.split('/').collect(),
    };
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Links and images outside of code: `[text](target)` and `[name]: target`.
fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let marker = ["```", "~~~"].into_iter().find(|marker| line.trim_start().starts_with(marker));
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(open), Some(close)) if open == close => fence = None,
            (Some(_), _) => {}
            (None, None) => {
                let line_number = index.saturating_add(1);
                found.extend(targets(&without_code(line)).into_iter().map(|target| Link { target, line: line_number }));
            }
        }
    }
    found
}

/// Every second part between backticks is code.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

fn targets(line: &str) -> Vec<String> {
    let definition = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
    let inline = line.split("](").skip(1).map(until_closed);
    definition.into_iter().chain(inline).filter_map(without_title).collect()
}

/// Up to the parenthesis that closes the link; the target may contain pairs of its own.
fn until_closed(rest: &str) -> &str {
    let mut depth = 0_usize;
    for (index, c) in rest.char_indices() {
        match c {
            '(' => depth = depth.saturating_add(1),
            ')' if depth == 0 => return &rest[..index],
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    rest
}

/// `target "title"` and `<target with spaces>`.
fn without_title(target: &str) -> Option<String> {
    let target = target.trim();
    match target.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((target, _)) => Some(target.to_owned()),
        None => target.split_whitespace().next().map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check_page(path: &str, text: &str, expected: &[&str]) {
        let existing = ["README.md", "docs/architecture.md", "docs/img/a b.png", "crates/engine"];
        assert_violations(check(&[File::new(path, text)], |path| existing.contains(&path)), expected);
    }

    #[test]
    fn links_to_files_are_fine() {
        check_page("README.md", "See [it](docs/architecture.md#rooms \"the rooms\") and [](crates/engine/).", &[]);
        check_page("docs/a.md", "[a](architecture.md) [b](./architecture.md?x) [c](../README.md) [d](/README.md)", &[]);
        check_page("docs/a.md", "![a](<img/a b.png>)\n\n[b]: architecture.md\n", &[]);
    }

    #[test]
    fn links_elsewhere_are_not_ours() {
        check_page("README.md", "[a](https://example.com/x) [b](mailto:a@example.com) [c](#below)", &[]);
    }

    #[test]
    fn broken_links_are_found() {
        check_page(
            "docs/a.md",
            "text\n[a](missing.md#x)",
            &["docs/a.md:2: links to missing.md#x, but there is no docs/missing.md"],
        );
        check_page("README.md", "[a]: nowhere.md", &["README.md:1: links to nowhere.md"]);
        check_page("README.md", "[a](../x.md)", &["README.md:1: links to ../x.md, outside"]);
        check_page(
            "README.md",
            "[![a](x.png)](y(1).md)",
            &["README.md:1: links to x.png", "README.md:1: links to y(1).md"],
        );
    }

    #[test]
    fn code_is_not_read() {
        check_page("README.md", "`[a](missing.md)`\n```rust\n[a](missing.md)\n```\n", &[]);
        check_page("README.md", "```\n~~~\n```\n[a](missing.md)", &["README.md:4: links to missing.md"]);
    }

    #[test]
    fn other_files_are_not_read() {
        check_page("crates/engine/README.md", "[a](missing.md)", &[]);
        check_page("docs/a.txt", "[a](missing.md)", &[]);
    }
}
