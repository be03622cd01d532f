//! Markdown and HTML: the content of windows, and the text of web pages.

use protocol::WindowContent;
use research::read::{MediaKind, read};

const MARKUP: [&str; 8] = [
    "# Title\n\n- [a](https://example.com) ![x](data:image/png;base64,aGk=)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "<p title=\"a\">x <b>y</b> <a href=\"https://example.com\">z</a></p><table><tr><td colspan=2>1</table>",
    "<svg><style><!--</style><img src=x onerror=alert(1)>--></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<a href=\"java&#10;script:alert(1)\">x</a><form action=x><button formaction=javascript:x>",
    "[x](javascript:alert(1)) ![y](http://127.0.0.1/z.png) <details open ontoggle=x>",
    "<!doctype html><html><head><title>t</title><meta charset=utf-16></head><body><article><h1>a</h1><p>b</p></article>",
];

/// Strings that must not occur in a window's markup, in lower case and without spaces.
const ACTING: [&str; 7] = ["<script", "<iframe", "<object", "<style", "<form", "onerror=", "onload="];

pub(super) fn windows() -> Vec<Vec<u8>> {
    MARKUP.map(|text| text.as_bytes().to_vec()).to_vec()
}

pub(super) fn pages() -> Vec<Vec<u8>> {
    windows()
}

pub(super) fn take_window(input: &[u8]) {
    let text = String::from_utf8_lossy(input).into_owned();
    if let Ok(clean) = desktop::check(WindowContent::Html { html: text.clone() }) {
        let WindowContent::Html { html } = &clean else { panic!("HTML stays HTML") };
        assert_harmless(html);
        assert_eq!(desktop::check(clean.clone()).as_ref(), Ok(&clean), "cleaning what is clean changes nothing");
    }
    if let Ok(clean) = desktop::check(WindowContent::Markdown { text }) {
        assert_eq!(desktop::check(clean.clone()).as_ref(), Ok(&clean), "cleaning what is clean changes nothing");
    }
}

/// Asserts that there are no active elements or attributes. Attributes are searched inside of tags
/// only, since text may contain anything.
fn assert_harmless(html: &str) {
    for tag in html.split('<').skip(1) {
        let inside: String = tag.split('>').next().unwrap_or_default().to_ascii_lowercase();
        // Values are quoted, so text between quotes is not an attribute.
        let names: String = inside.split('"').step_by(2).collect();
        let tag: String = format!("<{names}").split_whitespace().collect();
        for acting in ACTING {
            assert!(!tag.contains(acting), "{acting} is left in {html}");
        }
        // A title may contain anything; only link targets can be active.
        for leads in ["href=\"javascript:", "src=\"javascript:"] {
            assert!(!inside.contains(leads), "a link that acts is left in {html}");
        }
    }
}

pub(super) fn take_page(input: &[u8]) {
    for kind in [MediaKind::Html, MediaKind::Markdown, MediaKind::Plain] {
        if let Ok(text) = read(kind, input, None) {
            assert!(text.body.len() <= research::read::BODY_BYTES_MAX, "what is read has a size");
        }
    }
}
