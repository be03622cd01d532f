//! What reports look like, and that they contain nothing active.

use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag};
use serde_json::{Value, json};

use super::*;

fn report(value: Value) -> Input {
    serde_json::from_value(value).unwrap()
}

fn sample() -> Input {
    report(json!({
        "title": "Heat pumps *in* <old> houses",
        "sections": [
            {"heading": "Findings", "text": "They **work** [1].\n\n- cheap\n- quiet\n\n```\nopen"},
            {"heading": "", "text": "| a | b |\n|---|---|\n| 1 | 2 |"},
        ],
        "sources": [
            {"mark": "1", "title": "A_study", "source": "https://example.org/a?b=1&c=2"},
            {"mark": "2", "title": "Notes", "source": "library/notes.md"},
        ],
    }))
}

#[test]
fn markdown_has_title_sections_and_sources() {
    assert_eq!(
        markdown::compose(&sample()),
        "# Heat pumps \\*in\\* \\<old\\> houses\n\n## Findings\n\nThey **work** [1].\n\n- cheap\n- quiet\n\n```\nopen\n```\n\n\
         | a | b |\n|---|---|\n| 1 | 2 |\n\n## Sources\n\n- \\[1\\] A\\_study: <https://example.org/a?b=1&c=2>\n\
         - \\[2\\] Notes: library/notes.md\n"
    );
}

#[test]
fn a_page_has_the_same_and_stands_alone() {
    let page = html::compose(&sample());
    for part in [
        "<!doctype html>",
        "content=\"default-src 'none'; style-src 'unsafe-inline';",
        "<title>Heat pumps *in* &lt;old&gt; houses</title>",
        "<h1>Heat pumps *in* &lt;old&gt; houses</h1>",
        "<h2>Findings</h2>\n<p>They <strong>work</strong> [1].</p>\n<ul>\n<li>cheap</li>\n<li>quiet</li>\n</ul>\n",
        "<pre><code>open</code></pre>\n</section>",
        "<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n",
        "<li>[1] A_study: <a href=\"https://example.org/a?b=1&amp;c=2\" rel=\"noopener noreferrer\">",
        "<li>[2] Notes: library/notes.md</li>",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

#[test]
fn what_would_act_becomes_words() {
    for (text, expected) in [
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("a <b onclick=x()>b</b>", "<p>a &lt;b onclick=x()&gt;b&lt;/b&gt;</p>\n"),
        (
            "![pixel](https://evil.org/p.png)",
            "<p><a href=\"https://evil.org/p.png\" rel=\"noopener noreferrer\">pixel</a></p>\n",
        ),
        ("[a](javascript:alert(1))", "<p>a</p>\n"),
        ("[a](data:text/html,x)", "<p>a</p>\n"),
        ("[a](<https://x.org/\" onclick=\"y>)", "<p>a</p>\n"),
        (
            "[![a](https://x.org/i)](https://x.org)",
            "<p><a href=\"https://x.org\" rel=\"noopener noreferrer\">a</a></p>\n",
        ),
        ("# Title", "<h3>Title</h3>\n"),
    ] {
        assert_eq!(render::render(text), expected);
    }
}

#[test]
fn what_is_too_much_is_named() {
    let sections = json!([{"heading": "h", "text": "t"}]);
    for (wrong, expected) in [
        (json!({"title": " ", "sections": sections}), "`title` is empty"),
        (json!({"title": "x".repeat(301), "sections": sections}), "the title has 301 characters"),
        (json!({"title": "t", "sections": []}), "`sections` has 0"),
        (
            json!({"title": "t", "sections": [{"heading": "h".repeat(301), "text": ""}]}),
            "the heading of section 1 has 301",
        ),
        (json!({"title": "t", "sections": [{"heading": "", "text": "x".repeat(BYTES_MAX + 1)}]}), "the sections have"),
    ] {
        let error = check(&report(wrong)).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
    check(&sample()).unwrap();
}

/// The tags of a page, as written.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or(rest)).collect()
}

proptest! {
    #[test]
    fn whatever_is_written_makes_no_other_elements(
        text in "(\\PC|[<>&\"'`~*_|#!\\[\\]()\\n-]|<script>|<img src=x onerror=y>|javascript:|https://x\\.org/){0,60}",
    ) {
        let html = render::render(&text);
        let mut open = Vec::new();
        for tag in tags(&html) {
            let is_link = tag.starts_with("a href=\"http") || tag.starts_with("a href=\"mailto:");
            let name = if is_link { "a" } else { tag };
            let name = if name.starts_with("ol start=\"") { "ol" } else { name };
            match name.strip_prefix('/') {
                Some(closes) => prop_assert_eq!(open.pop(), Some(closes), "{}", html),
                None if ["br", "hr"].contains(&name) => {}
                None => open.push(name),
            }
            let known = ["p", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "ul", "ol", "li", "table", "tr", "th", "td",
                "em", "strong", "del", "a", "br", "hr"];
            prop_assert!(known.contains(&name.trim_start_matches('/')), "{} in {}", name, html);
        }
        prop_assert!(open.is_empty(), "{}", html);
    }

    #[test]
    fn a_title_is_nothing_but_a_title(title in "\\PC{1,40}") {
        let text = markdown::compose(&report(json!({"title": title, "sections": [{"heading": title, "text": "words"}]})));
        for event in Parser::new(&text) {
            if let Event::Start(tag) = &event {
                let is_plain = matches!(tag, Tag::Heading { .. } | Tag::Paragraph);
                prop_assert!(is_plain, "{:?} in {}", tag, text);
            }
            let is_markup = matches!(event, Event::Html(_) | Event::InlineHtml(_) | Event::Code(_));
            prop_assert!(!is_markup, "{}", text);
        }
    }
}
