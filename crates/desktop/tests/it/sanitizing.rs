//! Window content never runs or loads anything, whatever the input.

use std::cell::RefCell;

use desktop::{TEXT_BYTES_MAX, check, content_as_text};
use html5ever::{
    tendril::StrTendril,
    tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
};
use proptest::prelude::*;
use protocol::WindowContent;
use pulldown_cmark::{Event, Options, Parser, Tag as Mark};

/// Elements that run, load or take input, and elements that change how the rest is parsed.
const FORBIDDEN: [&str; 37] = [
    "script",
    "style",
    "iframe",
    "frame",
    "frameset",
    "object",
    "embed",
    "applet",
    "form",
    "input",
    "button",
    "select",
    "textarea",
    "option",
    "link",
    "meta",
    "base",
    "svg",
    "math",
    "template",
    "noscript",
    "noembed",
    "noframes",
    "plaintext",
    "xmp",
    "video",
    "audio",
    "source",
    "track",
    "picture",
    "image",
    "portal",
    "marquee",
    "dialog",
    "slot",
    "title",
    "canvas",
];

fn clean(html: &str) -> String {
    match check(WindowContent::Html { html: html.to_owned() }).unwrap() {
        WindowContent::Html { html } => html,
        other => panic!("{other:?}"),
    }
}

fn markdown(text: &str) -> String {
    match check(WindowContent::Markdown { text: text.to_owned() }).unwrap() {
        WindowContent::Markdown { text } => text,
        other => panic!("{other:?}"),
    }
}

/// The tags of a text, as an HTML tokenizer reads them.
fn tags(html: &str) -> Vec<Tag> {
    struct TagCollector(RefCell<Vec<Tag>>);
    impl TokenSink for TagCollector {
        type Handle = ();

        fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
            match token {
                Token::TagToken(tag) if tag.kind == TagKind::StartTag => self.0.borrow_mut().push(tag),
                Token::CommentToken(_) | Token::DoctypeToken(_) => panic!("nothing hidden is left"),
                _ => {}
            }
            TokenSinkResult::Continue
        }
    }
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(TagCollector(RefCell::default()), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

/// Why a text is unsafe; `None` if it is safe.
fn harm(html: &str) -> Option<String> {
    for tag in tags(html) {
        let name = &*tag.name;
        if FORBIDDEN.contains(&name) {
            return Some(format!("<{name}>"));
        }
        for attribute in &tag.attrs {
            let (key, value) = (&*attribute.name.local, &*attribute.value);
            let is_fine = match key {
                "href" => {
                    name == "a"
                        && ["http://", "https://", "http:", "https:", "mailto:"]
                            .iter()
                            .any(|scheme| value.to_ascii_lowercase().starts_with(scheme))
                }
                "src" => {
                    name == "img"
                        && ["png", "jpeg", "gif", "webp"]
                            .iter()
                            .any(|kind| value.starts_with(&format!("data:image/{kind};base64,")))
                }
                "rel" => name == "a" && value == "noopener noreferrer",
                "alt" | "width" | "height" | "colspan" | "rowspan" | "scope" | "start" | "reversed" | "open"
                | "span" | "dir" | "lang" | "title" => true,
                _ => false,
            };
            if !is_fine {
                return Some(format!("<{name} {key}={value}>"));
            }
        }
        if name == "a" && tag.attrs.iter().all(|attribute| &*attribute.name.local != "rel") {
            return Some("a link that tells where it was followed from".to_owned());
        }
    }
    None
}

/// Fragments that have broken sanitizers before.
fn nasty() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        prop::sample::select(&FORBIDDEN[..]).prop_map(str::to_owned),
        prop::sample::select(vec![
            "a",
            "b",
            "p",
            "i",
            "div",
            "img",
            "table",
            "tr",
            "td",
            "ul",
            "li",
            "pre",
            "span",
            "details",
            "mtext",
            "mglyph",
            "annotation-xml",
            "foreignObject",
            "desc",
            "style",
            "x:script",
            "a/",
            "IMG",
            "ScRiPt",
            "tbody",
            "caption",
            "col",
        ])
        .prop_map(str::to_owned),
    ];
    let address = prop::sample::select(vec![
        "https://x.org/a",
        "//x.org",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "&#106;avascript:x",
        " javascript:x",
        "\u{1}javascript:x",
        "data:text/html,<script>x</script>",
        "data:image/svg+xml;base64,PHN2Zz4=",
        "data:image/png;base64,iVBORw0KGgo=",
        "data:image/png;base64,\"><script>",
        "vbscript:x",
        "mailto:a@b.org",
        "/rest",
        "#a",
        "",
    ]);
    let key = prop::sample::select(vec![
        "href",
        "src",
        "srcset",
        "xlink:href",
        "action",
        "formaction",
        "background",
        "style",
        "onerror",
        "onclick",
        "class",
        "id",
        "name",
        "poster",
        "ping",
        "target",
        "alt",
        "title",
        "srcdoc",
        "cite",
        "usemap",
        "data",
        "is",
        "rel",
        "autofocus",
        "colspan",
    ]);
    let quote = prop::sample::select(vec!["\"", "'", "", "`", "\" "]);
    let attribute = (key, quote, address).prop_map(|(key, quote, address)| format!(" {key}={quote}{address}{quote}"));
    let open = (name.clone(), prop::collection::vec(attribute, 0..4), prop::sample::select(vec![">", "/>", "", ">\n"]))
        .prop_map(|(name, attributes, end)| format!("<{name}{}{end}", attributes.concat()));
    let close = name.prop_map(|name| format!("</{name}>"));
    let odd = prop::sample::select(vec![
        "<!--",
        "-->",
        "--!>",
        "<![CDATA[",
        "]]>",
        "<!doctype html>",
        "<?xml?>",
        "&lt;script&gt;",
        "&#60;img src=x onerror=y&#62;",
        "<",
        ">",
        "\"",
        "'",
        "&",
        "\0",
        "<%",
        "<svg><style><img src=x onerror=y>",
        "<math><mtext><table><mglyph><style>",
        "<noscript><p title=\"</noscript><img src=x onerror=y>\">",
        "<a href=\"",
        "<img/src=x/onerror=y>",
        "text",
        "é",
    ])
    .prop_map(str::to_owned);
    prop::collection::vec(prop_oneof![3 => open, 1 => close, 2 => odd, 1 => "[ -~]{0,12}"], 0..24)
        .prop_map(|parts| parts.concat())
}

