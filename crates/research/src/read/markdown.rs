//! Markdown, with optional front matter.

use super::{ExtractedText, date, title};

/// Reads Markdown. The body stays as it is.
pub(super) fn read(text: &str) -> ExtractedText {
    let (facts, body) = front_matter(text);
    let fact = |wanted: &str| facts.lines().find_map(|line| value(line, wanted));
    let published = ["date", "published", "created"].iter().find_map(|name| date::day(&fact(name)?));
    let named = fact("title").as_deref().and_then(title).or_else(|| heading(body));
    ExtractedText { title: named, published, body: body.trim().to_owned() }
}

/// The front matter between two lines of `---` (or `+++`) at the very beginning, and the rest.
fn front_matter(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    for fence in ["---", "+++"] {
        let Some(rest) =
            text.strip_prefix(fence).and_then(|rest| rest.trim_start_matches([' ', '\t']).strip_prefix('\n'))
        else {
            continue;
        };
        let mut at = 0;
        for line in rest.split_inclusive('\n') {
            if line.trim_end() == fence {
                return (&rest[..at], &rest[at + line.len()..]);
            }
            at += line.len();
        }
    }
    ("", text)
}

/// The value in `name: value` or `name = "value"`, if the name is the wanted one.
fn value(line: &str, wanted: &str) -> Option<String> {
    let (name, value) = line.split_once([':', '='])?;
    let value = value.trim().trim_matches(['"', '\'']).trim();
    (name.trim().eq_ignore_ascii_case(wanted) && !value.is_empty()).then(|| value.to_owned())
}

/// The first heading, in either of its forms.
fn heading(body: &str) -> Option<String> {
    let (mut is_code, mut before) = (false, "");
    for line in body.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
        } else if is_code {
            continue;
        } else if let Some(words) =
            line.strip_prefix('#').and_then(|rest| rest.trim_start_matches('#').strip_prefix(' '))
        {
            return title(words.trim_end_matches('#'));
        } else if line.len() >= 3 && line.bytes().all(|byte| byte == b'=') && !before.is_empty() {
            return title(before);
        }
        before = line;
    }
    None
}
