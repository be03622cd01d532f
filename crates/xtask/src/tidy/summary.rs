//! Every page under docs/ is part of the site: docs/SUMMARY.md links to it.

use super::links;
use crate::tree::SourceFile;
use crate::violation::Violation;

const SUMMARY: &str = "docs/SUMMARY.md";

pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let Some(summary) = files.iter().find(|file| file.path == SUMMARY) else {
        return vec![Violation::new(SUMMARY, 1, "is missing: it lists the pages of the site")];
    };
    let text = summary.text();
    let listed: Vec<String> = links::files(SUMMARY, &text).collect();
    let pages = files.iter().filter(|file| is_part(&file.path) && !listed.contains(&file.path));
    pages
        .map(|page| Violation::new(page.path.as_str(), 1, "is not on the site: link to it in docs/SUMMARY.md"))
        .collect()
}

fn is_part(path: &str) -> bool {
    path.starts_with("docs/") && path.ends_with(".md") && path != SUMMARY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    #[test]
    fn pages_are_listed() {
        let summary = SourceFile::new(SUMMARY, "# Summary\n\n- [A](a.md)\n  - [B](b/c.md)\n");
        let page = |path| SourceFile::new(path, "");
        assert_violations(check(&[page("docs/a.md"), page("docs/b/c.md"), page("README.md"), summary]), &[]);
        let summary = SourceFile::new(SUMMARY, "- [A](a.md)\n");
        assert_violations(check(&[page("docs/b.md"), summary]), &["docs/b.md:1: is not on the site"]);
        assert_violations(check(&[]), &["docs/SUMMARY.md:1: is missing"]);
    }
}