fn nasty_markdown() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "!",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "![a](https://x.org/a.png)",
        "[a](javascript:x)",
        "![a][r]",
        "[r]",
        "\n\n[r]: https://x.org/a\n\n",
        "\n\n[r]: javascript:x\n\n",
        "`",
        "``",
        "\n```\n",
        "\n    ",
        "\n> ",
        "\n- ",
        "\\",
        "<img src=https://x.org>",
        "<div>",
        "</div>",
        "<!--",
        "-->",
        "<https://x.org>",
        "<javascript:x>",
        "\n",
        "\n\n",
        "|",
        "\n|---|\n",
        "*",
        "_",
        "~~",
        "[^1]",
        "\n[^1]: ",
        "a",
        "&lt;",
        "![a](data:image/png;base64,iVBORw0KGgo=)",
        "![a](artifact:01ARZ3NDEKTSV4RRFFQ69G5FAV)",
        "![",
        "](https://x.org)",
        "\t",
        "é",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn html_that_was_let_through_does_nothing(html in nasty()) {
        let clean = clean(&html);
        prop_assert_eq!(harm(&clean), None, "{}", clean);
    }

    #[test]
    fn html_that_was_let_through_is_let_through_unchanged(html in nasty()) {
        let once = clean(&html);
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn html_can_always_be_told_in_words(html in nasty()) {
        let content = check(WindowContent::Html { html }).unwrap();
        prop_assert!(content_as_text(&content, 200).chars().count() <= 200);
    }

    #[test]
    fn markdown_that_was_let_through_loads_nothing(text in nasty_markdown()) {
        let clean = markdown(&text);
        for options in [Options::empty(), Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS] {
            for event in Parser::new_ext(&clean, options) {
                match event {
                    Event::Start(Mark::Image { dest_url, .. }) => {
                        prop_assert!(dest_url.starts_with("data:image/png;") || dest_url.starts_with("artifact:"), "{clean}");
                    }
                    Event::Start(Mark::Link { dest_url, .. }) => {
                        prop_assert!(!dest_url.starts_with("javascript:"), "{clean}");
                    }
                    Event::Html(html) | Event::InlineHtml(html) => prop_assert!(false, "{html}"),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn markdown_that_was_let_through_is_let_through_unchanged(text in nasty_markdown()) {
        let once = markdown(&text);
        prop_assert_eq!(markdown(&once), once);
    }
}

#[test]
fn what_is_nested_deep_breaks_nothing() {
    for piece in
        ["<div>", "<b>", "<a href=x>", "<table>", "<ul><li>", "<svg>", "<p><b>", "<table><tr><td>", "<b><p></b>"]
    {
        assert_eq!(harm(&clean(&piece.repeat(500))), None, "{piece}");
    }
    for piece in
        ["[", "![", "<", "> ", "- ", "*a _b ", "![a](", "!", "[a](b)", "![a](b)", "|", "`", "<a", "<b>", "[^a]"]
    {
        let text = piece.repeat(TEXT_BYTES_MAX / piece.len() / 4);
        assert!(markdown(&text).len() >= text.len() / 2, "{piece}");
    }
}
