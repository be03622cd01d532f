//! Prose wraps at [`WIDTH_MAX`] columns, in comments and in Markdown. What cannot be wrapped may be
//! longer: tables, code blocks, links, and a line that is one long word.

use crate::tree::SourceFile;
use crate::violation::Violation;

const WIDTH_MAX: usize = 100;

/// Markdown that programs write, and prompts, whose lines are what models read.
const NOT_PROSE: &[&str] = &["docs/reference/", "docs/SUMMARY.md", "crates/"];

pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let is_prose = |path: &str| !NOT_PROSE.iter().any(|prefix| path.starts_with(prefix));
    let found = files.iter().flat_map(|file| {
        let lines = match file.path.rsplit_once('.') {
            Some((_, "rs")) => long_comments(&file.text()),
            Some((_, "md")) if is_prose(&file.path) => long_prose(&file.text()),
            _ => Vec::new(),
        };
        lines.into_iter().map(|line| {
            Violation::new(file.path.as_str(), line, format!("prose is wider than {WIDTH_MAX} columns: wrap it"))
        })
    });
    found.collect()
}

fn long_comments(text: &str) -> Vec<usize> {
    let mut in_code = false;
    numbered(text)
        .filter(|(_, line)| {
            let Some(comment) = line.trim_start().strip_prefix("//") else { return false };
            let words = comment.trim_start_matches(['/', '!']).trim_start();
            in_code ^= words.starts_with("```");
            !in_code && is_too_wide(line, words)
        })
        .map(|(number, _)| number)
        .collect()
}

fn long_prose(text: &str) -> Vec<usize> {
    let mut in_code = false;
    numbered(text)
        .filter(|(_, line)| {
            let words = line.trim_start();
            in_code ^= words.starts_with("```");
            !in_code && is_too_wide(line, words)
        })
        .map(|(number, _)| number)
        .collect()
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at.saturating_add(1), line))
}

fn is_too_wide(line: &str, words: &str) -> bool {
    let is_table = words.starts_with('|');
    // A heading, a picture or a link stands on one line.
    let is_whole = words.starts_with(['#', '!', '<', '[']);
    let breaks = words.char_indices().any(|(at, letter)| letter == ' ' && at > 3 && at < WIDTH_MAX);
    line.chars().count() > WIDTH_MAX && !is_table && !is_whole && breaks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check_text(path: &str, text: &str, expected: &[&str]) {
        assert_violations(check(&[SourceFile::new(path, text)]), expected);
    }

    #[test]
    fn prose_wraps() {
        let wide = "many words ".repeat(10);
        check_text("crates/a/src/b.rs", &format!("/// {wide}\n"), &["crates/a/src/b.rs:1: prose is wider"]);
        check_text("docs/a.md", &format!("short\n{wide}\n"), &["docs/a.md:2: prose is wider"]);
    }

    #[test]
    fn tables_code_and_long_words_may_be_wider() {
        let wide = "many words ".repeat(10);
        check_text("docs/a.md", &format!("| {wide} |\n```sh\n{wide}\n```\n"), &[]);
        check_text("docs/a.md", &"x".repeat(200), &[]);
        check_text("crates/a/src/b.rs", &format!("fn f() {{ g(\"{wide}\") }}\n"), &[]);
    }
}
