//! Relative links in the pages lead to files that exist, and to headings that exist in them.

use super::pages::{anchors, pages, prose};
use crate::tree::SourceFile;
use crate::violation::Violation;

/// `exists` is asked for paths relative to the root.
pub fn check(files: &[SourceFile], exists: impl Fn(&str) -> bool) -> Vec<Violation> {
    let mut violations = Vec::new();
    for page in pages(files) {
        for link in links(&page.text()) {
            if let Some(what) = objection(page, &link.target, files, &exists) {
                violations.push(Violation::new(page.path.as_str(), link.line, what));
            }
        }
    }
    violations
}

/// The files that a page links to, as paths from the root.
pub fn files(page: &str, text: &str) -> impl Iterator<Item = String> {
    let targets = links(text).into_iter().map(|link| link.target).filter(|target| !has_scheme(target));
    targets.filter_map(move |target| resolve(page, target.split(['#', '?']).next().unwrap_or_default()))
}

#[derive(Debug, PartialEq, Eq)]
struct Link {
    target: String,
    line: usize,
}

fn objection(page: &SourceFile, target: &str, files: &[SourceFile], exists: impl Fn(&str) -> bool) -> Option<String> {
    if has_scheme(target) {
        return None;
    }
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    let path = path.split('?').next().unwrap_or_default();
    if path.is_empty() {
        return missing_heading(page, target, fragment);
    }
    match resolve(&page.path, path) {
        Some(path) if exists(&path) => {
            let linked = files.iter().find(|file| file.path == path)?;
            missing_heading(linked, target, fragment)
        }
        Some(path) => Some(format!("links to {target}, but there is no {path}: correct or remove the link")),
        None => Some(format!("links to {target}, outside of the repository: link to it by URL")),
    }
}

/// Why a fragment leads nowhere in a page.
fn missing_heading(page: &SourceFile, target: &str, fragment: &str) -> Option<String> {
    let is_missing = page.path.ends_with(".md")
        && !fragment.is_empty()
        && !anchors(&page.text()).iter().any(|anchor| anchor == fragment);
    is_missing.then(|| format!("links to {target}, but {} has no such heading: correct the link", page.path))
}

/// `https:`, `mailto:`, and `//host`.
fn has_scheme(target: &str) -> bool {
    let scheme = target.split_once(':').map(|(scheme, _)| scheme);
    target.starts_with("//")
        || scheme.is_some_and(|scheme| !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// From a page's own path and a link in it to a path from the root; `None` if that would leave the
/// root.
pub fn resolve(page: &str, link: &str) -> Option<String> {
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
    let in_line =
        |(line, text): (usize, &str)| targets(&without_code(text)).into_iter().map(move |target| Link { target, line });
    prose(text).into_iter().flat_map(in_line).collect()
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
pub fn until_closed(rest: &str) -> &str {
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
        assert_violations(check(&[SourceFile::new(path, text)], |path| existing.contains(&path)), expected);
    }

    #[test]
    fn links_to_files_are_fine() {
        check_page("README.md", "See [it](docs/architecture.md \"the rooms\") and [](crates/engine/).", &[]);
        check_page("docs/a.md", "[a](architecture.md) [b](./architecture.md?x) [c](../README.md) [d](/README.md)", &[]);
        check_page("docs/a.md", "![a](<img/a b.png>)\n\n[b]: architecture.md\n", &[]);
    }

    #[test]
    fn links_elsewhere_are_not_ours() {
        check_page("README.md", "[a](https://example.com/x) [b](mailto:a@example.com) [c](mailto:b@example.com)", &[]);
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
    fn only_pages_are_read() {
        check_page("clients/python/README.md", "[a](missing.md)", &["clients/python/README.md:1: links to missing.md"]);
        check_page("crates/engine/prompts/system.md", "[a](missing.md)", &[]);
        check_page("docs/a.txt", "[a](missing.md)", &[]);
    }

    #[test]
    fn headings_are_looked_for() {
        let linked = SourceFile::new("docs/b.md", "# One thing\n");
        let check_links = |text: &str, expected: &[&str]| {
            let files = [SourceFile::new("docs/a.md", text), SourceFile::new("docs/b.md", &linked.text())];
            assert_violations(check(&files, |path| path == "docs/b.md" || path == "src/x.rs"), expected);
        };
        check_links("# Here\n[a](b.md#one-thing) [b](#here) [c](../src/x.rs#L7)", &[]);
        check_links(
            "[a](b.md#another)\n[b](#there)",
            &[
                "docs/a.md:1: links to b.md#another, but docs/b.md has no such heading",
                "docs/a.md:2: links to #there, but docs/a.md has no such heading",
            ],
        );
    }
}
