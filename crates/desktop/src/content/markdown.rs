//! Sanitizes Markdown: external images become links, HTML becomes text, and only safe links stay.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::picture;

/// The number of sanitizing rounds. Removing one piece of markup can create another.
const ROUNDS_MAX: usize = 16;

/// A range of the text, and its replacement.
type Edit = (Range<usize>, &'static str);

/// Sanitizes Markdown so that it loads nothing and runs nothing in any common dialect.
pub(super) fn harmless(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS_MAX {
        let edits = edits(&text);
        if edits.is_empty() {
            return text;
        }
        text = edited(&text, edits);
    }
    // Markup that is still not stable was nested on purpose, so all of it is escaped.
    text.replace('<', "&lt;").replace("](", "]\\(").replace('[', "\\[")
}

fn edits(text: &str) -> Vec<Edit> {
    let dialects = [
        Options::empty(),
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS,
    ];
    let mut edits: Vec<Edit> = dialects.into_iter().flat_map(|options| edits_in(text, options)).collect();
    edits.sort_unstable_by_key(|(range, _)| (range.start, range.end));
    edits.dedup_by_key(|(range, _)| range.start);
    edits
}

fn edits_in(text: &str, options: Options) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {
                edits.extend(all(text, &range, '<').map(|at| (at, "&lt;")));
            }
            Event::Start(Tag::Image { dest_url, .. }) if picture::refusal(&dest_url).is_some() => {
                // Without its `!`, an image becomes a link. Another `!` before it would make it an
                // image again.
                let after_mark = text[..range.start].ends_with('!');
                edits.push((range.start..range.start + 1, if after_mark { "\\!" } else { "" }));
            }
            Event::Start(Tag::Link { link_type, dest_url, .. }) if !is_link(link_type, &dest_url) => {
                let mark = if text[range.start..].starts_with('<') { "&lt;" } else { "\\[" };
                edits.push((range.start..range.start + 1, mark));
            }
            _ => {}
        }
    }
    edits
}

fn is_link(link_type: LinkType, address: &str) -> bool {
    // An email address in angle brackets has no scheme.
    link_type == LinkType::Email || picture::is_link(address)
}

/// The positions of a character in a range.
fn all<'a>(text: &'a str, range: &Range<usize>, char: char) -> impl Iterator<Item = Range<usize>> + 'a {
    let start = range.start;
    text[range.clone()].match_indices(char).map(move |(at, found)| start + at..start + at + found.len())
}

fn edited(text: &str, edits: Vec<Edit>) -> String {
    let mut result = String::with_capacity(text.len() + edits.len() * 3);
    let mut done = 0;
    for (range, instead) in edits {
        result.push_str(&text[done..range.start]);
        result.push_str(instead);
        done = range.end;
    }
    result.push_str(&text[done..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_from_elsewhere_become_links() {
        for (text, expected) in [
            ("![a](https://x.org/a.png)", "[a](https://x.org/a.png)"),
            ("so!![a](https://x.org/a.png)", "so!\\![a](https://x.org/a.png)"),
            ("![a][r]\n\n[r]: https://x.org/a.png", "[a][r]\n\n[r]: https://x.org/a.png"),
            ("[![a](https://x.org/a.png)](https://x.org)", "[[a](https://x.org/a.png)](https://x.org)"),
            ("| a |\n|---|\n| ![a](https://x.org/a.png) |", "| a |\n|---|\n| [a](https://x.org/a.png) |"),
            ("![a](data:image/svg+xml;base64,PHN2Zz4=)", "\\[a](data:image/svg+xml;base64,PHN2Zz4=)"),
        ] {
            assert_eq!(harmless(text), expected);
        }
    }

    #[test]
    fn pictures_that_are_here_stay() {
        for text in [
            "![a](artifact:01ARZ3NDEKTSV4RRFFQ69G5FAV)",
            "![a](data:image/png;base64,iVBORw0KGgo=)",
            "`![a](https://x.org/a.png)` is code, and so is\n\n```\n<img src=https://x.org>\n```\n",
            "[a](https://x.org) <https://x.org> <ada@example.org> 1 < 2 & **b**",
        ] {
            assert_eq!(harmless(text), text);
        }
    }

    #[test]
    fn html_and_links_that_act_become_words() {
        for (text, expected) in [
            ("a <b onclick=x()>b</b>", "a &lt;b onclick=x()>b&lt;/b>"),
            ("<div>\n![a](https://x.org)\n</div>", "&lt;div>\n[a](https://x.org)\n&lt;/div>"),
            ("[a](javascript:alert(1))", "\\[a](javascript:alert(1))"),
            ("<javascript:alert(1)>", "&lt;javascript:alert(1)>"),
            ("[a][r]\n\n[r]: javascript:alert(1)", "\\[a]\\[r]\n\n[r]: javascript:alert(1)"),
        ] {
            assert_eq!(harmless(text), expected);
        }
    }
}
