//! The Markdown pages of the repository, as the rules about links and paths see them.

use crate::tree::SourceFile;

/// The pages that people read. Markdown inside a crate is a prompt or a part of a program, unless
/// it is a README.
pub fn pages(files: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
    files.iter().filter(|file| is_page(&file.path))
}

fn is_page(path: &str) -> bool {
    let is_inside_crate = path.starts_with("crates/") && !path.ends_with("/README.md");
    path.ends_with(".md") && !is_inside_crate
}

/// The lines outside of code blocks, each with its number.
pub fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let marker = ["```", "~~~"].into_iter().find(|marker| line.trim_start().starts_with(marker));
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(open), Some(close)) if open == close => fence = None,
            (Some(_), _) => {}
            (None, None) => lines.push((index.saturating_add(1), line)),
        }
    }
    lines
}

/// The fragments by which a page's headings and marked places can be linked to.
pub fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let heading = line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'));
        if let Some(heading) = heading {
            let slug = slug(heading.trim());
            let same = anchors.iter().filter(|known| **known == slug || is_numbered(known, &slug)).count();
            anchors.push(if same == 0 { slug } else { format!("{slug}-{same}") });
        }
        for attribute in ["id=\"", "name=\""] {
            let marked = line.split(attribute).skip(1).filter_map(|rest| rest.split('"').next());
            anchors.extend(marked.map(str::to_owned));
        }
    }
    anchors
}

/// As GitHub and mdBook make it of a heading.
fn slug(heading: &str) -> String {
    let text = without_targets(heading);
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// `[text](target)` as `text`.
fn without_targets(text: &str) -> String {
    let mut parts = text.split("](");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    kept
}

/// Whether `known` is `slug` with a number, which tells equal headings apart.
fn is_numbered(known: &str, slug: &str) -> bool {
    let number = known.strip_prefix(slug).and_then(|rest| rest.strip_prefix('-'));
    number.is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readmes_and_documents_are_pages() {
        let is_page = |path: &str| pages(&[SourceFile::new(path, "")]).count() == 1;
        assert!(is_page("README.md"));
        assert!(is_page("docs/start/install.md"));
        assert!(is_page("crates/fuzz/README.md"));
        assert!(!is_page("crates/engine/prompts/system.md"));
        assert!(!is_page("docs/a.txt"));
    }

    #[test]
    fn code_blocks_are_not_prose() {
        assert_eq!(prose("a\n```sh\nb\n```\nc"), [(1, "a"), (5, "c")]);
        assert_eq!(prose("```\n~~~\n```\nc"), [(4, "c")]);
    }

    #[test]
    fn headings_can_be_linked_to() {
        let text = "# The `dwell` program\n## Say: yes/no\n```sh\n# no heading\n```\n## A [link](x.md)\n#tag\n";
        assert_eq!(anchors(text), ["the-dwell-program", "say-yesno", "a-link"]);
        assert_eq!(anchors("# a\n# a\n# a\n<a id=\"here\"></a>"), ["a", "a-1", "a-2", "here"]);
    }
}
