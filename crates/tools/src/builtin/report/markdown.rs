//! A report as Markdown.

use super::{Input, ReportSection, ReportSource, is_link};

/// The whole report.
pub(super) fn compose(report: &Input) -> String {
    let mut text = format!("# {}\n", words(&report.title));
    for ReportSection { heading, text: body } in &report.sections {
        if !heading.trim().is_empty() {
            text.push_str(&format!("\n## {}\n", words(heading)));
        }
        let body = body.trim_matches(['\n', '\r']);
        if !body.trim().is_empty() {
            text.push_str(&format!("\n{}\n", closed(body)));
        }
    }
    if !report.sources.is_empty() {
        text.push_str("\n## Sources\n\n");
    }
    for ReportSource { mark, title, source } in &report.sources {
        let place = if is_link(source) { format!("<{source}>") } else { words(source) };
        text.push_str(&format!("- \\[{}\\] {}: {place}\n", words(mark), words(title)));
    }
    text
}

/// Text on one line, escaped for Markdown.
fn words(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        for char in word.chars().filter(|char| !char.is_control()) {
            if "\\`*_[]<>#~|&$".contains(char) {
                plain.push('\\');
            }
            plain.push(char);
        }
    }
    plain
}

/// A text whose last code block is closed, so that it does not swallow what follows.
fn closed(text: &str) -> String {
    let mut open: Option<(char, usize)> = None;
    for line in text.lines() {
        let line = line.trim_start_matches(' ');
        let Some(mark) = line.chars().next().filter(|char| matches!(char, '`' | '~')) else { continue };
        let count = line.chars().take_while(|char| *char == mark).count();
        let rest = line[count..].trim();
        open = match open {
            None if count >= 3 && !(mark == '`' && rest.contains('`')) => Some((mark, count)),
            Some((of, at_least)) if mark == of && count >= at_least && rest.is_empty() => None,
            as_it_was => as_it_was,
        };
    }
    match open {
        Some((mark, count)) => format!("{text}\n{}", mark.to_string().repeat(count)),
        None => text.to_owned(),
    }
}
